//! Answers as JSON.

use std::io::{self, Write};

use serde::Serialize;

use opatlas_service::{LARGEST_ANSWER, ServiceError};

/// The JSON of an answer. It is cut off soon after [`LARGEST_ANSWER`], where the service refuses it.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut text = CappedWriter::new(Vec::new());
    // Fails only on size: all map keys of answers are strings.
    let _ = serde_json::to_writer(&mut text, value);
    text.inner
}

/// Writes the JSON of an answer. Fails with [`ServiceError::LargeAnswer`].
pub fn write<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> Result<(), ServiceError> {
    let written = serde_json::to_writer(CappedWriter::new(out), value);
    written.map_err(|error| ServiceError::of_write(error.into()))
}

/// Appends the JSON of a value.
pub fn push(text: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory cannot fail, and all map keys are strings.
    let _ = serde_json::to_writer(text, value);
}

/// A writer that fails once an answer is too large. The last write may go past the limit.
struct CappedWriter<W> {
    inner: W,
    written: usize,
}

impl<W> CappedWriter<W> {
    fn new(inner: W) -> Self {
        Self { inner, written: 0 }
    }
}

impl<W: Write> Write for CappedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written > LARGEST_ANSWER {
            let limit = LARGEST_ANSWER;
            return Err(io::Error::other(ServiceError::LargeAnswer { limit }));
        }
        self.inner.write_all(bytes)?;
        self.written += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_soon_after_the_largest_answer() {
        let part = "x".repeat(1 << 20);
        let parts = vec![&part; 100];
        let text = json(&parts);
        assert!(text.len() > LARGEST_ANSWER, "so it will be refused");
        assert!(text.len() < LARGEST_ANSWER + 2 * part.len());
        let written = write(&mut io::sink(), &parts);
        assert!(matches!(written, Err(ServiceError::LargeAnswer { .. })));
        assert!(write(&mut io::sink(), &parts[..10]).is_ok());
    }

    #[test]
    fn the_error_of_a_writer_comes_back() {
        struct Busy;

        impl Write for Busy {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other(ServiceError::Busy))
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        assert!(matches!(write(&mut Busy, &"x"), Err(ServiceError::Busy)));
    }
}
