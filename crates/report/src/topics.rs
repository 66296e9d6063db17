//! A topic as text for terminals.

use std::fmt::Write as _;

use opatlas_pytorch::release::Release;
use opatlas_topics::{GUIDE, Kind, Next, Outcome, Topic, Verdict};

/// The longest line of a paragraph, in characters.
const WIDTH: usize = 98;

/// A topic. The tables of a guide are those of the release.
#[must_use]
pub fn topic(topic: &Topic, release: Release) -> String {
    let mut text = format!(
        "{} ({}{})\n\n",
        topic.id,
        topic.kind.as_str(),
        releases(topic)
    );
    paragraph(&mut text, &topic.summary, "");
    for part in &topic.body {
        text.push('\n');
        paragraph(&mut text, part, "");
    }
    if topic.id == "dispatch-keyword" {
        guide(&mut text, release);
    }
    if let Some(differs) = topic.differs {
        text.push_str("\nREADME and torchgen\n");
        paragraph(&mut text, differs, "  ");
    }
    for example in topic.examples {
        match example.verdict {
            Verdict::Accepted => text.push_str("\nAccepted\n"),
            Verdict::Refused(rule) => {
                let _ = writeln!(text, "\nRejected ({rule})");
            }
        }
        indented(&mut text, example.yaml, "  ");
    }
    if !topic.see.is_empty() {
        let _ = writeln!(text, "\nSee also\n  {}", topic.see.join(", "));
    }
    text
}

/// The releases that have the topic, unless all do.
fn releases(topic: &Topic) -> String {
    let has_releases = matches!(topic.kind, Kind::Type | Kind::DispatchKey);
    match (has_releases, topic.until) {
        (false, _) => String::new(),
        (true, None) if topic.since == Release::V2_0 => String::new(),
        (true, None) => format!(", since PyTorch {}", topic.since),
        (true, Some(until)) => format!(", PyTorch {} to {until}", topic.since),
    }
}

fn guide(text: &mut String, release: Release) {
    text.push_str("\nQuestions\n");
    let number = |id: &str| {
        GUIDE
            .questions
            .iter()
            .position(|question| question.id == id)
    };
    for (place, question) in GUIDE.questions.iter().enumerate() {
        let _ = writeln!(text, "\n{}. {}", place + 1, question.text);
        paragraph(text, question.help, "   ");
        for answer in question.answers {
            let next = match answer.next {
                Next::Question(id) => format!("question {}", number(id).unwrap_or(0) + 1),
                Next::Outcome(id) => GUIDE.outcome(id).map_or("", |found| found.title).to_owned(),
            };
            let _ = writeln!(text, "   - {}: {next}", answer.text);
        }
    }
    for one in GUIDE.outcomes {
        outcome(text, one, release);
    }
}

fn outcome(text: &mut String, outcome: &Outcome, release: Release) {
    let _ = writeln!(text, "\n{}", outcome.title);
    paragraph(text, outcome.text, "  ");
    text.push('\n');
    indented(text, outcome.yaml, "  ");
    let _ = writeln!(text, "\n  Dispatch table (PyTorch {release})");
    for row in outcome.table(release) {
        let kernel = row.kernel.as_deref().unwrap_or("-");
        let (shown, more) = row.keys.split_at(row.keys.len().min(4));
        let mut keys = shown.join(", ");
        if !more.is_empty() {
            let _ = write!(keys, " and {} more", more.len());
        }
        let _ = writeln!(text, "    {kernel:20} {:24} {keys}", row.reason);
    }
}

fn indented(text: &mut String, lines: &str, by: &str) {
    for line in lines.lines() {
        let _ = writeln!(text, "{by}{line}");
    }
}

pub(super) fn paragraph(text: &mut String, words: &str, by: &str) {
    let mut width = 0;
    for word in words.split(' ') {
        let length = word.chars().count();
        if width > 0 && by.len() + width + 1 + length > WIDTH {
            text.push('\n');
            width = 0;
        }
        match width {
            0 => text.push_str(by),
            _ => {
                text.push(' ');
                width += 1;
            }
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
}
