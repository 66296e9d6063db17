//! An operator's history as text: one line for each event, and its support at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use opatlas_diff::history::EventKind;
use opatlas_diff::rules::{Audience, Level, find};
use opatlas_dispatch::Reason;
use opatlas_verdict::{Standing, Verdict};

use super::escape;

/// The most keys of one kind that a line names.
const KEYS_NAMED: usize = 6;

/// An event to report.
#[derive(Debug, Clone, Copy)]
pub struct ReportedEvent<'a> {
    /// The title of the first revision with the change.
    pub title: &'a str,
    /// What kind it is.
    pub kind: EventKind,
    /// The change rule.
    pub rule: &'a str,
    /// The level of the change.
    pub level: Level,
    /// The message of the change.
    pub message: &'a str,
}

/// The kernel for a key in the last revision.
#[derive(Debug, Clone, Copy)]
pub struct Serving<'a> {
    /// The runtime key.
    pub key: &'a str,
    /// Why it serves.
    pub reason: Reason,
    /// The registered key that serves.
    pub source_key: Option<&'a str>,
    /// Whether a call works; `None` on keys that are not a backend's.
    pub verdict: Option<Verdict>,
}

/// A history to report.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// The operator.
    pub operator: &'a str,
    /// The title of the first requested revision.
    pub first: &'a str,
    /// The title of the last requested revision.
    pub last: &'a str,
    /// Whether the operator is in the first revision, and no earlier one is known.
    pub was_there: bool,
    /// Whether it is in the last revision.
    pub is_there: bool,
    /// The events, in order.
    pub events: &'a [ReportedEvent<'a>],
    /// Its kernels in the last revision.
    pub serving: &'a [Serving<'a>],
    /// The changes of its fates on ways to run it: a release and a sentence.
    pub ways: &'a [(&'a str, &'a str)],
}

/// The history as text for a terminal.
#[must_use]
pub fn text(history: &History<'_>) -> String {
    let mut lines: Vec<(&str, String, String)> = Vec::new();
    if history.was_there {
        let text = "present in the first known revision".to_owned();
        lines.push((history.first, text, String::new()));
    }
    for event in history.events {
        let message = match event.kind {
            EventKind::Introduced => "introduced".to_owned(),
            EventKind::Removed => "removed".to_owned(),
            _ => event.message.to_owned(),
        };
        lines.push((event.title, message, judgement(event)));
    }
    if history.is_there {
        let since = history.events.last().map(|event| event.title);
        let unchanged = match since.filter(|since| *since != history.last) {
            Some(since) => format!("unchanged since {since}; "),
            None if history.events.is_empty() => "never changed; ".to_owned(),
            None => String::new(),
        };
        let text = format!("{unchanged}{}", served(history.serving));
        lines.push((history.last, text, String::new()));
    }
    let titles = lines.iter().map(|(title, ..)| title.chars().count()).max();
    let messages = lines.iter().filter(|(.., judged)| !judged.is_empty());
    let messages = messages.map(|(_, message, _)| message.chars().count());
    let messages = messages.filter(|width| *width <= 60).max().unwrap_or(0);
    let (titles, mut out) = (
        titles.unwrap_or(0),
        format!("{}\n", escape::line(history.operator)),
    );
    let mut before = "";
    for (title, message, judged) in &lines {
        let shown = if *title == before { "" } else { title };
        before = title;
        let line = format!("  {shown:titles$}  {message:messages$}  {judged}");
        let _ = writeln!(out, "{}", escape::line(line.trim_end()));
    }
    if !history.ways.is_empty() {
        out.push_str("Ways to run it, by release:\n");
    }
    for (release, message) in history.ways {
        let line = format!("  {release:titles$}  {message}");
        let _ = writeln!(out, "{}", escape::line(&line));
    }
    out
}

/// The level and the affected audiences; empty below dangerous.
fn judgement(event: &ReportedEvent<'_>) -> String {
    if event.level < Level::Dangerous {
        return String::new();
    }
    let impacts = find(event.rule).map(|rule| rule.impacts);
    let hurt = Audience::ALL.into_iter().filter(|audience| {
        impacts.is_some_and(|impacts| match event.level {
            Level::Dangerous => {
                impacts.breaks.contains(*audience) || impacts.risks.contains(*audience)
            }
            _ => impacts.breaks.contains(*audience),
        })
    });
    let hurt: Vec<&str> = hurt.map(people).collect();
    match hurt.len() {
        0 => event.level.as_str().to_owned(),
        1..=3 => format!("{} for {}", event.level.as_str(), hurt.join(", ")),
        _ => format!(
            "{} for {} and others",
            event.level.as_str(),
            hurt[..2].join(", ")
        ),
    }
}

/// The display name of an audience.
#[must_use]
pub fn people(audience: Audience) -> &'static str {
    match audience {
        Audience::PythonKeyword => "Python keyword callers",
        Audience::PythonPositional => "Python positional callers",
        Audience::SavedModel => "saved models",
        Audience::NewModel => "new models on old runtimes",
        Audience::Cpp => "C++ callers",
        Audience::Backend => "out-of-tree backends",
        Audience::Autograd => "autograd",
        Audience::Compiler => "the compiler",
        Audience::TorchOps => "callers of torch.ops",
        Audience::Export => "exported programs",
        Audience::Aoti => "compiled packages",
        Audience::Transforms => "transforms",
    }
}

/// The kernels by kind, with their keys unless one kind serves all.
fn served(serving: &[Serving<'_>]) -> String {
    let mut by_source: BTreeMap<(u8, &str), Vec<&str>> = BTreeMap::new();
    for cell in serving {
        let standing = Standing::of(cell.verdict, cell.reason);
        let (rank, source) = match (standing, cell.source_key) {
            (Standing::Own, _) => (0, "its own kernel"),
            (Standing::Inherited, Some(source)) => (1, source),
            (Standing::Inherited, None) => (2, cell.reason.as_str()),
            (Standing::Partly, _) => (3, "works in part"),
            (Standing::Unknown, source) => (4, source.unwrap_or("unknown")),
            (Standing::Fails, _) => (5, "fails"),
        };
        by_source.entry((rank, source)).or_default().push(cell.key);
    }
    let by_source: Vec<_> = by_source.into_iter().collect();
    match by_source.as_slice() {
        [] => "no backend is known".to_owned(),
        [((5, _), _)] => "runs on no backend".to_owned(),
        [((4, "unknown"), _)] => "not known where it runs".to_owned(),
        [((4, source), _)] => format!("{source} everywhere; what that calls is not known"),
        [((3, _), keys)] if keys.len() > 1 => "works in part everywhere".to_owned(),
        [((0, _), keys)] => format!("kernel on {}", named(keys)),
        [((_, source), keys)] if keys.len() > 1 => format!("runs everywhere as {source}"),
        parts => {
            let parts = parts.iter().map(|((rank, source), keys)| match rank {
                0 => format!("kernel on {}", named(keys)),
                4 => format!("unknown on {}", named(keys)),
                _ => format!("{source} on {}", named(keys)),
            });
            parts.collect::<Vec<_>>().join("; ")
        }
    }
}

fn named(keys: &[&str]) -> String {
    match keys.len() {
        0..=KEYS_NAMED => keys.join(", "),
        many => format!(
            "{} and {} others",
            keys[..KEYS_NAMED - 1].join(", "),
            many - KEYS_NAMED + 1
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_reads_well() {
        let renamed = ReportedEvent {
            title: "2.4.0",
            kind: EventKind::Schema,
            rule: "argument-renamed",
            level: Level::Breaking,
            message: "argument `from` renamed to `from_`",
        };
        let serving = ["CPU", "CUDA"].map(|key| Serving {
            key,
            reason: Reason::MathKernel,
            source_key: Some("CompositeImplicitAutograd"),
            verdict: Some(Verdict::Decomposes),
        });
        let history = History {
            operator: "can_cast",
            first: "2.0.0",
            last: "2.15.0",
            was_there: true,
            is_there: true,
            events: &[renamed],
            serving: &serving,
            ways: &[("2.12", "lost its decomposition: `by-default` became `kept`")],
        };
        insta::assert_snapshot!(text(&history), @r"
        can_cast
          2.0.0   present in the first known revision
          2.4.0   argument `from` renamed to `from_`  breaking for Python keyword callers, autograd
          2.15.0  unchanged since 2.4.0; runs everywhere as CompositeImplicitAutograd
        Ways to run it, by release:
          2.12    lost its decomposition: `by-default` became `kept`
        ");
    }

    #[test]
    fn what_serves_is_told_by_kind() {
        let cell = |key, reason, source_key, verdict| Serving {
            key,
            reason,
            source_key,
            verdict,
        };
        let (structured, own) = (Reason::DefaultBackendKernel, Reason::Kernel);
        let default = Some("CompositeExplicitAutogradNonFunctional");
        let kernels = [
            cell("CPU", own, Some("CPU"), Some(Verdict::Runs)),
            cell("MPS", Reason::Missing, None, Some(Verdict::Fails)),
            cell("CUDA", own, Some("CUDA"), Some(Verdict::Runs)),
            // A default kernel serves it, and what that calls is missing.
            cell("PrivateUse1", structured, default, Some(Verdict::Fails)),
            cell("XPU", structured, default, Some(Verdict::Partly)),
        ];
        assert_eq!(
            served(&kernels),
            "kernel on CPU, CUDA; works in part on XPU; fails on MPS, PrivateUse1"
        );
        let composite = Some("CompositeImplicitAutograd");
        let unknown = cell("CPU", Reason::MathKernel, composite, Some(Verdict::Unknown));
        assert_eq!(
            served(&[unknown]),
            "CompositeImplicitAutograd everywhere; what that calls is not known"
        );
        assert_eq!(served(&kernels[1..2]), "runs on no backend");
        let unknown = cell("CPU", Reason::Missing, None, Some(Verdict::Unknown));
        assert_eq!(served(&[unknown]), "not known where it runs");
        let many = ["A", "B", "C", "D", "E", "F", "G", "H"];
        assert_eq!(named(&many), "A, B, C, D, E and 3 others");
    }
}
