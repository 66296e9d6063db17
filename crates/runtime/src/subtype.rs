//! Equality and subtyping of PyTorch's types, on erased base types (`isSubtypeOfExt` and `equals`
//! in `aten/src/ATen/core/jit_type.h`, `type.cpp` and `union_type.cpp`;
//! `docs/spec/compatibility.md`, section 2.2).

use super::types::{Base, Type};

/// Whether torch considers the types equal.
#[must_use]
pub fn same(a: &Type<'_>, b: &Type<'_>) -> bool {
    match (a, b) {
        (Type::Base(a), Type::Base(b)) => a.erased() == b.erased(),
        (Type::Variable(_), Type::Variable(_)) => true,
        (
            Type::Class { namespace, name },
            Type::Class {
                namespace: other_namespace,
                name: other_name,
            },
        ) => namespace == other_namespace && name == other_name,
        (Type::Optional(a), Type::Optional(b))
        | (Type::List(a), Type::List(b))
        | (Type::Future(a), Type::Future(b))
        | (Type::Await(a), Type::Await(b))
        | (Type::RRef(a), Type::RRef(b)) => same(a, b),
        (Type::Dict(a), Type::Dict(b)) => same(&a.0, &b.0) && same(&a.1, &b.1),
        (Type::Tuple(a), Type::Tuple(b)) => pairwise(a, b, same),
        (Type::Union(a), Type::Union(b)) => {
            a.len() == b.len() && a.iter().all(|a| b.iter().any(|b| same(a, b)))
        }
        (Type::Union(union), Type::Base(Base::Scalar))
        | (Type::Base(Base::Scalar), Type::Union(union)) => {
            union.len() == 3 && can_hold_scalar(union)
        }
        _ => false,
    }
}

/// Whether `a` is a subtype of `b`.
#[must_use]
pub fn is_subtype(a: &Type<'_>, b: &Type<'_>) -> bool {
    match (a, b) {
        (Type::Optional(a), Type::Optional(b)) => is_subtype(a, b),
        (Type::Optional(a), Type::Union(b)) => {
            can_hold(b, &Type::Base(Base::None)) && can_hold(b, a)
        }
        (Type::Union(a), _) => a.iter().all(|a| is_subtype_of_some_part(a, b)),
        (Type::Base(Base::Scalar), Type::Union(b)) => can_hold_scalar(b),
        (Type::Base(Base::None), Type::Optional(_)) => true,
        (Type::Class { .. }, Type::Base(Base::AnyClassType)) => true,
        (Type::Tuple(members), Type::Tuple(others)) => pairwise(members, others, is_subtype),
        (Type::Future(a), Type::Future(b)) | (Type::Await(a), Type::Await(b)) => is_subtype(a, b),
        (_, Type::Base(Base::Scalar)) if is_number(a) => true,
        _ => is_subtype_by_default(a, b),
    }
}

pub(super) fn can_hold(members: &[Type<'_>], a: &Type<'_>) -> bool {
    members.iter().any(|member| is_subtype(a, member))
}

pub(super) fn can_hold_scalar(members: &[Type<'_>]) -> bool {
    NUMBERS
        .iter()
        .all(|&number| can_hold(members, &Type::Base(number)))
}

pub(super) fn is_number(a: &Type<'_>) -> bool {
    a.erased_base().is_some_and(|base| NUMBERS.contains(&base))
}

pub(super) const NUMBERS: [Base; 3] = [Base::Int, Base::Float, Base::Complex];

fn is_subtype_by_default(a: &Type<'_>, b: &Type<'_>) -> bool {
    match b {
        Type::Base(Base::Any) => true,
        Type::Optional(inner) => same(a, b) || is_subtype(a, inner),
        Type::Union(members) => same(a, b) || can_hold(members, a),
        _ => same(a, b),
    }
}

/// `a` is a member of a union on the left; splits `b` once.
fn is_subtype_of_some_part(a: &Type<'_>, b: &Type<'_>) -> bool {
    let of_a_number = || NUMBERS.iter().any(|&n| is_subtype(a, &Type::Base(n)));
    match b {
        Type::Union(members) => can_hold(members, a),
        Type::Optional(inner) => {
            is_subtype(a, &Type::Base(Base::None))
                || match **inner {
                    Type::Base(Base::Scalar) => of_a_number(),
                    _ => is_subtype(a, inner),
                }
        }
        Type::Base(Base::Scalar) => of_a_number(),
        _ => is_subtype(a, b),
    }
}

fn pairwise<'t>(
    a: &[Type<'t>],
    b: &[Type<'t>],
    relation: fn(&Type<'_>, &Type<'_>) -> bool,
) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| relation(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument_type(text: &str) -> Type<'_> {
        let schema = crate::parse(text).unwrap();
        schema.arguments.into_iter().next().unwrap().ty
    }

    fn check(a: &str, b: &str, expected: bool) {
        let (a_schema, b_schema) = (format!("f({a} x) -> ()"), format!("f({b} x) -> ()"));
        let (a_type, b_type) = (argument_type(&a_schema), argument_type(&b_schema));
        assert_eq!(is_subtype(&a_type, &b_type), expected, "{a} <= {b}");
    }

    #[test]
    fn lists_are_invariant_and_numbers_are_scalars() {
        for (a, b) in [
            ("Tensor", "Tensor?"),
            ("int", "Scalar?"),
            ("SymInt", "Layout"),
            ("Dimname[]", "str[]"),
            ("complex", "Scalar"),
            ("int[]?", "Any"),
            ("None", "int?"),
            ("Future(int)", "Future(Scalar)"),
            ("(int, str)", "(Scalar, str?)"),
            ("t[]", "u[]"),
            ("__torch__.torch.classes.a.B", "AnyClassType"),
            ("Union(int, float)", "Scalar"),
            ("int?", "Union(int, str, None)"),
        ] {
            check(a, b, true);
        }
    }

    #[test]
    fn nothing_else_is_a_subtype() {
        for (a, b) in [
            ("bool", "Scalar"),
            ("bool", "int"),
            ("int", "float"),
            ("SymBool", "bool"),
            ("Tensor[]", "Tensor?[]"),
            ("int[]", "Scalar[]"),
            ("RRef(int)", "RRef(Scalar)"),
            ("int?", "int"),
            ("Device", "int"),
            ("int?", "Union(int, str)"),
            ("__torch__.torch.classes.a.B", "__torch__.torch.classes.a.C"),
        ] {
            check(a, b, false);
        }
    }
}
