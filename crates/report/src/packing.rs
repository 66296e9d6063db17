//! Best-fit-decreasing packing of whole items into as few bins as possible, in linear time: report
//! items into comments of bounded size, operators into shards of equal work. Sizes go in, bins of
//! item numbers come out; nothing is ever cut.
//!
//! The method is that of "Fewer truncations improve language modeling" (ICML 2024) over the
//! textbook best-fit-decreasing, of which it opens exactly as many bins. What makes it linear:
//! items of one size are placed in one go, bins that are equally free are interchangeable and
//! kept as ranges, and the fullest bin that still has room is found in a bitmap over the possible
//! free spaces ([`free_space`]).

mod distribute;
mod free_space;

use std::fmt;

use distribute::Distribution;
use free_space::{FreeSpace, Placement};

/// The most room that a bin may have; tables of that many entries are made.
pub const MAX_ROOM: u32 = 1 << 24;

/// The most items that one packing may have.
pub const MAX_ITEMS: usize = 1 << 28;

/// Why nothing was packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackingError {
    /// These items are larger than a bin: the caller gives shorter ones, or puts them elsewhere.
    Oversized(Vec<u32>),
    /// The room is above [`MAX_ROOM`].
    RoomTooLarge,
    /// There are more than [`MAX_ITEMS`] items.
    TooManyItems,
}

impl fmt::Display for PackingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oversized(items) => write!(f, "{} items are larger than a bin", items.len()),
            Self::RoomTooLarge => write!(f, "the room in a bin must be at most {MAX_ROOM}"),
            Self::TooManyItems => write!(f, "there are more than {MAX_ITEMS} items"),
        }
    }
}

impl std::error::Error for PackingError {}

/// Bins and what is in them. Bins are in the order of their first items, items in a bin in the order
/// in which they were given.
#[derive(Debug, Clone)]
pub struct Packing {
    slots: Vec<u32>,
    /// Where each bin's slots begin, bins numbered as they were opened, and the end.
    offsets: Vec<u32>,
    /// The bins in the order of their first items.
    order: Vec<u32>,
}

impl Packing {
    /// The items of each bin, at least one, by their numbers counted over all classes.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.order.iter().map(|&bin| {
            let (bin, next) = (bin as usize, bin as usize + 1);
            &self.slots[self.offsets[bin] as usize..self.offsets[next] as usize]
        })
    }
}

/// Packs items of these sizes into bins with so much room, in the caller's unit: for texts, Unicode
/// scalar values. Classes are packed one after the other, so that what is in an early class is in an
/// early bin; later classes fill what room earlier ones left. Takes time linear in the number of
/// items, and in the room for each class.
///
/// # Errors
/// See [`PackingError`].
///
/// ```
/// use opatlas_report::packing::pack;
///
/// let packing = pack(&[&[8, 6, 6, 4, 3]], 8).unwrap();
/// let bins: Vec<&[u32]> = packing.bins().collect();
/// assert_eq!(bins, [&[0][..], &[1], &[2], &[3, 4]]);
/// ```
pub fn pack(classes: &[&[u32]], room: u32) -> Result<Packing, PackingError> {
    if room > MAX_ROOM {
        return Err(PackingError::RoomTooLarge);
    }
    let items: usize = classes.iter().map(|class| class.len()).sum();
    if items > MAX_ITEMS {
        return Err(PackingError::TooManyItems);
    }
    let sizes = classes.iter().copied().flatten();
    let oversized: Vec<u32> = (0..)
        .zip(sizes)
        .filter_map(|(item, &size)| (size > room).then_some(item))
        .collect();
    if !oversized.is_empty() {
        return Err(PackingError::Oversized(oversized));
    }
    let mut space = FreeSpace::new(room);
    let mut runs = Vec::new();
    let mut run_ends = Vec::with_capacity(classes.len());
    for class in classes {
        place(class, room, &mut space, &mut runs);
        run_ends.push(runs.len());
    }
    let offsets = offsets(&runs, space.opened());
    let mut distribution = Distribution::new(room, &runs, &offsets, items);
    let mut begin = 0;
    for (class, end) in classes.iter().zip(run_ends) {
        distribution.distribute(class, begin..end);
        begin = end;
    }
    let Distribution { slots, order, .. } = distribution;
    Ok(Packing {
        slots,
        offsets,
        order,
    })
}

#[derive(Debug, Clone, Copy)]
struct Run {
    size: u32,
    placement: Placement,
}

fn place(class: &[u32], room: u32, space: &mut FreeSpace, runs: &mut Vec<Run>) {
    let mut counts = vec![0_u32; room as usize + 1];
    for &len in class {
        counts[len as usize] += 1;
    }
    for (len, &count) in counts.iter().enumerate().rev() {
        let (size, mut left) = (len as u32, count);
        while left > 0 {
            let placement = space.place(size, left);
            left -= placement.items;
            runs.push(Run { size, placement });
        }
    }
}

fn offsets(runs: &[Run], bins: u32) -> Vec<u32> {
    let mut offsets = vec![0; bins as usize + 1];
    for Run { placement, .. } in runs {
        let first = placement.bin as usize;
        for count in &mut offsets[first..first + placement.full as usize] {
            *count += placement.per_bin;
        }
        offsets[first + placement.full as usize] += placement.rest;
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += std::mem::replace(offset, sum);
    }
    offsets
}
