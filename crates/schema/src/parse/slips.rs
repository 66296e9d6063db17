//! Explains common slips in text that could not be parsed.

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use super::argument::{looks_typed, parse_argument};
use super::{Piece, ty};

/// `cause` is the parser's diagnostic.
pub(super) fn argument(piece: Piece<'_>, cause: Diagnostic) -> Diagnostic {
    let words: Vec<&str> = piece.text.split_whitespace().collect();
    let joined = words.join(" ");
    if joined == "*" {
        return Diagnostic::new(
            RuleId::KwargMarker,
            piece.span(),
            "expected `*` without spaces around it, between two commas",
        )
        .with_help("write `, *, `")
        .with_safe_fix(piece.span(), "*");
    }
    if joined == "/" {
        return Diagnostic::new(
            RuleId::KwargMarker,
            piece.span(),
            "PyTorch schemas have no positional-only arguments",
        )
        .with_help("remove the `/`");
    }
    if joined != piece.text && parse_argument(&joined, 0).is_ok() {
        return Diagnostic::new(
            RuleId::ArgumentSeparator,
            piece.span(),
            "expected exactly one space between type and name, and after each comma",
        )
        .with_help(message!("write `{}`", joined))
        .with_safe_fix(piece.span(), joined);
    }
    match words[..] {
        [name, ty] if name.ends_with(':') && is_type(ty) => {
            let name = &name[..name.len() - 1];
            Diagnostic::new(
                RuleId::ArgumentNameMissing,
                piece.span(),
                message!(
                    "`{}` is not an argument: the type precedes the name",
                    piece.text
                ),
            )
            .with_help(message!("write `{} {}`", ty, name))
            .with_fix(piece.span(), format!("{ty} {name}"))
        }
        [_, _, _, _] if joined == piece.text => missing_comma(piece, cause),
        _ => cause,
    }
}

fn is_type(text: &str) -> bool {
    ty::is_type(Piece::new(text, 0))
}

fn missing_comma(piece: Piece<'_>, cause: Diagnostic) -> Diagnostic {
    let Some((middle, _)) = piece.text.match_indices(' ').nth(1) else {
        return cause;
    };
    let (first, second) = (piece.to(middle), piece.from(middle + 1));
    if !looks_typed(first.text) || !looks_typed(second.text) {
        return cause;
    }
    let at = piece.sub(middle..middle + 1).span();
    Diagnostic::new(
        RuleId::ArgumentSeparator,
        at,
        "expected a comma between two arguments",
    )
    .with_help(message!("write `{}, {}`", first.text, second.text))
    .with_fix(at, ", ")
}

pub(super) fn returned(piece: Piece<'_>, cause: Diagnostic) -> Diagnostic {
    let joined = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(equals) = piece
        .text
        .find('=')
        .filter(|&at| is_type(piece.text[..at].trim_end()))
    {
        let end = piece.text[..equals].trim_end().len();
        return Diagnostic::new(
            RuleId::Returns,
            piece.from(end).span(),
            "returns cannot have defaults",
        )
        .with_help(message!("write `{}`", &piece.text[..end]))
        .with_fix(piece.from(end).span(), "");
    }
    let typed = is_type(&joined) || looks_typed(&joined);
    if joined != piece.text && typed {
        return Diagnostic::new(
            RuleId::Returns,
            piece.span(),
            "too many spaces in this return",
        )
        .with_help(message!("write `{}`", joined))
        .with_safe_fix(piece.span(), joined);
    }
    cause
}

pub(super) fn unclosed(text: Piece<'_>) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        RuleId::Returns,
        text.span(),
        "expected `)` after the returns",
    );
    if text.text.contains(',') {
        let end = text.from(text.text.len()).span();
        diagnostic
            .with_help("add `)` at the end")
            .with_fix(end, ")")
    } else {
        let bare = &text.text[1..];
        diagnostic
            .with_help(message!("write `-> {}`", bare))
            .with_fix(text.span(), bare)
    }
}

/// Returns in the form of a Python tuple, and their schema form, if known.
pub(super) fn tuple(text: Piece<'_>, written: Option<String>) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        RuleId::TypeContainer,
        text.span(),
        message!(
            "unknown type `{}`: PyTorch schemas have no tuples",
            text.text
        ),
    );
    match written {
        Some(written) => diagnostic
            .with_help(message!("write `-> {}`", written))
            .with_fix(text.span(), written),
        None => diagnostic.with_help("write several returns as `-> (Tensor, int)`"),
    }
}

pub(super) fn colons(whole: Piece<'_>, namespace: Piece<'_>) -> Diagnostic {
    let at = namespace.text.len();
    Diagnostic::new(
        RuleId::Namespace,
        whole.sub(at..at + 2).span(),
        "PyTorch parses everything before the last `::` as the operator's namespace",
    )
    .with_help("write types and defaults without C++ namespaces: `str`, not `std::string`")
}

pub(super) fn missing_arrow(schema: Piece<'_>, open: usize) -> Diagnostic {
    let text = schema.text;
    let end = schema.from(text.len());
    let Some(close) = text.rfind(')').filter(|&close| close > open) else {
        return Diagnostic::new(
            RuleId::SchemaShape,
            end.span(),
            "expected `)` after the arguments, then ` -> ` and the returns",
        )
        .with_help("write `name(Type argument, ...) -> ReturnType`")
        .with_related("opened here", schema.sub(open..open + 1).span());
    };
    let arrow = text.rfind("->").filter(|&arrow| arrow >= open);
    match arrow {
        Some(arrow) if text[..arrow].trim_end().ends_with(')') => {
            let from = text[..arrow].trim_end().len();
            let after = &text[arrow + 2..];
            let to = arrow + 2 + (after.len() - after.trim_start().len());
            Diagnostic::new(
                RuleId::SchemaShape,
                schema.sub(from..to).span(),
                "the arrow must have exactly one space on each side",
            )
            .with_help("write `) -> `")
            .with_safe_fix(schema.sub(from..to).span(), " -> ")
        }
        Some(arrow) => Diagnostic::new(
            RuleId::SchemaShape,
            schema.sub(arrow..arrow + 2).span(),
            "expected `)` after the arguments, before the arrow",
        )
        .with_help("write `name(Type argument, ...) -> ReturnType`"),
        None => Diagnostic::new(
            RuleId::SchemaShape,
            schema.from(close + 1).span(),
            "expected ` -> ` and the returns after the arguments",
        )
        .with_help("write ` -> Tensor`, or ` -> ()` for an operator that returns nothing"),
    }
}

/// If a comma in brackets or quotes split the last piece: the whole, and the index after it.
pub(super) fn cut_within<'t>(
    all: Piece<'t>,
    pieces: &[Piece<'t>],
    read: std::ops::Range<usize>,
) -> Option<(Piece<'t>, usize)> {
    let at = read.end.checked_sub(1)?;
    let whole = |from: usize, to: usize| {
        let start = (pieces[from].at - all.at) as usize;
        let end = (pieces[to].at - all.at) as usize + pieces[to].text.len();
        all.sub(start..end)
    };
    let mut first = read
        .rev()
        .take(MOST_PIECES)
        .take_while(|&from| pieces[from].text != "*")
        .take_while(|&from| whole(from, at).text.len() <= MOST_BYTES)
        .filter(|&from| is_open(pieces[from].text));
    let last = |first: usize| {
        (at..pieces.len())
            .take(MOST_PIECES)
            .take_while(|&to| whole(first, to).text.len() <= MOST_BYTES)
            .find(|&to| to > first && !is_open(whole(first, to).text))
    };
    first.find_map(|first| {
        let last = last(first)?;
        Some((whole(first, last), last + 1))
    })
}

/// The maximum distance between split pieces.
const MOST_PIECES: usize = 16;

/// The maximum distance between split pieces, in bytes.
const MOST_BYTES: usize = 2_000;

fn is_open(text: &str) -> bool {
    let mut depth = 0_u32;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, ')' | ']' | '}' | '>') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    quote.is_some() || depth > 0
}

pub(super) fn divided(whole: Piece<'_>, cause: Diagnostic) -> Diagnostic {
    match parse_argument(whole.text, whole.at) {
        Err(diagnostic) => *diagnostic,
        Ok(argument) => match argument.default.as_deref() {
            Some(default) if default.starts_with('[') => {
                let at = argument.default_at.0;
                let joined = default.replace(", ", ",");
                let diagnostic = Diagnostic::new(
                    RuleId::DefaultListNoSpace,
                    at,
                    "PyTorch splits arguments at every `, `, so this list cannot contain one",
                )
                .with_help(message!("write `{}`", joined));
                // A space in quotes belongs to a value.
                if default.contains(['\'', '"']) {
                    diagnostic.with_fix(at, joined)
                } else {
                    diagnostic.with_safe_fix(at, joined)
                }
            }
            Some(_) => Diagnostic::new(
                RuleId::ArgumentSeparator,
                argument.default_at.0,
                "PyTorch splits arguments at every `, `, so this default cannot contain one",
            )
            .with_help("choose a default without a comma and a space"),
            None => cause,
        },
    }
}
