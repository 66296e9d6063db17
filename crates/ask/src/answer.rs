//! An answer from what was read.

use std::ops::Range;

use opatlas_source::{Message, message};
use opatlas_verdict::releases::known;

use crate::facts::{self, Facts};
use crate::kind::Asks;
use crate::pattern;
use crate::reading::Reading;
use crate::render;
use crate::text::Text;
use crate::{Advice, Answer, Part, Severity, UNKNOWN, Way};

/// Parts of messages that name something, each with what it is.
const PARTS: [(&str, &str); 14] = [
    ("op", "operator"),
    ("name", "function"),
    ("schema", "schema"),
    ("label", "label of a kernel"),
    ("shim", "function of the C shim"),
    ("symbol", "C++ symbol"),
    ("key", "dispatch key"),
    ("device", "device"),
    ("dtype", "data type"),
    ("other", "data type"),
    ("namespace", "namespace"),
    ("module", "module"),
    ("library", "library"),
    ("annotation", "type annotation"),
];

/// Ways in which a text names the release that it comes from.
const RELEASES: [&str; 5] = [
    "pytorch version: {version}",
    "torch=={version}",
    "torch.__version__ {version}",
    "pytorch version {version}",
    "torch-{version}-cp",
];

/// The answer to a message.
pub(crate) fn of(reading: &Reading<'_>) -> Answer {
    let facts = facts::of(reading);
    let kind = reading.kind;
    let workarounds = render::every(reading, kind.advice).into_iter();
    let workarounds = workarounds.map(|text| Advice {
        releases: until(facts),
        text,
    });
    let mut advice = by_release(reading, facts);
    match reading.asks {
        Asks::Never => advice.splice(0..0, workarounds).for_each(drop),
        _ => advice.extend(workarounds),
    }
    let facts = facts.unwrap_or_default();
    Answer {
        kind: kind.id,
        severity: reading.severity,
        title: render::title(reading, kind.titles).unwrap_or_else(|| Message::prose(kind.id)),
        operator: reading.operator.clone(),
        key: reading.key.clone(),
        way: reading.way,
        release: release(reading.text).map(|(version, _)| version),
        cause: render::first(reading, kind.causes).unwrap_or_default(),
        advice,
        since: facts.since,
        fails_in: facts.fails_in,
        fixed_in: facts.fixed_in.filter(|_| !facts.always),
        works_in_all: facts.always,
        misleads: render::first(reading, kind.misleads),
        rule: reading.rule,
        message: Some(reading.text.span(reading.start, reading.end)),
        read: parts(reading),
    }
}

/// The answer to a text that is not recognized.
pub(crate) fn unknown(text: &Text) -> Answer {
    let named = release(text);
    let read = named.iter().map(|(_, range)| Part {
        what: "release",
        span: text.span(range.start, range.end),
    });
    Answer {
        kind: UNKNOWN,
        severity: Severity::Error,
        title: "I can't tell what this is".into(),
        operator: None,
        key: None,
        way: Way::None,
        cause: "Opatlas does not know a message with these words. It reads error messages and warnings of \
                PyTorch, torchgen and libraries around them."
            .into(),
        advice: vec![Advice {
            releases: None,
            text: "Paste the whole output, with the last line of the traceback.".into(),
        }],
        since: None,
        fails_in: None,
        fixed_in: None,
        works_in_all: false,
        misleads: None,
        rule: None,
        message: None,
        read: read.collect(),
        release: named.map(|(version, _)| version),
    }
}

/// Advice from the release data: upgrade, or do not bother.
fn by_release(reading: &Reading<'_>, facts: Option<Facts>) -> Vec<Advice> {
    let (Some(facts), Some(place)) = (facts, place(reading)) else {
        return Vec::new();
    };
    if reading.rule.is_some() {
        return Vec::new();
    }
    let newest = known().last().copied().unwrap_or_default();
    let (releases, text) = match facts {
        Facts { always: true, .. } => {
            let oldest = known().first().copied().unwrap_or_default();
            let text = message!(
                "{} in every release that Opatlas knows, {} to {}. You run an older one, a nightly one, or \
                 {}.",
                place.works,
                oldest,
                newest,
                place.otherwise
            );
            (None, text)
        }
        Facts {
            fixed_in: Some(first),
            fails_in: None,
            ..
        } => {
            let text = message!(
                "{} from PyTorch {} on. What earlier releases do is unknown: try the newest one.",
                place.works,
                first
            );
            (None, text)
        }
        Facts {
            fixed_in: Some(first),
            ..
        } => {
            let text = message!(
                "Upgrade to PyTorch {} or later: {} there.",
                first,
                place.works
            );
            (Some(format!("{first} and later")), text)
        }
        Facts {
            fails_in: Some(last),
            ..
        } if last == newest => {
            let text = message!(
                "No release up to {} {}: an upgrade does not help.",
                newest,
                place.has
            );
            (None, text)
        }
        _ => return Vec::new(),
    };
    vec![Advice { releases, text }]
}

/// Phrases for advice about releases.
struct Place {
    /// A clause that is true of a good release: "`add` works on MPS".
    works: Message,
    /// The end of "No release up to 2.15.0 ...": "has it".
    has: &'static str,
    /// Why it fails although it works in all releases.
    otherwise: &'static str,
}

fn place(reading: &Reading<'_>) -> Option<Place> {
    let operator = reading.operator.as_deref();
    let name = operator.map_or_else(|| Message::prose("it"), Message::code);
    let key = reading.key.as_deref();
    let works = match reading.asks {
        Asks::Nothing if reading.measured.is_none() => return None,
        Asks::Nothing | Asks::Never => Message::prose("it is accepted"),
        Asks::Key => message!("{} works on {}", name, render::backend(key?)),
        Asks::Training => message!("{} can be differentiated", name),
        Asks::Vmap => message!("{} works under vmap", name),
        Asks::BatchingRule => message!("{} has a batching rule", name),
        Asks::Meta => message!("{} can be traced", name),
        Asks::Dtensor => message!("{} works on DTensor", name),
        Asks::Inductor => message!("Inductor compiles {}", name),
        Asks::Shim => message!("the C shim has {}", name),
        Asks::Autocast => message!("autocast accepts {}", name),
        Asks::Dtype => message!("{} accepts this data type", name),
        Asks::Exists => message!("{} exists", name),
    };
    let has = match reading.asks {
        Asks::Autocast => "allows it",
        Asks::Never => "changes this",
        Asks::Nothing | Asks::Dtype => "accepts it",
        _ => "has it",
    };
    let otherwise = match reading.asks {
        Asks::Key => "a build without this backend",
        Asks::Exists => "a build without it",
        _ => "the call comes from inside the compiler",
    };
    Some(Place {
        works,
        has,
        otherwise,
    })
}

/// The releases for which advice about a workaround holds.
fn until(facts: Option<Facts>) -> Option<String> {
    let facts = facts.filter(|facts| !facts.always && facts.fails_in.is_some())?;
    let first = facts.fixed_in?;
    Some(format!("before {first}"))
}

/// The release that a text names, and where.
fn release(text: &Text) -> Option<(String, Range<usize>)> {
    let found = RELEASES
        .iter()
        .find_map(|pattern| pattern::find(pattern, text))?;
    let (_, range) = found.holes.first()?.clone();
    let version = text.plain().get(range.clone())?;
    let is_version = version.starts_with(|char: char| char.is_ascii_digit());
    is_version.then(|| (version.to_owned(), range))
}

fn parts(reading: &Reading<'_>) -> Vec<Part> {
    let named = reading.parts.iter().filter_map(|(name, range)| {
        let (_, what) = PARTS.iter().find(|(part, _)| part == name)?;
        Some((*what, range.clone()))
    });
    let of_text = release(reading.text).map(|(_, range)| ("release", range));
    let mut named: Vec<_> = named.chain(of_text).collect();
    named.sort_by_key(|(_, range)| range.start);
    let mut cut = Vec::new();
    let (mut from, end) = (reading.start, reading.end);
    for (what, range) in named {
        if cut
            .last()
            .is_some_and(|(_, last): &(_, Range<usize>)| range.start < last.end)
        {
            continue;
        }
        let before = range.start.min(end);
        if from < before {
            cut.push(("message", from..before));
        }
        from = from.max(range.end.min(end));
        cut.push((what, range));
    }
    if from < end {
        cut.push(("message", from..end));
    }
    cut.sort_by_key(|(_, range)| range.start);
    let part = |(what, range): (_, Range<usize>)| Part {
        what,
        span: reading.text.span(range.start, range.end),
    };
    cut.into_iter().map(part).collect()
}
