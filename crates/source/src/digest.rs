//! Digests of files and revisions.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// Makes the digest of bytes that come one part after the other.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all that it has taken.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// SHA-256 of a revision or a file. Prints as 64 lower-case hexadecimal digits, as `sha256sum`
/// does.
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

    /// A digest from its raw bytes, as a store keeps it.
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

/// The digits.
const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Answers hold hundreds of digests, so their digits are not formatted one by one.
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

/// The name of a revision from its files' names and digests, which must come sorted by name:
/// SHA-256 over the lines `HEX  NAME\n` (`docs/spec/registry.md`, section 1), so that
/// `sha256sum FILES | sort -k2 | sha256sum` gives the same.
#[must_use]
pub fn revision_digest<'a>(files: impl IntoIterator<Item = (&'a str, Digest)>) -> Digest {
    use fmt::Write as _;
    let mut lines = String::new();
    for (name, digest) in files {
        let _ = writeln!(lines, "{digest}  {name}");
    }
    Digest::of(lines.as_bytes())
}
