//! `native_functions.yaml`, entry by entry, with what a former revision read already.

use opatlas_source::diagnostic::RuleId;
use std::hash::Hasher as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::lower::lower;
use super::operator::PlacedEntry;
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{Span, Stop, Stopped};
use opatlas_yaml::Root;

/// The entries of one `native_functions.yaml`. It does not depend on a release.
#[derive(Debug, Default)]
pub struct NativeFunctions {
    /// The text; where the bytes were no valid text, with the bad places replaced.
    pub text: Arc<str>,
    /// The entries, in file order. Those that could not be read at all are missing.
    pub entries: Vec<PlacedEntry>,
    /// What is wrong with the file as a whole or with places outside any entry.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether there is a list of entries at all. Without one nothing can be said of operators.
    pub is_list: bool,
    /// The chunks that the entries were read from, for the next revision to reuse.
    chunks: Vec<Span>,
    by_hash: FxHashMap<u64, u32>,
}

impl NativeFunctions {
    /// Reads the file. Entries whose text is the same in `previous` are taken from there; the
    /// result is the same as without it.
    #[must_use]
    pub fn read(bytes: &[u8], previous: Option<&Self>) -> Self {
        Stop::unstopped(|stop| Self::read_until(bytes, previous, stop))
    }

    /// The same, unless it is stopped.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn read_until(bytes: &[u8], previous: Option<&Self>, stop: &Stop) -> Result<Self, Stopped> {
        let (text, diagnostics) = opatlas_yaml::decode(bytes);
        if diagnostics.is_empty()
            && let Some(read) = Self::by_chunks(&text, previous, stop)?
        {
            return Ok(read);
        }
        stop.check()?;
        Self::whole(&text, diagnostics, stop)
    }

    /// Whether an operator of this name may be declared by something that could not be read, so
    /// that its absence means nothing.
    #[must_use]
    pub fn may_hide(&self, name: &str) -> bool {
        let broken = !self.is_list || !self.diagnostics.is_empty();
        broken
            || self.entries.iter().any(|placed| {
                let named = placed.entry.name.as_ref();
                placed.entry.schema.is_none() && named.is_none_or(|named| named.as_str() == name)
            })
    }

    /// Each top-level entry on its own. `None` when the file is not that simple.
    fn by_chunks(
        text: &str,
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Option<Self>, Stopped> {
        let Some(chunks) = opatlas_yaml::split(text) else {
            return Ok(None);
        };
        let mut entries = Vec::with_capacity(chunks.len());
        let mut by_hash = FxHashMap::with_capacity_and_hasher(chunks.len(), Default::default());
        for (i, chunk) in chunks.iter().enumerate() {
            stop.check()?;
            let source = chunk.slice(text);
            let hash = hash(source);
            let Ok(at) = u32::try_from(i) else {
                return Ok(None);
            };
            by_hash.insert(hash, at);
            let known = previous.and_then(|previous| previous.entry_of(hash, source));
            let entry = match known {
                Some(entry) => Arc::clone(entry),
                None => match opatlas_yaml::parse_chunk(source) {
                    Some(item) => Arc::new(lower(&item, source)),
                    None => return Ok(None),
                },
            };
            entries.push(PlacedEntry {
                entry,
                base: chunk.start,
            });
        }
        Ok(Some(Self {
            text: text.into(),
            entries,
            diagnostics: Vec::new(),
            is_list: true,
            chunks,
            by_hash,
        }))
    }

    fn entry_of(&self, hash: u64, source: &str) -> Option<&Arc<super::entry::Entry>> {
        let i = *self.by_hash.get(&hash)? as usize;
        let same = self.chunks[i].slice(&self.text) == source;
        same.then(|| &self.entries[i].entry)
    }

    /// The slow and complete way: anchors, document markers, broken entries.
    fn whole(text: &str, mut diagnostics: Vec<Diagnostic>, stop: &Stop) -> Result<Self, Stopped> {
        let document = opatlas_yaml::parse(text);
        let broken = !document.diagnostics.is_empty() || !diagnostics.is_empty();
        diagnostics.extend(document.diagnostics);
        let is_list = matches!(document.root, Root::Sequence);
        if !is_list && !broken {
            diagnostics.push(no_list(text, &document.root));
        }
        let entries = document
            .items
            .iter()
            .map(|item| {
                stop.check()?;
                Ok(PlacedEntry {
                    entry: Arc::new(lower(item, text.get(item.base as usize..).unwrap_or(""))),
                    base: item.base,
                })
            })
            .collect::<Result<_, Stopped>>()?;
        Ok(Self {
            text: text.into(),
            entries,
            diagnostics,
            is_list,
            chunks: Vec::new(),
            by_hash: FxHashMap::default(),
        })
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn no_list(text: &str, root: &Root) -> Diagnostic {
    let (what, span) = match root {
        Root::Empty => ("it is empty", Span::at(0)),
        Root::Mapping(_) => ("it is a mapping", first_line(text)),
        Root::Scalar(_) | Root::Sequence => ("it is a single value", first_line(text)),
    };
    Diagnostic::new(
        RuleId::YamlRootList,
        span,
        format!("the file must be a list of entries, but {what}"),
    )
    .with_help("begin each entry with `- func: ...`; a file without operators is `[]`")
}

fn first_line(text: &str) -> Span {
    let start = text.len() - text.trim_start().len();
    let length = text[start..]
        .find(['\n', '\r'])
        .unwrap_or(text.len() - start);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(start + length))
}
