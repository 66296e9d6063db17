//! What differs between the signatures of two variants.

use opatlas_schema::function::FunctionSchema;
use opatlas_schema::signature::{SignatureArgument, arguments, return_types};
use opatlas_schema::types::Type;
use opatlas_source::{Message, message};
use rustc_hash::FxHashMap;

/// What a variant must change to have the signature of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// An argument has another name.
    Renamed {
        /// The name in the reference.
        expected: Box<str>,
        /// The name in the variant.
        found: Box<str>,
    },
    /// An argument has another type.
    Retyped {
        /// The argument.
        name: Box<str>,
        /// The type in the reference.
        expected: Type,
        /// The type in the variant.
        found: Type,
    },
    /// An argument has another default, or only one of the schemas has one.
    Default {
        /// The argument.
        name: Box<str>,
        /// The default in the reference.
        expected: Option<Box<str>>,
        /// The default in the variant.
        found: Option<Box<str>>,
    },
    /// An argument is keyword-only in one schema and positional in the other.
    KeywordOnly {
        /// The argument.
        name: Box<str>,
        /// Whether it is keyword-only in the reference.
        expected: bool,
    },
    /// The variant lacks an argument.
    Missing {
        /// The argument, as the reference declares it.
        argument: Box<str>,
    },
    /// The reference lacks an argument.
    Extra {
        /// The argument.
        name: Box<str>,
    },
    /// The arguments have another order.
    Order {
        /// The order in the reference.
        expected: Vec<Box<str>>,
    },
    /// The returns have other types.
    Returns {
        /// The types in the reference.
        expected: Vec<Type>,
        /// The types in the variant.
        found: Vec<Type>,
    },
}

impl Difference {
    /// A sentence about the variant: "`other` must be named `mat2`".
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Renamed { expected, found } => {
                message!("`{}` must be named `{}`", found, expected)
            }
            Self::Retyped {
                name,
                expected,
                found,
            } => message!("`{}` must have type `{}`, not `{}`", name, expected, found),
            Self::Default {
                name,
                expected,
                found,
            } => default(name, expected.as_deref(), found.as_deref()),
            Self::KeywordOnly {
                name,
                expected: true,
            } => message!("`{}` must be keyword-only", name),
            Self::KeywordOnly { name, .. } => message!("`{}` must be positional", name),
            Self::Missing { argument } => message!("argument `{}` is missing", argument),
            Self::Extra { name } => message!("argument `{}` must be removed", name),
            Self::Order { expected } => {
                message!(
                    "the order of the arguments must be `{}`",
                    expected.join(", ")
                )
            }
            Self::Returns { expected, found } => message!(
                "it must return `{}`, not `{}`",
                types(expected),
                types(found)
            ),
        }
    }
}

fn default(name: &str, expected: Option<&str>, found: Option<&str>) -> Message {
    match (expected, found) {
        (Some(expected), Some(found)) => message!(
            "`{}` must have the default `{}`, not `{}`",
            name,
            expected,
            found
        ),
        (Some(expected), None) => message!("`{}` must have the default `{}`", name, expected),
        (None, _) => message!("`{}` must not have a default", name),
    }
}

fn types(all: &[Type]) -> String {
    match all {
        [only] => only.to_string(),
        all => {
            let all: Vec<String> = all.iter().map(Type::to_string).collect();
            format!("({})", all.join(", "))
        }
    }
}

/// What `variant` must change to have the signature of `reference`; empty if the signatures are equal
/// except for the stems of the names.
#[must_use]
pub fn differences(reference: &FunctionSchema, variant: &FunctionSchema) -> Vec<Difference> {
    let wanted: Vec<SignatureArgument<'_>> = arguments(reference).collect();
    let found: Vec<SignatureArgument<'_>> = arguments(variant).collect();
    let pairs = Pairs::new(&wanted, &found);
    let mut all = Vec::new();
    for (&want, partner) in wanted.iter().zip(&pairs.partners) {
        match partner {
            Some(index) => of_argument(want, found[*index], &mut all),
            None => all.push(Difference::Missing {
                argument: want.argument.to_string().into(),
            }),
        }
    }
    all.extend(pairs.extra.iter().map(|index| Difference::Extra {
        name: found[*index].argument.name.clone(),
    }));
    all.extend(order(&wanted, &found, &pairs));
    let (expected, returned): (Vec<&Type>, Vec<&Type>) = (
        return_types(reference).collect(),
        return_types(variant).collect(),
    );
    if expected != returned {
        all.push(Difference::Returns {
            expected: expected.into_iter().cloned().collect(),
            found: returned.into_iter().cloned().collect(),
        });
    }
    all
}

/// Which arguments of two signatures correspond.
pub(super) struct Pairs {
    /// For each argument of the reference, the index of the variant's argument.
    pub(super) partners: Vec<Option<usize>>,
    /// The variant's arguments without a partner.
    extra: Vec<usize>,
}

impl Pairs {
    /// Pairs arguments by name; those left over at the same place, or alone on both sides, if they
    /// have the same type.
    pub(super) fn new(wanted: &[SignatureArgument<'_>], found: &[SignatureArgument<'_>]) -> Self {
        let mut named: FxHashMap<&str, usize> = FxHashMap::default();
        for (index, one) in found.iter().enumerate() {
            named.entry(&one.argument.name).or_insert(index);
        }
        let by_name = |one: &SignatureArgument<'_>| named.get(&*one.argument.name).copied();
        let mut partners: Vec<Option<usize>> = wanted.iter().map(by_name).collect();
        let mut is_paired = vec![false; found.len()];
        for index in partners.iter().flatten() {
            is_paired[*index] = true;
        }
        let left: Vec<usize> = (0..wanted.len())
            .filter(|i| partners[*i].is_none())
            .collect();
        let over: Vec<usize> = (0..found.len()).filter(|i| !is_paired[*i]).collect();
        for &index in &left {
            let partner = match (&left[..], &over[..]) {
                ([_], [other]) => Some(*other),
                _ => Some(index).filter(|index| is_paired.get(*index) == Some(&false)),
            };
            let same_type = |other: &usize| wanted[index].argument.ty == found[*other].argument.ty;
            partners[index] = partner.filter(same_type);
        }
        for index in partners.iter().flatten() {
            is_paired[*index] = true;
        }
        let extra = (0..found.len()).filter(|i| !is_paired[*i]).collect();
        Self { partners, extra }
    }
}

fn of_argument(
    want: SignatureArgument<'_>,
    found: SignatureArgument<'_>,
    all: &mut Vec<Difference>,
) {
    let name = || found.argument.name.clone();
    if want.argument.name != found.argument.name {
        all.push(Difference::Renamed {
            expected: want.argument.name.clone(),
            found: name(),
        });
    }
    if want.argument.ty != found.argument.ty {
        all.push(Difference::Retyped {
            name: name(),
            expected: want.argument.ty.clone(),
            found: found.argument.ty.clone(),
        });
    }
    if want.default != found.default {
        all.push(Difference::Default {
            name: name(),
            expected: want.default.map(Into::into),
            found: found.default.map(Into::into),
        });
    }
    if want.is_keyword_only != found.is_keyword_only {
        all.push(Difference::KeywordOnly {
            name: name(),
            expected: want.is_keyword_only,
        });
    }
}

/// The order of the arguments that stay positional or keyword-only.
fn order(
    wanted: &[SignatureArgument<'_>],
    found: &[SignatureArgument<'_>],
    pairs: &Pairs,
) -> Option<Difference> {
    let stays = |(want, partner): (&SignatureArgument<'_>, &Option<usize>)| {
        let partner = (*partner)?;
        (want.is_keyword_only == found[partner].is_keyword_only).then_some(partner)
    };
    let order: Vec<usize> = wanted
        .iter()
        .zip(&pairs.partners)
        .filter_map(stays)
        .collect();
    if order.is_sorted() {
        return None;
    }
    let expected = wanted.iter().map(|want| want.argument.name.clone());
    Some(Difference::Order {
        expected: expected.collect(),
    })
}
