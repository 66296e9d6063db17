//! One argument or return: `Tensor(a!)? out=None` (torchgen `Argument.parse`, `Return.parse`,
//! `Annotation.parse`).

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use super::Piece;
use super::ty::{bare_comma, type_of};
use crate::annotation::{AfterSet, Annotation};
use crate::function::{Argument, At, Return};
use crate::types::Type;

/// Boxed because diagnostics are large.
type Read<T> = Result<T, Box<Diagnostic>>;

fn refuse<T>(diagnostic: Diagnostic) -> Read<T> {
    Err(Box::new(diagnostic))
}

/// Reads `Type name[=default]`; `at` is the position of the text.
pub fn parse_argument(text: &str, at: u32) -> Read<Argument> {
    let piece = Piece::new(text, at);
    if !text.as_bytes().contains(&b' ') {
        return refuse(name_missing(piece));
    }
    // Arguments are short: a loop is faster than a searcher.
    let find = |from: usize, byte: u8| text.bytes().skip(from).position(|other| other == byte);
    let equals = find(0, b'=');
    if let Some(equals) = equals
        && let Some(second) = find(equals + 1, b'=')
    {
        let second = equals + 1 + second;
        return refuse(
            Diagnostic::new(
                RuleId::DefaultOneEquals,
                piece.sub(second..second + 1).span(),
                "second `=`: a default cannot contain `=`, not even inside quotes",
            )
            .with_help("choose a default without `=`"),
        );
    }
    let head = piece.to(equals.unwrap_or(text.len()));
    let Some(space) = head.text.bytes().rposition(|byte| byte == b' ') else {
        return refuse(name_missing(head));
    };
    let default = equals.map(|equals| piece.from(equals + 1));
    if let Some(default) = default
        && default.text.is_empty()
    {
        return refuse(
            Diagnostic::new(
                RuleId::DefaultEmpty,
                piece.from(text.len() - 1).span(),
                "expected a default after `=`",
            )
            .with_help("add the default, or remove the `=`"),
        );
    }
    let name = head.from(space + 1);
    let written = head.to(space);
    if equals.is_some() && name.text.is_empty() && looks_typed(written.text) {
        // torchgen reads `int n =1` as type `int n` with an empty name; explain the slip instead.
        return refuse(
            Diagnostic::new(
                RuleId::DefaultEmpty,
                head.from(space).span(),
                "unexpected space before `=`",
            )
            .with_help("write `name=default` without spaces")
            .with_safe_fix(head.from(space).span(), ""),
        );
    }
    let (ty, annotation) = annotated_type(written)?;
    Ok(Argument {
        name: name.text.into(),
        ty,
        default: default.map(|d| d.text.into()),
        annotation: annotation.map(Box::new),
        at: At(piece.span()),
        type_at: At(written.span()),
        name_at: At(name.span()),
        default_at: At(default.map_or(Span::at(piece.span().end), Piece::span)),
    })
}

pub(super) fn looks_typed(text: &str) -> bool {
    text.rsplit_once(' ')
        .is_some_and(|(ty, name)| !name.ends_with(')') && annotated_type(Piece::new(ty, 0)).is_ok())
}

fn name_missing(piece: Piece<'_>) -> Diagnostic {
    let text = piece.text;
    if let Some(comma) = bare_comma(text) {
        return Diagnostic::new(
            RuleId::ArgumentSeparator,
            piece.sub(comma..comma + 1).span(),
            "expected exactly a comma and one space between arguments",
        )
        .with_help("write `, `")
        .with_safe_fix(piece.sub(comma..comma + 1).span(), ", ");
    }
    let diagnostic = Diagnostic::new(
        RuleId::ArgumentNameMissing,
        piece.span(),
        message!("`{}` is not an argument: expected `Type name`", text),
    );
    if annotated_type(piece).is_ok() {
        diagnostic.with_help(message!("add a name: `{} self`", text))
    } else {
        diagnostic
            .with_help("write `Type name` or `Type name=default`; a default cannot contain `, `")
    }
}

pub(super) fn missing(piece: Piece<'_>, all: Piece<'_>) -> Diagnostic {
    let (span, message) = if piece.span().start == all.span().start {
        (
            Span::new(all.at, all.at + 2),
            "expected an argument before the comma",
        )
    } else {
        (
            Span::new(piece.at.saturating_sub(2), piece.at),
            "expected an argument after the comma",
        )
    };
    Diagnostic::new(RuleId::ArgumentSeparator, span, message)
        .with_help("remove the comma, or add an argument")
        .with_fix(span, "")
}

/// Reads `Type[ name]` of a return. `all` is the text after the arrow.
pub(super) fn parse_return(piece: Piece<'_>, all: Piece<'_>) -> Read<Return> {
    if piece.text.is_empty() {
        return refuse(
            Diagnostic::new(RuleId::Returns, all.span(), "expected a type").with_help(
                "write `-> Tensor`, `-> (Tensor, Tensor)`, or `-> ()` for an operator that returns nothing",
            ),
        );
    }
    let space = piece.text.rfind(' ');
    let written = piece.to(space.unwrap_or(piece.text.len()));
    if matches!(piece.text, "void" | "None") {
        return refuse(
            Diagnostic::new(
                RuleId::Returns,
                piece.span(),
                message!("`{}` is not a type", piece.text),
            )
            .with_help("write `()` for an operator that returns nothing")
            .with_safe_fix(piece.span(), "()"),
        );
    }
    let (ty, annotation) = annotated_type(written).map_err(|mut diagnostic| {
        // The text is split at its last space, so an arrow in an unnamed return is split, too.
        if written.text.ends_with("->") {
            *diagnostic = Diagnostic::new(
                RuleId::AnnotationReturnArrowNeedsName,
                piece.span(),
                "a return whose annotation contains an arrow must have a name",
            )
            .with_help(message!("write `{} result`", piece.text));
        }
        diagnostic
    })?;
    Ok(Return {
        name: space.map(|space| piece.text[space + 1..].into()),
        ty,
        annotation: annotation.map(Box::new),
        at: At(piece.span()),
    })
}

fn annotated_type(written: Piece<'_>) -> Read<(Type, Option<Annotation>)> {
    let text = written.text;
    let Some(inside) = text.strip_prefix("Tensor(") else {
        if let Some(shorthand) = shorthand(written)? {
            return Ok(shorthand);
        }
        return Ok((type_of(written)?, None));
    };
    let Some(close) = inside.rfind(')') else {
        return Ok((type_of(written)?, None));
    };
    let behind = written.from(7 + close + 1);
    let ty = match behind.text {
        "" => Type::TENSOR,
        "?" => Type::Optional(Box::new(Type::TENSOR)),
        "[]" => Type::List(Box::new(Type::TENSOR), None),
        _ => {
            return refuse(
                Diagnostic::new(
                    RuleId::AnnotationPlacement,
                    behind.span(),
                    message!("`{}` cannot follow an annotation", behind.text),
                )
                .with_help("only `Tensor(a)`, `Tensor(a)?` and `Tensor(a)[]` can be annotated"),
            );
        }
    };
    Ok((ty, Some(annotation(written.sub(7..7 + close))?)))
}

fn shorthand(written: Piece<'_>) -> Read<Option<(Type, Option<Annotation>)>> {
    let Some(suffix) = written.text.strip_prefix("Tensor!") else {
        return Ok(None);
    };
    let ty = match suffix {
        "" => Type::TENSOR,
        "?" => Type::Optional(Box::new(Type::TENSOR)),
        "[]" => Type::List(Box::new(Type::TENSOR), None),
        _ => return type_of(written).map(|ty| Some((ty, None))),
    };
    let mut annotation = Annotation::written(b'a');
    annotation.shorthand = true;
    Ok(Some((ty, Some(annotation))))
}

fn annotation(inside: Piece<'_>) -> Read<Annotation> {
    let text = inside.text;
    let arrow = text.contains('>').then(|| text.find(" -> ")).flatten();
    let (set, after) = match arrow {
        Some(arrow) => (inside.to(arrow), Some(inside.from(arrow + 4))),
        None => (inside, None),
    };
    let (letters_of, write) = match set.text.strip_suffix('!') {
        Some(letters) => (set.to(letters.len()), true),
        None => (set, false),
    };
    let Some(before) = letters(letters_of.text) else {
        return refuse(no_annotation(inside));
    };
    let after = match after {
        None => AfterSet::Same,
        Some(after) if after.text == "*" => AfterSet::Wildcard,
        Some(after) => match letters(after.text) {
            Some(letters) => AfterSet::Letters(letters),
            None => return refuse(no_annotation(inside)),
        },
    };
    if write && before.len() > 1 {
        return refuse(
            Diagnostic::new(
                RuleId::AnnotationWriteSingleton,
                set.span(),
                "a mutable annotation must have exactly one letter",
            )
            .with_help("write one alias set, such as `(a!)`"),
        );
    }
    if before.len() > 1 && matches!(&after, AfterSet::Letters(letters) if letters.len() > 1) {
        return refuse(
            Diagnostic::new(
                RuleId::AnnotationBeforeAfterSize,
                inside.span(),
                "the sets before and after the arrow cannot both have several letters",
            )
            .with_help("write a single letter on one side of the arrow"),
        );
    }
    if before.len() > 2 {
        return refuse(
            Diagnostic::new(
                RuleId::AnnotationBeforeSetTwo,
                set.span(),
                "the set before the arrow may have at most two letters",
            )
            .with_help("write one or two letters, such as `(a|b)`"),
        );
    }
    Ok(Annotation {
        before,
        write,
        after,
        shorthand: false,
    })
}

fn letters(text: &str) -> Option<Box<[u8]>> {
    text.split('|')
        .map(|letter| match letter.as_bytes() {
            [letter @ b'a'..=b'z'] => Some(*letter),
            _ => None,
        })
        .collect()
}

fn no_annotation(inside: Piece<'_>) -> Diagnostic {
    Diagnostic::new(
        RuleId::Annotation,
        inside.span(),
        message!("malformed alias annotation `{}`", inside.text),
    )
    .with_help(
        "write one lower-case letter for the alias set, `!` after it if the tensor is mutated, and \
         ` -> *` if it may alias anything afterwards: `(a)`, `(a!)`, `(a|b)`, `(a -> *)`",
    )
}
