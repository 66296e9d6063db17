//! Arguments of registrations: names, dispatch keys, kernels. An expression is a run of tokens.

use super::tokens::{Kind, Token};
use crate::name::{canonical_key, device_key};

/// The longest kernel that is shown, in characters.
const LONGEST: usize = 200;

/// An expression in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expression<'s> {
    pub source: &'s str,
    pub tokens: &'s [Token],
}

/// A call of a function or macro by its name: `torch::dispatch(a, b)`, `make<&f>()`.
struct Call<'s> {
    /// The last part of the name.
    name: &'s str,
    /// The template arguments.
    template: Expression<'s>,
    arguments: Expression<'s>,
}

/// A kernel as registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kernel {
    pub function: Option<Box<str>>,
    pub fallthrough: bool,
    /// Whether it takes its arguments from a stack.
    pub boxed: bool,
    /// The key that `torch::dispatch` gives it.
    pub key: Option<Box<str>>,
}

/// The options of an operator of `RegisterOperators`.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub schema: Option<Box<str>>,
    pub key: Option<Box<str>>,
    pub kernel: Option<Box<str>>,
}

impl<'s> Expression<'s> {
    fn part(self, from: usize, to: usize) -> Self {
        Self {
            source: self.source,
            tokens: self.tokens.get(from..to).unwrap_or_default(),
        }
    }

    pub(super) fn word(self, index: usize) -> Option<&'s str> {
        let token = self.tokens.get(index)?;
        (token.kind == Kind::Word).then(|| token.text(self.source))
    }

    pub(super) fn is(self, index: usize, punct: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(punct))
    }

    /// The expressions between commas outside brackets. A comma between template arguments
    /// separates too, as in the arguments of a macro.
    pub(super) fn arguments(self) -> Vec<Self> {
        let mut arguments = Vec::new();
        let (mut depth, mut from) = (0_usize, 0);
        for (index, token) in self.tokens.iter().enumerate() {
            match token.kind {
                Kind::Punct(b'(' | b'[' | b'{') => depth += 1,
                Kind::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Kind::Punct(b',') if depth == 0 => {
                    arguments.push(self.part(from, index));
                    from = index + 1;
                }
                _ => {}
            }
        }
        let last = self.part(from, self.tokens.len());
        if !last.tokens.is_empty() || !arguments.is_empty() {
            arguments.push(last);
        }
        arguments
    }

    /// The arguments in the parentheses at `open`.
    pub(super) fn arguments_at(self, open: usize) -> Option<Vec<Self>> {
        let close = self.is(open, b'(').then(|| self.closing(open))??;
        Some(self.part(open + 1, close).arguments())
    }

    /// The call that this is, if it is one and nothing else.
    fn call(self) -> Option<Call<'s>> {
        let mut at = 0;
        let mut name = self.word(at)?;
        at += 1;
        while self.is(at, b':') && self.is(at + 1, b':') {
            name = self.word(at + 2)?;
            at += 3;
        }
        let mut template = self.part(at, at);
        if self.is(at, b'<') {
            let end = self.template_end(at)?;
            template = self.part(at + 1, end);
            at = end + 1;
        }
        let is_closed = self.is(at, b'(') && self.closing(at) == Some(self.tokens.len() - 1);
        is_closed.then(|| Call {
            name,
            template,
            arguments: self.part(at + 1, self.tokens.len() - 1),
        })
    }

    /// The bracket that closes the one at `open`.
    fn closing(self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Punct(b'(' | b'[' | b'{') => depth += 1,
                Kind::Punct(b')' | b']' | b'}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The `>` that ends the template arguments that begin at `open`.
    fn template_end(self, open: usize) -> Option<usize> {
        let (mut depth, mut index) = (0_usize, open);
        while let Some(token) = self.tokens.get(index) {
            match token.kind {
                Kind::Punct(b'<') => depth += 1,
                Kind::Punct(b'>') if self.is(index.wrapping_sub(1), b'-') => {}
                Kind::Punct(b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                Kind::Punct(b'(' | b'[' | b'{') => index = self.closing(index)?,
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// The text of a string literal, split or wrapped as registrations allow.
    pub(super) fn literal(self) -> Option<Box<str>> {
        const WRAPPERS: [&str; 5] = [
            "TORCH_SELECTIVE_NAME",
            "TORCH_SELECTIVE_SCHEMA",
            "schema",
            "string",
            "OperatorName",
        ];
        if let Some(call) = self.call() {
            let first = call.arguments.arguments().into_iter().next()?;
            return if WRAPPERS.contains(&call.name) {
                first.literal()
            } else {
                None
            };
        }
        let mut text = String::new();
        for token in self.tokens {
            if token.kind != Kind::String {
                return None;
            }
            unquote(token.text(self.source), &mut text);
        }
        (!self.tokens.is_empty()).then(|| text.into())
    }

    /// The operator's name that a schema begins with, if its first part is a literal.
    pub(super) fn beginning(self) -> Option<Box<str>> {
        let first = self
            .tokens
            .iter()
            .position(|token| token.kind != Kind::String)?;
        let text = self.part(0, first).literal()?;
        let (name, _) = text.split_once('(')?;
        Some(name.into())
    }

    /// The variable that this is, `.c_str()` and casts to a string ignored.
    pub(super) fn variable(self) -> Option<&'s str> {
        let name = self.word(0)?;
        match self.tokens.len() {
            1 => Some(name),
            5 if self.is(1, b'.') && matches!(self.word(2), Some("c_str" | "data")) => Some(name),
            _ => {
                let call = self.call()?;
                (call.name == "string").then(|| call.arguments.variable())?
            }
        }
    }

    /// The dispatch key that this names: `c10::DispatchKey::CPU`, `torch::kCUDA`,
    /// `c10::DeviceType::XLA`.
    pub(super) fn key(self) -> Option<&'s str> {
        let is_path = |token: &Token| matches!(token.kind, Kind::Word | Kind::Punct(b':'));
        if self.tokens.is_empty() || !self.tokens.iter().all(is_path) {
            return None;
        }
        let mut words = self.tokens.iter().filter(|token| token.kind == Kind::Word);
        let last = words.next_back()?.text(self.source);
        match words.next_back().map(|token| token.text(self.source)) {
            Some("DispatchKey") => Some(canonical_key(last)),
            Some("DeviceType") => device_key(last),
            _ if last.starts_with('k') => device_key(last),
            _ => None,
        }
    }

    /// The function behind what wraps it.
    pub(super) fn kernel(self) -> Kernel {
        let mut kernel = Kernel::default();
        let mut rest = self;
        // Each turn takes a wrapper off.
        while let Some(inner) = rest.unwrapped(&mut kernel) {
            rest = inner;
        }
        if !kernel.fallthrough {
            kernel.function = if rest.is(0, b'[') {
                Some("lambda".into())
            } else {
                rest.shown()
            };
        }
        kernel
    }

    fn unwrapped(self, kernel: &mut Kernel) -> Option<Self> {
        let last = self.tokens.len().checked_sub(1)?;
        if self.is(0, b'&') {
            return Some(self.part(1, last + 1));
        }
        if self.is(0, b'(') && self.closing(0) == Some(last) {
            return Some(self.part(1, last));
        }
        let call = self.call()?;
        match call.name {
            "makeFallthrough" => {
                kernel.fallthrough = true;
                None
            }
            "dispatch" => {
                let arguments = call.arguments.arguments();
                kernel.key = arguments.first()?.key().map(Into::into);
                let first = arguments.get(1)?;
                // Template arguments of the kernel were split too.
                let from = last - first.tokens.len();
                let after = arguments.iter().skip(2);
                let more: usize = after.map(|a| a.tokens.len() + 1).sum();
                Some(self.part(from - more, last))
            }
            "makeFromBoxedFunction" if call.arguments.tokens.is_empty() => {
                kernel.boxed = true;
                Some(call.template)
            }
            "TORCH_FN"
            | "TORCH_BOX"
            | "static_cast"
            | "CppFunction"
            | "move"
            | "makeFromBoxedFunction"
            | "makeFromUnboxedFunction"
            | "makeFromUnboxedLambda"
            | "makeFromBoxedFunctor" => Some(call.arguments),
            _ => None,
        }
    }

    /// Whether this is a chain of options: `RegisterOperators::options().kernel<...>(...)`.
    pub(super) fn is_options(self) -> bool {
        let mut words = self.tokens.iter().filter(|token| token.kind == Kind::Word);
        words.any(|token| token.text(self.source) == "options")
    }

    /// What a chain of options names.
    pub(super) fn options(self) -> Options {
        let mut options = Options::default();
        for index in 0..self.tokens.len() {
            let Some(word) = self.word(index) else {
                continue;
            };
            if word == "schema" && self.is(index + 1, b'(') {
                let close = self.closing(index + 1).unwrap_or(index + 1);
                options.schema = self.part(index + 2, close).literal();
            }
            if word == "DispatchKey" {
                let key = self.part(index, index + 4).key();
                options.key = options.key.or(key.map(Into::into));
            }
            let takes_function = matches!(word, "kernel" | "catchAllKernel");
            if takes_function && self.is(index + 1, b'<') {
                let end = self.template_end(index + 1).unwrap_or(index + 1);
                let arguments = self.part(index + 2, end).arguments();
                options.kernel = arguments.last().and_then(|last| last.kernel().function);
            }
        }
        options
    }

    /// Whether these are the tags of a definition: `{at::Tag::core}`, or a variable for them.
    pub(super) fn is_tags(self) -> bool {
        let mut words = self.tokens.iter().filter(|token| token.kind == Kind::Word);
        let is_tag = |token: &Token| matches!(token.text(self.source), "Tag" | "tags" | "tags_");
        self.is(0, b'{') || words.any(is_tag)
    }

    /// The text without blanks and comments.
    pub(super) fn shown(self) -> Option<Box<str>> {
        let mut text = String::new();
        let mut last = None;
        for token in self.tokens {
            if text.len() > LONGEST {
                text.truncate(text.floor_char_boundary(LONGEST));
                text.push_str("...");
                break;
            }
            if last == Some(Kind::Word) && token.kind == Kind::Word {
                text.push(' ');
            }
            text.push_str(token.text(self.source));
            last = Some(token.kind);
        }
        (!text.is_empty()).then(|| text.into())
    }

    /// All tokens with blanks between them.
    pub(super) fn spaced(self) -> String {
        let texts = self.tokens.iter().map(|token| token.text(self.source));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The argument of a macro as text: an identifier, a path or the contents of a literal.
    pub(super) fn macro_argument(self) -> Option<Box<str>> {
        self.literal().or_else(|| {
            let is_plain = |token: &Token| !matches!(token.kind, Kind::String);
            self.tokens.iter().all(is_plain).then(|| self.shown())?
        })
    }
}

/// Adds the contents of a literal with its quotes.
fn unquote(literal: &str, text: &mut String) {
    let start = literal.find('"').unwrap_or(0);
    let (prefix, body) = literal.split_at(start);
    if prefix.ends_with('R') {
        let inner = body
            .split_once('(')
            .and_then(|(_, rest)| rest.rsplit_once(')'));
        text.push_str(inner.map_or("", |(inner, _)| inner));
        return;
    }
    let body = body.strip_prefix('"').unwrap_or(body);
    let mut chars = body.strip_suffix('"').unwrap_or(body).chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('\n' | '\r') | None => {}
            Some(other) => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::lex;
    use super::*;

    fn with<T>(source: &str, test: impl FnOnce(Expression<'_>) -> T) -> T {
        let lexed = lex(source);
        test(Expression {
            source,
            tokens: &lexed.tokens,
        })
    }

    fn kernel(source: &str) -> (Option<Box<str>>, bool, Option<Box<str>>) {
        let found = with(source, |e| e.kernel());
        (found.function, found.fallthrough, found.key)
    }

    #[test]
    fn kernels_lose_what_wraps_them() {
        let functions = [
            ("f", "f"),
            ("&ns::f", "ns::f"),
            ("TORCH_FN(f)", "f"),
            ("TORCH_FN((&ns::f<a, 2>))", "ns::f<a,2>"),
            ("TORCH_FN(f<false>)", "f<false>"),
            ("torch::CppFunction::makeFromBoxedFunction<&g>()", "g"),
            ("torch::CppFunction::makeFromUnboxedFunction(g)", "g"),
            ("static_cast<Tensor (*)(const Tensor&, int)>(&f)", "f"),
            ("[](Tensor a) { return a; }", "lambda"),
            ("TORCH_BOX(&f)", "f"),
        ];
        for (source, function) in functions {
            assert_eq!(
                kernel(source),
                (Some(function.into()), false, None),
                "{source}"
            );
        }
        let through = "torch::CppFunction::makeFallthrough()";
        assert_eq!(kernel(through), (None, true, None));
        let keyed = "torch::dispatch(c10::DispatchKey::XLA, TORCH_FN(f))";
        assert_eq!(kernel(keyed), (Some("f".into()), false, Some("XLA".into())));
        let keyed = "torch::dispatch(at::kCUDA, f<a, b>)";
        assert_eq!(
            kernel(keyed),
            (Some("f<a,b>".into()), false, Some("CUDA".into()))
        );
    }

    #[test]
    fn literals_are_joined_and_unwrapped() {
        let cases = [
            ("\"a(\" /* c */ \"int b)\"", Some("a(int b)")),
            ("TORCH_SELECTIVE_NAME(\"aten::x\")", Some("aten::x")),
            ("torch::schema(\"x() -> ()\", 1)", Some("x() -> ()")),
            ("R\"(a\nb)\"", Some("a\nb")),
            ("\"a::\" NAME", None),
            ("name", None),
        ];
        for (source, literal) in cases {
            assert_eq!(with(source, |e| e.literal()).as_deref(), literal);
        }
    }

    #[test]
    fn keys_have_several_spellings() {
        let cases = [
            (
                "c10::DispatchKey::CatchAll",
                Some("CompositeImplicitAutograd"),
            ),
            ("DispatchKey::AutogradXLA", Some("AutogradXLA")),
            ("torch::kPrivateUse1", Some("PrivateUse1")),
            ("c10::DeviceType::XLA", Some("XLA")),
            ("fn", None),
            ("&kFn", None),
        ];
        for (source, key) in cases {
            assert_eq!(
                with(source, |e| e.key().map(Box::<str>::from)).as_deref(),
                key
            );
        }
    }
}
