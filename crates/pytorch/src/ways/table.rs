//! Members of registries, by run of releases.

use crate::Release;

/// A table of `data/ways.txt`. `names` concatenates all sorted names; `bounds` has their boundaries.
/// `rows` are sorted by name; `items` are pairs of a fact and a value.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) names: &'static str,
    pub(super) bounds: &'static [u32],
    pub(super) facts: &'static [Fact],
    pub(super) values: &'static [&'static str],
    pub(super) items: &'static [(u8, u16)],
    pub(super) rows: &'static [Row],
}

/// The name of a fact, and the releases that lack it, with the reason.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) absent: &'static [(u64, &'static str)],
}

/// `releases` and `facts` have a bit each; `begin..end` is a range of [`Table::items`].
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: u16,
    pub(super) releases: u64,
    pub(super) facts: u64,
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Row {
    pub(super) fn holds_in(&self, release: Release) -> bool {
        self.releases >> release.index() & 1 == 1
    }

    pub(super) fn has(&self, fact: usize) -> bool {
        self.facts >> fact & 1 == 1
    }
}

impl Table {
    /// The rows of a name; empty if the table does not have it.
    pub(super) fn rows_of(&self, name: &str) -> &'static [Row] {
        let (mut low, mut high) = (0, self.bounds.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.name(middle) < name {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low + 1 == self.bounds.len() || self.name(low) != name {
            return &[];
        }
        let begin = self.rows.partition_point(|row| usize::from(row.name) < low);
        let end = self
            .rows
            .partition_point(|row| usize::from(row.name) <= low);
        &self.rows[begin..end]
    }

    pub(super) fn name(&self, number: usize) -> &'static str {
        &self.names[self.bounds[number] as usize..self.bounds[number + 1] as usize]
    }

    /// The rows of each name, in order.
    pub(super) fn by_name(&self) -> impl Iterator<Item = (&'static str, &'static [Row])> {
        let chunks = self.rows.chunk_by(|a, b| a.name == b.name);
        chunks.map(|rows| (self.name(usize::from(rows[0].name)), rows))
    }

    /// The value of a fact in a row, if it has one.
    pub(super) fn value(&self, row: &Row, fact: usize) -> Option<&'static str> {
        let items = &self.items[row.begin as usize..row.end as usize];
        let item = items.iter().find(|(of, _)| usize::from(*of) == fact)?;
        Some(self.values[usize::from(item.1)])
    }

    /// The facts of a name in a release, with the value of each.
    pub(super) fn facts_of(
        &'static self,
        rows: &'static [Row],
        release: Release,
    ) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        let rows = rows.iter().filter(move |row| row.holds_in(release));
        rows.flat_map(move |row| {
            let facts = (0..self.facts.len()).filter(|fact| row.has(*fact));
            facts.map(move |fact| (self.facts[fact].name, self.value(row, fact)))
        })
    }
}
