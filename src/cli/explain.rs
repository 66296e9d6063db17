//! `opatlas explain`: the documentation of a rule.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use opatlas_diff::rules as change_rules;
use opatlas_diff::rules::ChangeRule;
use opatlas_rules::{Rule, registry};
use opatlas_source::suggest::nearest_few;

/// Explains a validation or change rule: what it is about, why it matters and how to fix it.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The rule's id, such as out-return-matches or argument-renamed; lists all rules if omitted
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
            for rule in &change_rules::RULES {
                println!("{:40} {:16} {}", rule.id, level(rule), rule.what);
            }
            return Ok(ExitCode::SUCCESS);
        };
        if let Some(rule) = change_rules::find(&id) {
            print!("{}", change_page(rule));
            return Ok(ExitCode::SUCCESS);
        }
        let Some(rule) = registry::find(&id) else {
            let changes = change_rules::RULES.iter().map(|rule| rule.id.as_str());
            let known = registry::all().map(|rule| rule.id.as_str()).chain(changes);
            let near = nearest_few(&id, known, 3);
            if near.is_empty() {
                bail!("unknown rule `{id}`; `opatlas explain` lists all rules");
            }
            bail!("unknown rule `{id}`; did you mean {}?", near.join(", "));
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

fn level(rule: &ChangeRule) -> &'static str {
    rule.level
        .map_or("that of the worst change", |level| level.as_str())
}

fn change_page(rule: &ChangeRule) -> String {
    let whom = |audiences: change_rules::Audiences| {
        let names: Vec<_> = audiences.iter().map(|audience| audience.as_str()).collect();
        match names.is_empty() {
            true => "nobody".to_owned(),
            false => names.join(", "),
        }
    };
    let mut page = format!(
        "{} ({}, a change rule for {})\n\nWhat\n{}\nWhy\n{}\nBreaks\n  {}\nAt risk\n  {}\n\n",
        rule.id,
        level(rule),
        rule.group.as_str(),
        indented(rule.what),
        indented(rule.why),
        whom(rule.impacts.breaks),
        whom(rule.impacts.risks),
    );
    page.push_str(&format!(
        "PyTorch's own check\n  backward {}, forward {}\n",
        rule.backward.as_str(),
        rule.forward.as_str()
    ));
    if let Some(instead) = rule.instead {
        page.push_str(&format!("\nInstead\n{}", indented(instead)));
    }
    if let Some(example) = rule.example {
        let (old, new) = (indented(example.old), indented(example.new));
        page.push_str(&format!("\nBefore\n{old}\nAfter\n{new}"));
    }
    page.push_str(&format!("\nSource in PyTorch\n  {}\n", rule.source));
    page
}

fn indented(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect()
}
