//! Registrations in C++.
//!
//! [`tokens`] splits the text, [`blocks`] finds where registrations are, and [`body`] reads one block
//! with a syntax tree. Only files that contain a word that registrations need are read at all, and
//! only blocks are parsed.

mod across;
mod blocks;
pub(crate) mod bodies;
mod body;
mod conditions;
mod expansion;
mod expression;
pub(crate) mod functions;
mod helpers;
mod legacy;
mod libraries;
mod method;
mod opening;
pub(crate) mod parameter_types;
mod placeholders;
mod plausible;
pub(crate) mod preprocessor;
mod receivers;
mod scopes;
mod source;
mod tokens;
pub(crate) mod types;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem::{self, Finder};
use opatlas_source::Span;
use rustc_hash::FxHashSet;

use crate::name::Names;
use crate::parse::{Budget, Reader};
use crate::template;
use crate::{Fault, FaultKind, Macros, Registration, RegistrationKind, Scan};
use across::Across;
use blocks::Block;
use conditions::shortened;
use expression::Kernel;
use preprocessor::{Definitions, Rewritten};
use scopes::Claim;
use source::Source;

/// Words of which every file that registers something in C++ has one.
const WORDS: [&str; 14] = [
    "TORCH_LIBRARY",
    "LIBRARY(",
    "LIBRARY_IMPL(",
    "LIBRARY_FRAGMENT(",
    "RegisterOperators",
    "torch::Library",
    "Library&",
    "Library &",
    "Library*",
    "Library *",
    "Library::IMPL",
    "Library>",
    ".impl(",
    "->impl(",
];

/// Finds registrations in C++ files.
pub(crate) struct Scanner<'m> {
    macros: &'m Macros,
    words: Vec<Finder<'m>>,
    budget: Budget,
    reader: Option<Reader>,
    across: Across,
    definitions: Definitions,
}

impl<'m> Scanner<'m> {
    pub(crate) fn new(macros: &'m Macros, budget: Budget) -> Self {
        let mut words: Vec<&str> = macros.at_file_scope().chain(WORDS).collect();
        words.sort_unstable();
        words.dedup();
        Self {
            macros,
            words: words.into_iter().map(Finder::new).collect(),
            budget,
            reader: None,
            across: Across::default(),
            definitions: Definitions::default(),
        }
    }

    /// Expands the macros of these files.
    pub(crate) fn define(&mut self, definitions: Definitions) {
        self.definitions = definitions;
    }

    /// Whether a file has a word that registrations need.
    pub(crate) fn may_register(&self, bytes: &[u8]) -> bool {
        let has = |word: &str| memmem::find(bytes, word.as_bytes()).is_some();
        self.words.iter().any(|word| word.find(bytes).is_some()) || (has(".def(") && has(") ->"))
    }

    /// Reads what the files decide together, and returns the files whose libraries others need.
    pub(crate) fn finish(&mut self, scan: &mut Scan) -> FxHashSet<u32> {
        let reader = self.reader.get_or_insert_with(|| Reader::cpp(self.budget));
        self.across.finish(self.macros, reader, scan);
        self.across.givers()
    }

    /// The files that define what others use.
    pub(crate) fn defining(&self) -> Vec<u32> {
        self.definitions.used()
    }

    /// Reads a file.
    pub(crate) fn read(&mut self, file: u32, path: &str, text: &Arc<str>, scan: &mut Scan) {
        let text: Arc<str> = match template::without_statements(text) {
            Cow::Borrowed(_) => Arc::clone(text),
            Cow::Owned(blank) => blank.into(),
        };
        let source = Source::new(&text, 0);
        let Some(rewritten) = self.definitions.rewrite(file, &source, self.macros) else {
            return self.read_expanded((file, path), &text, None, scan);
        };
        let rewritten = Arc::new(rewritten);
        let rows = scan.registrations.len();
        self.read_expanded((file, path), &rewritten.text, Some(&rewritten), scan);
        let found = scan.registrations.get(rows..).unwrap_or_default();
        let unread: Vec<_> = rewritten.unread(found).collect();
        let mut found = Collector::of(&source, self.macros, file, scan);
        for used in unread {
            let mut block = Block::of_macro(used.name, used.at);
            block.unresolved = Some(used.why.into());
            blocks::unresolved(&mut found, &block, used.at, used.name, used.why.to_owned());
        }
    }

    fn read_expanded(
        &mut self,
        (file, path): (u32, &str),
        text: &Arc<str>,
        rewritten: Option<&Arc<Rewritten>>,
        scan: &mut Scan,
    ) {
        let new = New::of(scan);
        let source = Source::new(text, 0);
        let mut found = Collector::of(&source, self.macros, file, scan);
        let reader = self.reader.get_or_insert_with(|| Reader::cpp(self.budget));
        let left = blocks::read(&mut found, reader);
        let candidates = plausible::find(&found, new.registrations);
        let candidates = candidates.iter().map(|call| call.at(&source));
        let text = across::Text {
            file,
            path,
            text,
            rewritten,
        };
        self.across.add(text, &left, candidates.collect());
        new.place(rewritten.map(|rewritten| &**rewritten), scan);
    }
}

/// Where the newest results begin.
#[derive(Debug, Clone, Copy)]
struct New {
    registrations: usize,
    faults: usize,
}

impl New {
    fn of(scan: &Scan) -> Self {
        Self {
            registrations: scan.registrations.len(),
            faults: scan.faults.len(),
        }
    }

    /// Moves the results since then from an expanded text to the original one.
    fn place(self, rewritten: Option<&Rewritten>, scan: &mut Scan) {
        let Some(rewritten) = rewritten else {
            return;
        };
        let rows = scan.registrations.get_mut(self.registrations..);
        let faults = scan.faults.get_mut(self.faults..);
        rewritten.place(rows.unwrap_or_default(), faults.unwrap_or_default());
    }
}

/// The text to read, and the results.
struct Collector<'r, 's> {
    source: &'r Source<'s>,
    macros: &'r Macros,
    file: u32,
    /// How many bytes of blocks may still be read. Blocks may share text, functions that take a
    /// library are read for each caller.
    left: usize,
    /// Where a variable means something else than around.
    claims: Vec<Claim<'s>>,
    scan: &'r mut Scan,
}

/// A registration before its block completes it.
struct Draft<'d> {
    kind: RegistrationKind,
    /// The operator's name, or the schema of a definition.
    name: Option<Box<str>>,
    key: Option<Box<str>>,
    kernel: Kernel,
    at: Span,
    through: &'d str,
    condition: Option<Box<str>>,
    unresolved: Option<Box<str>>,
}

impl<'d> Draft<'d> {
    fn new(kind: RegistrationKind, at: Span, through: &'d str) -> Self {
        Self {
            kind,
            name: None,
            key: None,
            kernel: Kernel::default(),
            at,
            through,
            condition: None,
            unresolved: None,
        }
    }
}

impl<'r, 's> Collector<'r, 's> {
    fn of(source: &'r Source<'s>, macros: &'r Macros, file: u32, scan: &'r mut Scan) -> Self {
        Self {
            source,
            macros,
            file,
            left: 8 * source.text.len() + (64 << 10),
            claims: Vec::new(),
            scan,
        }
    }

    fn fault(&mut self, kind: FaultKind, at: Span) {
        let file = self.file;
        self.scan.faults.push(Fault { kind, file, at });
    }

    /// Adds a registration of a block.
    fn add(&mut self, block: &Block<'_>, draft: Draft<'_>) {
        let name = draft.name.as_deref().map(Names::of);
        let named = name.filter(Names::is_valid);
        let namespace = named.and_then(|name| name.namespace.map(Box::<str>::from));
        let is_qualified = namespace.is_some();
        let namespace = namespace.or_else(|| block.namespace.clone());
        let schema = draft
            .name
            .as_deref()
            .filter(|text| draft.kind == RegistrationKind::Def && text.contains('('));
        let has_kernel = draft.kernel.function.is_some() || draft.kernel.fallthrough;
        let key = match draft.kind {
            RegistrationKind::Def if !has_kernel => None,
            _ => draft
                .kernel
                .key
                .clone()
                .or(draft.key)
                .or_else(|| block.key()),
        };
        let is_fallback = draft.kind == RegistrationKind::Fallback;
        let mut why = draft.unresolved;
        if why.is_none() && !is_fallback && named.is_none() {
            why = Some(name_fault(name));
        }
        if why.is_none() && !(is_qualified && key.is_some()) {
            why.clone_from(&block.unresolved);
        }
        self.scan.registrations.push(Registration {
            kind: draft.kind,
            namespace,
            library: block.namespace.clone(),
            operator: named.map(|name| name.operator.into()),
            key,
            schema: schema.map(Into::into),
            kernel: draft.kernel.function,
            fallthrough: draft.kernel.fallthrough,
            boxed: draft.kernel.boxed,
            cpu_fallback: None,
            file: self.file,
            at: draft.at,
            block: block.at,
            condition: draft.condition,
            through: draft.through.into(),
            unresolved: why,
        });
    }
}

/// Why an operator's name is not known.
fn name_fault(name: Option<Names<'_>>) -> Box<str> {
    let Some(name) = name else {
        return "the operator's name is not a literal".into();
    };
    let shown = shortened(name.operator);
    if template::is_placeholder(name.operator) {
        libraries::decides(&shown, "operator's name").into()
    } else {
        format!("`{shown}` is not an operator's name").into()
    }
}
