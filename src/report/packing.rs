//! Best-fit-decreasing packing of whole items into as few bins as possible, in linear time: report
//! items into comments of bounded size, operator documents into context windows, operators into
//! shards of equal work. Sizes go in, bins of [`Piece`]s come out; nothing that fits is ever cut.
//!
//! The method is that of "Fewer truncations improve language modeling" (ICML 2024) over the
//! textbook best-fit-decreasing, of which it opens exactly as many bins. What makes it linear:
//! items of one size are placed in one go, bins that are equally free are interchangeable and
//! kept as ranges, and the fullest bin that still has room is found in a bitmap over the possible
//! free spaces ([`free_space`]).

mod free_space;

use std::fmt;

use free_space::{FreeSpace, Placement};

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
    /// These items are larger than a bin, and [`Oversize::Reject`] was asked for.
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
            Self::NoRoom => f.write_str("the overhead of a bin leaves no room for items"),
            Self::CapacityTooLarge => write!(f, "a bin may hold at most {MAX_CAPACITY}"),
            Self::TooManyPieces => write!(f, "there would be more than {MAX_PIECES} pieces"),
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
    /// The part of the room in all bins that is used, 0 to 1; 1 when there is no room.
    pub fill: f64,
    /// How many items would be cut were they all written one after the other and cut at every bin.
    pub cut_by_concatenation: usize,
}

/// Bins and what is in them. Bins are in the order of their first pieces, pieces in a bin in the
/// order of the items.
#[derive(Debug, Clone)]
pub struct Packing {
    pieces: Vec<Piece>,
    /// Where each bin's pieces begin, bins numbered as they were opened, and the end.
    offsets: Vec<u32>,
    /// The bins in the order of their first pieces.
    order: Vec<u32>,
    figures: Figures,
}

impl Packing {
    /// The bins, each with at least one piece.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = &[Piece]> {
        self.order.iter().map(|&bin| {
            let range =
                self.offsets[bin as usize] as usize..self.offsets[bin as usize + 1] as usize;
            &self.pieces[range]
        })
    }

    /// How good it is.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
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
/// assert_eq!(packing.bins().map(<[_]>::len).collect::<Vec<_>>(), [1, 1, 1, 2]);
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
    let pieces = count_pieces(classes, room, limits.oversize)?;
    let mut space = FreeSpace::new(room);
    let mut runs = Vec::new();
    let mut ends = Vec::with_capacity(classes.len());
    for class in classes {
        place(class, room, &mut space, &mut runs);
        ends.push(runs.len());
    }
    let offsets = offsets(&runs, space.opened());
    let mut distribution = Distribution::new(room, &runs, &offsets, pieces);
    let (mut begin, mut item) = (0, 0);
    for (class, end) in classes.iter().zip(ends) {
        distribution.begin_class(begin..end);
        begin = end;
        for &size in *class {
            distribution.put_item(item, size, room);
            item += 1;
        }
    }
    let Distribution { pieces, order, .. } = distribution;
    Ok(Packing {
        figures: figures(classes, room, order.len()),
        pieces,
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

fn count_pieces(classes: &[&[u32]], room: u32, oversize: Oversize) -> Result<usize, PackingError> {
    let (mut pieces, mut oversized, mut index) = (0_u64, Vec::new(), 0_u32);
    for &size in classes.iter().copied().flatten() {
        if size > room {
            oversized.push(index);
            pieces += u64::from(size.div_ceil(room.max(1)));
        } else {
            pieces += 1;
        }
        if pieces > MAX_PIECES {
            return Err(PackingError::TooManyPieces);
        }
        index += 1;
    }
    match oversize {
        _ if oversized.is_empty() => {}
        _ if room == 0 => return Err(PackingError::NoRoom),
        Oversize::Reject => return Err(PackingError::Oversized(oversized)),
        Oversize::Split => {}
    }
    usize::try_from(pieces).map_err(|_| PackingError::TooManyPieces)
}

/// Finds bins for a class, largest sizes first.
fn place(class: &[u32], room: u32, space: &mut FreeSpace, runs: &mut Vec<Run>) {
    let mut counts = vec![0_u32; room as usize + 1];
    for &size in class {
        if size <= room {
            counts[size as usize] += 1;
        } else {
            counts[room as usize] += size / room;
            counts[(size % room) as usize] += u32::from(size % room > 0);
        }
    }
    for (size, &count) in counts.iter().enumerate().rev() {
        let (size, mut left) = (size as u32, count);
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
        let (full, rest) = placement.full_and_rest();
        let first = placement.bin as usize;
        for count in &mut offsets[first..first + full as usize] {
            *count += placement.per_bin;
        }
        offsets[first + full as usize] += rest;
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += std::mem::replace(offset, sum);
    }
    offsets
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

/// The pieces in their bins, and the bins in the order of their first pieces.
struct Distribution<'a> {
    runs: &'a [Run],
    offsets: &'a [u32],
    cursors: Vec<Cursor>,
    filled: Vec<u32>,
    pieces: Vec<Piece>,
    order: Vec<u32>,
}

impl<'a> Distribution<'a> {
    fn new(room: u32, runs: &'a [Run], offsets: &'a [u32], pieces: usize) -> Self {
        let nothing = Piece {
            item: 0,
            start: 0,
            len: 0,
        };
        Self {
            runs,
            offsets,
            cursors: vec![Cursor::default(); room as usize + 1],
            filled: offsets.to_vec(),
            pieces: vec![nothing; pieces],
            order: Vec::with_capacity(offsets.len()),
        }
    }

    /// Sets the cursors to a class's runs, which are sorted by size.
    fn begin_class(&mut self, runs: std::ops::Range<usize>) {
        for run in runs.rev() {
            self.cursors[self.runs[run].size as usize] = Cursor {
                next_run: run as u32,
                ..Cursor::default()
            };
        }
    }

    fn put(&mut self, piece: Piece) {
        let bin = self.cursors[piece.len as usize].next(self.runs);
        let place = &mut self.filled[bin as usize];
        if *place == self.offsets[bin as usize] {
            self.order.push(bin);
        }
        self.pieces[*place as usize] = piece;
        *place += 1;
    }

    fn put_item(&mut self, item: u32, size: u32, room: u32) {
        let (mut start, mut left) = (0, size);
        while left > room {
            self.put(Piece {
                item,
                start,
                len: room,
            });
            start += room;
            left -= room;
        }
        self.put(Piece {
            item,
            start,
            len: left,
        });
    }
}

fn figures(classes: &[&[u32]], room: u32, bins: usize) -> Figures {
    let (mut total, mut cut) = (0_u64, 0);
    let divisor = u64::from(room.max(1));
    // Where the item begins in the bin that is being written.
    let mut at = 0;
    for &size in classes.iter().copied().flatten() {
        total += u64::from(size);
        let end = at + u64::from(size);
        cut += usize::from(end > divisor);
        at = if end < divisor { end } else { end % divisor };
    }
    let space = bins as f64 * f64::from(room);
    Figures {
        bins,
        total,
        lower_bound: total.div_ceil(divisor),
        fill: if space > 0.0 {
            total as f64 / space
        } else {
            1.0
        },
        cut_by_concatenation: cut,
    }
}
