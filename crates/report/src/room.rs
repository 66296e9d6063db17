//! How long a rendering may become, and who may end it.

use opatlas_source::Stop;

/// A bound on a rendering. One that passes it ends just behind it, so that whoever asked for it sees
/// that it is too long; what nobody waits for any more ends early.
#[derive(Debug, Clone)]
pub struct Room {
    bytes: usize,
    stop: Stop,
}

/// Room for a rendering of any length that nobody ends.
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
    /// Room for this many bytes, until `stop` is requested.
    #[must_use]
    pub fn new(bytes: usize, stop: &Stop) -> Self {
        Self {
            bytes,
            stop: stop.clone(),
        }
    }

    /// Whether a rendering that has this many bytes so far is to end.
    #[must_use]
    pub fn is_over(&self, bytes: usize) -> bool {
        bytes > self.bytes || self.stop.is_requested()
    }
}
