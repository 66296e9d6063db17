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
mod defines;
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
        }
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

    /// Reads a file.
    pub(crate) fn read(&mut self, file: u32, path: &str, text: &Arc<str>, scan: &mut Scan) {
        let text: Arc<str> = match template::without_statements(text) {
            Cow::Borrowed(_) => Arc::clone(text),
            Cow::Owned(blank) => blank.into(),
        };
        let source = Source::new(&text, 0);
        let mut found = Collector {
            source: &source,
            macros: self.macros,
            file,
            within_define: None,
            left: Collector::budget(&text),
            claims: Vec::new(),
            scan,
        };
        let reader = self.reader.get_or_insert_with(|| Reader::cpp(self.budget));
        let first = found.scan.registrations.len();
        let left = blocks::read(&mut found, reader);
        let candidates = plausible::find(&found, first);
        let candidates = candidates.iter().map(|call| call.at(&source));
        self.across
            .add((file, path), &text, &left, candidates.collect());
        for directive in &source.directives {
            defines::read(&text, *directive, self.macros, file, reader, found.scan);
        }
    }
}

/// The text to read, and the results.
struct Collector<'r, 's> {
    source: &'r Source<'s>,
    macros: &'r Macros,
    file: u32,
    /// The macro whose definition this is.
    within_define: Option<&'r str>,
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

impl Collector<'_, '_> {
    fn fault(&mut self, kind: FaultKind, at: Span) {
        let file = self.file;
        self.scan.faults.push(Fault { kind, file, at });
    }

    /// How many bytes of blocks a text may have.
    fn budget(text: &str) -> usize {
        8 * text.len() + (64 << 10)
    }

    /// Adds a registration whose block, and with it the key, is not known.
    fn add_without_key(&mut self, block: &Block<'_>, draft: Draft<'_>) {
        self.add(block, draft);
        if let Some(added) = self.scan.registrations.last_mut() {
            added.key = None;
        }
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
        if let Some(name) = self.within_define {
            why = Some(format!("in the definition of macro `{name}`").into());
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
