//! The bound on the length and time of a rendering.

use opatlas_source::Stop;

/// A bound on a rendering. A rendering ends just after its bound, so the caller sees that it is too long.
/// It also ends when it is stopped.
#[derive(Debug, Clone)]
pub struct Room {
    bytes: usize,
    stop: Stop,
}

/// No bound.
pub static UNBOUNDED: Room = Room {
    bytes: usize::MAX,
    stop: Stop::never(),
};

impl Default for &Room {
    fn default() -> Self {
        &UNBOUNDED
    }
}

impl Room {
    /// Room for this many bytes, until a stop is requested.
    #[must_use]
    pub fn new(bytes: usize, stop: &Stop) -> Self {
        Self {
            bytes,
            stop: stop.clone(),
        }
    }

    /// Whether a rendering of this many bytes must end.
    #[must_use]
    pub fn is_over(&self, bytes: usize) -> bool {
        bytes > self.bytes || self.stop.is_requested()
    }
}
