//! Whole answers, compressed.
//!
//! Both formats need some hundred KiB of working memory, which each thread keeps: allocating it for every
//! answer took a fifth of the time to compress a small one. There are as many such threads as may compute
//! at once, those that run second parts, and those of the server.

use std::cell::RefCell;
use std::thread::LocalKey;

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use zstd::bulk::Compressor;

use super::views::{COMPRESSED_APART_FROM, ZSTD_LEVEL};

/// The gzip header: deflate, without a file name, time or operating system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// The level for answers that are compressed while somebody waits: four times as quick as the usual level, for
/// a third more bytes, which is one more packet for a table, and none for most. An operator took as long to
/// compress by level 3 as to make.
const QUICK_GZIP_LEVEL: u32 = 1;
/// The level for longer ones: a comparison of 8 MB takes 28 instead of the 38 ms of the usual level, for a
/// fiftieth more bytes.
pub(super) const LONG_GZIP_LEVEL: u32 = 5;

/// How many bytes the output buffer grows by.
const MORE: usize = 32 << 10;

thread_local! {
    static LONG_DEFLATE: RefCell<Compress> =
        RefCell::new(Compress::new(Compression::new(LONG_GZIP_LEVEL), false));
    static QUICK_DEFLATE: RefCell<Compress> =
        RefCell::new(Compress::new(Compression::new(QUICK_GZIP_LEVEL), false));
    /// `None` if its memory could not be allocated.
    static ZSTD: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::new(ZSTD_LEVEL).ok());
}

/// The text as gzip. A long one is compressed in two halves at the same time, which costs nothing but what the
/// second could repeat of the last 32 KiB of the first.
pub(super) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain.len() / 4 + MORE);
    out.extend(GZIP_HEAD);
    let crc = if plain.len() < COMPRESSED_APART_FROM {
        deflate(&QUICK_DEFLATE, plain, FlushCompress::Finish, &mut out)
    } else {
        let (first, second) = plain.split_at(plain.len() / 2);
        let mut rest = Vec::with_capacity(second.len() / 8 + MORE);
        let mut crc = deflate(&LONG_DEFLATE, first, FlushCompress::Sync, &mut out);
        let of_rest = deflate(&LONG_DEFLATE, second, FlushCompress::Finish, &mut rest);
        out.append(&mut rest);
        crc.combine(&of_rest);
        crc
    };
    out.extend(crc.sum().to_le_bytes());
    out.extend(crc.amount().to_le_bytes());
    out.shrink_to_fit();
    out
}

/// Appends a part of a deflate stream that needs nothing of what is before it; with
/// [`FlushCompress::Sync`] it ends at a whole byte, and others follow. Gives the checksum of the text.
fn deflate(
    with: &'static LocalKey<RefCell<Compress>>,
    plain: &[u8],
    flush: FlushCompress,
    out: &mut Vec<u8>,
) -> Crc {
    with.with_borrow_mut(|deflate| {
        deflate.reset();
        loop {
            // How much of the text was consumed: at most its length, which fits a `usize`.
            let read = usize::try_from(deflate.total_in()).unwrap_or(plain.len());
            let rest = plain.get(read..).unwrap_or_default();
            let status = deflate.compress_vec(rest, out, flush);
            let is_all = deflate.total_in() == plain.len() as u64 && out.len() < out.capacity();
            match status {
                Ok(Status::StreamEnd) | Err(_) => break,
                // A flush is over when it leaves room.
                Ok(_) if is_all && matches!(flush, FlushCompress::Sync) => break,
                Ok(Status::Ok | Status::BufError) => out.reserve(MORE),
            }
        }
    });
    let mut crc = Crc::new();
    crc.update(plain);
    crc
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
        let halves = COMPRESSED_APART_FROM - 1..COMPRESSED_APART_FROM + 3;
        let halves: Vec<&str> = halves.map(|length| &long[..length]).collect();
        let all = ["", "a", "operator", &long, "operator", &long[..70_000]];
        for text in all.into_iter().chain(halves) {
            let mut back = String::new();
            let packed = gzip(text.as_bytes());
            // One member, which every reader takes, and nothing after it.
            let mut decoder = flate2::read::GzDecoder::new(&*packed);
            decoder.read_to_string(&mut back).unwrap();
            assert!(decoder.into_inner().is_empty());
            assert_eq!(back, text);
            let back = zstd::bulk::decompress(&super::zstd(text.as_bytes()), 1 << 24).unwrap();
            assert_eq!(back, text.as_bytes());
        }
    }
}
