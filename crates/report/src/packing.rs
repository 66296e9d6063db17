//! Best-fit-decreasing packing of whole items into as few bins as possible, in linear time: report
//! items into comments of bounded size, operator documents into context windows, operators into
//! shards of equal work. Sizes go in, bins of [`Piece`]s come out; nothing that fits is ever cut.
//!
//! The method is that of "Fewer truncations improve language modeling" (ICML 2024) over the
//! textbook best-fit-decreasing, of which it opens exactly as many bins. What makes it linear:
//! items of one size are placed in one go, bins that are equally free are interchangeable and
//! kept as ranges, and the fullest bin that still has room is found in a bitmap over the possible
//! free spaces ([`free_space`]).

mod distribute;
mod free_space;
mod pieces;

use std::fmt;

use distribute::Distribution;
use free_space::{FreeSpace, Placement};
use pieces::Pieces;

/// The largest capacity; tables of that many entries are made.
pub const MAX_CAPACITY: u32 = 1 << 24;

/// The most pieces that one packing may have.
pub const MAX_PIECES: u64 = 1 << 28;

/// What to do with an item that is larger than a bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oversize {
    /// Refuse the packing and name the items, so that the caller can give shorter ones.
    Reject,
    /// Cut it into pieces that fill a bin each, and one remainder.
    Split,
}

/// The size of bins, in the caller's unit: for texts, Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The size of a bin, at most [`MAX_CAPACITY`].
    pub capacity: u32,
    /// What every bin holds besides items, such as a header and a footer.
    pub overhead: u32,
    /// What to do with items that are larger than a bin.
    pub oversize: Oversize,
}

/// An item, or a part of one that had to be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The item's index, counted over all classes.
    pub item: u32,
    /// Where in the item the piece begins.
    pub start: u32,
    /// The size of the piece.
    pub len: u32,
}

/// Why nothing was packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackingError {
    /// These items are larger than a bin, with [`Oversize::Reject`].
    Oversized(Vec<u32>),
    /// The overhead leaves no room for items.
    NoRoom,
    /// The capacity is above [`MAX_CAPACITY`].
    CapacityTooLarge,
    /// There would be more than [`MAX_PIECES`] pieces.
    TooManyPieces,
}

impl fmt::Display for PackingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oversized(items) => write!(f, "{} items are larger than a bin", items.len()),
            Self::NoRoom => {
                f.write_str("the overhead fills the whole bin and leaves no room for items")
            }
            Self::CapacityTooLarge => {
                write!(f, "the capacity of a bin must be at most {MAX_CAPACITY}")
            }
            Self::TooManyPieces => write!(f, "the items would need more than {MAX_PIECES} pieces"),
        }
    }
}

impl std::error::Error for PackingError {}

/// How good a packing is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Number of bins.
    pub bins: usize,
    /// Sum of all sizes.
    pub total: u64,
    /// The fewest bins that any packing could do with, were items fluid: the total over the room
    /// in a bin, rounded up.
    pub lower_bound: u64,
    /// The used part of the room in all bins, 0 to 1; 1 if there is no room.
    pub fill: f64,
    /// How many items would be cut were they all written one after the other and cut at every bin.
    pub cut_by_concatenation: usize,
}

/// Bins and what is in them. Bins are in the order of their first pieces, pieces in a bin in the
/// order of the items.
#[derive(Debug, Clone)]
pub struct Packing {
    pieces: Pieces,
    /// Piece numbers, bin by bin.
    slots: Vec<u32>,
    /// Where each bin's slots begin, bins numbered as they were opened, and the end.
    offsets: Vec<u32>,
    /// The bins in the order of their first pieces.
    order: Vec<u32>,
    figures: Figures,
}

impl Packing {
    /// The bins, each with at least one piece.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = Bin<'_>> {
        self.order.iter().map(|&bin| {
            let (bin, next) = (bin as usize, bin as usize + 1);
            Bin {
                pieces: &self.pieces,
                slots: &self.slots[self.offsets[bin] as usize..self.offsets[next] as usize],
            }
        })
    }

    /// How good it is.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }
}

/// What is in one bin.
#[derive(Debug, Clone, Copy)]
pub struct Bin<'a> {
    pieces: &'a Pieces,
    slots: &'a [u32],
}

impl<'a> Bin<'a> {
    /// The pieces in the order of the items.
    pub fn pieces(self) -> impl ExactSizeIterator<Item = Piece> + 'a {
        self.slots.iter().map(|&piece| self.pieces.piece(piece))
    }
}

/// Packs items of one class.
///
/// # Errors
/// See [`PackingError`].
///
/// ```
/// use opatlas::report::packing::{Limits, Oversize, pack};
///
/// let limits = Limits { capacity: 8, overhead: 0, oversize: Oversize::Reject };
/// let packing = pack(&[8, 6, 6, 4, 3], &limits).unwrap();
/// let counts: Vec<usize> = packing.bins().map(|bin| bin.pieces().len()).collect();
/// assert_eq!(counts, [1, 1, 1, 2]);
/// ```
pub fn pack(sizes: &[u32], limits: &Limits) -> Result<Packing, PackingError> {
    pack_classes(&[sizes], limits)
}

/// Packs classes of items one after the other, so that what is in an early class is in an early
/// bin; later classes fill what room earlier ones left. Takes time linear in the number of items,
/// and in the capacity for each class.
///
/// # Errors
/// See [`PackingError`].
pub fn pack_classes(classes: &[&[u32]], limits: &Limits) -> Result<Packing, PackingError> {
    if limits.capacity > MAX_CAPACITY {
        return Err(PackingError::CapacityTooLarge);
    }
    let room = match limits.capacity.checked_sub(limits.overhead) {
        Some(room) => room,
        None => return Err(PackingError::NoRoom),
    };
    let (pieces, totals) = Pieces::cut(classes, room, limits.oversize)?;
    let mut space = FreeSpace::new(room);
    let mut runs = Vec::new();
    let mut run_ends = Vec::with_capacity(classes.len());
    for class in pieces.classes() {
        place(class, room, &mut space, &mut runs);
        run_ends.push(runs.len());
    }
    let offsets = offsets(&runs, space.opened());
    let mut distribution = Distribution::new(room, &runs, &offsets, pieces.len());
    let mut begin = 0;
    for (class, end) in pieces.classes().zip(run_ends) {
        distribution.distribute(class, begin..end);
        begin = end;
    }
    let Distribution { slots, order, .. } = distribution;
    Ok(Packing {
        figures: totals.figures(order.len(), room),
        pieces,
        slots,
        offsets,
        order,
    })
}

/// Items of one size that went into consecutive bins.
#[derive(Debug, Clone, Copy)]
struct Run {
    size: u32,
    placement: Placement,
}

/// Finds bins for the pieces of a class, largest first.
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

/// Where each bin's pieces begin, and the end.
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
