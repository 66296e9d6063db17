//! How answers are serialized.

use std::cell::Cell;
use std::io;

use serde::Serialize;

use crate::service::LARGEST_ANSWER;

/// Serializes an answer. Ours have string keys only, so it cannot fail. One that is larger than
/// answers may be ends just beyond that, and is refused for its size where answers are counted.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut buffer = BUFFER.take();
    buffer.clear();
    let mut answer = Capped(buffer);
    // What is cut off is refused, as said above.
    let _ = serde_json::to_writer(&mut answer, value);
    if answer.0.capacity() > KEPT_BUFFER {
        return answer.0;
    }
    let exact = answer.0.as_slice().to_vec();
    BUFFER.set(answer.0);
    exact
}

/// A buffer up to this size is used again: growing one for each answer took a tenth of the time to make
/// it. What grew larger becomes the answer itself.
const KEPT_BUFFER: usize = 128 << 10;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Memory that takes a little more than answers may have.
pub(crate) struct Capped(Vec<u8>);

/// From this size on, the buffer reserves the largest answer at once: growing copies it, with both
/// copies in memory, while reserved pages that are never written take none.
const LARGE: usize = 8 << 20;
/// Room for the last write, which may go past the limit: about one string.
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
