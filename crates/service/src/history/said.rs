//! What the steps of a project said, in memory, to be searched: names of operators, old and new
//! texts, and kernels.
//!
//! Most texts occur again and again, so there are few distinct ones. They stand one after the other in
//! lower case and are searched as one text, which takes a fraction of a millisecond per megabyte. What
//! is found leads to the operators and steps that said it. Steps are never updated, so the index only
//! grows.

use std::hash::Hasher as _;

use memchr::memmem;
use opatlas_diff::history::EventKind;
use opatlas_source::{Stop, Stopped, gallop};
use rustc_hash::{FxHashMap, FxHasher};

use super::operator::present;
use super::step::Says;
use super::timeline::{Range, Timeline};

/// How many bytes all indexes together may take. Of a project that says more, each row is looked at (`scan.rs`).
pub(super) const BUDGET: usize = 48 << 20;
/// What an operator, and what a row and each text of it take besides their letters, in bytes, about.
const OPERATOR: usize = 160;
const ROW: usize = 16;
const TEXT: usize = 64;

/// The index.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The distinct texts, each with a line break behind it.
    texts: String,
    /// Where each begins.
    starts: Vec<usize>,
    /// The rows that say each.
    rows_of: Vec<Vec<u32>>,
    /// Texts by their hashes; of several with one hash only the first is found again.
    by_hash: FxHashMap<u64, u32>,
    /// What each row is about: an operator, and the step that did something to it.
    rows: Vec<(u32, i64)>,
    operators: Vec<Operator>,
    by_name: FxHashMap<Box<str>, u32>,
    /// What it takes in bytes, by estimate.
    bytes: usize,
    /// Whether it was given up because it took too much.
    is_too_large: bool,
}

/// The texts that say some words.
#[derive(Debug)]
pub(super) struct Saying(Vec<usize>);

#[derive(Debug)]
struct Operator {
    name: Box<str>,
    /// The text of its name.
    text: u32,
    /// The steps that did something to it, and whether it came or went with each event that says so.
    steps: Vec<(i64, Vec<bool>)>,
}

impl Said {
    /// Adds what a step did to an operator, as long as there is room.
    pub(super) fn add(&mut self, operator: &str, step: i64, says: &Says) {
        if self.is_too_large {
            return;
        }
        let id = self.operator(operator);
        let row = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.rows.push((id, step));
        self.bytes += ROW;
        let name = self.operators[id as usize].text;
        self.tell(name, row);
        for text in texts(says) {
            let text = self.text(text);
            self.tell(text, row);
        }
        let kinds = says.events.iter().map(|event| event.kind.0);
        let comings = kinds
            .filter(|kind| matches!(kind, EventKind::Introduced | EventKind::Removed))
            .map(|kind| kind == EventKind::Introduced);
        let comings = comings.collect();
        self.operators[id as usize].steps.push((step, comings));
        if self.bytes > BUDGET {
            *self = Self {
                is_too_large: true,
                ..Self::default()
            };
        }
    }

    /// Whether it would take more memory than it may, and so holds nothing.
    pub(super) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// What it takes in bytes, by estimate.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What says these words, letter case aside.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn saying(&self, words: &str, stop: &Stop) -> Result<Saying, Stopped> {
        self.texts_saying(&words.to_lowercase(), stop).map(Saying)
    }

    /// The names of the operators of which steps of a timeline say so, each once.
    pub(super) fn names<'s>(
        &'s self,
        timeline: &'s Timeline,
        saying: &'s Saying,
    ) -> impl Iterator<Item = &'s str> {
        let mut is_known = vec![false; self.operators.len()];
        let rows = saying.0.iter().flat_map(|&text| &self.rows_of[text]);
        let new = rows.filter_map(move |&row| {
            let (operator, step) = self.rows[row as usize];
            let operator = operator as usize;
            let is_new = !is_known[operator] && timeline.places_of(step).len() > 0;
            is_known[operator] |= is_new;
            is_new.then_some(operator)
        });
        new.map(|operator| &*self.operators[operator].name)
    }

    /// The places of the steps that say so of each of these operators.
    pub(super) fn places<'n>(
        &self,
        timeline: &Timeline,
        saying: &Saying,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<Vec<usize>> {
        let mut of_name = Vec::new();
        let mut place_of = vec![None; self.operators.len()];
        for name in names {
            if let Some(&operator) = self.by_name.get(name) {
                // A file may declare one name twice: then the first has them.
                place_of[operator as usize].get_or_insert(of_name.len());
            }
            of_name.push(Vec::new());
        }
        for &text in &saying.0 {
            for &row in &self.rows_of[text] {
                let (operator, step) = self.rows[row as usize];
                if let Some(at) = place_of[operator as usize] {
                    of_name[at].extend(timeline.places_of(step));
                }
            }
        }
        for places in &mut of_name {
            places.sort_unstable();
            places.dedup();
        }
        of_name
    }

    /// The stretches in which an operator is there, if it is there at the end or any step did
    /// something to it.
    pub(super) fn present(&self, timeline: &Timeline, operator: &str) -> Vec<Range> {
        let known = self.by_name.get(operator);
        let steps = known.map_or(&[][..], |&id| &self.operators[id as usize].steps);
        let mut comings: Vec<(usize, bool)> = Vec::new();
        for (step, came) in steps {
            for place in timeline.places_of(*step) {
                comings.extend(came.iter().map(|&came| (place, came)));
            }
        }
        comings.sort_by_key(|(place, _)| *place);
        let was_there = comings.first().is_none_or(|(_, came)| !came);
        present(was_there, &comings, timeline.last())
    }

    /// The texts that hold these words in lower case.
    fn texts_saying(&self, words: &str, stop: &Stop) -> Result<Vec<usize>, Stopped> {
        let finder = memmem::Finder::new(words);
        let mut found = Vec::new();
        let mut text = 0;
        let mut from = 0;
        while let Some(at) = finder.find(&self.texts.as_bytes()[from..]) {
            stop.check()?;
            let at = from + at;
            text = gallop(&self.starts, text, |start| *start <= at) - 1;
            let end = self.end(text);
            // Not over the line break between two texts.
            if at + words.len() <= end {
                found.push(text);
            }
            from = end + 1;
            if from >= self.texts.len() {
                break;
            }
        }
        Ok(found)
    }

    /// Where a text ends.
    fn end(&self, text: usize) -> usize {
        let next = self.starts.get(text + 1).copied();
        next.unwrap_or(self.texts.len()) - 1
    }

    fn operator(&mut self, name: &str) -> u32 {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = u32::try_from(self.operators.len()).unwrap_or(u32::MAX);
        let text = self.text(name);
        self.operators.push(Operator {
            name: name.into(),
            text,
            steps: Vec::new(),
        });
        self.by_name.insert(name.into(), id);
        self.bytes += OPERATOR + 2 * name.len();
        id
    }

    /// The number of a text.
    fn text(&mut self, text: &str) -> u32 {
        let text = text.to_lowercase();
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        if let Some(&known) = self.by_hash.get(&hash) {
            let known_text = known as usize;
            if self.texts[self.starts[known_text]..self.end(known_text)] == *text {
                return known;
            }
        }
        let id = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        self.starts.push(self.texts.len());
        self.texts.push_str(&text);
        self.texts.push('\n');
        self.rows_of.push(Vec::new());
        self.by_hash.entry(hash).or_insert(id);
        self.bytes += TEXT + text.len();
        id
    }

    /// Notes that a row, the newest, says a text.
    fn tell(&mut self, text: u32, row: u32) {
        let rows = &mut self.rows_of[text as usize];
        if rows.last() != Some(&row) {
            rows.push(row);
            self.bytes += ROW;
        }
    }
}

/// What is said of an operator besides its name.
pub(super) fn texts(says: &Says) -> impl Iterator<Item = &str> {
    let events = says.events.iter();
    let sides = events.flat_map(|event| [&event.old, &event.new]);
    let cells = says.cells.iter();
    let kernels = cells.flat_map(|cells| [&cells.before.kernel, &cells.after.kernel]);
    sides.chain(kernels).filter_map(|text| text.as_deref())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::packed::pack;
    use crate::history::scan::says_so;

    fn says(old: &str, kernel: &str, came: Option<bool>) -> Says {
        let event = |kind: &str| {
            format!(
                r#"{{"kind":"{kind}","rule":"operator-added","level":"safe","old":{old:?},"new":"B{old}"}}"#
            )
        };
        let events = match came {
            Some(true) => event("introduced"),
            Some(false) => event("removed"),
            None => event("entry"),
        };
        let cell = |kernel: &str| format!(r#"{{"reason":"kernel","kernel":{kernel:?}}}"#);
        let text = format!(
            r#"{{"events":[{events}],"cells":[{{"keys":["CPU"],"before":{},"after":{}}}]}}"#,
            cell(kernel),
            cell("")
        );
        Says::decode(&pack(text.as_bytes())).unwrap()
    }

    proptest! {
        /// The index finds what a scan of all rows finds, also when the same is said often.
        #[test]
        fn it_agrees_with_the_plain_scan(
            rows in prop::collection::vec(
                ("[a-c]{1,3}", "[A-Ca-c ]{0,4}", "[a-cK_]{0,4}", prop::option::of(any::<bool>())),
                0..40,
            ),
            words in "[A-Ca-c_]{1,3}",
        ) {
            let mut said = Said::default();
            let rows: Vec<_> = rows
                .into_iter()
                .zip(1..)
                .map(|((name, old, kernel, came), step)| (name, step, says(&old, &kernel, came)))
                .collect();
            for (name, step, says) in &rows {
                said.add(name, *step, says);
            }
            let timeline = Timeline::of_steps(rows.len());
            let saying = said.saying(&words, &Stop::never()).unwrap();
            let names = || said.names(&timeline, &saying);
            let places = said.places(&timeline, &saying, names());
            let names = names().map(str::to_owned);
            let mut found: Vec<(String, Vec<usize>)> = names.zip(places).collect();
            found.sort();
            let mut expected: std::collections::BTreeMap<String, Vec<usize>> =
                std::collections::BTreeMap::new();
            for (name, step, says) in &rows {
                if says_so(name, says, &words) {
                    let places = timeline.places_of(*step);
                    expected.entry(name.clone()).or_default().extend(places);
                }
            }
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn comings_and_goings_make_stretches() {
        let mut said = Said::default();
        for (step, came) in [(2, Some(true)), (3, None), (4, Some(false))] {
            said.add("a", step, &says("x", "k", came));
        }
        said.add("b", 3, &says("x", "k", None));
        let timeline = Timeline::of_steps(6);
        assert_eq!(said.present(&timeline, "a"), [1..=2]);
        assert_eq!(said.present(&timeline, "b"), [0..=5]);
        assert_eq!(said.present(&timeline, "never changed"), [0..=5]);
    }

    #[test]
    fn what_is_said_again_takes_little() {
        let mut said = Said::default();
        let long = "Tensor self, ".repeat(100);
        for step in 1..=1000 {
            said.add("a", step, &says(&long, "k", None));
        }
        assert!(said.bytes < 200 << 10, "{}", said.bytes);
        for step in 1001..=30_000 {
            said.add("a", step, &says(&format!("{long}{step}"), "k", None));
        }
        assert!(said.is_too_large());
        assert_eq!((said.bytes(), said.texts.len()), (0, 0));
    }
}
