//! Reads `native_functions.yaml` entry by entry, reusing unchanged entries of a previous revision.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use opatlas_schema::name::OperatorName;
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::{Content, Span, Stop, Stopped, message};
use opatlas_yaml::Root;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::entry::Entry;
use super::lower::lower;
use super::operator::PlacedEntry;
use crate::slips;

/// The maximum number of entries; real files have fewer than 3,000.
pub const MOST_ENTRIES: usize = 8_000;

/// The maximum number of arguments and returns; real files have 15,000.
pub const MOST_ARGUMENTS: usize = 60_000;

/// The maximum number of diagnostics about entries.
pub const MOST_COMPLAINTS: usize = 100_000;

/// The entries of one `native_functions.yaml`, independent of the release.
#[derive(Debug, Default)]
pub struct NativeFunctions {
    /// The text, with invalid bytes replaced.
    pub text: Arc<str>,
    /// The valid entries, in file order.
    pub entries: Vec<PlacedEntry>,
    /// Diagnostics outside entries.
    pub diagnostics: Complaints,
    /// Whether the file is a list.
    pub is_list: bool,
    /// Whether the file has no content.
    pub is_empty: bool,
    /// The names of entries whose YAML could not be read, from their lines `- func: NAME(...)`.
    pub unread: Vec<OperatorName>,
    /// The chunks of the entries, for the next revision to reuse.
    chunks: Vec<Span>,
    hidden: OnceLock<Hidden>,
}

/// Operators that unreadable entries may declare.
#[derive(Debug, Default)]
struct Hidden {
    names: FxHashSet<Box<str>>,
    anything: bool,
}

impl NativeFunctions {
    /// Reads the file, reusing entries with the same text in `previous`.
    #[must_use]
    pub fn read(bytes: &[u8], previous: Option<&Self>) -> Self {
        let file = Content::from(bytes);
        Stop::unstopped(|stop| Self::read_until(&file, previous, stop))
    }

    /// Like [`NativeFunctions::read`], but cancellable.
    pub fn read_until(
        file: &Content,
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (text, diagnostics) = opatlas_yaml::decode_shared(file);
        if diagnostics.is_empty()
            && let Some(read) = Self::by_chunks(&text, previous, stop)?
        {
            return Ok(read);
        }
        stop.check()?;
        Self::whole(&text, diagnostics, stop)
    }

    /// The text of each entry, in order; empty if the file cannot be split.
    #[must_use]
    pub fn chunks(&self) -> &[Span] {
        &self.chunks
    }

    /// True if the file has unresolved merge conflicts, whose first sides are read.
    #[must_use]
    pub fn has_conflicts(&self) -> bool {
        let mut faults = self.diagnostics.iter();
        faults.any(|fault| fault.rule == RuleId::MergeConflict)
    }

    /// Whether an unreadable entry may declare an operator of this name.
    #[must_use]
    pub fn may_hide(&self, name: &str) -> bool {
        let hidden = self.hidden.get_or_init(|| self.hides());
        hidden.anything || hidden.names.contains(name)
    }

    /// Whether an unreadable entry may declare an overload of an operator.
    #[must_use]
    pub fn may_hide_overload(&self, base: &str) -> bool {
        let hidden = self.hidden.get_or_init(|| self.hides());
        let is_overload = |name: &str| name.split('.').next() == Some(base);
        hidden.anything || hidden.names.iter().any(|name| is_overload(name))
    }

    /// Whether an entry of this name is there but unreadable.
    #[must_use]
    pub fn hides_entry(&self, name: &str) -> bool {
        let hidden = self.hidden.get_or_init(|| self.hides());
        hidden.names.contains(name)
    }

    /// Whether unreadable entries may declare any operators.
    #[must_use]
    pub fn hides_any(&self) -> bool {
        let hidden = self.hidden.get_or_init(|| self.hides());
        hidden.anything || !hidden.names.is_empty()
    }

    fn hides(&self) -> Hidden {
        let mut hidden = Hidden {
            anything: !self.is_list || !self.diagnostics.is_empty(),
            ..Hidden::default()
        };
        for placed in &self.entries {
            match &placed.entry.name {
                _ if placed.entry.schema.is_some() => {}
                Some(name) => {
                    hidden.names.insert(name.as_str().into());
                }
                None => hidden.anything = true,
            }
        }
        hidden
    }

    /// `None` if the file cannot be split.
    fn by_chunks(
        text: &Arc<str>,
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Option<Self>, Stopped> {
        let Some(mut chunks) = opatlas_yaml::split(text) else {
            return Ok(None);
        };
        let mut beyond = chunks.get(MOST_ENTRIES).map(|chunk| too_many(*chunk));
        chunks.truncate(MOST_ENTRIES);
        let sources: Vec<&str> = chunks.iter().map(|chunk| chunk.slice(text)).collect();
        let previous = previous.map(Self::by_source).unwrap_or_default();
        let shared = sources.iter().map(|source| previous.get(source).cloned());
        let shared: Vec<Option<Arc<Entry>>> = shared.collect();
        let unknown = shared.iter().zip(&sources);
        let unknown = unknown.filter_map(|(known, source)| known.is_none().then_some(*source));
        let mut read = read_entries(&unknown.collect::<Vec<_>>(), stop)?.into_iter();
        let mut taken = Taken::default();
        let mut entries = Vec::with_capacity(chunks.len());
        for (chunk, known) in chunks.iter().zip(shared) {
            if let Some(limit) = taken.limit(*chunk) {
                beyond = Some(limit);
                break;
            }
            let Some(entry) = known.or_else(|| read.next().flatten()) else {
                return Ok(None);
            };
            taken.add(&entry);
            entries.push(PlacedEntry {
                entry,
                base: chunk.start,
            });
        }
        chunks.truncate(entries.len());
        Ok(Some(Self {
            text: Arc::clone(text),
            entries,
            diagnostics: beyond.into_iter().collect::<Vec<_>>().into(),
            is_list: true,
            is_empty: false,
            unread: Vec::new(),
            chunks,
            hidden: OnceLock::new(),
        }))
    }

    /// The hash is keyed, since files may be hostile.
    fn by_source(&self) -> HashMap<&str, Arc<Entry>> {
        let entries = self.chunks.iter().zip(&self.entries);
        entries
            .map(|(chunk, placed)| (chunk.slice(&self.text), Arc::clone(&placed.entry)))
            .collect()
    }

    /// For files with anchors, document markers or broken entries.
    fn whole(text: &Arc<str>, diagnostics: Vec<Diagnostic>, stop: &Stop) -> Result<Self, Stopped> {
        let mut diagnostics = Complaints::from(diagnostics);
        let mut document = opatlas_yaml::parse_shared(text).bounded();
        stop.check()?;
        if let Some(beyond) = document.items.get(MOST_ENTRIES) {
            diagnostics.push(too_many(beyond.span.shifted(beyond.base)));
            document.items.truncate(MOST_ENTRIES);
        }
        let broken = !document.diagnostics.is_empty() || !diagnostics.is_empty();
        diagnostics.extend(document.diagnostics);
        let is_list = matches!(document.root, Root::Sequence);
        if !is_list && !broken {
            diagnostics.push(slips::no_list(
                text,
                document.root,
                document.tree.as_deref(),
            ));
        }
        let mut entries = Vec::with_capacity(document.items.len());
        let mut taken = Taken::default();
        for item in &document.items {
            stop.check()?;
            if let Some(limit) = taken.limit(item.span.shifted(item.base)) {
                diagnostics.push(limit);
                break;
            }
            let entry = lower(item, text.get(item.base as usize..).unwrap_or(""));
            taken.add(&entry);
            entries.push(PlacedEntry {
                entry: Arc::new(entry),
                base: item.base,
            });
        }
        Ok(Self {
            text: Arc::clone(text),
            entries,
            diagnostics,
            is_list,
            is_empty: !broken && matches!(document.root, Root::Empty),
            unread: names_within(text, &document.unread),
            chunks: Vec::new(),
            hidden: OnceLock::new(),
        })
    }
}

/// The operators that the unread parts of a file seem to declare.
fn names_within(text: &str, unread: &[Span]) -> Vec<OperatorName> {
    let parts = unread.iter().map(|span| span.slice(text));
    let names = parts.flat_map(str::lines).filter_map(declared_name);
    names.take(MOST_ENTRIES).collect()
}

fn declared_name(line: &str) -> Option<OperatorName> {
    let item = line.trim_start().strip_prefix("- ")?.trim_start();
    let schema = item.strip_prefix("func:")?;
    let (qualified, _) = schema.split_once('(')?;
    let name = qualified.rsplit("::").next()?;
    OperatorName::parse(name.trim_matches([' ', '\'', '"'])).ok()
}

const TASK: usize = 500;

/// `None` is an entry that cannot be read alone. Entries after it or the limits are missing.
fn read_entries(sources: &[&str], stop: &Stop) -> Result<Vec<Option<Arc<Entry>>>, Stopped> {
    let tasks = sources.par_chunks(TASK);
    let tasks: Vec<_> = tasks.map(|task| read_in_turn(task, stop)).collect();
    let mut entries = Vec::with_capacity(sources.len());
    for (task, sources) in tasks.into_iter().zip(sources.chunks(TASK)) {
        let read = task?;
        let is_whole = read.len() == sources.len() && read.iter().all(Option::is_some);
        entries.extend(read);
        if !is_whole {
            break;
        }
    }
    Ok(entries)
}

fn read_in_turn(sources: &[&str], stop: &Stop) -> Result<Vec<Option<Arc<Entry>>>, Stopped> {
    let mut taken = Taken::default();
    let mut entries = Vec::with_capacity(sources.len());
    for source in sources {
        stop.check()?;
        let item = opatlas_yaml::parse_chunk(source);
        let entry = item.map(|item| Arc::new(lower(&item, source)));
        entry.iter().for_each(|entry| taken.add(entry));
        let is_end = entry.is_none() || taken.is_over();
        entries.push(entry);
        if is_end {
            break;
        }
    }
    Ok(entries)
}

#[derive(Debug, Default)]
struct Taken {
    complaints: usize,
    arguments: usize,
}

impl Taken {
    fn add(&mut self, entry: &Entry) {
        self.complaints += entry.diagnostics.len();
        if let Some(schema) = &entry.schema {
            self.arguments += schema.arguments.all().len() + schema.returns.len();
        }
    }

    fn is_over(&self) -> bool {
        self.complaints > MOST_COMPLAINTS || self.arguments > MOST_ARGUMENTS
    }

    fn limit(&self, at: Span) -> Option<Diagnostic> {
        if self.complaints > MOST_COMPLAINTS {
            let message = "too many errors in this file; Opatlas ignores the rest";
            let limit = Diagnostic::new(RuleId::YamlLimit, Span::at(at.start), message);
            return Some(limit.with_help("fix the errors above first"));
        }
        let is_over = self.arguments > MOST_ARGUMENTS;
        is_over.then(|| beyond(at, MOST_ARGUMENTS, "arguments and returns"))
    }
}

fn too_many(at: Span) -> Diagnostic {
    beyond(at, MOST_ENTRIES, "entries")
}

fn beyond(at: Span, most: usize, of: &str) -> Diagnostic {
    let message = message!(
        "the file has more than {} {}; Opatlas ignores the rest",
        most,
        of
    );
    Diagnostic::new(RuleId::YamlLimit, Span::at(at.start), message).with_help(
        "real files stay far below this limit, which bounds the time and memory to read a file",
    )
}
