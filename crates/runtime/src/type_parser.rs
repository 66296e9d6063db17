//! Reads types and alias annotations (`schema_type_parser.cpp`).

use opatlas_source::suggest::nearest;
use opatlas_source::{Span, message};

use super::alias::{Alias, Symbol, SymbolSet};
use super::lexer::Token;
use super::parser::{MAX_DEPTH, Parsed, Parser};
use super::types::{Base, Type};
use super::{rule, type_variables, union};

/// Unification compares each member with each.
const MAX_UNION: usize = 64;

/// Each set is searched for among all.
const MAX_SETS: usize = 64;

type Annotated<'a> = (Type<'a>, Option<Alias<'a>>);

impl<'a> Parser<'a, '_> {
    pub(super) fn annotated_type(&mut self) -> Parsed<Annotated<'a>> {
        self.type_at(0)
    }

    fn type_at(&mut self, depth: usize) -> Parsed<Annotated<'a>> {
        let start = self.current.span.start;
        if depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let (mut ty, mut alias) = self.type_without_suffix(depth)?;
        let mut suffixes = 0;
        loop {
            if suffixes > MAX_DEPTH {
                return Err(self.too_deep());
            }
            suffixes += 1;
            match self.current.kind {
                Token::Punct(b'[') if self.peek() == Token::Punct(b']') => {
                    self.advance();
                    self.advance();
                    ty = Type::List(Box::new(ty));
                    alias = Alias::of_list(self.alias_annotation()?, alias);
                }
                Token::Punct(b'?') => {
                    self.advance();
                    ty = self.optional(ty, start)?;
                }
                _ => return Ok((ty, alias)),
            }
        }
    }

    fn type_without_suffix(&mut self, depth: usize) -> Parsed<Annotated<'a>> {
        let span = self.current.span;
        match self.current.kind {
            Token::Punct(b'(') => {
                self.advance();
                let members = self.members(depth)?;
                return Ok((Type::Tuple(members), None));
            }
            Token::None | Token::NoneType => {
                self.advance();
                return Ok((Type::Base(Base::None), self.alias_annotation()?));
            }
            Token::Ident => {}
            _ => {
                let message = message!("expected a type, found {}", self.found());
                return Err(self.error(rule::SYNTAX, span, message));
            }
        }
        match self.identifier()? {
            "Future" => Ok((Type::Future(self.single_part(depth)?), None)),
            "Await" => Ok((Type::Await(self.single_part(depth)?), None)),
            "RRef" => Ok((Type::RRef(self.single_part(depth)?), None)),
            "Dict" => Ok((
                self.dictionary(depth, span.start)?,
                self.alias_annotation()?,
            )),
            "Union" => Ok((self.union(depth, span.start)?, self.alias_annotation()?)),
            "__torch__" => Ok((self.custom_class()?, None)),
            name => Ok((self.base_or_variable(name, span)?, self.alias_annotation()?)),
        }
    }

    fn base_or_variable(&self, name: &'a str, span: Span) -> Parsed<Type<'a>> {
        if let Some(base) = Base::named(name) {
            return Ok(Type::Base(base));
        }
        if self.variables.accept(name) {
            return Ok(Type::Variable(name));
        }
        let message = message!("unknown type `{}`", name);
        let mut diagnostic = self.error(rule::TYPE, span, message);
        diagnostic.help = type_variables::replacement(name)
            .map(Into::into)
            .or_else(|| {
                let near = nearest(name, Base::NAMES.split(' '));
                near.map(|near| message!("did you mean `{}`?", near))
            });
        Err(diagnostic)
    }

    fn members(&mut self, depth: usize) -> Parsed<Vec<Type<'a>>> {
        let mut members = Vec::new();
        if self.eat(Token::Punct(b')')) {
            return Ok(members);
        }
        loop {
            members.push(self.part(depth)?);
            if !self.eat(Token::Punct(b',')) {
                self.expect(Token::Punct(b')'))?;
                return Ok(members);
            }
        }
    }

    fn part(&mut self, depth: usize) -> Parsed<Type<'a>> {
        let (ty, _) = self.type_at(depth + 1)?;
        Ok(ty.into_erased())
    }

    fn single_part(&mut self, depth: usize) -> Parsed<Box<Type<'a>>> {
        self.expect(Token::Punct(b'('))?;
        let part = self.part(depth)?;
        self.expect(Token::Punct(b')'))?;
        Ok(Box::new(part))
    }

    fn dictionary(&mut self, depth: usize, start: u32) -> Parsed<Type<'a>> {
        self.expect(Token::Punct(b'('))?;
        let key = self.part(depth)?;
        self.expect(Token::Punct(b','))?;
        let value = self.part(depth)?;
        let end = self.expect(Token::Punct(b')'))?.span.end;
        let is_key = matches!(
            key,
            Type::Base(
                Base::Any
                    | Base::Int
                    | Base::Bool
                    | Base::Float
                    | Base::Complex
                    | Base::Str
                    | Base::Tensor
                    | Base::Device
            )
        );
        if !is_key {
            let message = message!("`{}` cannot be the key type of a dictionary", key);
            return Err(self.error(rule::TYPE, Span::new(start, end), message));
        }
        Ok(Type::Dict(Box::new((key, value))))
    }

    fn union(&mut self, depth: usize, start: u32) -> Parsed<Type<'a>> {
        self.expect(Token::Punct(b'('))?;
        let mut members = vec![self.part(depth)?];
        while !self.eat(Token::Punct(b')')) {
            if members.len() == MAX_UNION {
                let message = message!("a union can have at most {} members", MAX_UNION);
                return Err(self.error(rule::LIMIT, self.current.span, message));
            }
            self.expect(Token::Punct(b','))?;
            members.push(self.part(depth)?);
        }
        union::union(members).map_err(|_| self.single_member(start))
    }

    fn custom_class(&mut self) -> Parsed<Type<'a>> {
        for part in ["torch", "classes"] {
            self.expect(Token::Punct(b'.'))?;
            let span = self.current.span;
            if self.identifier()? != part {
                let message = "write a custom class as `__torch__.torch.classes.NAMESPACE.NAME`";
                return Err(self.error(rule::TYPE, span, message));
            }
        }
        self.expect(Token::Punct(b'.'))?;
        let start = self.current.span;
        let namespace = self.identifier()?;
        self.expect(Token::Punct(b'.'))?;
        let span = start.to(self.current.span);
        let name = self.identifier()?;
        if !self.classes.contain(namespace, name) {
            let message = message!("no custom class `{}.{}` is defined", namespace, name);
            let mut error = self.error(rule::TYPE, span, message);
            let help = message!(
                "name it among the classes that the library defines: `{}.{}`",
                namespace,
                name
            );
            error.help = Some(help);
            return Err(error);
        }
        Ok(Type::Class { namespace, name })
    }

    /// Reads `(a! -> a|b)` or a bare `!`, if there is one.
    pub(super) fn alias_annotation(&mut self) -> Parsed<Option<Alias<'a>>> {
        if self.eat(Token::Punct(b'!')) {
            let mut alias = Alias {
                is_write: true,
                ..Alias::default()
            };
            alias.before.insert(Symbol::Fresh(self.fresh_sets));
            self.fresh_sets += 1;
            return Ok(Some(alias));
        }
        if !self.eat(Token::Punct(b'(')) {
            return Ok(None);
        }
        let before = self.alias_sets()?;
        let is_write = self.eat(Token::Punct(b'!'));
        let after = if self.eat(Token::Arrow) {
            self.alias_sets()?
        } else {
            before.clone()
        };
        self.expect(Token::Punct(b')'))?;
        Ok(Some(Alias {
            is_write,
            before,
            after,
            contained: None,
        }))
    }

    fn alias_sets(&mut self) -> Parsed<SymbolSet<'a>> {
        let mut sets = SymbolSet::default();
        loop {
            if self.eat(Token::Punct(b'*')) {
                sets.insert(Symbol::Wildcard);
            } else if !sets.as_slice().contains(&Symbol::Wildcard) {
                sets.insert(Symbol::Named(self.identifier()?));
            }
            if !self.eat(Token::Punct(b'|')) {
                return Ok(sets);
            }
            if sets.as_slice().len() == MAX_SETS {
                let message = message!("an annotation can name at most {} alias sets", MAX_SETS);
                return Err(self.error(rule::LIMIT, self.current.span, message));
            }
        }
    }

    fn too_deep(&self) -> Box<opatlas_source::diagnostic::Diagnostic> {
        let message = message!("types are nested more than {} levels deep", MAX_DEPTH);
        self.error(rule::LIMIT, self.current.span, message)
    }
}
