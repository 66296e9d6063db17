//! Best-fit-decreasing packing of items into bins in linear time: operators into shards of equal work.
//!
//! This follows "Fewer truncations improve language modeling" (ICML 2024), and opens exactly as many bins
//! as the textbook algorithm. It is linear because items of one size are placed together, bins with equal
//! room are kept as ranges, and a bitmap finds the fullest bin with enough room ([`free_space`]).

mod distribute;
mod free_space;

use std::fmt;

use distribute::Distribution;
use free_space::{FreeSpace, Placement};

/// The maximum room of a bin. Tables have this many entries.
pub const MAX_ROOM: u32 = 1 << 24;

/// The maximum number of items.
pub const MAX_ITEMS: usize = 1 << 28;

/// Why packing failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackingError {
    /// These items are larger than a bin.
    Oversized(Vec<u32>),
    /// The room exceeds [`MAX_ROOM`].
    RoomTooLarge,
    /// There are more items than [`MAX_ITEMS`].
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

/// Bins, ordered by their first items. Items in a bin keep their order.
#[derive(Debug, Clone)]
pub struct Packing {
    slots: Vec<u32>,
    /// Where each bin's slots begin, in the order in which bins were opened, and the end.
    offsets: Vec<u32>,
    /// Bins in the order of their first items.
    order: Vec<u32>,
}

impl Packing {
    /// The items of each bin, numbered across classes. No bin is empty.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.order.iter().map(|&bin| {
            let (bin, next) = (bin as usize, bin as usize + 1);
            &self.slots[self.offsets[bin] as usize..self.offsets[next] as usize]
        })
    }
}

/// Packs items of these sizes into bins with this much room. Classes are packed in order: later classes fill the room that earlier ones left. Takes time linear in the number
/// of items, and in the room for each class.
///
/// # Errors
/// [`PackingError`].
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
