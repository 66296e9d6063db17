//! Registrations in Python.
//!
//! [`facts`] finds the values of names (libraries, custom operators, lists of names) in all files;
//! then [`calls`] finds registrations. Libraries are often shared between files.

mod calls;
mod facts;
mod values;

use std::sync::Arc;

use memchr::memmem;
use opatlas_source::Span;
use tree_sitter::{Node, Tree};

use crate::parse::{Budget, Reader, Walk};
use crate::{Fault, FaultKind, Scan};
use facts::{Facts, Shared};

/// Every Python file with registrations contains one of these words.
const WORDS: [&str; 12] = [
    "torch.library",
    "Library(",
    "import library",
    ".impl(",
    ".define(",
    "py_impl(",
    "custom_op",
    "register_decomposition",
    "register_meta",
    "register_fake",
    "register_kernel",
    "impl_abstract",
];

pub(crate) fn may_register(bytes: &[u8]) -> bool {
    WORDS
        .iter()
        .any(|word| memmem::find(bytes, word.as_bytes()).is_some())
}

pub(crate) struct Scanner {
    budget: Budget,
    reader: Option<Reader>,
    files: Vec<Parsed>,
    shared: Shared,
}

struct Parsed {
    file: u32,
    text: Arc<str>,
    tree: Tree,
    facts: Facts,
}

impl Scanner {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget,
            reader: None,
            files: Vec::new(),
            shared: Shared::default(),
        }
    }

    /// [`Self::finish`] adds its registrations.
    pub(crate) fn read(&mut self, file: u32, text: &Arc<str>, scan: &mut Scan) {
        let reader = self
            .reader
            .get_or_insert_with(|| Reader::python(self.budget));
        let Some(tree) = reader.parse(text.as_bytes()) else {
            let (kind, at) = (FaultKind::TooComplex, Span::at(0));
            return scan.faults.push(Fault { kind, file, at });
        };
        let (facts, is_cut) = Facts::of(&tree, text);
        if is_cut {
            let (kind, at) = (FaultKind::TooDeep, Span::at(0));
            scan.faults.push(Fault { kind, file, at });
        }
        self.shared.add(&facts);
        self.files.push(Parsed {
            file,
            text: Arc::clone(text),
            tree,
            facts,
        });
    }

    pub(crate) fn finish(self, scan: &mut Scan) {
        for parsed in &self.files {
            let mut walk = Walk::new(parsed.tree.root_node());
            let names = facts::Names {
                text: &parsed.text,
                facts: &parsed.facts,
                shared: &self.shared,
            };
            while walk.next(true).is_some() {
                calls::read(&names, &walk.path, parsed.file, scan);
            }
        }
    }
}

fn span(node: Node<'_>) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(place(node.start_byte()), place(node.end_byte()))
}
