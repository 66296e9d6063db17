//! Turns `data/works.txt` into flat tables: names, histories, and for each operator the two lines that
//! say where it works.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A bit for each patch release; `Operator::exists` in `src/works.rs` has the same type.
type Mask = u64;

/// An operator has a line about backends and one about ways.
const LINES: usize = 2;

#[derive(Default)]
struct Tables<'a> {
    releases: Vec<&'a str>,
    /// The text in the file, the word and the answer; the first is that of a way that does not apply.
    words: Vec<[&'a str; 3]>,
    places: Vec<&'a str>,
    usual: Vec<usize>,
    histories: Vec<Vec<(usize, usize)>>,
    /// Lines as pairs of a place and a history.
    rows: Vec<Vec<(usize, usize)>>,
    operators: BTreeMap<&'a str, (Mask, Vec<usize>)>,
}

pub fn generate(text: &str) -> String {
    let mut tables = Tables::default();
    tables.words.push(["-"; 3]);
    tables.rows.push(Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (first, rest) = line.split_once('\t').expect("fields");
        match first {
            "releases" => tables.releases = rest.split('\t').collect(),
            "word" => {
                let (text, works) = rest.split_once('\t').expect("a word and its answer");
                let word = text.split('/').next().expect("a word");
                tables.words.push([text, word, works]);
            }
            "place" => {
                let (place, usual) = rest.split_once('\t').expect("a place and its history");
                let usual = tables.history(usual);
                tables.places.push(place);
                tables.usual.push(usual);
            }
            names => tables.operators(names, rest),
        }
    }
    assert!(tables.releases.len() <= Mask::BITS as usize);
    tables.written()
}

impl<'a> Tables<'a> {
    fn operators(&mut self, names: &'a str, items: &'a str) {
        let every = (1 << self.releases.len()) - 1;
        let (exists, row) = match items.strip_prefix("exists=") {
            Some(ranges) => (self.covered(ranges), None),
            None => (every, Some(self.row(items))),
        };
        for name in names.split(' ') {
            let known = self.operators.entry(name).or_insert((every, Vec::new()));
            known.0 &= exists;
            known.1.extend(row);
            assert!(
                known.1.len() <= LINES,
                "data/works.txt: too many lines of {name}"
            );
        }
    }

    fn row(&mut self, items: &'a str) -> usize {
        let mut row = Vec::new();
        for item in items.split('\t').filter(|item| !item.is_empty()) {
            let (places, history) = item.split_once('=').expect("places and a history");
            let history = self.history(history);
            for place in places.split(',') {
                let at = self.places.iter().position(|known| *known == place);
                row.push((at.expect("a listed place"), history));
            }
        }
        place_of(&mut self.rows, row)
    }

    /// Parses `fails, 2.1.0 runs`.
    fn history(&mut self, text: &'a str) -> usize {
        let parts = text.split(", ").enumerate();
        let parts = parts.map(|(number, part)| match number {
            0 => (0, self.word(part)),
            _ => {
                let (release, word) = part.split_once(' ').expect("a release and a word");
                (self.release(release), self.word(word))
            }
        });
        let history = parts.collect();
        place_of(&mut self.histories, history)
    }

    fn word(&self, text: &str) -> usize {
        let at = self.words.iter().position(|[known, ..]| *known == text);
        at.unwrap_or_else(|| panic!("data/works.txt does not list the word {text}"))
    }

    fn release(&self, version: &str) -> usize {
        let at = self.releases.iter().position(|known| *known == version);
        at.unwrap_or_else(|| panic!("data/works.txt does not list the release {version}"))
    }

    /// Parses `2.0.0-2.3.1,2.6.0-`.
    fn covered(&self, ranges: &str) -> Mask {
        ranges.split(',').fold(0, |found, range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let last = match last {
                "" => self.releases.len() - 1,
                last => self.release(last),
            };
            (self.release(first)..=last).fold(found, |found, at| found | 1 << at)
        })
    }

    fn written(&self) -> String {
        let mut out = String::new();
        let names: Vec<&str> = self.operators.keys().copied().collect();
        let words = self.words.iter().map(|[_, word, works]| (*word, *works));
        let words: Vec<_> = words.collect();
        let mut operators = String::new();
        for (exists, rows) in self.operators.values() {
            let row = |at: usize| rows.get(at).copied().unwrap_or(0);
            let _ = write!(operators, "({exists},{},{}),", row(0), row(1));
        }
        let _ = writeln!(
            out,
            "static RELEASES: &[&str] = &{:?};\nstatic WORDS: &[(&str, &str)] = &{words:?};\n\
             static PLACES: &[&str] = &{:?};\nstatic USUAL: &[u16] = &{:?};\n\
             static NAMES: &str = {:?};\nstatic NAME_BOUNDS: &[u32] = &{:?};\n\
             static OPERATORS: &[({}, u16, u16)] = &[{operators}];",
            self.releases,
            self.places,
            self.usual,
            names.concat(),
            bounds(names.iter().map(|name| name.len())),
            std::any::type_name::<Mask>(),
        );
        pairs(&mut out, "HISTORY", "(u8, u8)", &self.histories);
        pairs(&mut out, "ROW", "(u8, u16)", &self.rows);
        out
    }
}

/// The place of a value in a list, to which it is added if it is new.
fn place_of<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    let at = known.iter().position(|one| *one == value);
    at.unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}

fn bounds(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut bounds = vec![0];
    for length in lengths {
        bounds.push(bounds[bounds.len() - 1] + length);
    }
    bounds
}

/// Writes lists of pairs as one, with the boundaries of each.
fn pairs(out: &mut String, name: &str, of: &str, lists: &[Vec<(usize, usize)>]) {
    let all: Vec<_> = lists.iter().flatten().collect();
    let bounds = bounds(lists.iter().map(Vec::len));
    let _ = writeln!(
        out,
        "static {name}_PAIRS: &[{of}] = &{all:?};\nstatic {name}_BOUNDS: &[u32] = &{bounds:?};"
    );
}
