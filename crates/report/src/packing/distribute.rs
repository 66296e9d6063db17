//! From "so many items of this size go into these bins" to which item goes where.
//!
//! Items are read in their own order, so that they keep that order within a bin and bins are in
//! the order of their first items; no sorting is necessary.

use std::ops::Range;

use super::Run;

/// The items in their bins, and the bins in the order of their first items.
pub(super) struct Distribution<'a> {
    runs: &'a [Run],
    cursors: Vec<Cursor>,
    /// For each bin where its items begin and where its next one goes.
    filling: Vec<(u32, u32)>,
    pub(super) slots: Vec<u32>,
    pub(super) order: Vec<u32>,
    items: u32,
}

impl<'a> Distribution<'a> {
    /// Nothing is distributed yet. `offsets` says where each bin's items begin.
    pub(super) fn new(room: u32, runs: &'a [Run], offsets: &[u32], items: usize) -> Self {
        Self {
            runs,
            cursors: vec![Cursor::default(); room as usize + 1],
            filling: offsets.iter().map(|&start| (start, start)).collect(),
            slots: vec![0; items],
            order: Vec::with_capacity(offsets.len()),
            items: 0,
        }
    }

    /// Distributes the items of a class over the bins of its runs, which are sorted by size.
    pub(super) fn distribute(&mut self, sizes: &[u32], runs: Range<usize>) {
        for run in runs.rev() {
            self.cursors[self.runs[run].size as usize] = Cursor {
                next_run: run as u32,
                ..Cursor::default()
            };
        }
        for &size in sizes {
            let bin = self.cursors[size as usize].next(self.runs);
            let (start, next) = &mut self.filling[bin as usize];
            if start == next {
                self.order.push(bin);
            }
            self.slots[*next as usize] = self.items;
            *next += 1;
            self.items += 1;
        }
    }
}

/// Reads which bin the next item of a size goes to, from the runs of its class.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// The next run of that size, should the present one end.
    next_run: u32,
    bin: u32,
    per_bin: u32,
    left_in_bin: u32,
    left_in_run: u32,
}

impl Cursor {
    fn next(&mut self, runs: &[Run]) -> u32 {
        if self.left_in_run == 0 {
            let placement = runs[self.next_run as usize].placement;
            *self = Self {
                next_run: self.next_run + 1,
                bin: placement.bin,
                per_bin: placement.per_bin,
                left_in_bin: placement.per_bin,
                left_in_run: placement.items,
            };
        }
        self.left_in_run -= 1;
        if self.left_in_bin == 0 {
            self.bin += 1;
            self.left_in_bin = self.per_bin;
        }
        self.left_in_bin -= 1;
        self.bin
    }
}
