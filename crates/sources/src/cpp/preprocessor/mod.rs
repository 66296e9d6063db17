//! Macros that the scanned files define: which ones, and what their uses stand for.
//!
//! [`Definitions`] has the `#define` directives and constants of all files. [`Definitions::rewrite`]
//! expands a file where macros may register something. The rest of the reader sees the expanded
//! text, and [`Rewritten::place`] moves what it finds to the uses.

mod constants;
pub(crate) mod definition;
mod definitions;
mod described;
mod environment;
mod expander;
mod includes;
mod mentions;
mod pieces;
mod regions;
mod rewrite;

use super::source::Source;
use crate::Macros;

/// The most tokens that the macros of a file may make.
const MOST_TOKENS: usize = 4 << 20;

pub(crate) use definitions::Definitions;
pub(super) use rewrite::Rewritten;

impl Definitions {
    /// Expands the macros of a file; `None` if there is nothing to expand.
    pub(super) fn rewrite(
        &self,
        file: u32,
        source: &Source<'_>,
        macros: &Macros,
    ) -> Option<Rewritten> {
        let left = MOST_TOKENS.min(16 * source.tokens.len() + (128 << 10));
        let mut environment = environment::Environment::new(self, macros, file, left);
        rewrite::rewrite(source, &mut environment)
    }

    /// The macros that register something outside a block.
    pub(crate) fn at_file_scope(&self, macros: &Macros) -> Vec<Box<str>> {
        let environment = environment::Environment::new(self, macros, definitions::NO_FILE, 0);
        let names = self.names().filter(|name| environment.opens_block(name));
        names.map(Into::into).collect()
    }
}
