//! Macros that register operators, as data: the known ones of `data/macros.toml`, and a project's own.
//!
//! A macro is known by its name and its number of parameters. Its texts may hold `{parameter}`,
//! which stands for the argument: an identifier or the contents of a string literal.

use rustc_hash::{FxHashMap, FxHashSet};

/// What a macro stands for. `library` opens a block of registrations; `def` and `imp` define an
/// operator and register a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Macro {
    /// Its name.
    pub name: Box<str>,
    /// The names of its parameters.
    pub parameters: Vec<Box<str>>,
    /// The namespace of the block that it opens: `torch_ipex`.
    pub library: Option<Box<str>>,
    /// The library's name inside that block.
    pub variable: Option<Box<str>>,
    /// The schema or name of the operator that it defines.
    pub def: Option<Box<str>>,
    /// The operator that it registers a kernel for: `{op}.{overload}`.
    pub imp: Option<Box<str>>,
    /// The dispatch key; without one that of the block.
    pub key: Option<Box<str>>,
    /// The kernel.
    pub kernel: Option<Box<str>>,
}

/// A macro of `data/macros.toml`.
struct Known {
    name: &'static str,
    parameters: &'static [&'static str],
    library: Option<&'static str>,
    variable: Option<&'static str>,
    def: Option<&'static str>,
    imp: Option<&'static str>,
    key: Option<&'static str>,
    kernel: Option<&'static str>,
}

// KNOWN and NOTHING.
include!(concat!(env!("OUT_DIR"), "/macros.rs"));

/// The macros that a scan knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macros {
    by_name: FxHashMap<Box<str>, Vec<Macro>>,
    nothing: FxHashSet<Box<str>>,
}

impl Default for Macros {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Macros {
    /// The known ones.
    #[must_use]
    pub fn built_in() -> Self {
        let mut macros = Self {
            by_name: FxHashMap::default(),
            nothing: NOTHING.iter().map(|name| (*name).into()).collect(),
        };
        for known in KNOWN {
            macros.add(Macro {
                name: known.name.into(),
                parameters: known.parameters.iter().map(|p| (*p).into()).collect(),
                library: known.library.map(Into::into),
                variable: known.variable.map(Into::into),
                def: known.def.map(Into::into),
                imp: known.imp.map(Into::into),
                key: known.key.map(Into::into),
                kernel: known.kernel.map(Into::into),
            });
        }
        macros
    }

    /// Adds a macro. It replaces one with the same name and number of parameters.
    pub fn add(&mut self, added: Macro) {
        let same_name = self.by_name.entry(added.name.clone()).or_default();
        same_name.retain(|known| known.parameters.len() != added.parameters.len());
        same_name.push(added);
    }

    /// Adds the name of a macro that registers nothing.
    pub fn add_nothing(&mut self, name: &str) {
        self.nothing.insert(name.into());
    }

    /// The macro of a name with a number of arguments.
    pub(crate) fn find(&self, name: &str, arguments: usize) -> Option<&Macro> {
        let mut same_name = self.by_name.get(name)?.iter();
        same_name.find(|known| known.parameters.len() == arguments)
    }

    /// Whether there is a macro of a name, with any number of parameters.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Whether a macro registers nothing.
    pub(crate) fn is_nothing(&self, name: &str) -> bool {
        self.nothing.contains(name)
    }

    /// The names of macros that register outside blocks: those that open one or name everything.
    pub(crate) fn at_file_scope(&self) -> impl Iterator<Item = &str> {
        let all = self.by_name.values().flatten();
        let outside = all.filter(|known| known.library.is_some() || known.is_complete());
        outside.map(|known| &*known.name)
    }
}

impl Macro {
    /// Whether it names the operator's namespace and the key, and so needs no block.
    pub(crate) fn is_complete(&self) -> bool {
        let is_qualified = |text: &Option<Box<str>>| text.as_deref().is_some_and(is_qualified);
        self.key.is_some() && (is_qualified(&self.imp) || is_qualified(&self.def))
    }

    /// A text with the arguments in place. An argument is `None` where it is no plain text.
    pub(crate) fn fill(&self, text: &str, arguments: &[Option<Box<str>>]) -> Option<Box<str>> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            let index = self.parameters.iter().position(|p| **p == *name)?;
            filled.push_str(arguments.get(index)?.as_deref()?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled.into())
    }
}

fn is_qualified(text: &str) -> bool {
    text.split('(').next().unwrap_or_default().contains("::")
}
