//! Compressing text that comes in pieces, so that each piece can be sent at once, and back.

use std::io::Write as _;

use super::compressed::LONG_GZIP_LEVEL;
use super::views::Encoding;

/// The level of Zstandard for a stream, which somebody waits for while it is made. At level 3, a comparison of
/// 8 MB takes a third longer to compress, and 2 MB more of memory, for a sixteenth fewer bytes.
const STREAM_LEVEL: i32 = 1;

/// Compresses pieces into one stream.
pub(super) enum Packer {
    Gzip(flate2::write::GzEncoder<Vec<u8>>),
    /// None where Zstandard cannot be set up for lack of memory.
    Zstd(Option<zstd::stream::write::Encoder<'static, Vec<u8>>>),
}

impl Packer {
    /// Makes gzip, or else Zstandard.
    pub(super) fn new(form: Encoding) -> Self {
        match form {
            Encoding::Gzip => Self::Gzip(flate2::write::GzEncoder::new(
                Vec::new(),
                flate2::Compression::new(LONG_GZIP_LEVEL),
            )),
            _ => Self::Zstd(zstd::stream::write::Encoder::new(Vec::new(), STREAM_LEVEL).ok()),
        }
    }

    /// Compresses a piece. What comes out so far with [`Packer::flush`] decompresses to all pieces so far;
    /// without it some of it may come later.
    pub(super) fn write(&mut self, text: &[u8]) {
        // Writing to memory does not fail.
        let _ = match self {
            Self::Gzip(encoder) => encoder.write_all(text),
            Self::Zstd(Some(encoder)) => encoder.write_all(text),
            Self::Zstd(None) => Ok(()),
        };
    }

    /// All that has not come out.
    pub(super) fn flush(&mut self) -> Vec<u8> {
        match self {
            Self::Gzip(encoder) => {
                let _ = encoder.flush();
                std::mem::take(encoder.get_mut())
            }
            Self::Zstd(Some(encoder)) => {
                let _ = encoder.flush();
                std::mem::take(encoder.get_mut())
            }
            Self::Zstd(None) => Vec::new(),
        }
    }

    /// The end of the stream.
    pub(super) fn finish(self) -> Vec<u8> {
        let end = match self {
            Self::Gzip(encoder) => encoder.finish().ok(),
            Self::Zstd(encoder) => encoder.and_then(|encoder| encoder.finish().ok()),
        };
        end.unwrap_or_default()
    }
}

/// Decompresses a stream of Zstandard that comes in pieces.
pub struct Unpacker(zstd::stream::write::Decoder<'static, Vec<u8>>);

impl Unpacker {
    /// One at the beginning of a stream.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new() -> std::io::Result<Self> {
        zstd::stream::write::Decoder::new(Vec::new()).map(Self)
    }

    /// The text of a piece.
    ///
    /// # Errors
    /// When it does not continue the stream.
    pub fn unpack(&mut self, piece: &[u8]) -> std::io::Result<Vec<u8>> {
        self.0.write_all(piece)?;
        self.0.flush()?;
        Ok(std::mem::take(self.0.get_mut()))
    }
}
