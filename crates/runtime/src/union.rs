//! Optional and union types. torch flattens, unifies and sorts their members
//! (`aten/src/ATen/core/union_type.cpp`).

use super::subtype::{can_hold_scalar, is_number, is_subtype};
use super::types::{Base, Spelling, Type};

/// Only a single member remains, so PyTorch creates no union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SingleMember;

/// `T?`; fails if `inner` is only `None`.
pub(super) fn optional(inner: Type<'_>) -> Result<Type<'_>, SingleMember> {
    match inner {
        Type::Base(Base::None) => Err(SingleMember),
        Type::Optional(_) | Type::Union(_) => optional_of_union(inner),
        inner => Ok(Type::Optional(Box::new(inner))),
    }
}

/// `Union(T, ...)`, which may become an optional type. Fails if unification leaves a single member.
pub(super) fn union(members: Vec<Type<'_>>) -> Result<Type<'_>, SingleMember> {
    let members = standardized(members);
    if members.len() < 2 {
        return Err(SingleMember);
    }
    if members.iter().any(is_none) {
        if members.len() == 4 && numbers_among(&members) == 3 {
            return Ok(Type::Optional(Box::new(Type::Base(Base::Scalar))));
        }
        if members.len() == 2 {
            let other = members.into_iter().find(|member| !is_none(member));
            return other.map_or(Err(SingleMember), optional);
        }
    }
    Ok(Type::Union(members))
}

/// Prints a union like torch, including its bug: the comma before `Scalar` depends on the number of
/// members before it.
pub(super) fn write(out: &mut String, members: &[Type<'_>], spelling: Spelling) {
    let holds_scalar = can_hold_scalar(members);
    let mut comma_written = false;
    out.push_str("Union(");
    for (i, member) in members.iter().enumerate() {
        if holds_scalar && is_number(member) {
            continue;
        }
        if i > 0 {
            out.push_str(", ");
            comma_written = true;
        }
        member.write(out, spelling);
    }
    if holds_scalar {
        out.push_str(if comma_written { ", Scalar" } else { "Scalar" });
    }
    out.push(')');
}

fn optional_of_union(inner: Type<'_>) -> Result<Type<'_>, SingleMember> {
    let is_scalar_union =
        matches!(&inner, Type::Union(members) if members.len() == 3 && can_hold_scalar(members));
    let members = standardized(vec![inner, Type::Base(Base::None)]);
    let contained = if members.len() < 2 {
        return Err(SingleMember);
    } else if members.len() == 2 {
        members
            .into_iter()
            .find(|member| !is_none(member))
            .ok_or(SingleMember)?
    } else if is_scalar_union {
        Type::Base(Base::Scalar)
    } else {
        let others = members
            .into_iter()
            .filter(|member| !is_none(member))
            .collect();
        Type::Union(standardized(others))
    };
    Ok(Type::Optional(Box::new(contained)))
}

fn is_none(member: &Type<'_>) -> bool {
    matches!(member, Type::Base(Base::None))
}

fn numbers_among(members: &[Type<'_>]) -> usize {
    members.iter().filter(|member| is_number(member)).count()
}

fn standardized(members: Vec<Type<'_>>) -> Vec<Type<'_>> {
    let mut flat = Vec::with_capacity(members.len());
    for member in members {
        flatten(member, &mut flat);
    }
    unify_all(&mut flat);
    flat.sort_by_cached_key(|member| {
        let mut text = String::new();
        member.write(&mut text, Spelling::Erased);
        (kind_rank(member), text)
    });
    flat
}

fn flatten<'a>(member: Type<'a>, into: &mut Vec<Type<'a>>) {
    match member {
        Type::Union(members) => members.into_iter().for_each(|member| flatten(member, into)),
        Type::Optional(inner) => {
            flatten(*inner, into);
            into.push(Type::Base(Base::None));
        }
        Type::Base(Base::Scalar) => {
            into.extend([Base::Int, Base::Float, Base::Complex].map(Type::Base));
        }
        other => into.push(other),
    }
}

/// From right to left, merges each member with the nearest earlier one that shares a supertype.
fn unify_all(members: &mut Vec<Type<'_>>) {
    for i in (1..members.len()).rev() {
        if i >= members.len() {
            continue;
        }
        let (earlier, rest) = members.split_at(i);
        let [member, ..] = rest else { continue };
        let found = earlier
            .iter()
            .enumerate()
            .rev()
            .find_map(|(j, other)| Some((j, unified(member, other)?)));
        if let Some((j, unified)) = found {
            members.swap_remove(i);
            if let Some(slot) = members.get_mut(j) {
                *slot = unified;
            }
        }
    }
}

/// The common supertype that torch finds, if any; `None` is not merged.
fn unified<'a>(a: &Type<'a>, b: &Type<'a>) -> Option<Type<'a>> {
    if is_none(a) != is_none(b) {
        return None;
    }
    supertype(a, b)
}

fn supertype<'a>(a: &Type<'a>, b: &Type<'a>) -> Option<Type<'a>> {
    if is_subtype(a, b) {
        return Some(b.clone());
    }
    if is_subtype(b, a) {
        return Some(a.clone());
    }
    match (a, b) {
        (Type::Base(Base::None), other) | (other, Type::Base(Base::None)) => {
            optional(other.clone()).ok()
        }
        (Type::Optional(inner), other) | (other, Type::Optional(inner)) => {
            optional(supertype(inner, other)?).ok()
        }
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            let members = a.iter().zip(b).map(|(a, b)| supertype(a, b));
            members.collect::<Option<Vec<_>>>().map(Type::Tuple)
        }
        (Type::Future(a), Type::Future(b)) => Some(Type::Future(Box::new(supertype(a, b)?))),
        _ => None,
    }
}

/// Members are sorted by the kinds of types in torch (`C10_FORALL_TYPES`).
fn kind_rank(member: &Type<'_>) -> u8 {
    match member {
        Type::Tuple(_) => 5,
        Type::List(_) => 6,
        Type::Dict(_) => 7,
        Type::Future(_) => 11,
        Type::Await(_) => 12,
        Type::RRef(_) => 13,
        Type::Optional(_) => 20,
        Type::Variable(_) => 21,
        Type::Class { .. } => 25,
        Type::Union(_) => 39,
        Type::Base(base) => match base.erased() {
            Base::Any => 0,
            Base::AnyEnumType => 2,
            Base::Tensor => 3,
            Base::Storage => 4,
            Base::Scalar => 8,
            Base::Float => 9,
            Base::Complex => 10,
            Base::Int | Base::ScalarType | Base::Layout | Base::MemoryFormat | Base::SymInt => 14,
            Base::None => 15,
            Base::Str => 16,
            Base::Generator => 17,
            Base::Quantizer => 18,
            Base::Bool => 19,
            Base::Device => 22,
            Base::Stream => 23,
            Base::Capsule => 27,
            Base::QScheme => 29,
            Base::AnyClassType => 35,
            Base::SymBool => 38,
        },
    }
}
