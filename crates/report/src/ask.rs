//! What an error message means, as text and Markdown.

use std::fmt::Write as _;

use opatlas_ask::{Answer, Part, UNKNOWN, Way};
use opatlas_pytorch::Release;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::escape;
use super::topics::paragraph;

/// A page that says more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What the page shows.
    pub title: String,
    /// Its path in the web interface.
    pub path: String,
}

/// What a name in a path keeps as it is.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-');

/// The longest part of the pasted text that is repeated, in characters.
const MOST_SHOWN: usize = 120;

/// The answer as text for terminals.
#[must_use]
pub fn text(answer: &Answer, asked: &str) -> String {
    let mut text = String::new();
    paragraph(
        &mut text,
        &escape::line(&format!("{}.", &*answer.title)),
        "",
    );
    if !answer.cause.is_empty() {
        text.push_str("\nWhy\n");
        paragraph(&mut text, &escape::line(&answer.cause), "  ");
    }
    if !answer.advice.is_empty() {
        text.push_str("\nWhat to do\n");
    }
    for advice in &answer.advice {
        let releases = advice.releases.as_deref();
        let before = releases.map_or_else(String::new, |releases| format!("[{releases}] "));
        let mut lines = String::new();
        let line = format!("{before}{}", &*advice.text);
        paragraph(&mut lines, &escape::line(&line), "    ");
        lines.replace_range(..4, "  - ");
        text.push_str(&lines);
    }
    if let Some(misleads) = &answer.misleads {
        text.push_str("\nDo not be misled\n");
        paragraph(&mut text, &escape::line(misleads), "  ");
    }
    text.push_str("\nRead from the text\n");
    for (what, value) in facts(answer).into_iter().chain(parts(answer, asked)) {
        let _ = writeln!(text, "  {what:18} {}", escape::line(&value));
    }
    let links = links(answer);
    if !links.is_empty() {
        text.push_str("\nSee\n");
    }
    for link in links {
        let _ = writeln!(text, "  {:18} {}", link.title, link.path);
    }
    text
}

/// The answer as Markdown.
#[must_use]
pub fn markdown(answer: &Answer, asked: &str) -> String {
    let mut text = format!("**{}.**\n", escape::markdown(&answer.title));
    if !answer.cause.is_empty() {
        let _ = writeln!(text, "\n{}", escape::markdown(&answer.cause));
    }
    if !answer.advice.is_empty() {
        text.push_str("\nWhat to do:\n\n");
    }
    for advice in &answer.advice {
        let releases = advice.releases.as_deref();
        let before = releases.map_or_else(String::new, |releases| format!("*{releases}:* "));
        let _ = writeln!(text, "- {before}{}", escape::markdown(&advice.text));
    }
    if let Some(misleads) = &answer.misleads {
        let _ = writeln!(text, "\nDo not be misled: {}", escape::markdown(misleads));
    }
    text.push_str("\nRead from the text:\n\n");
    for (what, value) in facts(answer).into_iter().chain(parts(answer, asked)) {
        let _ = writeln!(text, "- {what}: {}", escape::code(&value));
    }
    text
}

/// The pages that say more about the operator, the key and the rule.
#[must_use]
pub fn links(answer: &Answer) -> Vec<Link> {
    let encoded = |name: &str| utf8_percent_encode(name, NAME).to_string();
    let mut links = Vec::new();
    let newest = Release::LATEST.data().measured.last();
    let own = answer
        .operator
        .as_deref()
        .filter(|name| !name.contains("::"));
    if let (Some(operator), Some(newest)) = (own, newest) {
        let key = answer.key.as_deref();
        let key = key.map_or_else(String::new, |key| format!("?key={}", encoded(key)));
        links.push(Link {
            title: "operator".to_owned(),
            path: format!("/p/pytorch/r/{newest}/operators/{}{key}", encoded(operator)),
        });
    }
    if let Some(rule) = answer.rule {
        links.push(Link {
            title: "rule".to_owned(),
            path: format!("/rules/{rule}"),
        });
    }
    if let Some(key) = answer.key.as_deref().and_then(opatlas_topics::find) {
        links.push(Link {
            title: "dispatch key".to_owned(),
            path: format!("/topics/{}", encoded(&key.id)),
        });
    }
    links
}

/// What the answer is about, in the order of the reader's interest.
fn facts(answer: &Answer) -> Vec<(&'static str, String)> {
    let way = (answer.way != Way::None).then(|| answer.way.as_str().to_owned());
    let kind = (answer.kind != UNKNOWN).then(|| answer.kind.to_owned());
    let named = [
        ("kind", kind),
        ("operator", answer.operator.clone()),
        ("dispatch key", answer.key.clone()),
        ("way", way),
        ("release", answer.release.clone()),
        ("happens up to", answer.fails_in.map(str::to_owned)),
        ("works from", answer.fixed_in.map(str::to_owned)),
    ];
    let known = named.into_iter();
    known
        .filter_map(|(what, value)| Some((what, value?)))
        .collect()
}

/// The message that was recognized, as the text has it.
fn parts(answer: &Answer, asked: &str) -> Option<(&'static str, String)> {
    let message = answer.read.iter().find(|part| part.what == "message");
    message.map(|part| (part.what, shown(part, asked)))
}

/// A part of the text on one line, shortened.
fn shown(part: &Part, asked: &str) -> String {
    let words: Vec<&str> = part.span.slice(asked).split_whitespace().collect();
    let line = words.join(" ");
    let short: String = line.chars().take(MOST_SHOWN).collect();
    match short.len() < line.len() {
        true => short + "...",
        false => short,
    }
}
