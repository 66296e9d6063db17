//! Memory that is needed soon.

use std::hint::black_box;

/// How many items to read ahead at most: what they have in memory stays in the nearest cache until their turn.
pub const READ_AHEAD: usize = 32;

/// Reads one value after the other, for the processor to fetch the memory of all of them at the same time. It does so
/// only where no value is needed to find the next one, and where little stands between them. In a loop that does more
/// with each item it waits for memory again and again.
pub fn read_ahead<T>(values: impl IntoIterator<Item = T>) {
    for value in values {
        black_box(value);
    }
}
