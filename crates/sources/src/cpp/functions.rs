//! Functions defined in C++ files, and their calls. Only the bodies of wanted functions are read.

use std::ops::Range;

use opatlas_source::Span;

use super::expansion::FunctionMacros;
use super::opening::Opens;
use super::parameter_types::{join_templates, plain_type};
use super::source::Source;
use super::tokens::Kind;
use crate::{File, LARGEST_FILE, Language};

/// A function's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: Box<str>,
    /// Enclosing namespaces and classes: `at::native`.
    pub scope: Box<str>,
    /// The index of its file.
    pub file: u32,
    /// The text that a macro of the file expands to, if that defines it; an index into
    /// [`Functions::expansions`].
    pub expansion: Option<u32>,
    /// Its name in the file, or in that text.
    pub at: Span,
    /// The end of its body.
    pub end: u32,
    /// The type that it returns, as written, after what precedes it, such as `template <...>`.
    pub returns: Box<str>,
    /// Its parameters as written, with names and defaults; `None` if the preprocessor decides a part
    /// of the declaration.
    pub declared: Option<Vec<Box<str>>>,
    /// The normalized types of its parameters, such as `const Tensor&`.
    pub parameters: Vec<Box<str>>,
    /// The calls in its body, in order; empty in an index.
    pub calls: Vec<Call>,
}

/// A call in a function's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The last part of the name.
    pub name: Box<str>,
    /// The full name: `at::native::add`.
    pub path: Box<str>,
    /// Whether it is a method call.
    pub is_method: bool,
    /// The object of a method call, if it is a plain name.
    pub object: Option<Box<str>>,
    /// The position of the name.
    pub at: Span,
}

/// The functions of a set of files.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    /// Sorted by file and position.
    pub all: Vec<Function>,
    /// What macros expand to that define functions.
    pub expansions: Vec<Box<str>>,
}

impl Functions {
    /// Finds wanted functions in C++ files; skips files that [`crate::scan`] reports as unreadable.
    #[must_use]
    pub fn find(files: &[File<'_>], wanted: impl Fn(&str) -> bool) -> Self {
        Self::walk(files, &wanted, Reads::Calls)
    }

    /// Finds all functions in C++ files, without their calls, and those that macros of their own file
    /// define.
    #[must_use]
    pub fn index(files: &[File<'_>]) -> Self {
        Self::walk(files, &|_| true, Reads::Declarations)
    }

    /// Finds the wanted functions among those of [`Self::index`].
    #[must_use]
    pub fn declarations(files: &[File<'_>], wanted: impl Fn(&str) -> bool) -> Self {
        Self::walk(files, &wanted, Reads::Declarations)
    }

    /// The text that a function is in.
    #[must_use]
    pub fn text<'t>(&'t self, files: &[File<'t>], function: &Function) -> Option<&'t [u8]> {
        match function.expansion {
            Some(index) => Some(self.expansions.get(index as usize)?.as_bytes()),
            None => files.get(function.file as usize).map(|file| file.bytes),
        }
    }

    fn walk(files: &[File<'_>], wanted: &dyn Fn(&str) -> bool, reads: Reads) -> Self {
        let mut found = Self::default();
        for (index, file) in (0..).zip(files) {
            let is_cpp = Language::of(file.path) == Some(Language::Cpp);
            if !is_cpp || file.bytes.len() > LARGEST_FILE || memchr::memchr(0, file.bytes).is_some()
            {
                continue;
            }
            let text = String::from_utf8_lossy(file.bytes);
            let source = Source::new(&text, 0);
            let macros = match reads {
                Reads::Declarations => FunctionMacros::of(&source),
                Reads::Calls => FunctionMacros::default(),
            };
            let mut walker = Walker {
                source: &source,
                file: index,
                expansion: None,
                outer: Vec::new(),
                wanted,
                reads,
                macros: &macros,
                expanded: Vec::new(),
                found: &mut found.all,
            };
            walker.walk();
            let expanded = std::mem::take(&mut walker.expanded);
            found.add_expansions(index, expanded, &macros, wanted);
        }
        found
    }

    /// Finds the functions in what macros expand to, which may use macros again.
    fn add_expansions(
        &mut self,
        file: u32,
        mut open: Vec<Expanded>,
        macros: &FunctionMacros,
        wanted: &dyn Fn(&str) -> bool,
    ) {
        let mut left = macros.most_text();
        while let Some(Expanded { scope, text, depth }) = open.pop() {
            let Some(rest) = left.checked_sub(text.len()) else {
                return;
            };
            left = rest;
            let source = Source::new(&text, 0);
            let mut walker = Walker {
                source: &source,
                file,
                expansion: u32::try_from(self.expansions.len()).ok(),
                outer: scope,
                wanted,
                reads: Reads::Declarations,
                macros,
                expanded: Vec::new(),
                found: &mut self.all,
            };
            walker.walk();
            let again = std::mem::take(&mut walker.expanded);
            let again = again.into_iter().map(|next| Expanded {
                depth: depth + 1,
                ..next
            });
            open.extend(again.filter(|next| next.depth < MOST_NESTED));
            self.expansions.push(text.into());
        }
    }
}

/// How many macros may expand into each other.
const MOST_NESTED: usize = 4;

/// What a macro in a scope expands to.
struct Expanded {
    scope: Vec<String>,
    text: String,
    depth: usize,
}

/// What is read of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Calls,
    Declarations,
}

struct Walker<'w, 's> {
    source: &'w Source<'s>,
    file: u32,
    wanted: &'w dyn Fn(&str) -> bool,
    reads: Reads,
    expansion: Option<u32>,
    /// The scopes around the text.
    outer: Vec<String>,
    macros: &'w FunctionMacros,
    expanded: Vec<Expanded>,
    found: &'w mut Vec<Function>,
}

impl Walker<'_, '_> {
    fn walk(&mut self) {
        let count = self.source.tokens.len();
        let mut scopes: Vec<(usize, Option<String>)> = Vec::new();
        let (mut index, mut start) = (0, 0);
        while index < count {
            while scopes.last().is_some_and(|(end, _)| *end <= index) {
                scopes.pop();
                start = index + 1;
            }
            if self.source.is(index, b';') || self.source.is(index, b'}') {
                start = index + 1;
            } else if self.source.is(index, b'(') || self.source.is(index, b'[') {
                self.expand(&scopes, index);
                index = self.source.partner(index).unwrap_or(index);
            } else if self.source.is(index, b'{') {
                let end = self.source.partner(index).unwrap_or(count);
                match self.source.opens(start, index) {
                    Opens::Scope(name) => scopes.push((end, name)),
                    Opens::Body(name) => {
                        self.function(&scopes, start..name, index, end);
                        index = end;
                    }
                    Opens::Other => index = end,
                }
                start = index + 1;
            }
            index += 1;
        }
    }

    /// Expands a macro whose arguments begin at `open`.
    fn expand(&mut self, scopes: &[(usize, Option<String>)], open: usize) {
        let name = open.checked_sub(1).and_then(|name| self.source.word(name));
        let close = self.source.partner(open).unwrap_or(open);
        let Some(name) = name.filter(|name| self.macros.has(name)) else {
            return;
        };
        let arguments = self.source.expression(open + 1..close).arguments();
        let arguments: Vec<String> = arguments.into_iter().map(|part| part.spaced()).collect();
        if let Some(text) = self.macros.expand(name, &arguments) {
            let scope = self.scope(scopes);
            self.expanded.push(Expanded {
                scope,
                text,
                depth: 0,
            });
        }
    }

    fn scope(&self, scopes: &[(usize, Option<String>)]) -> Vec<String> {
        let inner = scopes.iter().filter_map(|(_, name)| name.clone());
        self.outer.iter().cloned().chain(inner).collect()
    }

    fn function(
        &mut self,
        scopes: &[(usize, Option<String>)],
        Range { start, end: name }: Range<usize>,
        open: usize,
        end: usize,
    ) {
        let word = self.source.word(name).unwrap_or_default();
        if !(self.wanted)(word) {
            return;
        }
        let mut scope = self.scope(scopes);
        let mut first = name;
        while first >= 3 && self.source.is(first - 1, b':') && self.source.is(first - 2, b':') {
            first -= 3;
        }
        scope.extend(self.source.qualified(first, name));
        let token = self.source.tokens[name];
        let close = self.source.partner(name + 1).unwrap_or(name + 1);
        let parameters = self.source.expression(name + 2..close).arguments();
        let parameters = join_templates(parameters.into_iter().map(|p| p.spaced()).collect());
        self.found.push(Function {
            name: word.into(),
            scope: scope.join("::").into(),
            file: self.file,
            expansion: self.expansion,
            at: self.source.span(token.start, token.end),
            end: self.source.tokens.get(end).map_or(token.end, |end| end.end),
            returns: self.returns(start..first, close + 1..open).into(),
            parameters: parameters.iter().map(|text| plain_type(text)).collect(),
            declared: (!self.is_conditional(start, open))
                .then(|| parameters.into_iter().map(Into::into).collect()),
            calls: match self.reads {
                Reads::Calls => self.calls(open, end),
                Reads::Declarations => Vec::new(),
            },
        });
    }

    /// `true` if these tokens contain a preprocessor directive.
    fn is_conditional(&self, start: usize, end: usize) -> bool {
        let place = |index: usize| self.source.tokens.get(index).map_or(0, |token| token.start);
        let within = place(start)..place(end);
        let mut directives = self.source.directives.iter();
        directives.any(|directive| within.contains(&directive.start))
    }

    /// Returns the type before the name, or after the parameters as in `auto f() -> at::Tensor`.
    fn returns(&self, before: Range<usize>, after: Range<usize>) -> String {
        let text = self.source.expression(before).spaced();
        let is_arrow = |at: &usize| self.source.is(*at, b'-') && self.source.is(at + 1, b'>');
        let arrow = after.clone().find(is_arrow);
        match (text.strip_suffix("auto"), arrow) {
            (Some(rest), Some(arrow)) => {
                let trailing = self.source.expression(arrow + 2..after.end);
                format!("{rest}{}", trailing.spaced())
            }
            _ => text,
        }
    }

    fn calls(&self, open: usize, end: usize) -> Vec<Call> {
        let source = self.source;
        let mut calls = Vec::new();
        for index in open + 1..end.min(source.tokens.len()) {
            let Some(name) = source.word(index) else {
                continue;
            };
            let is_template = source.is(index + 1, b'<')
                && self
                    .source
                    .template_end(index + 1, 24)
                    .is_some_and(|end| source.is(end + 1, b'('));
            if !source.is(index + 1, b'(') && !is_template {
                continue;
            }
            let mut first = index;
            while first >= 3 && source.is(first - 1, b':') && source.is(first - 2, b':') {
                let is_qualified = source
                    .word(first - 3)
                    .is_some_and(|word| !is_before_expression(word));
                first -= if is_qualified { 3 } else { 2 };
            }
            let dot = first.checked_sub(1).filter(|at| source.is(*at, b'.'));
            let arrow = first
                .checked_sub(2)
                .filter(|at| source.is(*at, b'-') && source.is(at + 1, b'>'));
            let before = dot.or(arrow).and_then(|at| at.checked_sub(1));
            // `Type name(arguments)` declares a variable.
            let follows_type = before.is_none()
                && first > open + 1
                && source.tokens[first - 1].kind == Kind::Word
                && !source.word(first - 1).is_some_and(is_before_expression);
            if follows_type {
                continue;
            }
            let token = source.tokens[index];
            calls.push(Call {
                name: name.into(),
                path: self
                    .source
                    .qualified(first, index + 1)
                    .unwrap_or_default()
                    .into(),
                is_method: dot.or(arrow).is_some(),
                object: before.and_then(|at| source.word(at)).map(Into::into),
                at: source.span(token.start, token.end),
            });
        }
        calls
    }
}

/// Keywords that an expression may follow.
fn is_before_expression(word: &str) -> bool {
    matches!(
        word,
        "return" | "else" | "do" | "co_return" | "case" | "throw" | "and" | "or" | "not"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Function> {
        let file = File {
            path: "a.cpp",
            bytes: text.as_bytes(),
        };
        Functions::find(&[file], |_| true).all
    }

    #[test]
    fn definitions_are_found_in_their_scopes() {
        let text = "namespace at { namespace native {\n\
            static int x = f();\n\
            DEFINE_DISPATCH(add_stub);\n\
            template <class T> struct Helper { void run(int a) { inner(); } };\n\
            Tensor add(const Tensor& self, const std::optional<at::Tensor> & other = {}) { return g(self); }\n\
            enum class E { A, B };\n\
            }}\n\
            at::Tensor ns::Class::mul(at::IntArrayRef size, const int64_t n) const { return size; }\n\
            Tensor declared(int a);\n";
        let all = found(text);
        let shown: Vec<_> = all.iter().map(|f| (&*f.scope, &*f.name)).collect();
        let expected = [
            ("at::native::Helper", "run"),
            ("at::native", "add"),
            ("ns::Class", "mul"),
        ];
        assert_eq!(shown, expected);
        let types = |index: usize| all[index].parameters.join("; ");
        assert_eq!(types(1), "const Tensor &; const optional < Tensor > &");
        assert_eq!(types(2), "IntArrayRef; int64_t");
    }

    #[test]
    fn calls_are_found_with_what_they_are_called_on() {
        let text = "void f(Tensor self) {\n\
            at::add_out(out, self); self.item<float>(); self->resize_({1});\n\
            Tensor declared(self); auto l = [&](int a) { return at::native::mul(a); };\n\
            if (g(self).copy_(x)) {} return ::at::native::sub(a); }\n";
        let all = found(text);
        let shown: Vec<_> = all[0]
            .calls
            .iter()
            .map(|call| (&*call.path, call.is_method, call.object.as_deref()))
            .collect();
        let expected = [
            ("at::add_out", false, None),
            ("item", true, Some("self")),
            ("resize_", true, Some("self")),
            ("at::native::mul", false, None),
            ("if", false, None),
            ("g", false, None),
            ("copy_", true, None),
            ("at::native::sub", false, None),
        ];
        assert_eq!(shown, expected);
    }
}
