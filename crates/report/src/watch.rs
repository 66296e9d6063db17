//! The commits of PyTorch that break a backend, as text and as an Atom feed (RFC 4287).

use std::fmt::Write as _;

use jiff::Timestamp;

use super::backend::counted;
use super::escape;
use opatlas_diff::watch::{Break, BreakingCommit, Watch};

/// The most operators that a line names for one reason.
const NAMED: usize = 4;

const SHORT_ID: usize = 12;

/// A backend, and the commits that were compared.
#[derive(Debug, Clone, Copy)]
pub struct Watched<'w> {
    /// The name of the backend.
    pub name: &'w str,
    /// The dispatch key of its kernels.
    pub key: &'w str,
    /// The number of operators that it registers.
    pub listed: usize,
    /// The commits.
    pub watch: &'w Watch,
}

/// One line for each commit that breaks the backend, and a last line with the counts.
#[must_use]
pub fn text(watched: Watched<'_>) -> String {
    let mut out = String::new();
    for breaking in &watched.watch.breaking {
        let commit = &breaking.commit;
        let line = format!(
            "{} {} {}: {}",
            short(&commit.id),
            day(commit.date),
            commit.subject,
            effects(&breaking.breaks)
        );
        let _ = writeln!(out, "{}", escape::line(&line));
    }
    let _ = writeln!(out, "{}", escape::line(&summary(watched)));
    out
}

fn summary(watched: Watched<'_>) -> String {
    let breaking = watched.watch.breaking.len();
    let verb = if breaking == 1 { "breaks" } else { "break" };
    format!(
        "{breaking} of {} commits {verb} {} ({}, {})",
        watched.watch.commits,
        watched.name,
        watched.key,
        counted(watched.listed, "operator"),
    )
}

/// `relu and gelu stop compiling; add.out stops working`
fn effects(breaks: &[Break]) -> String {
    let mut groups: Vec<Vec<&Break>> = Vec::new();
    for one in breaks {
        let is_alike = |group: &&mut Vec<&Break>| {
            let first = group[0];
            (first.stops, first.is_certain, &first.restored_by)
                == (one.stops, one.is_certain, &one.restored_by)
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let groups: Vec<String> = groups.iter().map(|group| effect(group)).collect();
    groups.join("; ")
}

fn effect(group: &[&Break]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let mut names: Vec<&str> = group.iter().map(|one| &*one.operator).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more > 0 {
        format!("{more} more")
    } else {
        String::new()
    };
    if !more.is_empty() {
        names.push(&more);
    }
    let names = match &*names {
        [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
        _ => names.concat(),
    };
    let verb = match (first.is_certain, group.len()) {
        (false, _) => "may stop",
        (true, 1) => "stops",
        (true, _) => "stop",
    };
    let until = match &first.restored_by {
        Some(commit) => format!(" (until {})", short(commit)),
        None => String::new(),
    };
    format!("{names} {verb} {}{until}", first.stops)
}

fn short(id: &str) -> String {
    id.chars().take(SHORT_ID).collect()
}

fn at(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn day(micros: i64) -> String {
    at(micros).strftime("%Y-%m-%d").to_string()
}

/// An Atom feed with one entry for each commit that breaks the backend, newest first.
#[must_use]
pub fn atom(watched: Watched<'_>) -> String {
    let id = format!("urn:opatlas:watch:{}", escape::uri(watched.name));
    let updated = watched.watch.last.as_ref().map_or(0, |commit| commit.date);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>{}</id>\n\
         <title>{}</title>\n\
         <subtitle>{}</subtitle>\n\
         <updated>{}</updated>\n\
         <author><name>Opatlas</name></author>\n",
        escape::xml(&id),
        escape::xml(&format!("PyTorch commits that break {}", watched.name)),
        escape::xml(&summary(watched)),
        at(updated),
    );
    for breaking in watched.watch.breaking.iter().rev() {
        entry(&mut out, &id, breaking);
    }
    out.push_str("</feed>\n");
    out
}

fn entry(out: &mut String, feed: &str, breaking: &BreakingCommit) {
    let commit = &breaking.commit;
    let title = format!("{}: {}", commit.subject, effects(&breaking.breaks));
    let mut content = String::new();
    for one in &breaking.breaks {
        let why: &str = &one.why;
        let _ = writeln!(content, "{}: {why}", effect(&[one]));
        for (side, declaration) in [("old", &one.old), ("new", &one.new)] {
            if let Some(declaration) = declaration {
                let _ = writeln!(content, "  {side}: {declaration}");
            }
        }
    }
    let _ = write!(
        out,
        "<entry>\n<id>{}</id>\n<title>{}</title>\n<updated>{}</updated>\n\
         <content type=\"text\">{}</content>\n</entry>\n",
        escape::xml(&format!("{feed}:{}", escape::uri(&commit.id))),
        escape::xml(&escape::line(&title)),
        at(commit.date),
        escape::xml(&content),
    );
}
