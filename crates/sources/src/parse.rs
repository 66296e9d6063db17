//! Parses with tree-sitter in a bounded number of steps.

use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree, TreeCursor};

/// A step is what tree-sitter counts between two progress callbacks.
const BASE_STEPS: usize = 1_000;

/// Ordinary code takes a step for about 85 bytes, invalid text one for 10, each a hundred times as
/// long.
const BYTES_PER_STEP: usize = 32;

const MOST_STEPS: usize = 30_000;

/// Maximum nesting that a [`Walk`] follows.
pub(crate) const DEEPEST: usize = 400;

/// The steps for all texts of a scan, in each language.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Budget {
    Unlimited,
    /// For untrusted files: about 5 MB of ordinary code.
    Limited,
}

const MOST_STEPS_OF_ALL: usize = 60_000;

pub(crate) struct Reader {
    parser: Parser,
    is_ready: bool,
    left: usize,
}

impl Reader {
    pub(crate) fn cpp(budget: Budget) -> Self {
        Self::of(&tree_sitter_cpp::LANGUAGE.into(), budget)
    }

    pub(crate) fn python(budget: Budget) -> Self {
        Self::of(&tree_sitter_python::LANGUAGE.into(), budget)
    }

    fn of(language: &Language, budget: Budget) -> Self {
        let mut parser = Parser::new();
        let is_ready = parser.set_language(language).is_ok();
        let left = match budget {
            Budget::Unlimited => usize::MAX,
            Budget::Limited => MOST_STEPS_OF_ALL,
        };
        Self {
            parser,
            is_ready,
            left,
        }
    }

    /// `None` if the text takes too many steps.
    pub(crate) fn parse(&mut self, text: &[u8]) -> Option<Tree> {
        if !self.is_ready {
            return None;
        }
        let mut steps = (BASE_STEPS + text.len() / BYTES_PER_STEP).min(MOST_STEPS);
        steps = steps.min(self.left);
        let given = steps;
        let mut progress = |_: &tree_sitter::ParseState| match steps.checked_sub(1) {
            None => ControlFlow::Break(()),
            Some(left) => {
                steps = left;
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
        let tree = self
            .parser
            .parse_with_options(&mut read, None, Some(options));
        // A stopped parser would continue with the old text.
        self.parser.reset();
        self.left -= given - steps;
        tree
    }
}

/// Visits all nodes in source order, with their ancestors.
pub(crate) struct Walk<'t> {
    cursor: TreeCursor<'t>,
    /// From the root to the current node.
    pub(crate) path: Vec<Node<'t>>,
    has_begun: bool,
    /// Whether deeply nested nodes were skipped.
    pub(crate) is_cut: bool,
}

impl<'t> Walk<'t> {
    pub(crate) fn new(root: Node<'t>) -> Self {
        Self {
            cursor: root.walk(),
            path: Vec::new(),
            has_begun: false,
            is_cut: false,
        }
    }

    /// Enters the current node if `enter`; otherwise goes past it.
    pub(crate) fn next(&mut self, enter: bool) -> Option<Node<'t>> {
        if !self.has_begun {
            self.has_begun = true;
            self.path.push(self.cursor.node());
            return self.path.last().copied();
        }
        self.is_cut |= enter && self.path.len() >= DEEPEST;
        if enter && self.path.len() < DEEPEST && self.cursor.goto_first_child() {
            self.path.push(self.cursor.node());
            return self.path.last().copied();
        }
        loop {
            self.path.pop();
            if self.path.is_empty() {
                return None;
            }
            if self.cursor.goto_next_sibling() {
                self.path.push(self.cursor.node());
                return self.path.last().copied();
            }
            if !self.cursor.goto_parent() {
                return None;
            }
        }
    }
}

pub(crate) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Without comments.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let named: Vec<_> = node.named_children(&mut cursor).collect();
    named
        .into_iter()
        .filter(|child| child.kind() != "comment")
        .collect()
}
