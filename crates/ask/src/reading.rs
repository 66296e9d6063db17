//! Which message of a text decides, and what was read from it.

use std::ops::Range;

use opatlas_source::diagnostic::RuleId;

use crate::facts::Facts;
use crate::kind::{Asks, Kind};
use crate::kinds::{self, Row};
use crate::name;
use crate::pattern::{self, Match};
use crate::text::Text;
use crate::{Severity, Way};

/// A message that was recognized.
#[derive(Debug)]
pub(crate) struct Reading<'t> {
    /// The whole text.
    pub(crate) text: &'t Text,
    /// Its kind.
    pub(crate) kind: &'static Kind,
    /// The rule that finds the same fault.
    pub(crate) rule: Option<RuleId>,
    /// How bad it is.
    pub(crate) severity: Severity,
    /// What the releases are asked.
    pub(crate) asks: Asks,
    /// Its start.
    pub(crate) start: usize,
    /// Its end.
    pub(crate) end: usize,
    /// The parts, each with its place.
    pub(crate) parts: Vec<(&'static str, Range<usize>)>,
    /// What follows from the message without being a part of it.
    pub(crate) known: Vec<(&'static str, String)>,
    /// What was measured of this message.
    pub(crate) measured: Option<Facts>,
    /// The operator.
    pub(crate) operator: Option<String>,
    /// The dispatch key.
    pub(crate) key: Option<String>,
    /// How PyTorch was used.
    pub(crate) way: Way,
}

/// Python's sentence between an exception and the one that it caused.
const CAUSED: &str = "the above exception was the direct cause";
const HANDLED: &str = "during handling of the above exception";

/// A row with a place where it fits.
type Candidate = (Row, Match);

/// The message that decides: the last error, or the one that caused it; without an error, the last
/// warning.
pub(crate) fn decide(text: &Text) -> Option<Reading<'_>> {
    let found = candidates(text);
    let best = found.iter().map(|((kind, ..), _)| kind.severity).min()?;
    let of_best = found
        .into_iter()
        .filter(|((kind, ..), _)| kind.severity == best);
    let candidates: Vec<_> = of_best.collect();
    let within = deciding_part(text, &candidates);
    let (row, found) = candidates
        .into_iter()
        .filter(|(_, found)| within.contains(&found.start))
        .reduce(|first, second| {
            if follows(&first, &second) {
                second
            } else {
                first
            }
        })?;
    Some(Reading::new(text, row, found))
}

/// The rows that fit. Of two readings of the same words, the first row counts.
fn candidates(text: &Text) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for row in kinds::all() {
        let Some(place) = pattern::find(row.1, text) else {
            continue;
        };
        let overlaps = |(_, other): &Candidate| place.start < other.end && other.start < place.end;
        if !found.iter().any(overlaps) {
            found.push((row, place));
        }
    }
    found
}

/// Whether the second message comes later.
fn follows(first: &Candidate, second: &Candidate) -> bool {
    second.1.start > first.1.start
}

/// The part of a chain of exceptions that decides: the last one that is recognized, or what caused it.
fn deciding_part(text: &Text, candidates: &[Candidate]) -> Range<usize> {
    let folded = text.folded();
    let of = |sentence, is_cause| {
        let places = folded.match_indices(sentence);
        places.map(move |(at, _): (usize, &str)| (at, is_cause))
    };
    let mut ends: Vec<_> = of(CAUSED, true).chain(of(HANDLED, false)).collect();
    ends.sort_unstable();
    let mut until = folded.len();
    let mut chosen = None;
    for (at, is_cause) in ends.into_iter().rev().chain([(0, false)]) {
        let part = at..until;
        if candidates
            .iter()
            .any(|(_, found)| part.contains(&found.start))
        {
            chosen = Some(part);
        }
        if chosen.is_some() && !is_cause {
            break;
        }
        until = at;
    }
    chosen.unwrap_or(0..folded.len())
}

impl<'t> Reading<'t> {
    fn new(text: &'t Text, (kind, _, rule): Row, found: Match) -> Self {
        let mut reading = Self {
            text,
            kind,
            rule,
            severity: kind.severity,
            asks: kind.asks,
            known: Vec::new(),
            measured: None,
            start: found.start,
            end: found.end,
            parts: found.holes,
            operator: None,
            key: kind.key.map(str::to_owned),
            way: kind.way,
        };
        reading.operator = reading.part("op").and_then(name::operator);
        if let Some(key) = reading.part("key") {
            reading.key = Some(key.to_owned());
        }
        (kind.refine)(&mut reading);
        reading
    }

    /// A part of the message.
    pub(crate) fn part(&self, name: &str) -> Option<&'t str> {
        let (_, range) = self.parts.iter().find(|(part, _)| *part == name)?;
        self.text.plain().get(range.clone())
    }

    /// Whether the text has a word, in lower case.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.text.has(word)
    }

    /// The text after the message, which is at most `most` bytes.
    pub(crate) fn after(&self, most: usize) -> &'t str {
        let rest = self.text.plain().get(self.end..).unwrap_or_default();
        &rest[..rest.floor_char_boundary(most)]
    }

    /// Adds a part that is at `start..end` after the message.
    pub(crate) fn add(&mut self, name: &'static str, start: usize, end: usize) {
        self.parts.push((name, self.end + start..self.end + end));
    }

    /// Adds what follows from the message.
    pub(crate) fn know(&mut self, name: &'static str, value: &str) {
        self.known.push((name, value.to_owned()));
    }

    /// Says what was measured of this message.
    pub(crate) fn fixed(&mut self, fails_in: &'static str, fixed_in: &'static str) {
        self.measured = Some(Facts {
            fails_in: Some(fails_in),
            fixed_in: Some(fixed_in),
            always: false,
        });
    }

    /// Chooses a more precise kind.
    pub(crate) fn choose(&mut self, kind: &'static Kind) {
        self.kind = kind;
        self.way = kind.way;
        self.asks = kind.asks;
        if let Some(key) = kind.key {
            self.key = Some(key.to_owned());
        }
    }
}
