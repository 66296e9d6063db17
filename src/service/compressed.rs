//! Whole answers, compressed.
//!
//! Both formats need some hundred KiB of working memory, which each thread keeps: allocating it for every
//! answer took a fifth of the time to compress a small one. There are as many such threads as may compute
//! at once, and those of the server.

use std::cell::RefCell;

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use zstd::bulk::Compressor;

use super::views::{COMPRESSED_APART_FROM, GZIP_LEVEL, ZSTD_LEVEL};

/// The gzip header: deflate, without a file name, time or operating system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// The level for answers that are compressed while somebody waits: three times as quick, for a fifth more
/// bytes, which mostly go into the same packets.
const QUICK_GZIP_LEVEL: u32 = 3;

/// How many bytes the output buffer grows by.
const MORE: usize = 32 << 10;

thread_local! {
    static DEFLATE: RefCell<Compress> =
        RefCell::new(Compress::new(Compression::new(GZIP_LEVEL), false));
    static QUICK_DEFLATE: RefCell<Compress> =
        RefCell::new(Compress::new(Compression::new(QUICK_GZIP_LEVEL), false));
    /// `None` if its memory could not be allocated.
    static ZSTD: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::new(ZSTD_LEVEL).ok());
}

/// The text as gzip.
pub(super) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain.len() / 4 + MORE);
    out.extend(GZIP_HEAD);
    let deflate = match plain.len() < COMPRESSED_APART_FROM {
        true => &QUICK_DEFLATE,
        false => &DEFLATE,
    };
    deflate.with_borrow_mut(|deflate| {
        deflate.reset();
        loop {
            // How much of the text was consumed: at most its length, which fits a `usize`.
            let read = usize::try_from(deflate.total_in()).unwrap_or(plain.len());
            let rest = plain.get(read..).unwrap_or_default();
            match deflate.compress_vec(rest, &mut out, FlushCompress::Finish) {
                Ok(Status::StreamEnd) | Err(_) => break,
                Ok(Status::Ok | Status::BufError) => out.reserve(MORE),
            }
        }
    });
    let mut crc = Crc::new();
    crc.update(plain);
    out.extend(crc.sum().to_le_bytes());
    out.extend(crc.amount().to_le_bytes());
    out.shrink_to_fit();
    out
}

/// The text as Zstandard.
pub(super) fn zstd(plain: &[u8]) -> Vec<u8> {
    ZSTD.with_borrow_mut(|compressor| {
        let compressed = compressor.as_mut().map(|it| it.compress(plain));
        // The buffer has the format's worst-case size, so it cannot be too small.
        compressed.and_then(Result::ok).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_is_compressed_by_one_thread_in_turn_comes_back() {
        let long: String = (0..200_000)
            .map(|at: u64| format!("{:x},", at * at))
            .collect();
        for text in ["", "a", "operator", &long, "operator", &long[..70_000]] {
            let mut back = String::new();
            let packed = gzip(text.as_bytes());
            let mut decoder = flate2::read::GzDecoder::new(&*packed);
            decoder.read_to_string(&mut back).unwrap();
            assert_eq!(back, text);
            let back = zstd::bulk::decompress(&super::zstd(text.as_bytes()), 1 << 24).unwrap();
            assert_eq!(back, text.as_bytes());
        }
    }
}
