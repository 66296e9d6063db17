//! Which macros the files of a scan define, and which definition is in force where.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::conditions::split;
use super::super::source::Source;
use super::constants;
use super::definition::Definition;
use super::includes::Includes;
use super::mentions::Mentions;

/// A definition of a name, and the preprocessor conditions around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    pub definition: Arc<Definition>,
    /// The file; none for one of PyTorch's headers.
    pub file: Option<u32>,
    pub condition: Option<Box<str>>,
}

/// Where a name is looked up in headers alone.
pub(super) const NO_FILE: u32 = u32::MAX;

/// The macros and constants of a set of files.
pub(crate) struct Definitions {
    includes: Includes,
    changes: FxHashMap<Box<str>, Vec<Change>>,
    /// The names that the files use where macros matter.
    pub(super) mentions: Mentions,
    /// Whether a macro may register something.
    registering: RefCell<FxHashMap<Box<str>, bool>>,
    /// Files whose definitions were in force in others.
    used: RefCell<BTreeSet<u32>>,
    /// What the file that was asked about last includes.
    reached: RefCell<(u32, FxHashSet<u32>)>,
}

/// A directive or declaration that changes what a name means.
#[derive(Debug)]
struct Change {
    file: u32,
    start: u32,
    text: Box<str>,
    condition: Option<Box<str>>,
    kind: ChangeKind,
    read: OnceCell<Option<Arc<Definition>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    /// `#define`.
    Define,
    /// `#define` after an `#ifndef` of the name.
    DefineIfMissing,
    Undefine,
    Constant,
}

impl Default for Definitions {
    fn default() -> Self {
        Self {
            includes: Includes::default(),
            changes: FxHashMap::default(),
            mentions: Mentions::default(),
            registering: RefCell::default(),
            used: RefCell::default(),
            reached: RefCell::new((NO_FILE, FxHashSet::default())),
        }
    }
}

impl Definitions {
    /// Adds a C++ file. Each file has another index.
    pub(crate) fn add(&mut self, file: u32, path: &str, text: &str) {
        let source = Source::new(text, 0);
        self.registering.borrow_mut().clear();
        self.includes.add_file(file, path);
        let mut last = ("", "");
        for directive in &source.directives {
            let line = text.get(directive.start as usize..directive.end as usize);
            let parts = line.map(split).unwrap_or_default();
            let before = std::mem::replace(&mut last, parts);
            let name = first_word(parts.1);
            let kind = match parts.0 {
                "include" => {
                    self.includes.add(file, parts.1);
                    continue;
                }
                "define" if before == ("ifndef", name) => ChangeKind::DefineIfMissing,
                "define" => ChangeKind::Define,
                "undef" => ChangeKind::Undefine,
                _ => continue,
            };
            self.change(&source, file, name, directive.start..directive.end, kind);
        }
        for constant in constants::of(&source) {
            let kind = ChangeKind::Constant;
            self.change(&source, file, constant.name, constant.value, kind);
        }
        self.mentions.add(&source);
    }

    fn change(
        &mut self,
        source: &Source<'_>,
        file: u32,
        name: &str,
        place: Range<u32>,
        kind: ChangeKind,
    ) {
        let text = source.text.get(place.start as usize..place.end as usize);
        let text = text.filter(|_| !name.is_empty() && !source.conditions.is_off(place.start));
        let Some(text) = text else {
            return;
        };
        let change = Change {
            file,
            start: place.start,
            text: text.into(),
            condition: source.conditions.at(place.start),
            kind,
            read: OnceCell::new(),
        };
        match self.changes.get_mut(name) {
            Some(known) => known.push(change),
            None => _ = self.changes.insert(name.into(), vec![change]),
        }
    }

    pub(super) fn known_to_register(&self, name: &str) -> Option<bool> {
        self.registering.borrow().get(name).copied()
    }

    pub(super) fn note_registering(&self, name: &str, registers: bool) {
        self.registering.borrow_mut().insert(name.into(), registers);
    }

    /// Whether a file is known that another one includes as `"x/y.h"` or `<x/y.h>`.
    pub(super) fn has_file(&self, from: u32, written: &str) -> bool {
        let path = written.trim_matches(['"', '<', '>', ' ']);
        !self.includes.resolved(from, path).is_empty()
    }

    /// Whether any file defines a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.changes.contains_key(name)
    }

    /// The names of all macros and constants.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.changes.keys().map(|name| &**name)
    }

    /// The files whose definitions were in force in others.
    pub(crate) fn used(&self) -> Vec<u32> {
        self.used.borrow().iter().copied().collect()
    }

    /// All that a name means anywhere.
    pub(super) fn all_of(&self, name: &str) -> Vec<Arc<Definition>> {
        let changes = self.changes.get(name).into_iter().flatten();
        let defining = changes.filter(|change| change.kind != ChangeKind::Undefine);
        defining.filter_map(|change| change.definition()).collect()
    }

    /// What a name may mean at a place of a file: what the file defines above it, then what its
    /// headers define, then what other headers define. Different meanings have different conditions,
    /// or come from different headers.
    pub(super) fn in_force(&self, name: &str, file: u32, at: u32) -> Vec<Alternative> {
        let Some(changes) = self.changes.get(name) else {
            return Vec::new();
        };
        let own = changes.iter().filter(|c| c.file == file && c.start < at);
        let mut own = own.peekable();
        let is_settled = own.peek().is_some_and(|first| first.settles());
        let mut found = Vec::new();
        if !is_settled && changes.iter().any(|change| change.file != file) {
            found = self.of_headers(changes, file);
        }
        if file != NO_FILE {
            self.used
                .borrow_mut()
                .extend(found.iter().filter_map(|known| known.file));
        }
        for change in own {
            self.apply(change, &mut found);
        }
        found
    }

    fn of_headers(&self, changes: &[Change], file: u32) -> Vec<Alternative> {
        let mut reached = self.reached.borrow_mut();
        if reached.0 != file {
            *reached = (file, self.includes.reached_from(file));
        }
        let mut found = self.of_files(changes, &|of| of != file && reached.1.contains(&of));
        if found.is_empty() {
            found = self.of_files(changes, &|of| of != file && self.includes.is_header(of));
        }
        found
    }

    /// The meanings at the ends of files.
    fn of_files(&self, changes: &[Change], wanted: &dyn Fn(u32) -> bool) -> Vec<Alternative> {
        let mut all: Vec<Alternative> = Vec::new();
        for of_file in changes.chunk_by(|a, b| a.file == b.file) {
            if !of_file.first().is_some_and(|first| wanted(first.file)) {
                continue;
            }
            let mut found = Vec::new();
            for change in of_file {
                self.apply(change, &mut found);
            }
            let is_new = |new: &Alternative| !all.iter().any(|a| a.definition == new.definition);
            found.retain(is_new);
            all.extend(found);
        }
        all
    }

    fn apply(&self, change: &Change, found: &mut Vec<Alternative>) {
        let is_same = |known: &Alternative| known.condition == change.condition;
        match change.kind {
            ChangeKind::Undefine if change.condition.is_none() => return found.clear(),
            ChangeKind::Undefine => return found.retain(|known| !is_same(known)),
            ChangeKind::DefineIfMissing if !found.is_empty() => return,
            ChangeKind::Define if change.condition.is_none() => found.clear(),
            ChangeKind::Define => found.retain(|known| !is_same(known)),
            _ => {}
        }
        let Some(definition) = change.definition() else {
            return;
        };
        if !found.iter().any(|known| known.definition == definition) {
            let condition = change.condition.clone();
            found.push(Alternative {
                definition,
                file: Some(change.file),
                condition,
            });
        }
    }
}

impl Change {
    fn definition(&self) -> Option<Arc<Definition>> {
        let read = self.read.get_or_init(|| {
            let found = match self.kind {
                ChangeKind::Constant => constants::read(&self.text),
                _ => Definition::of_directive(&self.text),
            };
            found.map(Arc::new)
        });
        read.clone()
    }

    /// Whether nothing that was defined before matters after it.
    fn settles(&self) -> bool {
        let settling = [ChangeKind::Define, ChangeKind::Undefine];
        self.condition.is_none() && settling.contains(&self.kind)
    }
}

fn first_word(text: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
