//! Assigns items to bins, given how many items of each size each bin takes.
//!
//! Items are read in order, so they keep their order within a bin, and bins are in the order of their first
//! items, without sorting.

use std::ops::Range;

use super::Run;

/// Items by bin, and bins in the order of their first items.
pub(super) struct Distribution<'a> {
    runs: &'a [Run],
    cursors: Vec<Cursor>,
    /// For each bin, the start of its items and the position of the next one.
    filling: Vec<(u32, u32)>,
    pub(super) slots: Vec<u32>,
    pub(super) order: Vec<u32>,
    items: u32,
}

impl<'a> Distribution<'a> {
    /// `offsets` are the starts of the bins' items.
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

    /// Distributes the items of a class over its runs, which are sorted by size.
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

/// The bin of the next item of a size, from the runs of its class.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// The next run of that size, after the current one.
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
