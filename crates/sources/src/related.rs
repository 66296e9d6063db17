//! Which files a scan needs beside those that register something: headers that define macros, and
//! files that use macros which register something.

use std::hash::{Hash, Hasher};

use memchr::{memchr_iter, memmem};
use rustc_hash::{FxHashSet, FxHasher};

use crate::cpp::preprocessor::Definitions;
use crate::{File, LARGEST_FILE, Macros};

/// The names that a C++ file defines and uses, as hashes.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    defined: Vec<u32>,
    used: Vec<u32>,
}

/// The C++ files of a scan that register something, and what they need from others.
pub struct Related<'m> {
    macros: &'m Macros,
    definitions: Definitions,
    /// Macros and constants that the files use without a definition.
    missing: FxHashSet<u32>,
    /// Macros of the files that register something wherever they are used.
    openers: FxHashSet<u32>,
}

/// How often the files that were found last may need others.
pub const MOST_ROUNDS: usize = 4;

impl<'m> Related<'m> {
    /// Without files.
    #[must_use]
    pub fn new(macros: &'m Macros) -> Self {
        Self {
            macros,
            definitions: Definitions::default(),
            missing: FxHashSet::default(),
            openers: FxHashSet::default(),
        }
    }

    /// Adds a C++ file. Each file has another index.
    pub fn add(&mut self, index: u32, file: File<'_>) {
        if file.bytes.len() <= LARGEST_FILE && memchr::memchr(0, file.bytes).is_none() {
            let text = String::from_utf8_lossy(file.bytes);
            self.definitions.add(index, file.path, &text);
        }
    }

    /// Finds out what the files need; [`Related::wants`] answers for the files before.
    pub fn update(&mut self) {
        let missing = self.definitions.missing(self.macros);
        let openers = self.definitions.at_file_scope(self.macros);
        self.missing = missing.iter().map(|name| hash(name.as_bytes())).collect();
        self.openers = openers.iter().map(|name| hash(name.as_bytes())).collect();
    }

    pub(crate) fn into_definitions(self) -> Definitions {
        self.definitions
    }

    /// Whether a file may be needed.
    #[must_use]
    pub fn wants(&self, outline: &Outline) -> bool {
        let is_missing = |name: &u32| self.missing.contains(name);
        let is_opener = |name: &u32| self.openers.contains(name);
        outline.defined.iter().any(is_missing) || outline.used.iter().any(is_opener)
    }
}

impl Outline {
    /// The outline of a C++ file.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = bytes.get(start..end).unwrap_or_default().trim_ascii_start();
            found.defined.extend(defined(line).map(hash));
            start = end + 1;
        }
        let mut used = FxHashSet::default();
        let mut rest = bytes;
        while let Some(start) = rest.iter().position(|byte| is_word(*byte)) {
            rest = rest.get(start..).unwrap_or_default();
            let end = rest.iter().position(|byte| !is_word(*byte));
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            let is_macro = word.first().is_some_and(|byte| !byte.is_ascii_lowercase());
            if is_macro || after.first() == Some(&b'(') {
                used.insert(hash(word));
            }
            rest = after;
        }
        found.used = used.into_iter().collect();
        found
    }
}

/// The macro or constant that a line defines.
fn defined(line: &[u8]) -> Option<&[u8]> {
    if let Some(directive) = line.strip_prefix(b"#") {
        let rest = directive.trim_ascii_start().strip_prefix(b"define")?;
        let rest = rest.trim_ascii_start();
        let end = rest.iter().position(|byte| !is_word(*byte));
        return rest.get(..end.unwrap_or(rest.len()));
    }
    memmem::find(line, b"const")?;
    let is_end = |byte: &u8| matches!(byte, b'=' | b'{' | b'[');
    let (before, value) = line.split_at(line.iter().position(is_end)?);
    // A literal or a key, which may be on the next line.
    let is_value = value.len() < 3
        || memchr::memchr(b'"', value).is_some()
        || memmem::find(value, b"::").is_some();
    let before = before.trim_ascii_end();
    if !is_value || value.contains(&b'(') {
        return None;
    }
    let start = before.iter().rposition(|byte| !is_word(*byte));
    before.get(start.map_or(0, |at| at + 1)..)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Files with equal hashes of different names are read for nothing.
fn hash(name: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    let bytes = hasher.finish().to_le_bytes();
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_users_are_related() {
        let block = "#include \"ops.h\"\n#define OPEN(k) TORCH_LIBRARY_IMPL(aten, k, m)\n\
            TORCH_LIBRARY_IMPL(aten, ACME_KEY, m) { m.impl(kName, f); ENTRY(add) }\n";
        let file = File {
            path: "a.h",
            bytes: block.as_bytes(),
        };
        let macros = Macros::built_in();
        let mut related = Related::new(&macros);
        related.add(0, file);
        related.update();
        for (text, is_wanted) in [
            ("# define ACME_KEY XPU\n", true),
            ("constexpr const char* kName = \"add\";\n", true),
            ("#define ENTRY(op) m.impl(#op, op)\n", true),
            ("OPEN(XPU) { m.impl(\"add\", f); }\n", true),
            ("#define OTHER_KEY XPU\nint kName2 = 1;\n", false),
        ] {
            let outline = Outline::of(text.as_bytes());
            assert_eq!(related.wants(&outline), is_wanted, "{text}");
        }
    }
}
