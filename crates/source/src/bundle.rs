//! The files that a revision consists of.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::content::Content;
use super::digest::{Digest, revision_digest};

/// The name of the one file that every bundle has.
pub const NATIVE_FUNCTIONS: &str = "native_functions.yaml";
/// The tags that entries may carry.
pub const TAGS: &str = "tags.yaml";
/// Autograd formulas.
pub const DERIVATIVES: &str = "derivatives.yaml";
/// Deprecated Python signatures.
pub const DEPRECATED: &str = "deprecated.yaml";
/// The operators with functions in the C shim of AOTInductor (`torchgen/aoti/fallback_ops.py`).
pub const FALLBACK_OPS: &str = "fallback_ops.py";
/// Registrations recorded from a real process.
pub const OBSERVED: &str = "observed.json";
/// The vendor profile, which says how to read a vendor's files.
pub const VENDOR: &str = "vendor.yaml";
/// The folder of out-of-tree backend files, `backends/NAME.yaml`.
pub const BACKENDS: &str = "backends/";
/// The folder of C++ and Python sources, `sources/PATH`.
pub const SOURCES: &str = "sources/";

const LONGEST_SOURCE: usize = 512;

/// The files of one revision by name, shared and immutable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<Box<str>, File>,
}

/// The digest is computed once, because many parts of the program ask for it.
#[derive(Debug, Clone)]
struct File {
    content: Content,
    digest: OnceLock<Digest>,
}

impl File {
    fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of(&self.content.bytes))
    }
}

impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        self.content.bytes == other.content.bytes
    }
}

impl Eq for File {}

impl Bundle {
    /// A bundle of `native_functions.yaml` alone.
    #[must_use]
    pub fn of_native_functions(content: impl Into<Content>) -> Self {
        let mut bundle = Self::default();
        bundle.insert(NATIVE_FUNCTIONS, content);
        bundle
    }

    /// Whether a bundle may contain a file of this name: one of the fixed names,
    /// `backends/NAME.yaml`, or `sources/PATH`. NAME and each part of PATH consist of letters,
    /// digits, `.`, `_`, `+` and `-`, and do not begin with a dot.
    #[must_use]
    pub fn is_file_name(name: &str) -> bool {
        if [
            NATIVE_FUNCTIONS,
            TAGS,
            DERIVATIVES,
            DEPRECATED,
            FALLBACK_OPS,
            OBSERVED,
            VENDOR,
        ]
        .contains(&name)
        {
            return true;
        }
        if let Some(path) = name.strip_prefix(SOURCES) {
            return path.len() <= LONGEST_SOURCE && path.split('/').all(is_plain);
        }
        let stem = name
            .strip_prefix(BACKENDS)
            .and_then(|name| name.strip_suffix(".yaml"));
        stem.is_some_and(is_plain)
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, name: &str, content: impl Into<Content>) {
        let file = File {
            content: content.into(),
            digest: OnceLock::new(),
        };
        self.files.insert(name.into(), file);
    }

    /// Adds or replaces a file whose digest is already known; it must be the digest of `content`.
    pub fn insert_with(&mut self, name: &str, content: Content, digest: Digest) {
        let digest = digest.into();
        self.files.insert(name.into(), File { content, digest });
    }

    /// Shares the memory of `text` with a file that has the same bytes; otherwise does nothing.
    pub fn share(&mut self, name: &str, text: &Arc<str>) {
        if let Some(file) = self.files.get_mut(name)
            && !file.content.is_of(text)
            && *file.content.bytes == *text.as_bytes()
        {
            file.content = Arc::clone(text).into();
        }
    }

    /// A file's bytes.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.files.get(name).map(|file| &file.content.bytes)
    }

    /// A file, as bytes and as text.
    #[must_use]
    pub fn content(&self, name: &str) -> Option<&Content> {
        self.files.get(name).map(|file| &file.content)
    }

    /// The SHA-256 of a file's bytes, computed once.
    #[must_use]
    pub fn file_digest(&self, name: &str) -> Option<Digest> {
        self.files.get(name).map(File::digest)
    }

    /// All files, sorted by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        let files = self.files.iter();
        files.map(|(name, file)| (&**name, &file.content.bytes))
    }

    /// The digests of all files, sorted by name.
    pub fn digests(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.files
            .iter()
            .map(|(name, file)| (&**name, file.digest()))
    }

    /// The total size of all files, in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        self.files
            .values()
            .map(|file| file.content.bytes.len())
            .sum()
    }

    /// The revision's name, see [`revision_digest`].
    #[must_use]
    pub fn digest(&self) -> Digest {
        revision_digest(
            self.files
                .iter()
                .map(|(name, file)| (&**name, file.digest())),
        )
    }
}

/// Whether a part of a file's name is safe in paths and addresses.
fn is_plain(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.bytes().all(is_safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_that_of_sha256sum_lines() {
        let bundle = Bundle::of_native_functions(*b"[]\n");
        let line = format!("{}  native_functions.yaml\n", Digest::of(b"[]\n"));
        assert_eq!(bundle.digest(), Digest::of(line.as_bytes()));
        assert_eq!(
            Digest::parse(&bundle.digest().to_string()),
            Some(bundle.digest())
        );
    }

    #[test]
    fn only_equal_bytes_are_shared() {
        let mut bundle = Bundle::of_native_functions(*b"[]\n");
        let digest = bundle.digest();
        let same: Arc<str> = Arc::from("[]\n");
        bundle.share(NATIVE_FUNCTIONS, &same);
        assert!(Arc::ptr_eq(
            bundle.content(NATIVE_FUNCTIONS).unwrap().text().unwrap(),
            &same
        ));
        bundle.share(NATIVE_FUNCTIONS, &Arc::from("- \n"));
        bundle.share(TAGS, &Arc::from("- \n"));
        assert_eq!((bundle.digest(), bundle.files().count()), (digest, 1));
    }

    #[test]
    fn bundle_names_are_a_closed_set() {
        assert!(Bundle::is_file_name("backends/acme-npu.yaml"));
        assert!(Bundle::is_file_name("sources/torch_xla/csrc/a-b.cpp"));
        for bad in [
            "backends/../x.yaml",
            "backends/.yaml",
            "x.yaml",
            "backends/a/b.yaml",
            "sources/",
            "sources/../a.cpp",
            "sources/a//b.cpp",
            "sources//a.cpp",
            "sources/.git/a.cpp",
        ] {
            assert!(!Bundle::is_file_name(bad), "{bad}");
        }
    }
}
