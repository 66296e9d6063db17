//! Open bins by free room.
//!
//! Bins with equal room are interchangeable, so they are kept as ranges of consecutive numbers, in a stack
//! for each amount of room. A bitmap of 64-ary levels marks the amounts with a range: one bit per amount,
//! then one bit per word of the level below. Finding the smallest sufficient amount takes two or three word
//! operations for capacities up to 262,144, and at most four above.

/// Open bins by free room, from 0 to the capacity.
pub(super) struct FreeSpace {
    capacity: u32,
    opened: u32,
    /// The bitmap, finest level first. The last level is a single word.
    levels: Vec<Vec<u64>>,
    /// The top of the stack for each amount of room, as an index plus one; 0 for none.
    tops: Vec<u32>,
    ranges: Vec<Range>,
    /// The stack of free places in `ranges`.
    unused: u32,
}

struct Range {
    bin: u32,
    bins: u32,
    /// The next range in the stack, as in `tops`.
    below: u32,
}

/// Where items of one size were placed: `per_bin` in each of the `full` bins starting with `bin`, and `rest`
/// in the next one; `items` in total.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    pub(super) bin: u32,
    pub(super) per_bin: u32,
    pub(super) full: u32,
    pub(super) rest: u32,
    pub(super) items: u32,
}

impl FreeSpace {
    pub(super) fn new(capacity: u32) -> Self {
        let amounts = capacity as usize + 1;
        let mut levels = Vec::new();
        let mut words = amounts.div_ceil(64);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                break;
            }
            words = words.div_ceil(64);
        }
        Self {
            capacity,
            opened: 0,
            levels,
            tops: vec![0; amounts],
            ranges: Vec::new(),
            unused: 0,
        }
    }

    pub(super) fn opened(&self) -> u32 {
        self.opened
    }

    /// Places items of one size by best fit, as many as fit into one range of equally free bins, or into new
    /// bins if no open one has room. Places at least one item; `items` is at least 1 and `size` at most the
    /// capacity.
    ///
    /// A bin that took an item is the best fit for the next one of the same size as long as that fits, so bins
    /// are filled one after the other.
    pub(super) fn place(&mut self, size: u32, items: u32) -> Placement {
        let found = self.smallest_at_least(size);
        let room = found.unwrap_or(self.capacity);
        let per_bin = match items {
            1 => 1,
            _ => room.checked_div(size).unwrap_or(items),
        };
        let (mut full, mut rest) = match per_bin {
            1 => (items, 0),
            _ => (items / per_bin, items % per_bin),
        };
        let wanted = full + u32::from(rest > 0);
        let (bin, bins) = match found {
            Some(room) => self.take(room, wanted),
            None => self.open(wanted),
        };
        if bins < wanted {
            (full, rest) = (bins, 0);
        }
        self.put(room - per_bin * size, bin, full);
        if rest > 0 {
            self.put(room - rest * size, bin + full, 1);
        }
        Placement {
            bin,
            per_bin,
            full,
            rest,
            items: full * per_bin + rest,
        }
    }

    fn open(&mut self, bins: u32) -> (u32, u32) {
        let bin = self.opened;
        self.opened += bins;
        (bin, bins)
    }

    fn smallest_at_least(&self, amount: u32) -> Option<u32> {
        let mut at = amount as usize;
        for (level, words) in self.levels.iter().enumerate() {
            let word = words.get(at / 64)? & (u64::MAX << (at % 64));
            if word != 0 {
                return Some(self.descend(level, at / 64 * 64 + word.trailing_zeros() as usize));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// The first amount below bit `at` of a level.
    fn descend(&self, level: usize, mut at: usize) -> u32 {
        for words in self.levels[..level].iter().rev() {
            at = at * 64 + words[at].trailing_zeros() as usize;
        }
        at as u32
    }

    /// Pushes bins onto the stack for this much room.
    fn put(&mut self, room: u32, bin: u32, bins: u32) {
        if bins == 0 {
            return;
        }
        let below = self.tops[room as usize];
        let range = Range { bin, bins, below };
        self.tops[room as usize] = match self.unused {
            0 => {
                self.ranges.push(range);
                self.ranges.len() as u32
            }
            place => {
                let place_taken = std::mem::replace(&mut self.ranges[place as usize - 1], range);
                self.unused = place_taken.below;
                place
            }
        };
        if below == 0 {
            self.mark(room);
        }
    }

    /// Takes up to `wanted` bins from the top range with this much room. Returns the first one and the count.
    fn take(&mut self, room: u32, wanted: u32) -> (u32, u32) {
        let top = self.tops[room as usize];
        let range = &mut self.ranges[top as usize - 1];
        let (bin, bins) = (range.bin, range.bins.min(wanted));
        if bins < range.bins {
            range.bin += bins;
            range.bins -= bins;
            return (bin, bins);
        }
        self.tops[room as usize] = std::mem::replace(&mut range.below, self.unused);
        self.unused = top;
        if self.tops[room as usize] == 0 {
            self.unmark(room);
        }
        (bin, bins)
    }

    fn mark(&mut self, room: u32) {
        let mut at = room as usize;
        for words in &mut self.levels {
            words[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
    }

    fn unmark(&mut self, room: u32) {
        let mut at = room as usize;
        for words in &mut self.levels {
            words[at / 64] &= !(1 << (at % 64));
            if words[at / 64] != 0 {
                return;
            }
            at /= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_sufficient_room_is_found_on_every_level() {
        for capacity in [1, 63, 64, 4_095, 4_096, 262_143, 300_000] {
            let mut space = FreeSpace::new(capacity);
            assert_eq!(space.smallest_at_least(0), None);
            for room in [0, 1, capacity / 2, capacity - 1, capacity] {
                space.put(room, 0, 1);
                assert_eq!(space.smallest_at_least(room), Some(room));
                assert_eq!(space.smallest_at_least(0), Some(room));
                space.take(room, 1);
                assert_eq!(space.smallest_at_least(0), None);
            }
            space.put(capacity, 0, 1);
            assert_eq!(space.smallest_at_least(1), Some(capacity));
        }
    }

    #[test]
    fn equal_items_fill_bin_after_bin() {
        let mut space = FreeSpace::new(10);
        let placement = space.place(3, 7);
        assert_eq!(
            (placement.bin, placement.per_bin, placement.items),
            (0, 3, 7)
        );
        assert_eq!(space.opened(), 3);
        assert_eq!(space.smallest_at_least(2), Some(7));
    }
}
