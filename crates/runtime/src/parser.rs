//! Reads a schema's name, arguments and returns (`function_schema_parser.cpp`;
//! `docs/spec/compatibility.md`, section 2.0).

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, message};

use super::alias::Alias;
use super::classes::Classes;
use super::lexer::{Lexed, Lexer, Token};
use super::schema::{Argument, DEFAULT_NAMESPACE, RuntimeSchema};
use super::type_variables::TypeVariables;
use super::types::Type;
use super::{number, rule, union};

/// The maximum length of a text in bytes, ten times the longest schema of PyTorch. Keeps
/// comparisons of adversarial types cheap.
pub const MAX_TEXT: usize = 16 * 1024;

/// For brackets and for suffixes.
pub(super) const MAX_DEPTH: usize = 32;

pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads a schema like `torch._C.parse_schema` of torch 2.9.0, except that custom classes need not
/// be registered, and length and depth are bounded. [`parse_definition`] reads one like `m.def`.
///
/// # Errors
///
/// One diagnostic for a syntax error; otherwise one for each breach of the rules for defaults.
///
/// ```
/// let schema = opatlas_runtime::parse("relu(Tensor self) -> Tensor").unwrap();
/// assert_eq!(schema.canonical(), "aten::relu(Tensor self) -> Tensor");
/// ```
pub fn parse(text: &str) -> Result<RuntimeSchema<'_>, Vec<Diagnostic>> {
    parse_with(text, Classes::Any)
}

/// Like [`parse`], but also fails on a custom class that is not among `classes`.
pub fn parse_with<'a>(
    text: &'a str,
    classes: Classes<'_>,
) -> Result<RuntimeSchema<'a>, Vec<Diagnostic>> {
    read(text, classes, TypeVariables::Accepted)
}

/// Reads the schema of a definition, as `m.def` and `torch.library` of a release do. Since 2.4,
/// they refuse type variables outside of the namespaces `aten` and `prim`.
///
/// # Errors
///
/// Returns the errors of [`parse_with`], and an error for a refused type variable.
///
/// ```
/// use opatlas_pytorch::release::Release;
/// use opatlas_runtime::{Classes, parse_definition};
///
/// let errors = parse_definition("tilt(int64_t n) -> ()", Classes::Any, Release::V2_9).unwrap_err();
/// assert_eq!(&*errors[0].message, "unknown type `int64_t`");
/// ```
pub fn parse_definition<'a>(
    text: &'a str,
    classes: Classes<'_>,
    release: Release,
) -> Result<RuntimeSchema<'a>, Vec<Diagnostic>> {
    read(text, classes, TypeVariables::of_definition(text, release))
}

fn read<'a>(
    text: &'a str,
    classes: Classes<'_>,
    variables: TypeVariables,
) -> Result<RuntimeSchema<'a>, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT {
        let message = message!("a schema can have at most {} bytes", MAX_TEXT);
        let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        return Err(vec![Diagnostic::new(rule::LIMIT, whole, message)]);
    }
    let schema = Parser::new(text, classes, variables)
        .declaration()
        .map_err(|diagnostic| vec![*diagnostic])?;
    let breaches = order_breaches(&schema);
    if breaches.is_empty() {
        Ok(schema)
    } else {
        Err(breaches)
    }
}

pub(super) struct Parser<'a, 'c> {
    text: &'a str,
    pub(super) classes: Classes<'c>,
    pub(super) variables: TypeVariables,
    lexer: Lexer<'a>,
    pub(super) current: Lexed,
    previous_end: u32,
    pub(super) fresh_sets: u32,
}

impl<'a, 'c> Parser<'a, 'c> {
    fn new(text: &'a str, classes: Classes<'c>, variables: TypeVariables) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next();
        Self {
            text,
            classes,
            variables,
            lexer,
            current,
            previous_end: 0,
            fresh_sets: 0,
        }
    }

    fn declaration(&mut self) -> Parsed<RuntimeSchema<'a>> {
        let (namespace, name, overload) = self.name()?;
        let has_namespace = namespace.is_some();
        let namespace = namespace.unwrap_or(DEFAULT_NAMESPACE);
        if self.current.kind == Token::End {
            return Err(self.error(
                rule::SYNTAX,
                self.current.span,
                "expected `(` and arguments after the name",
            ));
        }
        let (arguments, is_vararg) = self.arguments()?;
        self.expect(Token::Arrow)?;
        let (returns, is_varret) = self.returns()?;
        self.eat(Token::Newline);
        self.expect(Token::End)?;
        Ok(RuntimeSchema {
            namespace,
            has_namespace,
            name,
            overload,
            arguments,
            returns,
            is_vararg,
            is_varret,
        })
    }

    fn name(&mut self) -> Parsed<(Option<&'a str>, &'a str, &'a str)> {
        let mut namespace = None;
        let mut name = self.identifier()?;
        if self.eat(Token::Punct(b':')) {
            self.expect(Token::Punct(b':'))?;
            namespace = Some(name);
            name = self.identifier()?;
        }
        if !self.eat(Token::Punct(b'.')) {
            return Ok((namespace, name, ""));
        }
        let span = self.current.span;
        let overload = self.identifier()?;
        if overload == "default" || overload.starts_with("__") {
            let message = message!("`{}` is not allowed as an overload name", overload);
            return Err(self.error(rule::SYNTAX, span, message));
        }
        Ok((namespace, name, overload))
    }

    fn arguments(&mut self) -> Parsed<(Vec<Argument<'a>>, bool)> {
        /// Enough for 94 % of the entries of 2.15.0.
        const ROOM: usize = 8;
        let mut arguments = Vec::with_capacity(ROOM);
        let (mut is_kwarg_only, mut is_vararg) = (false, false);
        self.expect(Token::Punct(b'('))?;
        if self.eat(Token::Punct(b')')) {
            return Ok((arguments, is_vararg));
        }
        loop {
            self.nothing_after_dots(is_vararg)?;
            if self.eat(Token::Punct(b'*')) {
                is_kwarg_only = true;
            } else if self.eat(Token::Dots) {
                is_vararg = true;
            } else {
                arguments.push(self.argument(Place::Argument { is_kwarg_only })?);
            }
            if !self.eat(Token::Punct(b',')) {
                self.expect(Token::Punct(b')'))?;
                return Ok((arguments, is_vararg));
            }
        }
    }

    fn returns(&mut self) -> Parsed<(Vec<Argument<'a>>, bool)> {
        let (mut returns, mut is_varret) = (Vec::new(), false);
        if self.eat(Token::Dots) {
            return Ok((returns, true));
        }
        if !self.eat(Token::Punct(b'(')) {
            returns.push(self.argument(Place::Return)?);
            return Ok((returns, is_varret));
        }
        if self.eat(Token::Punct(b')')) {
            return Ok((returns, is_varret));
        }
        loop {
            self.nothing_after_dots(is_varret)?;
            if self.eat(Token::Dots) {
                is_varret = true;
            } else {
                returns.push(self.argument(Place::Return)?);
            }
            if !self.eat(Token::Punct(b',')) {
                self.expect(Token::Punct(b')'))?;
                return Ok((returns, is_varret));
            }
        }
    }

    fn nothing_after_dots(&self, dots_seen: bool) -> Parsed<()> {
        if dots_seen {
            return Err(self.error(rule::SYNTAX, self.current.span, "`...` must be last"));
        }
        Ok(())
    }

    fn argument(&mut self, place: Place) -> Parsed<Argument<'a>> {
        let start = self.current.span.start;
        let (mut ty, mut alias) = self.annotated_type()?;
        let mut size = None;
        if self.eat(Token::Punct(b'[')) {
            (ty, alias, size) = self.sized_list(ty, alias)?;
        }
        let (mut name, mut default, mut kwarg_only) = ("", None, false);
        match place {
            Place::Return if self.current.kind == Token::Ident => name = self.identifier()?,
            Place::Return => {}
            Place::Argument { is_kwarg_only } => {
                kwarg_only = is_kwarg_only;
                name = self.identifier()?;
                if self.eat(Token::Punct(b'=')) {
                    default = Some(self.default(&ty, size)?);
                }
            }
        }
        Ok(Argument {
            name,
            ty,
            size,
            default,
            is_kwarg_only: kwarg_only,
            alias: alias.map(Box::new),
            span: Span::new(start, self.previous_end),
        })
    }

    /// Only an argument or a return may be a sized list.
    fn sized_list(&mut self, element: Type<'a>, alias: Option<Alias<'a>>) -> Parsed<SizedList<'a>> {
        let number = self.expect(Token::Number)?;
        let size = number::integer(self.slice(number.span)).map_err(|_| {
            self.error(
                rule::SYNTAX,
                number.span,
                "the PyTorch runtime cannot represent this size",
            )
        })?;
        self.expect(Token::Punct(b']'))?;
        let alias = Alias::of_list(self.alias_annotation()?, alias);
        let mut ty = Type::List(Box::new(element));
        if self.eat(Token::Punct(b'?')) {
            ty = Type::Optional(Box::new(ty));
        }
        // PyTorch assigns a 64-bit number to a 32-bit one.
        let [a, b, c, d, ..] = size.to_le_bytes();
        Ok((ty, alias, Some(i32::from_le_bytes([a, b, c, d]))))
    }

    pub(super) fn identifier(&mut self) -> Parsed<&'a str> {
        let token = self.expect(Token::Ident)?;
        Ok(self.slice(token.span))
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        span.slice(self.text)
    }

    pub(super) fn advance(&mut self) -> Lexed {
        let token = std::mem::replace(&mut self.current, self.lexer.next());
        self.previous_end = token.span.end;
        token
    }

    pub(super) fn eat(&mut self, kind: Token) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Token) -> Parsed<Lexed> {
        if self.current.kind == kind {
            return Ok(self.advance());
        }
        let message = message!("expected {}, found {}", wanted(kind), self.found());
        let mut error = self.error(rule::SYNTAX, self.current.span, message);
        error.help = help(kind).map(Into::into);
        Err(error)
    }

    pub(super) fn peek(&self) -> Token {
        self.lexer.clone().next().kind
    }

    pub(super) fn found(&self) -> Message {
        match self.current.kind {
            Token::End => "the end".into(),
            Token::Newline => "a line break".into(),
            _ => Message::code(self.slice(self.current.span)),
        }
    }

    pub(super) fn error(
        &self,
        rule: RuleId,
        span: Span,
        message: impl Into<Message>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(rule, span, message))
    }

    pub(super) fn optional(&self, inner: Type<'a>, start: u32) -> Parsed<Type<'a>> {
        union::optional(inner).map_err(|_| self.single_member(start))
    }

    pub(super) fn single_member(&self, start: u32) -> Box<Diagnostic> {
        let span = Span::new(start, self.previous_end);
        let message = "all members of this union have the same type; write that type instead";
        self.error(rule::TYPE, span, message)
    }
}

type SizedList<'a> = (Type<'a>, Option<Alias<'a>>, Option<i32>);

#[derive(Clone, Copy)]
enum Place {
    Argument { is_kwarg_only: bool },
    Return,
}

fn wanted(kind: Token) -> Message {
    match kind {
        Token::Ident => "a name".into(),
        Token::Number => "a number".into(),
        Token::Str => "a string".into(),
        Token::None => "`None`".into(),
        Token::Arrow => "`->`".into(),
        Token::End => "the end".into(),
        Token::Punct(byte) => message!("`{}`", char::from(byte)),
        _ => "another token".into(),
    }
}

fn help(kind: Token) -> Option<&'static str> {
    Some(match kind {
        Token::Ident => {
            "an argument is a type and a name, such as `Tensor self`; keywords of TorchScript \
             cannot be names"
        }
        Token::None => "the default of this type can only be `None`",
        Token::Str => "put the value in quotes",
        Token::Arrow => {
            "end the arguments with `)` and write `->` and the returns; `-> ()` for none"
        }
        Token::Punct(b')') => "put `,` between two arguments and `)` behind the last",
        Token::End => "remove what follows the schema",
        _ => return None,
    })
}

/// After a positional argument with a default, others need one too, except plain lists; with `...`
/// there may be no defaults (`FunctionSchema::checkSchema`).
fn order_breaches(schema: &RuntimeSchema<'_>) -> Vec<Diagnostic> {
    let mut breaches = Vec::new();
    let mut first_default = None;
    for argument in &schema.arguments {
        if argument.default.is_some() {
            first_default = first_default.or(Some(argument.span));
            if schema.is_vararg {
                let message = message!(
                    "argument `{}` has a default, which is not allowed in a schema with `...`",
                    argument.name
                );
                breaches.push(
                    Diagnostic::new(rule::ORDER, argument.span, message)
                        .with_help("remove the default or the `...`"),
                );
            }
        } else if let Some(first) = first_default
            && !argument.is_kwarg_only
            && !matches!(argument.ty, Type::List(_))
        {
            let message = message!(
                "argument `{}` has no default, but follows a positional argument with a default",
                argument.name
            );
            let breach = Diagnostic::new(rule::ORDER, argument.span, message)
                .with_help("give it a default, move it forward, or put `*` before it")
                .with_related("first default here", first);
            breaches.push(breach);
        }
    }
    breaches
}
