//! Types (torchgen `Type.parse`).

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::suggest::{Near, near};
use opatlas_source::{Message, message};

use super::Piece;
use crate::types::{BaseType, CUSTOM_CLASS_PREFIX, ListSize, Type};

/// Bounds recursion; real types nest two deep.
const MAX_NESTING: usize = 64;

/// Reads a type; `at` is the position of the text.
pub fn parse_type(text: &str, at: u32) -> Result<Type, Box<Diagnostic>> {
    type_of(Piece::new(text, at))
}

pub(super) fn bare_comma(text: &str) -> Option<usize> {
    let mut commas = text.match_indices(',').map(|(at, _)| at);
    commas.find(|&at| !text[at + 1..].starts_with(' '))
}

/// Explanations use it for parts of a text, so it does not explain them in turn.
pub(super) fn is_type(piece: Piece<'_>) -> bool {
    read(piece).is_ok()
}

pub(super) fn type_of(piece: Piece<'_>) -> Result<Type, Box<Diagnostic>> {
    read(piece).map_err(|fault| {
        Box::new(match fault {
            Fault::TooDeep => Diagnostic::new(
                RuleId::TypeUnknown,
                piece.span(),
                "this type is nested too deeply",
            )
            .with_help(message!(
                "a type can have at most {} `?` and `[]`",
                MAX_NESTING
            )),
            Fault::Size(open, digits) => list_size_fault(piece.sub(open + 1..open + 1 + digits)),
            Fault::Unknown(end) => unknown(piece.to(end), piece),
        })
    })
}

enum Fault {
    TooDeep,
    /// An invalid list size: the end of its bracket and its number of digits.
    Size(usize, usize),
    Unknown(usize),
}

fn read(piece: Piece<'_>) -> Result<Type, Fault> {
    // Suffixes bind leftmost-inner, so they are removed from the right.
    let mut suffixes = Vec::new();
    let mut rest = piece;
    loop {
        if let Some(base) = BaseType::parse(rest.text) {
            return Ok(wrap(Type::Base(base), suffixes));
        }
        if suffixes.len() >= MAX_NESTING {
            return Err(Fault::TooDeep);
        }
        if let Some(inner) = rest
            .text
            .strip_suffix('?')
            .filter(|inner| !inner.is_empty())
        {
            suffixes.push(Suffix::Optional);
            rest = rest.to(inner.len());
        } else if let Some((open, size)) = list_suffix(rest.text) {
            suffixes.push(Suffix::List(list_size(open, size)?));
            rest = rest.to(open);
        } else if let Some(name) = custom_class(rest.text) {
            return Ok(wrap(Type::Custom(name.into()), suffixes));
        } else {
            return Err(Fault::Unknown(rest.text.len()));
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

fn list_suffix(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_suffix(']')?;
    let open = inner.rfind('[').filter(|&open| open > 0)?;
    let digits = &inner[open + 1..];
    digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some((open, digits))
}

fn list_size(open: usize, digits: &str) -> Result<Option<ListSize>, Fault> {
    if digits.is_empty() {
        return Ok(None);
    }
    let size = Some(digits).filter(|digits| !digits.starts_with('0'));
    match size.and_then(ListSize::parse) {
        Some(size) => Ok(Some(size)),
        None => Err(Fault::Size(open, digits.len())),
    }
}

fn list_size_fault(digits: Piece<'_>) -> Diagnostic {
    let span = digits.span();
    let digits = digits.text;
    if !digits.starts_with('0') {
        let message = message!("this list size has {} digits", digits.len());
        let most = ListSize::MOST_DIGITS;
        return Diagnostic::new(RuleId::TypeListSize, span, message)
            .with_help(message!("Python parses numbers of at most {} digits", most));
    }
    let plain = digits.trim_start_matches('0');
    let diagnostic = Diagnostic::new(
        RuleId::TypeListSize,
        span,
        message!(
            "list size `{}` must be a number of at least 1 without leading zeros",
            digits
        ),
    );
    if plain.is_empty() {
        diagnostic.with_help("remove the size, or use a number of at least 1")
    } else {
        diagnostic
            .with_help(message!("write `[{}]`", plain))
            .with_safe_fix(span, plain)
    }
}

fn custom_class(text: &str) -> Option<&str> {
    text.strip_prefix(CUSTOM_CLASS_PREFIX).filter(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    })
}

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
        && is_type(rest.to(open))
    {
        let size = rest.sub(open + 1..inner.len());
        return Diagnostic::new(
            RuleId::TypeListSize,
            size.span(),
            message!("list size `{}` must be a number of at least 1", size.text),
        )
        .with_help("write the size in decimal digits without signs or spaces, or remove it");
    }
    if text.starts_with(CUSTOM_CLASS_PREFIX) {
        return Diagnostic::new(
            RuleId::TypeCustomClass,
            rest.span(),
            message!("`{}` is not a custom class", text),
        )
        .with_help(message!(
            "write `{}` followed by a dotted name of letters, digits and \
             underscores",
            CUSTOM_CLASS_PREFIX
        ));
    }
    if let Some(optional) = union_with_none(text) {
        return Diagnostic::new(
            RuleId::TypeUnknown,
            rest.span(),
            message!("unknown type `{}`", text),
        )
        .with_near_name(rest.span(), Near::one_of_several(&optional));
    }
    if CONTAINERS.iter().any(|p| text.starts_with(p)) {
        let diagnostic = Diagnostic::new(
            RuleId::TypeContainer,
            rest.span(),
            message!(
                "unknown type `{}`: PyTorch schemas have no tuples, dicts or unions",
                text
            ),
        );
        return match list_of_tuple(text) {
            Some(list) => diagnostic.with_near_name(rest.span(), Near::one_of_several(&list)),
            None => diagnostic.with_help("use a list such as `Tensor[]`, or several arguments"),
        };
    }
    if let Some(comma) = bare_comma(text) {
        let comma = rest.sub(comma..comma + 1).span();
        return Diagnostic::new(
            RuleId::ArgumentSeparator,
            comma,
            "expected exactly a comma and one space between arguments or returns",
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
            message!("expected a type before the name, found `{}`", whole.text),
        )
        .with_help("write `Type name`, separated by one space");
    }
    let diagnostic = Diagnostic::new(
        RuleId::TypeUnknown,
        rest.span(),
        message!("unknown type `{}`", text),
    );
    match spelled(text, MOST_GENERICS) {
        Some(right) => diagnostic.with_near_name(rest.span(), Near::only(&right)),
        None => match near(text, BaseType::ALL.into_iter().map(BaseType::as_str)) {
            Some(near) => diagnostic.with_near_name(rest.span(), near),
            None => diagnostic.with_help(base_types()),
        },
    }
}

const CONTAINERS: [&str; 7] = ["Dict(", "Dict[", "dict[", "Union[", "Tuple[", "tuple[", "("];

/// Maximum nesting of Python generics in a suggestion.
const MOST_GENERICS: usize = 8;

fn spelled(text: &str, most: usize) -> Option<String> {
    let is_same = |name: &str| name.eq_ignore_ascii_case(text);
    let other = OTHER_NAMES.iter().find(|(name, _)| is_same(name));
    if let Some((_, right)) = other {
        return Some((*right).to_owned());
    }
    let base = BaseType::ALL.into_iter().map(BaseType::as_str);
    match base.into_iter().find(|base| is_same(base)) {
        Some(right) => Some(right.to_owned()),
        None => generic(text, most),
    }
}

fn inner(text: &str, most: usize) -> Option<String> {
    if is_type(Piece::new(text, 0)) {
        Some(text.to_owned())
    } else {
        spelled(text, most.checked_sub(1)?)
    }
}

/// The types of the newest release; rules decide which ones a release has.
fn base_types() -> Message {
    let names: Vec<_> = Release::LATEST.data().base_types.iter().collect();
    message!("the base types are {}", names.join(", "))
}

fn generic(text: &str, most: usize) -> Option<String> {
    let (outer, of) = text.strip_suffix(']')?.split_once('[')?;
    let suffix = match outer.strip_prefix("typing.").unwrap_or(outer) {
        "List" | "list" | "Sequence" | "ArrayRef" => "[]",
        "Optional" | "optional" => "?",
        _ => return None,
    };
    Some(format!("{}{suffix}", inner(of, most)?))
}

fn union_with_none(text: &str) -> Option<String> {
    let members = text
        .strip_prefix("Union[")
        .and_then(|rest| rest.strip_suffix(']'));
    let (first, second) = match members {
        Some(members) => members.split_once(", ")?,
        None => text.split_once(" | ")?,
    };
    let of = match (first, second) {
        (of, "None") | ("None", of) => of,
        _ => return None,
    };
    Some(format!("{}?", inner(of, MOST_GENERICS)?))
}

fn list_of_tuple(text: &str) -> Option<String> {
    let mut members = tuple(text)?.split(", ");
    let first = members.next()?;
    let of = inner(first, MOST_GENERICS)?;
    let others: Vec<_> = members.collect();
    match others[..] {
        ["..."] => Some(format!("{of}[]")),
        // Lists of tensors have no size in PyTorch's own schemas.
        _ if !others.iter().all(|other| *other == first) => None,
        _ if of.starts_with("Tensor") => Some(format!("{of}[]")),
        _ => Some(format!("{of}[{}]", others.len() + 1)),
    }
}

pub(super) fn tuple(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix("Tuple[")
        .or_else(|| text.strip_prefix("tuple["))?;
    rest.strip_suffix(']')
}

pub(super) fn returns_of_tuple(members: &str) -> Option<String> {
    let members = members.split(", ");
    let types: Option<Vec<_>> = members.map(|of| inner(of, MOST_GENERICS)).collect();
    match &types?[..] {
        [one] => Some(one.clone()),
        several => Some(format!("({})", several.join(", "))),
    }
}

/// `Tensor?(a!)`, `int(a)`: an annotation that does not directly follow `Tensor`.
fn misplaced_annotation(rest: Piece<'_>, whole: Piece<'_>) -> Option<Diagnostic> {
    let open = rest.text.rfind('(').filter(|&open| open > 0)?;
    if !rest.text.ends_with(')') {
        return None;
    }
    let before = rest.to(open);
    if !is_type(before) {
        return None;
    }
    let annotation = rest.from(open);
    let diagnostic = Diagnostic::new(
        RuleId::AnnotationPlacement,
        annotation.span(),
        message!("`{}` cannot have an annotation here", before.text),
    );
    Some(match before.text.strip_prefix("Tensor") {
        Some(suffix @ ("?" | "[]")) => diagnostic
            .with_help(message!("write `Tensor{}{}`", annotation.text, suffix))
            .with_safe_fix(whole.span(), format!("Tensor{}{suffix}", annotation.text)),
        _ => diagnostic.with_help(
            "only tensors can alias: annotate `Tensor(a)`, `Tensor(a)?` or `Tensor(a)[]`",
        ),
    })
}
