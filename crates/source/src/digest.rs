//! Digests of files and revisions.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// Computes a digest incrementally.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// SHA-256 of a revision or a file. Prints as 64 lowercase hexadecimal digits, like `sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits (either case).
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        let mut out = [0; 32];
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(out))
    }

    /// A digest from its raw bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        for (two, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            let digit = |of: u8| HEXADECIMAL[usize::from(of & 15)];
            two.copy_from_slice(&[digit(byte >> 4), digit(byte)]);
        }
        f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The name of a revision, from the names and digests of its files, sorted by name: SHA-256 over
/// the lines `HEX  NAME\n` (`docs/spec/registry.md`, section 1). `sha256sum FILES | sort -k2 |
/// sha256sum` prints the same digest.
#[must_use]
pub fn revision_digest<'a>(files: impl IntoIterator<Item = (&'a str, Digest)>) -> Digest {
    use fmt::Write as _;
    let mut lines = String::new();
    for (name, digest) in files {
        let _ = writeln!(lines, "{digest}  {name}");
    }
    Digest::of(lines.as_bytes())
}
