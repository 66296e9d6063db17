//! An index of the changes in a project's steps: names of operators, old and new texts, kernels.
//! The distinct texts are concatenated in lower case and searched as one; a match leads to the
//! operators and steps with this text. Stored steps never change, so the index only grows.

use std::hash::Hasher as _;

use memchr::memmem;
use opatlas_diff::history::EventKind;
use opatlas_source::{Stop, Stopped};
use rustc_hash::{FxHashMap, FxHasher};

use super::operator::present;
use super::step::OperatorStep;
use super::timeline::{Range, Timeline};

/// Size limit of an index, in bytes. A hundred thousand commits stay below it.
const LIMIT: usize = 40 << 20;
const OPERATOR: usize = 160;
const ROW: usize = 16;
const TEXT: usize = 64;

#[derive(Debug, Default)]
pub(super) struct SearchIndex {
    texts: String,
    starts: Vec<usize>,
    rows_of: Vec<Vec<u32>>,
    /// Texts by hash. If hashes collide, only the first text is shared.
    by_hash: FxHashMap<u64, u32>,
    rows: Vec<(u32, i64)>,
    operators: Vec<Operator>,
    by_name: FxHashMap<Box<str>, u32>,
    bytes: usize,
    is_full: bool,
}

#[derive(Debug)]
pub(super) struct TextMatches(Vec<usize>);

#[derive(Debug)]
struct Operator {
    name: Box<str>,
    /// The text of its name.
    text: u32,
    /// Its steps, and for each event that adds or removes it whether it adds it.
    steps: Vec<(i64, Vec<bool>)>,
}

impl SearchIndex {
    pub(super) fn add(&mut self, operator: &str, step: i64, changes: &OperatorStep) {
        let sizes = texts(changes).map(|text| TEXT + ROW + text.len());
        let size = OPERATOR + 2 * ROW + TEXT + 3 * operator.len() + sizes.sum::<usize>();
        self.is_full |= self.bytes + size > LIMIT;
        if self.is_full {
            return;
        }
        let id = self.operator(operator);
        let row = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.rows.push((id, step));
        self.bytes += ROW;
        self.link(self.operators[id as usize].text, row);
        for text in texts(changes) {
            let text = self.text(text);
            self.link(text, row);
        }
        let kinds = changes.events.iter().map(|event| event.kind.0);
        let presence = kinds
            .filter(|kind| matches!(kind, EventKind::Introduced | EventKind::Removed))
            .map(|kind| kind == EventKind::Introduced);
        self.operators[id as usize]
            .steps
            .push((step, presence.collect()));
    }

    #[cfg(test)]
    pub(super) fn full() -> Self {
        Self {
            is_full: true,
            ..Self::default()
        }
    }

    /// Whether it has reached [`LIMIT`] and lacks rows.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn find(&self, words: &str, stop: &Stop) -> Result<TextMatches, Stopped> {
        let words = words.to_lowercase();
        let finder = memmem::Finder::new(&words);
        let mut found = Vec::new();
        let mut from = 0;
        while from < self.texts.len()
            && let Some(at) = finder.find(&self.texts.as_bytes()[from..])
        {
            stop.check()?;
            let at = from + at;
            let text = self.starts.partition_point(|start| *start <= at) - 1;
            let end = self.end(text);
            // A match across a line break is none.
            if at + words.len() <= end {
                found.push(text);
            }
            from = end + 1;
        }
        Ok(TextMatches(found))
    }

    pub(super) fn names<'s>(
        &'s self,
        timeline: &'s Timeline,
        matches: &'s TextMatches,
    ) -> impl Iterator<Item = &'s str> {
        let mut is_known = vec![false; self.operators.len()];
        let rows = matches.0.iter().flat_map(|&text| &self.rows_of[text]);
        rows.filter_map(move |&row| {
            let (operator, step) = self.rows[row as usize];
            let operator = operator as usize;
            let is_new = !is_known[operator] && timeline.places_of(step).len() > 0;
            is_known[operator] |= is_new;
            is_new.then(|| &*self.operators[operator].name)
        })
    }

    pub(super) fn places<'n>(
        &self,
        timeline: &Timeline,
        matches: &TextMatches,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<Vec<usize>> {
        let mut of_name = Vec::new();
        let mut index_of = vec![None; self.operators.len()];
        for name in names {
            if let Some(&operator) = self.by_name.get(name) {
                // A file may declare a name twice. The first one gets the places.
                index_of[operator as usize].get_or_insert(of_name.len());
            }
            of_name.push(Vec::new());
        }
        for &row in matches.0.iter().flat_map(|&text| &self.rows_of[text]) {
            let (operator, step) = self.rows[row as usize];
            if let Some(index) = index_of[operator as usize] {
                of_name[index].extend(timeline.places_of(step));
            }
        }
        for places in &mut of_name {
            places.sort_unstable();
            places.dedup();
        }
        of_name
    }

    /// The ranges in which an operator exists that the last revision has or that has a step.
    pub(super) fn present(&self, timeline: &Timeline, operator: &str) -> Vec<Range> {
        let id = self.by_name.get(operator);
        let steps = id.map_or(&[][..], |&id| &self.operators[id as usize].steps);
        let mut presence: Vec<(usize, bool)> = Vec::new();
        for (step, events) in steps {
            for place in timeline.places_of(*step) {
                presence.extend(events.iter().map(|&is_added| (place, is_added)));
            }
        }
        presence.sort_by_key(|(place, _)| *place);
        let was_there = presence.first().is_none_or(|(_, is_added)| !is_added);
        present(was_there, &presence, timeline.last())
    }

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

    fn text(&mut self, text: &str) -> u32 {
        let text = text.to_lowercase();
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        if let Some(&known) = self.by_hash.get(&hash) {
            let at = known as usize;
            if self.texts[self.starts[at]..self.end(at)] == *text {
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

    fn link(&mut self, text: u32, row: u32) {
        let rows = &mut self.rows_of[text as usize];
        if rows.last() != Some(&row) {
            rows.push(row);
            self.bytes += ROW;
        }
    }
}

fn texts(changes: &OperatorStep) -> impl Iterator<Item = &str> {
    let events = changes.events.iter();
    let sides = events.flat_map(|event| [&event.old, &event.new]);
    let cells = changes.cells.iter();
    let kernels = cells.flat_map(|cells| [&cells.before.kernel, &cells.after.kernel]);
    sides.chain(kernels).filter_map(|text| text.as_deref())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::history::packed::pack;

    fn changes(old: &str, kernel: &str, is_added: Option<bool>) -> OperatorStep {
        let event = |kind: &str| {
            format!(
                r#"{{"kind":"{kind}","rule":"operator-added","level":"safe","old":{old:?},"new":"B{old}"}}"#
            )
        };
        let events = match is_added {
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
        OperatorStep::decode(&pack(text.as_bytes())).unwrap()
    }

    fn has_words(operator: &str, changes: &OperatorStep, words: &str) -> bool {
        let words = words.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&words);
        has(operator) || texts(changes).any(has)
    }

    proptest! {
        #[test]
        fn it_finds_what_a_scan_of_all_rows_finds(
            rows in prop::collection::vec(
                ("[a-c]{1,3}", "[A-Ca-c ]{0,4}", "[a-cK_]{0,4}", prop::option::of(any::<bool>())),
                0..40,
            ),
            words in "[A-Ca-c_]{1,3}",
        ) {
            let mut index = SearchIndex::default();
            let timeline = Timeline::of_steps(rows.len());
            let mut expected: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for ((name, old, kernel, is_added), step) in rows.into_iter().zip(1..) {
                let changes = changes(&old, &kernel, is_added);
                index.add(&name, step, &changes);
                if has_words(&name, &changes, &words) {
                    expected.entry(name).or_default().extend(timeline.places_of(step));
                }
            }
            let matches = index.find(&words, &Stop::never()).unwrap();
            let names = || index.names(&timeline, &matches);
            let places = index.places(&timeline, &matches, names());
            let found: BTreeMap<_, _> = names().map(str::to_owned).zip(places).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn presence_follows_from_events() {
        let mut index = SearchIndex::default();
        for (step, is_added) in [(2, Some(true)), (3, None), (4, Some(false))] {
            index.add("a", step, &changes("x", "k", is_added));
        }
        index.add("b", 3, &changes("x", "k", None));
        let timeline = Timeline::of_steps(6);
        assert_eq!(index.present(&timeline, "a"), [1..=2]);
        assert_eq!(index.present(&timeline, "b"), [0..=5]);
        assert_eq!(index.present(&timeline, "never changed"), [0..=5]);
    }

    #[test]
    fn repeated_texts_are_shared_and_the_size_is_limited() {
        let mut index = SearchIndex::default();
        let long = "Tensor self, ".repeat(100);
        for step in 1..=1000 {
            index.add("a", step, &changes(&long, "k", None));
        }
        assert!(index.bytes < 200 << 10, "{}", index.bytes);
        for step in 1001..=30_000 {
            index.add("a", step, &changes(&format!("{long}{step}"), "k", None));
        }
        assert!(index.is_full() && index.bytes() <= LIMIT);
        let found = index.find("self", &Stop::never()).unwrap();
        assert!(found.0.len() > 10_000);
    }
}
