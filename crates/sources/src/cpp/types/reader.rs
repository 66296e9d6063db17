//! Reads the text of a type.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use super::known;
use super::names::{Declared, Meaning, Place, TypeNames};
use super::{CppType, Unknown};
use crate::cpp::source::Source;
use crate::cpp::tokens::Kind;

/// The maximum length of a chain of aliases, and the maximum depth of template arguments.
const DEEPEST: usize = 12;

/// The maximum number of types that are read to resolve one type.
const MOST_TYPES: usize = 1000;

/// Words before a return type that do not change it.
const SPECIFIERS: [&str; 12] = [
    "static",
    "inline",
    "constexpr",
    "extern",
    "virtual",
    "friend",
    "explicit",
    "__inline__",
    "__forceinline__",
    "typename",
    "struct",
    "class",
];

impl TypeNames {
    /// Reads the type of a parameter. The text may contain a name and a default.
    ///
    /// # Errors
    /// [`Unknown`] if only a build can decide the type.
    pub fn read(&self, text: &str, place: Place<'_>) -> Result<CppType, Unknown> {
        self.read_at(text, place, DEEPEST, &Cell::new(MOST_TYPES))
    }

    fn read_at(
        &self,
        text: &str,
        place: Place<'_>,
        left: usize,
        types: &Cell<usize>,
    ) -> Result<CppType, Unknown> {
        let source = Source::new(text, 0);
        let mut reader = Reader {
            names: self,
            place,
            source: &source,
            at: 0,
            left,
            types,
        };
        let read = reader.whole()?;
        reader.rest()?;
        Ok(read)
    }

    /// `true` if a file has `using namespace` for the scope or for its last parts.
    fn is_used(&self, scope: &str) -> bool {
        let parts = scope.match_indices("::").map(|(at, _)| at + 2);
        let mut ends = std::iter::once(0).chain(parts);
        ends.any(|from| self.used.contains(&scope[from..]))
    }

    /// Returns the declarations that a name outside of PyTorch's namespaces may refer to here.
    fn declared(&self, path: &[&str], place: Place<'_>) -> Vec<&Declared> {
        let Some((name, qualifiers)) = path.split_last() else {
            return Vec::new();
        };
        let qualifier = qualifiers.join("::");
        let all = self.by_name.get(*name).map_or(&[][..], Vec::as_slice);
        let full = |declared: &Declared| ends_with(&declared.scope, &qualifier);
        let is_of_pytorch = known::of_pytorch(name, &[]).is_some()
            || known::of_pytorch(name, &[CppType::named("int64_t")]).is_some();
        let is_known =
            qualifiers.is_empty() && (is_of_pytorch || known::of_standard(name, &[]).is_some());
        // The sources may repeat PyTorch's own declarations.
        let repeats = |declared: &Declared| {
            let mut parts = declared.scope.split("::");
            is_of_pytorch && parts.all(known::is_pytorch)
        };
        let all = all
            .iter()
            .filter(|declared| full(declared) && !repeats(declared));
        let visible = all.filter(|declared| {
            let scope = outer_of(&declared.scope, &qualifier);
            encloses(scope, place.scope) || !is_known || self.is_used(&declared.scope)
        });
        let mut visible: Vec<&Declared> = visible.collect();
        // The innermost scope hides the outer ones.
        let depth = |declared: &Declared| {
            let scope = outer_of(&declared.scope, &qualifier);
            encloses(scope, place.scope).then_some(scope.len())
        };
        let innermost = visible
            .iter()
            .map(|declared| depth(declared))
            .max()
            .flatten();
        if innermost.is_some() {
            visible.retain(|declared| depth(declared) == innermost);
        }
        if visible.iter().any(|declared| declared.file == place.file) {
            visible.retain(|declared| declared.file == place.file);
        }
        visible
    }
}

fn too_deep() -> Unknown {
    Unknown("the type is nested too deeply".into())
}

fn unknown(path: &[&str], why: &str) -> Unknown {
    Unknown(format!("`{}` {why}", path.join("::")).into())
}

/// `true` if the scope ends with the parts of the qualifier.
fn ends_with(scope: &str, qualifier: &str) -> bool {
    let rest = scope.strip_suffix(qualifier);
    rest.is_some_and(|rest| qualifier.is_empty() || rest.is_empty() || rest.ends_with("::"))
}

/// Removes a qualifier from the end of a scope.
fn outer_of<'s>(scope: &'s str, qualifier: &str) -> &'s str {
    let rest = scope.strip_suffix(qualifier).unwrap_or(scope);
    rest.strip_suffix("::").unwrap_or(rest)
}

/// `true` if `outer` equals `inner` or contains it.
fn encloses(outer: &str, inner: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with("::"))
}

struct Reader<'r, 's> {
    names: &'r TypeNames,
    place: Place<'r>,
    source: &'r Source<'s>,
    at: usize,
    left: usize,
    /// The number of types that may still be read.
    types: &'r Cell<usize>,
}

impl<'s> Reader<'_, 's> {
    fn word(&self) -> Option<&'s str> {
        self.source.word(self.at)
    }

    fn is(&self, punct: u8) -> bool {
        self.source.is(self.at, punct)
    }

    fn is_path(&self) -> bool {
        self.is(b':') && self.source.is(self.at + 1, b':')
    }

    fn takes(&mut self, punct: u8) -> bool {
        let is = self.is(punct);
        self.at += usize::from(is);
        is
    }

    fn whole(&mut self) -> Result<CppType, Unknown> {
        let (Some(left), Some(types)) = (self.left.checked_sub(1), self.types.get().checked_sub(1))
        else {
            return Err(too_deep());
        };
        self.left = left;
        self.types.set(types);
        let read = self.qualified();
        self.left += 1;
        read
    }

    /// Reads a type with `const`, `&` and `*`.
    fn qualified(&mut self) -> Result<CppType, Unknown> {
        let mut is_const = false;
        self.specifiers(&mut is_const)?;
        let core = self.core()?;
        is_const |= self.is_const();
        let mut read = qualify(core, is_const);
        loop {
            if self.takes(b'*') {
                read = qualify(CppType::Pointer(Box::new(read)), self.is_const());
            } else if self.is(b'&') && self.source.is(self.at + 1, b'&') {
                self.at += 2;
                read = refer(read, CppType::RvalueReference);
            } else if self.takes(b'&') {
                read = refer(read, CppType::Reference);
            } else if self.word() == Some("__restrict__") || self.word() == Some("__restrict") {
                self.at += 1;
            } else {
                return Ok(read);
            }
        }
    }

    /// Skips words and attributes before a type.
    fn specifiers(&mut self, is_const: &mut bool) -> Result<(), Unknown> {
        loop {
            match self.word() {
                Some("const") => *is_const = true,
                Some("volatile") => return Err(Unknown("a type is volatile".into())),
                Some("__attribute__") => self.at = self.close(self.at + 1),
                Some("public" | "protected" | "private") if self.source.is(self.at + 1, b':') => {
                    self.at += 1;
                }
                Some(word) if SPECIFIERS.contains(&word) => {}
                Some(word) if self.is_macro(word) => {}
                None if self.is(b'[') && self.source.is(self.at + 1, b'[') => {
                    self.at = self.close(self.at);
                }
                None if self
                    .source
                    .tokens
                    .get(self.at)
                    .is_some_and(|t| t.kind == Kind::String) => {}
                _ => return Ok(()),
            }
            self.at += 1;
        }
    }

    fn close(&self, open: usize) -> usize {
        self.source.partner(open).unwrap_or(open)
    }

    /// `true` if the word is a macro such as `TORCH_API` before a type.
    fn is_macro(&self, word: &str) -> bool {
        let is_upper = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        word.len() > 2
            && word.contains('_')
            && word.bytes().all(is_upper)
            && (self.source.word(self.at + 1).is_some() || self.source.is(self.at + 1, b':'))
            && !(self.source.is(self.at + 1, b':') && self.source.is(self.at + 2, b':'))
    }

    fn is_const(&mut self) -> bool {
        let is_const = self.word() == Some("const");
        self.at += usize::from(is_const);
        is_const
    }

    fn core(&mut self) -> Result<CppType, Unknown> {
        let first = self.word();
        if first.is_some_and(known::is_built_in) {
            return self.built_in();
        }
        if self.is_path() {
            self.at += 2;
        }
        let mut path: Vec<&str> = Vec::new();
        loop {
            let Some(word) = self.word() else {
                return Err(Unknown("a parameter is not a plain type".into()));
            };
            self.at += 1;
            path.push(word);
            let arguments = if self.is(b'<') {
                self.arguments()?
            } else {
                Vec::new()
            };
            if !self.is_path() {
                return self.named(&path, arguments);
            }
            if !arguments.is_empty() {
                return Err(unknown(&path, "has a member type"));
            }
            self.at += 2;
        }
    }

    fn built_in(&mut self) -> Result<CppType, Unknown> {
        let mut words = Vec::new();
        while let Some(word) = self.word() {
            if known::is_built_in(word) {
                words.push(word);
            } else if word != "const" {
                break;
            }
            self.at += 1;
        }
        // A `const` between the words counts as one after them.
        let is_const = self.source.word(self.at.wrapping_sub(1)) == Some("const");
        self.at -= usize::from(is_const);
        known::built_in(&words).ok_or_else(|| unknown(&words, "is not a type"))
    }

    /// Reads template arguments from `<` to `>`.
    fn arguments(&mut self) -> Result<Vec<CppType>, Unknown> {
        self.at += 1;
        let mut arguments = Vec::new();
        while !self.takes(b'>') {
            if !arguments.is_empty() && !self.takes(b',') {
                return Err(Unknown("a template argument is not a type".into()));
            }
            let is_number = self
                .word()
                .is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
            arguments.push(if is_number {
                self.number()
            } else {
                self.whole()?
            });
        }
        Ok(arguments)
    }

    fn number(&mut self) -> CppType {
        let word = self.word().unwrap_or_default();
        self.at += 1;
        CppType::named(word.trim_end_matches(|c: char| c.is_ascii_alphabetic()))
    }

    fn named(&self, path: &[&str], arguments: Vec<CppType>) -> Result<CppType, Unknown> {
        let Some((name, qualifiers)) = path.split_last() else {
            return Err(Unknown("a parameter is not a plain type".into()));
        };
        if *name == "auto" || *name == "decltype" {
            return Err(unknown(path, "leaves the type to the compiler"));
        }
        if qualifiers == ["std"] {
            return known::of_standard(name, &arguments)
                .ok_or_else(|| unknown(path, "is not a type that kernels take"));
        }
        let is_pytorch = !qualifiers.is_empty() && qualifiers.iter().all(|q| known::is_pytorch(q));
        if is_pytorch && let Some(found) = known::of_pytorch(name, &arguments) {
            return Ok(found);
        }
        let declared = self.names.declared(path, self.place);
        if !declared.is_empty() {
            return self.alias(path, &declared, &arguments);
        }
        let found = match qualifiers {
            [] => {
                known::of_pytorch(name, &arguments).or_else(|| known::of_standard(name, &arguments))
            }
            _ => None,
        };
        found.ok_or_else(|| unknown(path, "is declared elsewhere"))
    }

    /// Resolves an alias. Its declarations may differ in spelling. Another file may not be
    /// included, so its alias of one of PyTorch's names must be PyTorch's type.
    fn alias(
        &self,
        path: &[&str],
        declared: &[&Declared],
        arguments: &[CppType],
    ) -> Result<CppType, Unknown> {
        let Some(left) = self.left.checked_sub(1) else {
            return Err(too_deep());
        };
        let is_here = declared.iter().any(|one| one.file == self.place.file);
        let mut found = match path {
            [name] if !is_here => known::of_pytorch(name, arguments),
            _ => None,
        };
        let mut texts = FxHashSet::default();
        for one in declared {
            let Meaning::Alias(text) = &one.meaning else {
                return Err(unknown(path, "is declared in the sources"));
            };
            if !arguments.is_empty() {
                return Err(unknown(path, "is declared in the sources"));
            }
            if !texts.insert(text) {
                continue;
            }
            let read = self.names.read_at(text, self.place, left, self.types)?;
            if *found.get_or_insert_with(|| read.clone()) != read {
                return Err(unknown(path, "is declared in several ways"));
            }
        }
        found.ok_or_else(|| unknown(path, "is declared elsewhere"))
    }

    /// Reads the name and the default that may follow the type.
    fn rest(&mut self) -> Result<(), Unknown> {
        if self.word().is_some() {
            self.at += 1;
        }
        if self.at >= self.source.tokens.len() || self.is(b'=') {
            return Ok(());
        }
        Err(Unknown("a parameter is not a plain type".into()))
    }
}

fn qualify(read: CppType, is_const: bool) -> CppType {
    match read {
        CppType::Const(_) | CppType::Reference(_) | CppType::RvalueReference(_) => read,
        other if is_const => CppType::Const(Box::new(other)),
        other => other,
    }
}

/// Adds a reference. References to references collapse.
fn refer(read: CppType, kind: fn(Box<CppType>) -> CppType) -> CppType {
    match read {
        CppType::Reference(_) => read,
        CppType::RvalueReference(inner) => kind(inner),
        other => kind(Box::new(other)),
    }
}
