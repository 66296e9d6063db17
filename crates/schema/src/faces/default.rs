//! Converts defaults to C++ (torchgen `api/cpp.py`, `default_expr`).

use std::borrow::Cow;

use opatlas_pytorch::release::Release;

use super::context::{Context, Refused};
use super::types::Sizes;
use crate::types::{BaseType, Type};

pub(super) fn expression<'a>(
    text: &'a str,
    ty: &Type,
    sizes: Sizes,
    cx: Context,
) -> Result<Cow<'a, str>, Refused> {
    match ty {
        Type::Optional(inner) if text == "None" => Ok(Cow::Borrowed(if inner.is_tensor() {
            "{}"
        } else {
            cx.nullopt()
        })),
        Type::Optional(inner) => expression(text, inner, sizes, cx),
        Type::Base(BaseType::Str) => match single_quoted(text) {
            Some(inner) => Ok(Cow::Owned(double_quoted(inner))),
            None => Ok(word(text, cx)),
        },
        Type::List(element, size) => {
            if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
                return Ok(Cow::Owned(format!("{{{inner}}}")));
            }
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if sizes == Sizes::Symbolic && digits && **element == Type::Base(BaseType::SymInt) {
                return Ok(Cow::Owned(format!("c10::SymInt({text})")));
            }
            // Only a list with a fixed size can have a single value as its default.
            match size {
                Some(_) => Ok(word(text, cx)),
                None => Err(Refused),
            }
        }
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => Ok(word(text, cx)),
    }
}

fn word<'a>(text: &'a str, cx: Context) -> Cow<'a, str> {
    Cow::Borrowed(match text {
        "False" => "false",
        "True" => "true",
        "None" => cx.nullopt(),
        "Mean" => "at::Reduction::Mean",
        "[]" => "{}",
        "contiguous_format" => {
            if cx.release >= Release::V2_5 {
                "c10::MemoryFormat::Contiguous"
            } else {
                "MemoryFormat::Contiguous"
            }
        }
        "long" => "at::kLong",
        other => other,
    })
}

fn single_quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.strip_suffix('\'')
}

/// Converts the inside of a single-quoted string.
fn double_quoted(inner: &str) -> String {
    let mut quoted = String::with_capacity(inner.len() + 2);
    quoted.push('"');
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => match rest.next() {
                Some('\'') => quoted.push('\''),
                Some(escaped) => quoted.extend(['\\', escaped]),
                // A trailing backslash escapes the closing quote.
                None => quoted.push('\''),
            },
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
