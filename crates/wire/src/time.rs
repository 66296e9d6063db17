//! Times on the wire.

use jiff::Timestamp;

/// Microseconds since 1970-01-01 UTC as RFC 3339, `2026-11-21T10:00:00Z`.
#[must_use]
pub fn timestamp(micros: i64) -> String {
    Timestamp::from_microsecond(micros)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_string()
}
