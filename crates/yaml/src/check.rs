//! What PyTorch's loader rejects in well-formed text: types, tags, keys, anchors.

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use rustc_hash::FxHashMap;

use super::MOST_DIAGNOSTICS;
use super::construct::{Constructed, bool_value, construct};
use super::scalar::{ScalarType, resolve};
use super::tag::Tag;
use super::tree::{Arena, Content};

const FEW: usize = 16;

pub(super) fn plain(value: &str, span: Span) -> (ScalarType, Option<Diagnostic>) {
    let ty = resolve(value);
    let complaint = match ty {
        ScalarType::Str | ScalarType::Null | ScalarType::Bool(_) => None,
        ScalarType::Merge => Some(
            Diagnostic::new(
                RuleId::YamlMergeKey,
                span,
                "PyTorch's loader does not support merge keys",
            )
            .with_help("write the merged keys out, or quote `<<` if it is text"),
        ),
        ScalarType::Value => Some(
            Diagnostic::new(
                RuleId::YamlMergeKey,
                span,
                "PyTorch's loader cannot construct a plain `=`",
            )
            .with_help("quote it: YAML 1.1 gives `=` a special type"),
        ),
        _ if construct(ty, value).is_some() => None,
        _ => Some(unconstructable(ty, span)),
    };
    (ty, complaint)
}

/// `!` asks for the type of the spelling.
pub(super) fn non_specific(value: &str, span: Span, at: Span) -> (ScalarType, Option<Diagnostic>) {
    if matches!(value, "!" | "&" | "*") {
        return (ScalarType::Str, Some(unknown_tag(at)));
    }
    plain(value, span)
}

fn unconstructable(ty: ScalarType, span: Span) -> Diagnostic {
    let looks = match ty {
        ScalarType::Timestamp => "this looks like a date, but is not a valid date or time",
        _ => "this looks like a number, but has no digits or too many digits",
    };
    Diagnostic::new(RuleId::YamlPlainScalarTypes, span, looks)
        .with_help("quote the value if it is text")
}

pub(super) fn tagged(tag: Tag, value: &str, at: Span) -> (ScalarType, Option<Diagnostic>) {
    let ty = match tag {
        Tag::Null => ScalarType::Null,
        Tag::Bool => match bool_value(value) {
            Some(value) => ScalarType::Bool(value),
            None => return (ScalarType::Bool(false), Some(misfit(at))),
        },
        Tag::Int => ScalarType::Int,
        Tag::Float => ScalarType::Float,
        Tag::Binary => ScalarType::Binary,
        Tag::Timestamp => ScalarType::Timestamp,
        Tag::Str | Tag::NonSpecific => ScalarType::Str,
        Tag::Unknown => return (ScalarType::Str, Some(unknown_tag(at))),
        Tag::Seq | Tag::Map | Tag::Omap | Tag::Pairs | Tag::Set => {
            return (ScalarType::Str, Some(misfit(at)));
        }
    };
    let complaint = construct(ty, value).is_none().then(|| misfit(at));
    (ty, complaint)
}

fn unknown_tag(at: Span) -> Diagnostic {
    Diagnostic::new(
        RuleId::YamlTag,
        at,
        "PyTorch's loader does not know this tag",
    )
    .with_help(
        "remove it, or quote the value if `!` belongs to it. The standard tags are `!!str`, \
         `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq`, `!!map` and a few more",
    )
}

fn misfit(at: Span) -> Diagnostic {
    Diagnostic::new(
        RuleId::YamlTag,
        at,
        "the value does not have the type of this tag",
    )
    .with_help("remove the tag, or change the value")
}

pub(super) enum Retagged {
    Same,
    As(Content),
    Refused(Diagnostic),
}

pub(super) fn collection(arena: &Arena, id: super::tree::NodeId, tag: Tag, at: Span) -> Retagged {
    let content = arena.node(id).content;
    let (from, to) = match content {
        Content::Sequence { from, to } | Content::Mapping { from, to } => {
            (from as usize, to as usize)
        }
        _ => return Retagged::Same,
    };
    let mapping = matches!(content, Content::Mapping { .. });
    match tag {
        Tag::NonSpecific => Retagged::Same,
        Tag::Map if mapping => Retagged::Same,
        Tag::Seq if !mapping => Retagged::Same,
        Tag::Omap | Tag::Pairs if !mapping => {
            if from == to {
                return Retagged::Same;
            }
            let single = arena.items[from..to].iter().all(|&item| {
                matches!(arena.content(item), Content::Mapping { from, to } if to - from == 1)
            });
            Retagged::Refused(if single {
                other_type(at, "a list of pairs")
            } else {
                misfit(at)
            })
        }
        Tag::Set if mapping => Retagged::Refused(other_type(at, "a set")),
        Tag::Unknown => Retagged::Refused(unknown_tag(at)),
        Tag::Timestamp => Retagged::Refused(misfit(at)),
        _ if tag.is_scalar() && mapping => match default_value(arena, content) {
            Some(content) => Retagged::As(content),
            None => Retagged::Refused(misfit(at)),
        },
        _ => Retagged::Refused(misfit(at)),
    }
}

const NO_FIELD: &str = ", which no field accepts";

fn other_type(at: Span, what: &str) -> Diagnostic {
    Diagnostic::new(
        RuleId::YamlTag,
        at,
        message!("this tag creates {}{}", what, NO_FIELD),
    )
    .with_help("remove the tag")
}

/// Whether the value's only fault is a type that no field accepts.
#[must_use]
pub fn is_constructed(diagnostic: &Diagnostic) -> bool {
    diagnostic.rule == RuleId::YamlTag && diagnostic.message.ends_with(NO_FIELD)
}

/// PyYAML: SafeConstructor.construct_scalar, which takes the value of the first key `=`.
fn default_value(arena: &Arena, mut content: Content) -> Option<Content> {
    // Terminates: nesting is finite, and aliases lead to complete nodes only.
    loop {
        let Content::Mapping { from, to } = content else {
            return matches!(content, Content::Scalar { .. }).then_some(content);
        };
        let pairs = &arena.pairs[from as usize..to as usize];
        let value_key = |key| {
            matches!(
                arena.content(key),
                Content::Scalar {
                    ty: ScalarType::Value,
                    ..
                }
            )
        };
        let &(_, value) = pairs.iter().find(|&&(key, _)| value_key(key))?;
        content = arena.content(value);
    }
}

/// Position of a key, and its type and value if it is a scalar.
pub(super) type Key<'t> = (Span, Option<(ScalarType, &'t str)>);

pub(super) fn keys<'t>(count: usize, key: impl Fn(usize) -> Key<'t>) -> Vec<Diagnostic> {
    let mut complaints = Vec::new();
    let mut table: FxHashMap<Constructed<'_>, Span> = FxHashMap::default();
    for number in 0..count {
        if complaints.len() >= MOST_DIAGNOSTICS {
            break;
        }
        let (span, scalar) = key(number);
        let Some((ty, value)) = scalar else {
            complaints.push(unhashable(span));
            continue;
        };
        let first = if count > FEW {
            construct(ty, value).and_then(|made| {
                let first = *table.entry(made).or_insert(span);
                (first != span).then_some(first)
            })
        } else {
            let same =
                |&(_, known): &Key<'_>| known.is_some_and(|known| same_key(known, (ty, value)));
            (0..number).map(&key).find(same).map(|(first, _)| first)
        };
        if let Some(first) = first {
            complaints.push(repeated_key(span, value, first));
        }
    }
    complaints
}

fn unhashable(span: Span) -> Diagnostic {
    Diagnostic::new(
        RuleId::YamlUnhashableKey,
        span,
        "a key must be a scalar, not a list or mapping",
    )
    .with_help("write a plain or quoted key")
}

fn same_key(a: (ScalarType, &str), b: (ScalarType, &str)) -> bool {
    match (a.0, b.0) {
        (ScalarType::Str, ScalarType::Str) => a.1 == b.1,
        (ScalarType::Str, _) | (_, ScalarType::Str) => false,
        _ => construct(a.0, a.1).is_some_and(|a| Some(a) == construct(b.0, b.1)),
    }
}

fn repeated_key(span: Span, value: &str, first: Span) -> Diagnostic {
    let name: String = value.chars().take(60).collect();
    Diagnostic::new(
        RuleId::YamlDuplicateKey,
        span,
        message!("duplicate key `{}` in one mapping", name.escape_debug()),
    )
    .with_help("keep one of the two; YAML compares the loaded values, so quotes make no difference")
    .with_related("first set here", first)
}

pub(super) fn undefined_alias(span: Span, name: &str) -> Diagnostic {
    let name: String = name.chars().take(60).collect();
    Diagnostic::new(
        RuleId::YamlAlias,
        span,
        message!("unknown anchor `&{}`", name),
    )
    .with_help("define the anchor on a value above, or quote the text if `*` belongs to it")
}

pub(super) fn repeated_anchor(span: Span, name: &str, first: Span) -> Diagnostic {
    let name: String = name.chars().take(60).collect();
    Diagnostic::new(
        RuleId::YamlAlias,
        span,
        message!("duplicate anchor `&{}`", name),
    )
    .with_help("rename the second one")
    .with_related("first defined here", first)
}
