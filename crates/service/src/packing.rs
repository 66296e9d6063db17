//! Compression of whole answers and of streams, and decompression of streams.

use std::io::{self, Write};
use std::mem;

use bytes::{Buf as _, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::raw::{Decoder, Operation as _};
use zstd::stream::write::Encoder;

use super::views::Encoding;

const ZSTD_LEVEL: i32 = 3;
/// The Zstandard level of streams. Its window determines [`Unpacker::MEMORY`].
const STREAM_LEVEL: i32 = 1;

pub(super) fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain)?;
    encoder.finish()
}

pub(super) fn zstd(plain: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(plain, ZSTD_LEVEL)
}

/// A compressor whose output can be taken while it is written to.
pub(super) enum Packer {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(Encoder<'static, Vec<u8>>),
}

impl Packer {
    pub(super) fn new(form: Encoding) -> io::Result<Self> {
        Ok(match form {
            Encoding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::fast())),
            Encoding::Zstd | Encoding::Plain => Self::Zstd(Encoder::new(Vec::new(), STREAM_LEVEL)?),
        })
    }

    /// Takes the compressed bytes since the last call, which decompress to everything written so
    /// far.
    pub(super) fn take(&mut self) -> io::Result<Vec<u8>> {
        self.flush()?;
        Ok(mem::take(match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        }))
    }

    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl Write for Packer {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(encoder) => encoder.write(text),
            Self::Zstd(encoder) => encoder.write(text),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

const TEXT: usize = 64 << 10;

/// Decompresses a Zstandard stream that arrives in pieces.
pub struct Unpacker {
    decoder: Decoder<'static>,
    /// Whether more text may follow without more input.
    is_full: bool,
}

impl Unpacker {
    /// Maximum memory, including the text, in bytes: a window of 512 KiB at [`STREAM_LEVEL`], two
    /// blocks of 128 KiB, and the tables of the decoder.
    pub const MEMORY: usize = 1 << 20;

    /// A decompressor at the beginning of a stream. Fails if memory cannot be allocated.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            decoder: Decoder::new()?,
            is_full: false,
        })
    }

    /// Decompresses and removes the beginning of a piece, at most 64 KiB of text. An empty text
    /// means that the next piece is needed. Fails if the piece does not continue the stream.
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
        let mut packer = Packer::new(Encoding::Zstd).unwrap();
        let mut all = Vec::new();
        for piece in pieces {
            packer.write_all(piece.as_bytes()).unwrap();
            all.extend(packer.take().unwrap());
        }
        all.extend(packer.finish().unwrap());
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
}
