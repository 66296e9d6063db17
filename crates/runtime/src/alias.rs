//! Alias annotations such as `(a! -> a|b)` (`aten/src/ATen/core/alias_info.h`).

use std::fmt;

/// An alias set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol<'a> {
    /// `*`, which may alias anything.
    Wildcard,
    /// A named set.
    Named(&'a str),
    /// The set of a bare `!`, numbered from 0 over the whole schema.
    Fresh(u32),
}

/// Distinct alias sets in source order. The order has no meaning.
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
    pub(super) fn insert(&mut self, symbol: Symbol<'a>) {
        if !self.0.contains(&symbol) {
            self.0.push(symbol);
        }
    }

    /// The sets in source order.
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

/// The alias annotation of an argument or a return. For a list of annotated elements, the
/// annotation of the elements is in [`Alias::contained`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alias<'a> {
    /// Whether the value is written to.
    pub is_write: bool,
    /// The sets before the call.
    pub before: SymbolSet<'a>,
    /// The sets after the call; the same as before without an arrow. Empty for a bare `!`.
    pub after: SymbolSet<'a>,
    /// The annotation of a list's elements.
    pub contained: Option<Box<Alias<'a>>>,
}

impl<'a> Alias<'a> {
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

    /// The annotation without parentheses, such as `a! -> a|b`; by default that of a list's
    /// elements.
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
