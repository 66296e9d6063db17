//! How answers are serialized.

use std::io;

use serde::Serialize;

use crate::service::LARGEST_ANSWER;

/// Serializes an answer. Ours have string keys only, so it cannot fail. One that is larger than
/// answers may be ends just beyond that, and is refused for its size where answers are counted.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut answer = Capped(Vec::with_capacity(1 << 10));
    // What is cut off is refused, as said above.
    let _ = serde_json::to_writer(&mut answer, value);
    answer.0
}

/// Memory that takes a little more than answers may have.
pub(crate) struct Capped(Vec<u8>);

/// A buffer of at least this many bytes gets the room of the largest answer at once: while it moves,
/// both the old and the new one are in memory, and room that is never written to takes none.
const LARGE: usize = 8 << 20;
/// What is written at most beyond the largest answer, in bytes, about: a text of one member.
const BEYOND: usize = 1 << 20;

impl Capped {
    fn make_room(&mut self, bytes: usize) {
        let length = self.0.len();
        if length >= LARGE && self.0.capacity() - length < bytes {
            let rest = (LARGEST_ANSWER + BEYOND).saturating_sub(length);
            self.0.reserve_exact(bytes.max(rest));
        }
    }
}

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > LARGEST_ANSWER {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.make_room(bytes.len());
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Serializers write a name or a mark at a time, which the loop of the default method made slower.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(|_| ())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
