//! Alias annotations, `(a! -> a|b)`: which sets a value is in before and after the call, and
//! whether it is written to (`aten/src/ATen/core/alias_info.h`).

use std::fmt;

/// An alias set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol<'a> {
    /// `*`, which may alias anything.
    Wildcard,
    /// A set with a name.
    Named(&'a str),
    /// The set that a bare `!` makes up, counted over the whole schema from 0.
    Fresh(u32),
}

/// Alias sets in the order written, each once. Their order has no meaning.
#[derive(Debug, Clone, Default)]
pub struct SymbolSet<'a>(Vec<Symbol<'a>>);

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wildcard => f.write_str("*"),
            Self::Named(name) => f.write_str(name),
            Self::Fresh(number) => write!(f, "${number}"),
        }
    }
}

impl<'a> SymbolSet<'a> {
    /// Adds a set unless it is there.
    pub(super) fn insert(&mut self, symbol: Symbol<'a>) {
        if !self.0.contains(&symbol) {
            self.0.push(symbol);
        }
    }

    /// The sets in the order written.
    #[must_use]
    pub fn as_slice(&self) -> &[Symbol<'a>] {
        &self.0
    }

    /// PyTorch uses a hash set, which iterates in reverse order of insertion.
    fn write(&self, out: &mut String) {
        for (i, symbol) in self.0.iter().rev().enumerate() {
            out.push_str(if i > 0 { "|" } else { "" });
            out.push_str(&symbol.to_string());
        }
    }
}

impl PartialEq for SymbolSet<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|symbol| other.0.contains(symbol))
    }
}

/// The alias annotation of an argument or a return. A list of annotated elements has one too,
/// with the elements' in [`Alias::contained`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alias<'a> {
    /// Whether the value is written to.
    pub is_write: bool,
    /// The sets before the call.
    pub before: SymbolSet<'a>,
    /// The sets after the call; those before it where no arrow says otherwise. A bare `!` leaves
    /// it empty.
    pub after: SymbolSet<'a>,
    /// What the elements of a list carry.
    pub contained: Option<Box<Alias<'a>>>,
}

impl<'a> Alias<'a> {
    /// The annotation of a list from its own and that of its elements.
    pub(super) fn of_list(own: Option<Self>, elements: Option<Self>) -> Option<Self> {
        let Some(elements) = elements else {
            return own;
        };
        let mut alias = own.unwrap_or_else(|| Self {
            is_write: elements.is_write,
            ..Self::default()
        });
        alias.contained = Some(Box::new(elements));
        Some(alias)
    }

    /// The annotation without its parentheses, such as `a! -> a|b`. For a list, that of the list
    /// itself if it has one, else that of its elements.
    #[must_use]
    pub fn text(&self) -> String {
        let shown = match &self.contained {
            Some(contained) if self.before.as_slice().is_empty() => contained,
            _ => self,
        };
        let mut out = String::new();
        shown.write(&mut out);
        out.trim_start_matches('(').trim_end_matches(')').to_owned()
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push('(');
        self.before.write(out);
        if self.is_write {
            out.push('!');
        }
        if self.before != self.after {
            out.push_str(" -> ");
            self.after.write(out);
        }
        out.push(')');
    }
}
