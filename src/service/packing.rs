//! Compressing text that comes in pieces, so that each piece can be sent at once, and back.

use std::io::{self, Write as _};

use bytes::{Buf as _, Bytes};
use zstd::stream::raw::{Decoder, Encoder, Operation as _};
use zstd::stream::zio::Writer;

use super::compressed::LONG_GZIP_LEVEL;
use super::unused::Unused;
use super::views::Encoding;

/// The level of Zstandard for a stream, which somebody waits for while it is made. At level 3, a comparison of
/// 8 MB takes a third longer to compress, and 2 MB more of memory, for a sixteenth fewer bytes.
const STREAM_LEVEL: i32 = 1;
/// That of gzip, for what is mostly asked for once. A comparison of 8 MB takes 15 ms to compress, at the level for long
/// answers 28 ms, longer than all that another thread has to do meanwhile, for a third more bytes.
const ONCE_GZIP_LEVEL: u32 = 2;

/// How much time is spent on making a long answer smaller, where the form has a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Little: it is mostly asked for once, by somebody who waits for it.
    Once,
    /// More: it is asked for again and again.
    Often,
}

/// The room of what comes out between two flushes, in bytes: to grow there would copy it several times.
const ROOM: usize = 96 << 10;

/// What Zstandard works in, nearly a megabyte each, of streams that have ended.
static ENCODERS: Unused<Encoder<'static>> = Unused::new(2);

/// Compresses pieces into one stream.
pub(super) enum Packer {
    Gzip(flate2::write::GzEncoder<Vec<u8>>),
    /// None where Zstandard cannot be set up for lack of memory.
    Zstd(Option<Writer<Vec<u8>, Encoder<'static>>>),
}

fn encoder() -> Option<Encoder<'static>> {
    let Some(mut encoder) = ENCODERS.take() else {
        return Encoder::new(STREAM_LEVEL).ok();
    };
    encoder.reinit().ok()?;
    Some(encoder)
}

impl Packer {
    /// Makes gzip, or else Zstandard.
    pub(super) fn new(form: Encoding, effort: Effort) -> Self {
        let level = match effort {
            Effort::Once => ONCE_GZIP_LEVEL,
            Effort::Often => LONG_GZIP_LEVEL,
        };
        match form {
            Encoding::Gzip => Self::Gzip(flate2::write::GzEncoder::new(
                Vec::new(),
                flate2::Compression::new(level),
            )),
            _ => {
                Self::Zstd(encoder().map(|encoder| Writer::new(Vec::with_capacity(ROOM), encoder)))
            }
        }
    }

    /// Compresses a piece. What comes out so far with [`Packer::flush`] decompresses to all pieces so far;
    /// without it some of it may come later.
    pub(super) fn write(&mut self, text: &[u8]) {
        // Writing to memory does not fail.
        let _ = match self {
            Self::Gzip(encoder) => encoder.write_all(text),
            Self::Zstd(Some(writer)) => writer.write_all(text),
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
            Self::Zstd(Some(writer)) => {
                let _ = writer.flush();
                std::mem::replace(writer.writer_mut(), Vec::with_capacity(ROOM))
            }
            Self::Zstd(None) => Vec::new(),
        }
    }

    /// The end of the stream.
    pub(super) fn finish(self) -> Vec<u8> {
        match self {
            Self::Gzip(encoder) => encoder.finish().unwrap_or_default(),
            Self::Zstd(Some(mut writer)) => {
                let is_done = writer.finish().is_ok();
                let (end, encoder) = writer.into_inner();
                if is_done {
                    ENCODERS.give(encoder);
                }
                end
            }
            Self::Zstd(None) => Vec::new(),
        }
    }
}

/// How many bytes of text are decompressed at once.
const TEXT: usize = 64 << 10;

/// Decompresses a stream of Zstandard that comes in pieces.
pub struct Unpacker {
    decoder: Decoder<'static>,
    /// Whether it may have more text without more input.
    is_full: bool,
}

impl Unpacker {
    /// The most memory that one takes, in bytes, its text included: a window of 512 KiB at
    /// [`STREAM_LEVEL`], two blocks of 128 KiB, and the tables of the decoder.
    pub const MEMORY: usize = 1 << 20;

    /// One at the beginning of a stream.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            decoder: Decoder::new()?,
            is_full: false,
        })
    }

    /// Decompresses the beginning of a piece, and removes it from the piece. Returns at most
    /// 64 KiB of text. No text means that the next piece is needed.
    ///
    /// # Errors
    /// When the piece does not continue the stream.
    pub fn unpack(&mut self, piece: &mut Bytes) -> io::Result<Vec<u8>> {
        let mut text = vec![0; TEXT];
        let mut written = 0;
        while written == 0 && (self.is_full || !piece.is_empty()) {
            let step = self.decoder.run_on_buffers(piece, &mut text)?;
            piece.advance(step.bytes_read);
            written = step.bytes_written;
            self.is_full = written == TEXT;
        }
        text.truncate(written);
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(pieces: &[&str]) -> Vec<u8> {
        let mut packer = Packer::new(Encoding::Zstd, Effort::Once);
        let mut all = Vec::new();
        for piece in pieces {
            packer.write(piece.as_bytes());
            all.extend(packer.flush());
        }
        all.extend(packer.finish());
        all
    }

    fn unpacked(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut unpacker = Unpacker::new().unwrap();
        let mut texts = Vec::new();
        for piece in pieces {
            let mut piece = Bytes::copy_from_slice(piece);
            loop {
                match unpacker.unpack(&mut piece).unwrap() {
                    text if text.is_empty() => break,
                    text => texts.push(text),
                }
            }
            assert!(piece.is_empty());
        }
        texts
    }

    #[test]
    fn text_comes_in_small_pieces_however_much_is_in_one() {
        for bytes in [0, 1, TEXT - 1, TEXT, TEXT + 1, 100 * TEXT] {
            let long = "x".repeat(bytes);
            let packed = packed(&[&long, "the end"]);
            let (first, second) = packed.split_at(packed.len() / 2);
            for pieces in [&[&packed[..]][..], &[first, second]] {
                let texts = unpacked(pieces);
                assert!(texts.iter().all(|text| text.len() <= TEXT));
                assert_eq!(texts.concat(), format!("{long}the end").as_bytes());
            }
        }
    }

    #[test]
    fn a_stream_has_nothing_of_one_before() {
        let long = "operator ".repeat(10_000);
        let pieces = [&*long, "and the rest"];
        let first = packed(&pieces);
        assert_eq!(packed(&pieces), first);
        // One that is given up leaves nothing behind either.
        let mut given_up = Packer::new(Encoding::Zstd, Effort::Once);
        given_up.write(long.as_bytes());
        drop(given_up);
        assert_eq!(packed(&pieces), first);
        let text = zstd::stream::decode_all(&*first).unwrap();
        assert_eq!(text, pieces.concat().as_bytes());
    }
}
