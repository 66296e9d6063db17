//! Types (torchgen `Type.parse`).

use super::Piece;
use super::argument::bare_comma;
use crate::types::{BaseType, CUSTOM_CLASS_PREFIX, ListSize, Type};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::diagnostic::RuleId;

/// How many `?` and `[]` may be stacked. Real types have two; this bounds recursion.
const MAX_NESTING: usize = 64;

/// Reads a type; `at` is where the text begins.
///
/// # Errors
/// A diagnostic under `type-unknown`, `type-list-size`, `type-container`, `type-custom-class` or
/// `annotation-placement`.
pub fn parse_type(text: &str, at: u32) -> Result<Type, Box<Diagnostic>> {
    type_of(Piece::new(text, at))
}

pub(super) fn type_of(piece: Piece<'_>) -> Result<Type, Box<Diagnostic>> {
    // Suffixes bind leftmost-inner, so they are taken off from the right.
    let mut suffixes = Vec::new();
    let mut rest = piece;
    loop {
        if let Some(base) = BaseType::parse(rest.text) {
            return Ok(wrap(Type::Base(base), suffixes));
        }
        if suffixes.len() >= MAX_NESTING {
            return Err(Box::new(
                Diagnostic::new(
                    RuleId::TypeUnknown,
                    piece.span(),
                    "this type is nested too deeply",
                )
                .with_help(format!("at most {MAX_NESTING} `?` and `[]` are read")),
            ));
        }
        if let Some(inner) = rest
            .text
            .strip_suffix('?')
            .filter(|inner| !inner.is_empty())
        {
            suffixes.push(Suffix::Optional);
            rest = rest.to(inner.len());
        } else if let Some((open, size)) = list_suffix(rest.text) {
            suffixes.push(Suffix::List(list_size(rest, open, size)?));
            rest = rest.to(open);
        } else if let Some(name) = custom_class(rest.text) {
            return Ok(wrap(Type::Custom(name.into()), suffixes));
        } else {
            return Err(Box::new(unknown(rest, piece)));
        }
    }
}

enum Suffix {
    Optional,
    List(Option<ListSize>),
}

fn wrap(base: Type, suffixes: Vec<Suffix>) -> Type {
    suffixes
        .into_iter()
        .rev()
        .fold(base, |inner, suffix| match suffix {
            Suffix::Optional => Type::Optional(Box::new(inner)),
            Suffix::List(size) => Type::List(Box::new(inner), size),
        })
}

/// Where the brackets of `T[n]` open and the digits between them.
fn list_suffix(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_suffix(']')?;
    let open = inner.rfind('[').filter(|&open| open > 0)?;
    let digits = &inner[open + 1..];
    digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some((open, digits))
}

fn list_size(
    piece: Piece<'_>,
    open: usize,
    digits: &str,
) -> Result<Option<ListSize>, Box<Diagnostic>> {
    if digits.is_empty() {
        return Ok(None);
    }
    if digits.starts_with('0') {
        let span = piece.sub(open + 1..open + 1 + digits.len()).span();
        let plain = digits.trim_start_matches('0');
        let diagnostic = Diagnostic::new(
            RuleId::TypeListSize,
            span,
            format!("list size `{digits}` is not a number of at least 1 without leading zeros"),
        );
        return Err(Box::new(if plain.is_empty() {
            diagnostic.with_help("drop the size, or give one of at least 1")
        } else {
            diagnostic
                .with_help(format!("write `[{plain}]`"))
                .with_safe_fix(span, plain)
        }));
    }
    let size = ListSize::parse(digits).ok_or_else(|| {
        let most = ListSize::MOST_DIGITS;
        Diagnostic::new(
            RuleId::TypeListSize,
            piece.sub(open + 1..open + 1 + digits.len()).span(),
            format!("this list size has {} digits", digits.len()),
        )
        .with_help(format!("Python reads numbers of at most {most} digits"))
    })?;
    Ok(Some(size))
}

fn custom_class(text: &str) -> Option<&str> {
    text.strip_prefix(CUSTOM_CLASS_PREFIX).filter(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    })
}

/// What people write for types that have another name here.
const OTHER_NAMES: [(&str, &str); 22] = [
    ("double", "float"),
    ("float32", "float"),
    ("float64", "float"),
    ("int64_t", "int"),
    ("int32_t", "int"),
    ("int64", "int"),
    ("long", "int"),
    ("integer", "int"),
    ("boolean", "bool"),
    ("string", "str"),
    ("std::string", "str"),
    ("c10::string_view", "str"),
    ("number", "Scalar"),
    ("dtype", "ScalarType"),
    ("tensor", "Tensor"),
    ("at::Tensor", "Tensor"),
    ("torch.Tensor", "Tensor"),
    ("TensorList", "Tensor[]"),
    ("IntArrayRef", "int[]"),
    ("SymIntArrayRef", "SymInt[]"),
    ("ArrayRef<Scalar>", "Scalar[]"),
    ("Qscheme", "QScheme"),
];

fn unknown(rest: Piece<'_>, whole: Piece<'_>) -> Diagnostic {
    let text = rest.text;
    if let Some(diagnostic) = misplaced_annotation(rest, whole) {
        return diagnostic;
    }
    if let Some(inner) = text.strip_suffix(']')
        && let Some(open) = inner.rfind('[')
        && type_of(rest.to(open)).is_ok()
    {
        let size = rest.sub(open + 1..inner.len());
        return Diagnostic::new(
            RuleId::TypeListSize,
            size.span(),
            format!("list size `{}` is not a number of at least 1", size.text),
        )
        .with_help("write the size in decimal digits without signs or spaces, or leave it out");
    }
    if text.starts_with(CUSTOM_CLASS_PREFIX) {
        return Diagnostic::new(
            RuleId::TypeCustomClass,
            rest.span(),
            format!("`{text}` does not name a custom class"),
        )
        .with_help(format!(
            "write `{CUSTOM_CLASS_PREFIX}` and a dotted name of letters, digits and underscores"
        ));
    }
    if ["Dict(", "Union[", "Tuple[", "("]
        .iter()
        .any(|p| text.starts_with(p))
    {
        return Diagnostic::new(
            RuleId::TypeContainer,
            rest.span(),
            format!("`{text}` is no type here: there are no tuples, dicts or unions"),
        )
        .with_help("use a list such as `Tensor[]`, or several arguments");
    }
    if let Some(comma) = bare_comma(text) {
        let comma = rest.sub(comma..comma + 1).span();
        return Diagnostic::new(
            RuleId::ArgumentSeparator,
            comma,
            "arguments and returns are separated by exactly a comma and one space",
        )
        .with_help("write `, `")
        .with_safe_fix(comma, ", ");
    }
    if text.is_empty() || text.contains(' ') {
        return Diagnostic::new(
            RuleId::TypeUnknown,
            if text.is_empty() {
                whole.span()
            } else {
                rest.span()
            },
            format!("expected a type before the name, found `{}`", whole.text),
        )
        .with_help("write `Type name`, with one space and nothing else between them");
    }
    Diagnostic::new(
        RuleId::TypeUnknown,
        rest.span(),
        format!("unknown type `{text}`"),
    )
    .with_help(suggestion(text))
}

fn suggestion(text: &str) -> String {
    let other = OTHER_NAMES
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, right)| *right);
    let by_case = || {
        BaseType::ALL
            .into_iter()
            .find(|base| base.as_str().eq_ignore_ascii_case(text))
            .map(BaseType::as_str)
    };
    match other.or_else(by_case) {
        Some(right) => format!("did you mean `{right}`?"),
        None => generic(text).map_or_else(base_types, |right| format!("did you mean `{right}`?")),
    }
}

/// Those of the newest release; the rules of a release say which of them came and went.
fn base_types() -> String {
    let names: Vec<_> = Release::LATEST.data().base_types.iter().collect();
    format!("the base types are {}", names.join(", "))
}

/// `List[int]` and `Optional[int]` of Python.
fn generic(text: &str) -> Option<String> {
    let (outer, inner) = text.strip_suffix(']')?.split_once('[')?;
    type_of(Piece::new(inner, 0)).ok()?;
    match outer {
        "List" | "list" | "Sequence" | "ArrayRef" => Some(format!("{inner}[]")),
        "Optional" | "optional" => Some(format!("{inner}?")),
        _ => None,
    }
}

/// `Tensor?(a!)`, `int(a)`: an annotation that does not stand right behind `Tensor`.
fn misplaced_annotation(rest: Piece<'_>, whole: Piece<'_>) -> Option<Diagnostic> {
    let open = rest.text.rfind('(').filter(|&open| open > 0)?;
    if !rest.text.ends_with(')') {
        return None;
    }
    let before = rest.to(open);
    type_of(before).ok()?;
    let annotation = rest.from(open);
    let diagnostic = Diagnostic::new(
        RuleId::AnnotationPlacement,
        annotation.span(),
        format!("an annotation may not stand behind `{}`", before.text),
    );
    Some(match before.text.strip_prefix("Tensor") {
        Some(suffix @ ("?" | "[]")) => diagnostic
            .with_help(format!("write `Tensor{}{suffix}`", annotation.text))
            .with_safe_fix(whole.span(), format!("Tensor{}{suffix}", annotation.text)),
        _ => diagnostic.with_help(
            "only tensors alias: `Tensor(a)`, `Tensor(a)?` and `Tensor(a)[]` can be annotated",
        ),
    })
}
