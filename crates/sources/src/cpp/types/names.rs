//! The type names that a set of files declares: aliases, classes and macros.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cpp::conditions::split;
use crate::cpp::opening::Opens;
use crate::cpp::source::Source;
use crate::{File, LARGEST_FILE, Language};

/// The place where a type is written: the file's index and the enclosing namespaces and classes.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// The index of the file.
    pub file: u32,
    /// The scope, spelled as in [`crate::Function::scope`].
    pub scope: &'p str,
}

/// The meaning of a declared name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// `using Name = text;`, `typedef text Name;` or `#define Name text`
    Alias(Box<str>),
    /// A class, an enumeration or an alias template.
    Class,
}

#[derive(Debug)]
pub(super) struct Declared {
    pub(super) scope: Box<str>,
    pub(super) file: u32,
    pub(super) meaning: Meaning,
}

/// The type names that files declare.
#[derive(Debug, Default)]
pub struct TypeNames {
    pub(super) by_name: FxHashMap<Box<str>, Vec<Declared>>,
    /// The namespaces that `using namespace a::b;` names.
    pub(super) used: FxHashSet<Box<str>>,
    /// The scopes of each file, outer ones first.
    scopes: Vec<Vec<(Range<u32>, Box<str>)>>,
}

impl TypeNames {
    /// Reads the declarations of C++ files. Skips files that [`crate::scan`] reports as unreadable.
    #[must_use]
    pub fn of(files: &[File<'_>]) -> Self {
        let mut names = Self::default();
        for (index, file) in (0..).zip(files) {
            names.scopes.push(Vec::new());
            let is_cpp = Language::of(file.path) == Some(Language::Cpp);
            if !is_cpp || file.bytes.len() > LARGEST_FILE || memchr::memchr(0, file.bytes).is_some()
            {
                continue;
            }
            let text = String::from_utf8_lossy(file.bytes);
            let source = Source::new(&text, 0);
            let mut walker = Walker {
                source: &source,
                file: index,
                open: Vec::new(),
                names: &mut names,
            };
            walker.walk();
            walker.defines();
        }
        names
    }

    /// Returns the namespaces and classes around a position of a file.
    #[must_use]
    pub fn scope_at(&self, file: u32, position: u32) -> &str {
        let scopes = self
            .scopes
            .get(file as usize)
            .map_or(&[][..], Vec::as_slice);
        let around = scopes
            .iter()
            .rev()
            .find(|(range, _)| range.contains(&position));
        around.map_or("", |(_, scope)| scope)
    }
}

struct Walker<'w, 's> {
    source: &'w Source<'s>,
    file: u32,
    /// The open scopes, each with its end and its full name.
    open: Vec<(usize, Box<str>)>,
    names: &'w mut TypeNames,
}

impl Walker<'_, '_> {
    fn walk(&mut self) {
        let count = self.source.tokens.len();
        let (mut index, mut start) = (0, 0);
        while index < count {
            while self.open.last().is_some_and(|(end, _)| *end <= index) {
                self.open.pop();
                start = index + 1;
            }
            if self.source.is(index, b';') {
                self.statement(start, index);
                start = index + 1;
            } else if self.source.is(index, b'}') {
                start = index + 1;
            } else if self.source.is(index, b'(') || self.source.is(index, b'[') {
                index = self.source.partner(index).unwrap_or(index);
            } else if self.source.is(index, b'{') {
                let end = self.source.partner(index).unwrap_or(count);
                self.class(start, index);
                match self.source.opens(start, index) {
                    Opens::Scope(name) => self.enter(index, end, name.as_deref()),
                    // An alias may follow the braces: `typedef struct { } Name;`
                    Opens::Other if self.source.word(start) == Some("typedef") => index = end,
                    Opens::Body(_) | Opens::Other => index = end,
                }
                start = index + 1;
            }
            index += 1;
        }
    }

    fn scope(&self) -> &str {
        self.open.last().map_or("", |(_, scope)| scope)
    }

    fn enter(&mut self, open: usize, end: usize, name: Option<&str>) {
        let outer = self.scope();
        let scope: Box<str> = match (outer, name) {
            (outer, None) => outer.into(),
            ("", Some(name)) => name.into(),
            (outer, Some(name)) => format!("{outer}::{name}").into(),
        };
        let place = |index: usize| self.source.tokens.get(index).map(|token| token.start);
        let range = place(open).unwrap_or(0)..place(end).unwrap_or(u32::MAX);
        if let Some(scopes) = self.names.scopes.last_mut() {
            scopes.push((range, scope.clone()));
        }
        self.open.push((end, scope));
    }

    fn add(&mut self, name: &str, meaning: Meaning) {
        let declared = Declared {
            scope: self.scope().into(),
            file: self.file,
            meaning,
        };
        self.names
            .by_name
            .entry(name.into())
            .or_default()
            .push(declared);
    }

    /// Records the class or enumeration that `start..end` declares.
    fn class(&mut self, start: usize, end: usize) {
        let is_keyword = |index: &usize| {
            matches!(
                self.source.word(*index),
                Some("class" | "struct" | "union" | "enum")
            )
        };
        let mut from = start;
        if self.source.word(start) == Some("template") {
            from = self.source.template_end(start + 1, 256).unwrap_or(start) + 1;
        }
        let Some(keyword) = (from..end.min(from + 2)).find(is_keyword) else {
            return;
        };
        let mut name = None;
        for index in keyword + 1..end {
            match self.source.word(index) {
                Some("final" | "class" | "struct") => {}
                Some(word) => name = Some(word),
                // Attributes and arguments of macros.
                None if self.source.is(index, b'[') || self.source.is(index, b'(') => return,
                None => break,
            }
        }
        if let Some(name) = name {
            self.add(name, Meaning::Class);
        }
    }

    fn statement(&mut self, start: usize, end: usize) {
        match self.source.word(start) {
            Some("using") if self.source.word(start + 1) == Some("namespace") => {
                let used = self.source.qualified(start + 2, end);
                self.names.used.extend(used.map(Into::into));
            }
            Some("using") if self.source.is(start + 2, b'=') => {
                if let Some(name) = self.source.word(start + 1) {
                    let text = self.source.expression(start + 3..end).spaced();
                    self.add(name, Meaning::Alias(text.into()));
                }
            }
            Some("using") => self.used_name(start + 1, end),
            Some("typedef") => {
                let name = end.checked_sub(1).and_then(|last| self.source.word(last));
                if let Some(name) = name {
                    let text = self.source.expression(start + 1..end - 1).spaced();
                    self.add(name, Meaning::Alias(text.into()));
                }
            }
            Some("template") => {
                let from = self.source.template_end(start + 1, 256).unwrap_or(start) + 1;
                match self.source.word(from) {
                    Some("using") => {
                        if let Some(name) = self.source.word(from + 1) {
                            self.add(name, Meaning::Class);
                        }
                    }
                    _ => self.class(start, end),
                }
            }
            _ => self.class(start, end),
        }
    }

    /// Records `using a::b::Name;` as an alias. It has no effect for names of PyTorch.
    fn used_name(&mut self, start: usize, end: usize) {
        let Some(path) = self.source.qualified(start, end) else {
            return;
        };
        if let Some((_, name)) = path.rsplit_once("::") {
            let name = name.to_owned();
            self.add(&name, Meaning::Alias(path.into()));
        }
    }

    /// Records `#define Name type`.
    fn defines(&mut self) {
        let text = self.source.text;
        for directive in &self.source.directives {
            let line = text.get(directive.start as usize..directive.end as usize);
            let ("define", rest) = split(line.unwrap_or_default()) else {
                continue;
            };
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (name, body) = rest.split_at(end);
            if body.starts_with(char::is_whitespace) && !body.trim().is_empty() {
                let declared = Declared {
                    scope: "".into(),
                    file: self.file,
                    meaning: Meaning::Alias(body.trim().into()),
                };
                self.names
                    .by_name
                    .entry(name.into())
                    .or_default()
                    .push(declared);
            }
        }
    }
}
