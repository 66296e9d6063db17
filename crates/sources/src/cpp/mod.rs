//! Registrations in C++.
//!
//! [`tokens`] splits the text, [`blocks`] finds where registrations are, and [`body`] reads one block
//! with a syntax tree. Only files that contain a word that registrations need are read at all, and
//! only blocks are parsed.

mod blocks;
pub(crate) mod bodies;
mod body;
mod conditions;
mod expansion;
mod expression;
pub(crate) mod functions;
mod legacy;
mod opening;
pub(crate) mod parameter_types;
pub(crate) mod preprocessor;
mod source;
mod tokens;
pub(crate) mod types;

use memchr::memmem::Finder;
use opatlas_source::Span;

use crate::name::Names;
use crate::parse::{Budget, Reader};
use crate::{Fault, FaultKind, Macros, Registration, RegistrationKind, Scan};
use blocks::Block;
use conditions::shortened;
use expression::Kernel;
use preprocessor::Definitions;
use source::Source;

/// Words of which every file that registers something in C++ has one.
const WORDS: [&str; 4] = [
    "TORCH_LIBRARY",
    "RegisterOperators",
    "Library&",
    "Library &",
];

/// Finds registrations in C++ files.
pub(crate) struct Scanner<'m> {
    macros: &'m Macros,
    words: Vec<Finder<'m>>,
    budget: Budget,
    reader: Option<Reader>,
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
            definitions: Definitions::default(),
        }
    }

    /// Expands the macros of these files.
    pub(crate) fn define(&mut self, definitions: Definitions) {
        self.definitions = definitions;
    }

    /// Whether a file has a word that registrations need.
    pub(crate) fn may_register(&self, bytes: &[u8]) -> bool {
        self.words.iter().any(|word| word.find(bytes).is_some())
    }

    /// The files that define what others use.
    pub(crate) fn defining(&self) -> Vec<u32> {
        self.definitions.used()
    }

    /// Reads a file.
    pub(crate) fn read(&mut self, file: u32, text: &str, scan: &mut Scan) {
        let source = Source::new(text, 0);
        let Some(rewritten) = self.definitions.rewrite(file, &source, self.macros) else {
            return self.read_expanded(file, &source, scan);
        };
        let (rows, faults) = (scan.registrations.len(), scan.faults.len());
        let expanded = Source::new(&rewritten.text, 0);
        self.read_expanded(file, &expanded, scan);
        let found = scan.registrations.get_mut(rows..).unwrap_or_default();
        let faults = scan.faults.get_mut(faults..).unwrap_or_default();
        rewritten.place(found, faults);
        let unread: Vec<_> = rewritten.unread(found).collect();
        let mut found = Collector::of(&source, self.macros, file, scan);
        for used in unread {
            let mut block = Block::of_macro(used.name, used.at);
            block.unresolved = Some(used.why.into());
            blocks::unresolved(&mut found, &block, used.at, used.name, used.why.to_owned());
        }
    }

    fn read_expanded(&mut self, file: u32, source: &Source<'_>, scan: &mut Scan) {
        let mut found = Collector::of(source, self.macros, file, scan);
        let reader = self.reader.get_or_insert_with(|| Reader::cpp(self.budget));
        blocks::read(&mut found, reader);
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
            why = Some(match name {
                Some(name) => {
                    format!("`{}` is not an operator's name", shortened(name.operator)).into()
                }
                None => "the operator's name is not a literal".into(),
            });
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
