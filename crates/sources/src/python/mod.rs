//! Registrations in Python.
//!
//! [`facts`] finds what each name of a file may be. [`world`] joins the files, and evaluates
//! expressions as far as the text decides them. [`calls`] finds calls that register something. A
//! call in a loop or a function is read once for each item, or each call of the function.

mod attributes;
mod callers;
mod calls;
mod choices;
mod classes;
mod collections;
mod decisions;
mod evaluate;
mod facts;
mod functions;
mod imports;
mod keys;
mod names;
mod objects;
mod parameters;
mod syntax;
mod value;
mod world;

use std::sync::Arc;

use memchr::memmem;
use opatlas_source::Span;
use rustc_hash::FxHashSet;
use tree_sitter::{Node, Tree};

use crate::parse::{Budget, Reader, Walk};
use crate::{Fault, FaultKind, File, Macros, Scan, decode};
use world::{Source, Wanted, World};

/// Every Python file with registrations contains one of these words.
const WORDS: [&str; 20] = [
    "torch.library",
    "Library(",
    "import library",
    ".impl(",
    ".impl,",
    "\"impl\"",
    "'impl'",
    ".define(",
    ".fallback(",
    "py_impl(",
    "custom_op",
    "triton_op",
    "register_decomposition",
    "register_meta",
    "register_fake",
    "register_kernel",
    "register_autograd",
    "register_autocast",
    "register_vmap",
    "impl_abstract",
];

/// How often files are added that others need.
const MOST_ROUNDS: usize = 4;

pub(crate) fn may_register(bytes: &[u8], macros: &Macros) -> bool {
    let mut words = WORDS.iter().copied().chain(macros.decorators());
    words.any(|word| memmem::find(bytes, word.as_bytes()).is_some())
}

pub(crate) struct Scanner<'f> {
    budget: Budget,
    macros: &'f Macros,
    reader: Option<Reader>,
    files: Vec<Parsed>,
    /// Files that may have values which others need.
    unread: Vec<(u32, File<'f>)>,
    /// Other names of PrivateUse1.
    renamed: FxHashSet<Box<str>>,
}

struct Parsed {
    file: u32,
    path: Box<str>,
    text: Arc<str>,
    tree: Tree,
}

impl<'f> Scanner<'f> {
    pub(crate) fn new(macros: &'f Macros, budget: Budget) -> Self {
        Self {
            budget,
            macros,
            reader: None,
            files: Vec::new(),
            unread: Vec::new(),
            renamed: FxHashSet::default(),
        }
    }

    /// [`Self::finish`] adds its registrations.
    pub(crate) fn read(&mut self, file: u32, path: &str, text: &Arc<str>, scan: &mut Scan) {
        let reader = self
            .reader
            .get_or_insert_with(|| Reader::python(self.budget));
        let Some(tree) = reader.parse(text.as_bytes()) else {
            let (kind, at) = (FaultKind::TooComplex, Span::at(0));
            return scan.faults.push(Fault { kind, file, at });
        };
        self.files.push(Parsed {
            file,
            path: path.into(),
            text: Arc::clone(text),
            tree,
        });
    }

    /// Keeps a file that registers nothing itself, for those that need its values.
    pub(crate) fn keep(&mut self, file: u32, contents: File<'f>) {
        self.unread.push((file, contents));
    }

    /// Adds another name of PrivateUse1.
    pub(crate) fn rename(&mut self, name: &str) {
        self.renamed.insert(name.into());
    }

    pub(crate) fn finish(mut self, scan: &mut Scan) {
        let files = std::mem::take(&mut self.files);
        self.rounds(Vec::new(), &files, 1, scan);
    }

    /// Reads registrations with more files, until no others are needed.
    fn rounds<'t>(
        &mut self,
        mut sources: Vec<Source<'t>>,
        files: &'t [Parsed],
        round: usize,
        scan: &mut Scan,
    ) {
        for (parsed, file) in files.iter().zip(sources.len()..) {
            let file = u32::try_from(file).unwrap_or(u32::MAX);
            sources.push(Source::of(file, parsed));
        }
        let renamed = self.renamed.clone();
        let world = World::of(sources, &renamed);
        let mut found = Scan::default();
        self.registrations(&world, &mut found);
        let wanted = world.wanted.take();
        let more = match round {
            MOST_ROUNDS => Vec::new(),
            _ => self.wanted_files(&wanted, scan),
        };
        if more.is_empty() {
            scan.registrations.append(&mut found.registrations);
            scan.faults.append(&mut found.faults);
            scan.needed.append(&mut found.needed);
            return;
        }
        self.rounds(world.files, &more, round + 1, scan);
    }

    fn registrations(&self, world: &World<'_>, scan: &mut Scan) {
        for (source, file) in world.files.iter().zip(0..) {
            let from = scan.registrations.len();
            let places = world.places(file, self.macros);
            let mut walk = Walk::new(source.parsed.tree.root_node());
            let mut enter = true;
            while let Some(node) = walk.next(enter) {
                let next = places.partition_point(|place| *place < node.start_byte());
                enter = places
                    .get(next)
                    .is_some_and(|place| *place < node.end_byte());
                if enter {
                    calls::read(world, self.macros, &walk.path, file, scan);
                }
            }
            let index = source.parsed.file;
            for row in scan.registrations.iter_mut().skip(from) {
                row.file = index;
            }
            if source.facts.is_cut {
                let (kind, at) = (FaultKind::TooDeep, Span::at(0));
                let file = index;
                scan.faults.push(Fault { kind, file, at });
            }
        }
        let consulted = world.consulted.take().into_iter();
        let needed = consulted.filter_map(|file| world.files.get(file as usize));
        scan.needed.extend(needed.map(|source| source.parsed.file));
    }

    /// Reads files that others need.
    fn wanted_files(&mut self, wanted: &Wanted, scan: &mut Scan) -> Vec<Parsed> {
        let unread = std::mem::take(&mut self.unread);
        let (found, unread): (Vec<_>, Vec<_>) = unread
            .into_iter()
            .partition(|(_, file)| is_wanted(*file, wanted));
        self.unread = unread;
        for (index, file) in found {
            if let Some(text) = decode::decode(file.bytes, true, index, &mut scan.faults) {
                self.read(index, file.path, &text.into(), scan);
            }
        }
        std::mem::take(&mut self.files)
    }
}

/// Whether a file is a module that others use, or calls a function that registers something.
fn is_wanted(file: File<'_>, wanted: &Wanted) -> bool {
    let parts = world::module_parts(file.path);
    let is_module = wanted.modules.iter().any(|module| {
        let names: Vec<&str> = module.split('/').collect();
        parts.ends_with(&names)
    });
    is_module || mentions(file.bytes, wanted)
}

/// Whether a text calls a wanted function, decorates with it, or makes or derives from a wanted
/// class.
fn mentions(bytes: &[u8], wanted: &Wanted) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let text = |word| str::from_utf8(word).unwrap_or_default();
    memchr::memchr2_iter(b'(', b'@', bytes).any(|at| {
        let after = bytes.get(at + 1..).unwrap_or_default();
        let length = after.iter().take_while(|byte| is_word(byte)).count();
        let after = text(after.get(..length).unwrap_or_default());
        if bytes.get(at) == Some(&b'@') {
            return wanted.called.contains(after);
        }
        let before = bytes.get(..at).unwrap_or_default();
        let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
        let before = text(before.get(at - length..).unwrap_or_default());
        wanted.called.contains(before)
            || wanted.classes.contains(before)
            || wanted.classes.contains(after)
    })
}

fn span(node: Node<'_>) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(place(node.start_byte()), place(node.end_byte()))
}
