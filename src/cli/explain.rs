//! `opatlas explain`: the documentation of a rule.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use crate::rules::{Rule, registry};
use crate::suggest::nearest_few;

/// Explains a rule: what it finds, why that matters, and how to mend it.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The rule's id, such as out-return-matches; without one, all rules are listed
    rule: Option<String>,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Some(id) = self.rule else {
            for rule in registry::all() {
                println!(
                    "{:40} {:8} {}",
                    rule.id,
                    rule.severity.as_str(),
                    first_line(rule.what)
                );
            }
            return Ok(ExitCode::SUCCESS);
        };
        let Some(rule) = registry::find(&id) else {
            let near = nearest_few(&id, registry::all().map(|rule| rule.id), 3);
            if near.is_empty() {
                bail!("there is no rule `{id}`; `opatlas explain` lists all");
            }
            bail!("there is no rule `{id}`; did you mean {}?", near.join(", "));
        };
        print!("{}", page(rule));
        Ok(ExitCode::SUCCESS)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

fn page(rule: &Rule) -> String {
    let releases = match (rule.since, rule.until) {
        (since, Some(until)) => format!("releases {since} to {until}"),
        (since, None) => format!("since release {since}"),
    };
    format!(
        "{} ({}, {releases})\n\nWhat\n{}\nWhy\n{}\nBad\n{}\nGood\n{}\nSource in PyTorch\n  {}\n",
        rule.id,
        rule.severity,
        indented(rule.what),
        indented(rule.why),
        indented(rule.bad.text),
        indented(rule.good.text),
        rule.source
    )
}

fn indented(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect()
}
