//! Reads and evaluates defaults (`parseDefaultValue` in `function_schema_parser.cpp`;
//! `docs/spec/compatibility.md`, section 2.3).

use std::borrow::Cow;

use opatlas_source::{Span, message};

use super::lexer::Token;
use super::number::{self, NumberError};
use super::parser::{Parsed, Parser};
use super::rule;
use super::types::{Base, Type};
use super::value::{Device, List, Value};

const MAX_SPREAD: usize = 65_536;

impl<'a> Parser<'a, '_> {
    pub(super) fn default(&mut self, ty: &Type<'a>, size: Option<i32>) -> Parsed<Value<'a>> {
        match (ty, ty.erased_base()) {
            (_, Some(Base::Tensor | Base::Generator | Base::Quantizer)) => {
                self.expect(Token::None)?;
                Ok(Value::None)
            }
            (_, Some(Base::Device)) => self.device(),
            (Type::Optional(_), _)
            | (
                _,
                Some(
                    Base::Str | Base::Scalar | Base::Int | Base::Bool | Base::Float | Base::Complex,
                ),
            ) => self.constant(ty),
            (Type::List(element), _) => self.list_default(element, size),
            _ => {
                let message = message!("an argument of type `{}` cannot have a default", ty);
                Err(self.error(rule::DEFAULT, self.current.span, message))
            }
        }
    }

    fn device(&mut self) -> Parsed<Value<'a>> {
        let token = self.expect(Token::Str)?;
        let bytes = self.string(token.span)?;
        Device::parse(&bytes)
            .map(Value::Device)
            .ok_or_else(|| self.error(rule::DEFAULT, token.span, "expected a device"))
    }

    /// Most kinds of constants are accepted for most types.
    fn constant(&mut self, ty: &Type<'a>) -> Parsed<Value<'a>> {
        let token = self.current;
        match token.kind {
            Token::True => self.keyword(Value::Bool(true)),
            Token::False => self.keyword(Value::Bool(false)),
            Token::None => self.keyword(Value::None),
            Token::Str => {
                self.advance();
                self.string(token.span).map(Value::Str)
            }
            Token::Ident => {
                self.advance();
                let word = self.slice(token.span);
                match named_constant(word, ty) {
                    Some(number) => Ok(Value::Int(number)),
                    None => {
                        let message = message!("unknown default `{}`", word);
                        Err(self.error(rule::DEFAULT, token.span, message))
                    }
                }
            }
            _ => self.number(ty),
        }
    }

    fn keyword(&mut self, value: Value<'a>) -> Parsed<Value<'a>> {
        self.advance();
        Ok(value)
    }

    /// A number: complex for a `complex` argument or with a `j`; otherwise a float for a `float` or
    /// with a point or an `e` anywhere; otherwise an integer.
    fn number(&mut self, ty: &Type<'a>) -> Parsed<Value<'a>> {
        let start = self.current.span.start;
        let minus = self.eat(Token::Punct(b'-'));
        let token = self.expect(Token::Number)?;
        let digits = self.slice(token.span);
        let text = if minus {
            Cow::Owned(format!("-{digits}"))
        } else {
            Cow::Borrowed(digits)
        };
        let base = ty.erased_base();
        let value = if base == Some(Base::Complex) || text.contains('j') {
            // PyTorch takes the last character for the `j`, whatever it is.
            let cut = text.get(..text.len() - 1).unwrap_or("");
            number::float(cut).map(Value::Imaginary)
        } else if base == Some(Base::Float) || text.contains(['.', 'e']) {
            number::float(&text).map(Value::Float)
        } else {
            number::integer(&text).map(Value::Int)
        };
        value.map_err(|error| {
            let message = match error {
                NumberError::OutOfRange => message!("`{}` is out of range", text),
                NumberError::NoDigits => {
                    message!("`{}` is not a valid number for the PyTorch runtime", text)
                }
            };
            let span = Span::new(start, token.span.end);
            self.error(rule::DEFAULT, span, message)
        })
    }

    fn list_default(&mut self, element: &Type<'a>, size: Option<i32>) -> Parsed<Value<'a>> {
        let start = self.current.span;
        if self.current.kind == Token::Ident {
            let message = message!("the default of a list cannot be `{}`", self.slice(start));
            return Err(self.error(rule::DEFAULT, start, message));
        }
        let opens_list = self.current.kind == Token::Punct(b'[');
        let values = match size {
            Some(size) if !opens_list => {
                let value = self.constant(element)?;
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                if size > MAX_SPREAD {
                    let message =
                        message!("a single default cannot fill a list of {} values", size);
                    return Err(self.error(rule::LIMIT, start, message));
                }
                typed_list(element, &List::Repeated(value, size))
            }
            _ => typed_list(element, &List::Written(self.constants(element)?)),
        };
        let span = start.to(Span::at(self.current.span.start));
        values.ok_or_else(|| {
            let message = message!("invalid default for a list of `{}`", element);
            self.error(rule::DEFAULT, span, message)
        })
    }

    fn constants(&mut self, element: &Type<'a>) -> Parsed<Vec<Value<'a>>> {
        self.expect(Token::Punct(b'['))?;
        let mut values = Vec::new();
        if self.eat(Token::Punct(b']')) {
            return Ok(values);
        }
        loop {
            values.push(self.constant(element)?);
            if !self.eat(Token::Punct(b',')) {
                self.expect(Token::Punct(b']'))?;
                return Ok(values);
            }
        }
    }

    /// `parse_string_literal.h`
    fn string(&self, span: Span) -> Parsed<Cow<'a, [u8]>> {
        let text = self.slice(span);
        let quote = text.get(..1).unwrap_or("");
        let quotes = if text.starts_with(&quote.repeat(3)) {
            3
        } else {
            1
        };
        let inner = text.get(quotes..text.len() - quotes).unwrap_or("");
        if !inner.contains('\\') {
            return Ok(Cow::Borrowed(inner.as_bytes()));
        }
        unescaped(inner.as_bytes()).map(Cow::Owned).ok_or_else(|| {
            self.error(
                rule::DEFAULT,
                span,
                "the PyTorch runtime does not support this string escape",
            )
        })
    }
}

fn unescaped(inner: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [first, tail @ ..] = rest {
        if *first != b'\\' {
            out.push(*first);
            rest = tail;
            continue;
        }
        let (escape, tail) = tail.split_first()?;
        rest = tail;
        out.push(match escape {
            b'\\' | b'\'' | b'"' | b'\n' => *escape,
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'v' => 0x0b,
            b't' => b'\t',
            b'0'..=b'7' => {
                let ([second, third], tail) = rest.split_first_chunk::<2>()?;
                rest = tail;
                octal([*escape, *second, *third])?
            }
            _ => return None,
        });
    }
    Some(out)
}

fn octal(digits: [u8; 3]) -> Option<u8> {
    let value = digits.into_iter().try_fold(0_u16, |value, digit| {
        let digit = char::from(digit).to_digit(8)?;
        Some(value * 8 + u16::try_from(digit).ok()?)
    })?;
    u8::try_from(value).ok()
}

/// `None` if torch cannot make such a list from single values.
fn typed_list<'a>(element: &Type<'a>, values: &List<Value<'a>>) -> Option<Value<'a>> {
    match element.erased_base()? {
        Base::Int => values
            .of_kind(|value| match value {
                Value::Int(value) => Some(*value),
                _ => None,
            })
            .map(Value::Ints),
        Base::Float => values
            .of_kind(|value| match value {
                Value::Float(value) => Some(*value),
                _ => None,
            })
            .map(Value::Floats),
        Base::Complex => values
            .of_kind(|value| match value {
                Value::Imaginary(value) => Some(*value),
                _ => None,
            })
            .map(Value::Imaginaries),
        Base::Bool => values
            .of_kind(|value| match value {
                Value::Bool(value) => Some(*value),
                _ => None,
            })
            .map(Value::Bools),
        _ => None,
    }
}

impl<'a> List<Value<'a>> {
    /// `None` if a value is of another kind. An empty list is of any kind.
    fn of_kind<T>(&self, kind: impl Fn(&Value<'a>) -> Option<T>) -> Option<List<T>> {
        match self {
            Self::Written(values) => {
                let values: Option<_> = values.iter().map(kind).collect();
                values.map(List::Written)
            }
            Self::Repeated(_, 0) => Some(List::Written(Vec::new())),
            Self::Repeated(value, count) => Some(List::Repeated(kind(value)?, *count)),
        }
    }
}

/// Words with a numeric value; the names of dtypes count for `ScalarType` only.
fn named_constant(word: &str, ty: &Type<'_>) -> Option<i64> {
    match word {
        "float" => Some(6),
        "complex" => Some(9),
        "long" => Some(4),
        "strided" | "contiguous_format" => Some(0),
        "Mean" => Some(1),
        _ if is_scalar_type(ty) => dtype(word),
        _ => None,
    }
}

fn is_scalar_type(ty: &Type<'_>) -> bool {
    match ty {
        Type::Base(base) => *base == Base::ScalarType,
        Type::Optional(inner) => is_scalar_type(inner),
        _ => false,
    }
}

/// The numbers of the dtypes in torch 2.9.0 (`c10/core/ScalarType.h`).
fn dtype(name: &str) -> Option<i64> {
    Some(match name {
        "uint8" => 0,
        "int8" => 1,
        "int16" | "short" => 2,
        "int32" | "int" => 3,
        "int64" => 4,
        "float16" | "half" => 5,
        "float32" => 6,
        "float64" | "double" => 7,
        "complex32" | "chalf" => 8,
        "complex64" | "cfloat" => 9,
        "complex128" | "cdouble" => 10,
        "bool" => 11,
        "qint8" => 12,
        "quint8" => 13,
        "qint32" => 14,
        "bfloat16" => 15,
        "quint4x2" => 16,
        "quint2x4" => 17,
        "bits1x8" => 18,
        "bits2x4" => 19,
        "bits4x2" => 20,
        "bits8" => 21,
        "bits16" => 22,
        "float8_e5m2" => 23,
        "float8_e4m3fn" => 24,
        "float8_e5m2fnuz" => 25,
        "float8_e4m3fnuz" => 26,
        "uint16" => 27,
        "uint32" => 28,
        "uint64" => 29,
        "uint1" => 30,
        "uint2" => 31,
        "uint3" => 32,
        "uint4" => 33,
        "uint5" => 34,
        "uint6" => 35,
        "uint7" => 36,
        "int1" => 37,
        "int2" => 38,
        "int3" => 39,
        "int4" => 40,
        "int5" => 41,
        "int6" => 42,
        "int7" => 43,
        "float8_e8m0fnu" => 44,
        "float4_e2m1fn_x2" => 45,
        _ => return None,
    })
}
