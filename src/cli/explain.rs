//! `opatlas explain`: the documentation of a rule or a topic.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use opatlas_diff::rules as change_rules;
use opatlas_diff::rules::ChangeRule;
use opatlas_pytorch::release::Release;
use opatlas_report::topics;
use opatlas_rules::{Rule, registry};
use opatlas_source::suggest::nearest_few;

/// Explains a rule or a topic.
///
/// A topic is a dispatch key or alias, a field of an entry, a type, an annotation, or a guide such as
/// dispatch-keyword. A rule is about one revision, or about a change between two.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The rule or topic, such as out-return-matches, CompositeExplicitAutograd or "Tensor(a!)";
    /// lists all topics and rules if omitted
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,

    /// The release whose dispatch tables a guide shows, such as 2.9; the newest known by default
    #[arg(long)]
    release: Option<String>,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let release = match &self.release {
            Some(text) => Release::parse(text)?.release,
            None => Release::LATEST,
        };
        let Some(name) = self.topic else {
            list();
            return Ok(ExitCode::SUCCESS);
        };
        print!("{}", pages(&name, release)?);
        Ok(ExitCode::SUCCESS)
    }
}

/// The topic of a name, then the rules of that name.
fn pages(name: &str, release: Release) -> anyhow::Result<String> {
    let topic = opatlas_topics::find(name).map(|topic| topics::topic(&topic, release));
    let pages = [
        topic,
        registry::find(name).map(page),
        change_rules::find(name).map(change_page),
    ];
    let pages: Vec<String> = pages.into_iter().flatten().collect();
    if pages.is_empty() {
        bail!("{}", unknown(name));
    }
    Ok(pages.join("\n\n"))
}

/// Topics first, then rules.
fn list() {
    for topic in opatlas_topics::all() {
        println!(
            "{:40} {:16} {}",
            topic.id,
            topic.kind.as_str(),
            topic.summary
        );
    }
    for rule in registry::all() {
        let severity = rule.severity.as_str();
        println!("{:40} {severity:16} {}", rule.id, first_line(rule.what));
    }
    for rule in &change_rules::RULES {
        println!("{:40} {:16} {}", rule.id, level(rule), rule.what);
    }
}

fn unknown(name: &str) -> String {
    let topics = opatlas_topics::all();
    let changes = change_rules::RULES.iter().map(|rule| rule.id.as_str());
    let known = registry::all()
        .map(|rule| rule.id.as_str())
        .chain(changes)
        .chain(topics.iter().map(|topic| &*topic.id));
    let near = nearest_few(name, known, 3);
    if near.is_empty() {
        format!("unknown rule or topic `{name}`; `opatlas explain` lists all")
    } else {
        format!(
            "unknown rule or topic `{name}`; did you mean {}?",
            near.join(", ")
        )
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
        if names.is_empty() {
            "nobody".to_owned()
        } else {
            names.join(", ")
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
