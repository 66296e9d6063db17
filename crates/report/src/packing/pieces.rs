//! Items, cut into pieces where they are larger than a bin.

use super::{Figures, MAX_PIECES, Oversize, PackingError, Piece};

/// The pieces of all items in their order.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    lens: Vec<u32>,
    /// Item and beginning of each piece; empty when pieces are whole items.
    origins: Vec<(u32, u32)>,
    /// Where the pieces of each class end.
    class_ends: Vec<usize>,
}

impl Pieces {
    /// Cuts what is larger than `room`.
    pub(super) fn cut(
        classes: &[&[u32]],
        room: u32,
        oversize: Oversize,
    ) -> Result<(Self, Totals), PackingError> {
        let items: usize = classes.iter().map(|class| class.len()).sum();
        if items as u64 > MAX_PIECES {
            return Err(PackingError::TooManyPieces);
        }
        let mut pieces = Self {
            lens: Vec::with_capacity(items),
            origins: Vec::new(),
            class_ends: Vec::with_capacity(classes.len()),
        };
        let mut totals = Totals::default();
        let mut oversized = Vec::new();
        let mut first = 0;
        for class in classes {
            pieces.lens.extend_from_slice(class);
            pieces.class_ends.push(pieces.lens.len());
            for (item, &size) in (first..).zip(*class) {
                totals.add(size, room);
                if size > room {
                    oversized.push(item);
                }
            }
            first += class.len() as u32;
        }
        if oversized.is_empty() {
            return Ok((pieces, totals));
        }
        match oversize {
            _ if room == 0 => Err(PackingError::NoRoom),
            Oversize::Reject => Err(PackingError::Oversized(oversized)),
            Oversize::Split => Ok((Self::split(classes, room)?, totals)),
        }
    }

    fn split(classes: &[&[u32]], room: u32) -> Result<Self, PackingError> {
        let sizes = || classes.iter().copied().flatten();
        let count = |size: &u32| u64::from(size.div_ceil(room).max(1));
        let count: u64 = sizes().map(count).sum();
        if count > MAX_PIECES {
            return Err(PackingError::TooManyPieces);
        }
        let mut pieces = Self {
            lens: Vec::with_capacity(count as usize),
            origins: Vec::with_capacity(count as usize),
            class_ends: Vec::with_capacity(classes.len()),
        };
        let mut item = 0;
        for class in classes {
            for &size in *class {
                let mut start = 0;
                while size - start > room {
                    pieces.lens.push(room);
                    pieces.origins.push((item, start));
                    start += room;
                }
                pieces.lens.push(size - start);
                pieces.origins.push((item, start));
                item += 1;
            }
            pieces.class_ends.push(pieces.lens.len());
        }
        Ok(pieces)
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.lens.len()
    }

    /// The sizes of the pieces, class by class.
    pub(super) fn classes(&self) -> impl Iterator<Item = &[u32]> {
        let mut begin = 0;
        self.class_ends.iter().map(move |&end| {
            let class = &self.lens[begin..end];
            begin = end;
            class
        })
    }

    /// The piece of that number.
    pub(super) fn piece(&self, number: u32) -> Piece {
        let origin = self.origins.get(number as usize);
        let (item, start) = origin.copied().unwrap_or((number, 0));
        Piece {
            item,
            start,
            len: self.lens[number as usize],
        }
    }
}

/// What is known about the items before they are packed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    total: u64,
    cut_by_concatenation: usize,
    /// Where the next item begins in its bin, were all written one after the other.
    at: u64,
}

impl Totals {
    fn add(&mut self, size: u32, room: u32) {
        let room = u64::from(room.max(1));
        self.total += u64::from(size);
        let end = self.at + u64::from(size);
        self.cut_by_concatenation += usize::from(end > room);
        self.at = match end {
            end if end < room => end,
            end if end < 2 * room => end - room,
            end => end % room,
        };
    }

    /// The figures of a packing into so many bins with so much room each.
    pub(super) fn figures(&self, bins: usize, room: u32) -> Figures {
        let space = bins as f64 * f64::from(room);
        Figures {
            bins,
            total: self.total,
            lower_bound: self.total.div_ceil(u64::from(room.max(1))),
            fill: if space > 0.0 {
                self.total as f64 / space
            } else {
                1.0
            },
            cut_by_concatenation: self.cut_by_concatenation,
        }
    }
}
