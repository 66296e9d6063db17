//! C++ types for which PyTorch's headers do not compile a kernel
//! (`ATen/core/op_registration/infer_schema.h`,
//! `ATen/core/boxing/impl/make_boxed_from_unboxed_functor.h`, `ATen/core/ivalue_inl.h`).

use opatlas_sources::CppType;

use super::inferred::base;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Parameter,
    Return,
}

pub(super) enum Compiles {
    Yes,
    /// It does not compile. The reason completes a sentence about the type.
    No(&'static str),
    /// The text does not decide.
    Unknown(Box<str>),
}

const NOT_BOXED: &str = "cannot be converted to a value of a schema";

pub(super) fn compiles(ty: &CppType, role: Role) -> Compiles {
    if let (CppType::Const(inner), Role::Return) = (ty, role)
        && ["int64_t", "int8_t", "bool"]
            .iter()
            .any(|name| inner.is(name))
    {
        return Compiles::No("is not supported; leave out `const`");
    }
    let CppType::Reference(inner) = ty else {
        return value(ty.decayed(), role);
    };
    match (&**inner, role) {
        (CppType::Const(_), _) | (_, Role::Return) => value(ty.decayed(), role),
        (inner, Role::Parameter) if inner.is("at::Tensor") => Compiles::Yes,
        _ => Compiles::No("is a reference that does not bind to a temporary value"),
    }
}

fn value(ty: &CppType, role: Role) -> Compiles {
    let Some((name, arguments)) = ty.parts() else {
        return Compiles::No(NOT_BOXED);
    };
    match (name, arguments) {
        ("std::tuple", members) => all(members, role),
        (_, []) => plain(name, role),
        ("std::optional", [inner]) => optional(inner, role),
        ("at::OptionalArrayRef", [_]) => Compiles::Yes,
        ("std::vector" | "at::ArrayRef" | "c10::List", [inner]) => list(name, inner, role),
        ("std::array", [inner, _]) if !inner.is("at::Scalar") => value(inner, role),
        ("c10::Dict", [key, inner]) => dictionary(key, inner, role),
        ("c10::IListRef", [inner]) if inner.is("at::Tensor") => Compiles::Yes,
        ("c10::complex", [inner]) if inner.is("double") => Compiles::Yes,
        ("std::unordered_map", _) => Compiles::No("is not supported; write `c10::Dict`"),
        ("c10::intrusive_ptr", _) => {
            Compiles::Unknown(format!("`{ty}` may be a custom class").into())
        }
        _ => Compiles::No(NOT_BOXED),
    }
}

fn plain(name: &str, role: Role) -> Compiles {
    match name {
        "void" if role == Role::Return => Compiles::Yes,
        "float" => Compiles::No("is not supported; write `double`"),
        _ if is_other_integer(name) => Compiles::No("is not supported; write `int64_t`"),
        "at::Generator" => Compiles::Yes,
        _ if base(name).is_some() => Compiles::Yes,
        _ => Compiles::No(NOT_BOXED),
    }
}

fn is_other_integer(name: &str) -> bool {
    matches!(
        name,
        "char"
            | "short"
            | "int"
            | "long long"
            | "unsigned char"
            | "unsigned short"
            | "unsigned int"
            | "unsigned long"
            | "unsigned long long"
            | "char8_t"
            | "char16_t"
            | "char32_t"
            | "wchar_t"
    )
}

fn all(members: &[CppType], role: Role) -> Compiles {
    let mut members = members.iter().map(|member| value(member.decayed(), role));
    members
        .find(|found| !matches!(found, Compiles::Yes))
        .unwrap_or(Compiles::Yes)
}

fn optional(inner: &CppType, role: Role) -> Compiles {
    let is_list_reference = inner
        .parts()
        .is_some_and(|(name, _)| name == "c10::IListRef");
    if is_list_reference && role == Role::Parameter {
        return Compiles::No(NOT_BOXED);
    }
    value(inner, role)
}

/// Lists of `float` and other integers compile in some places but do not load.
fn list(name: &str, inner: &CppType, role: Role) -> Compiles {
    let is_reference = |ty: &CppType| ty.parts().is_some_and(|(name, _)| name == "at::ArrayRef");
    let is_excluded = match (name, role) {
        ("std::vector", Role::Parameter) => inner.is("bool") || is_reference(inner),
        ("std::vector", Role::Return) => {
            inner.is("bool") || inner.is("at::Scalar") || inner.is("c10::IValue")
        }
        ("at::ArrayRef", Role::Parameter) => inner.is("bool") || is_reference(inner),
        ("at::ArrayRef", Role::Return) => inner.is("c10::IValue"),
        (_, Role::Parameter) => inner.is("at::Scalar"),
        (_, Role::Return) => inner.is("at::Scalar") || inner.is("c10::SymInt"),
    };
    if is_excluded {
        return Compiles::No(NOT_BOXED);
    }
    let is_checked = name == "c10::List" || (name == "std::vector" && role == Role::Return);
    let is_number = |name: &str| name == "float" || is_other_integer(name);
    match inner.parts() {
        Some((number, [])) if is_number(number) && !is_checked => Compiles::Yes,
        _ => value(inner, role),
    }
}

fn dictionary(key: &CppType, inner: &CppType, role: Role) -> Compiles {
    let is_key = ["int64_t", "std::string", "double", "bool", "at::Tensor"]
        .iter()
        .any(|name| key.is(name))
        || key.parts().is_some_and(|(name, _)| name == "c10::complex");
    if !is_key {
        return Compiles::No("is a dictionary whose keys are not supported");
    }
    if role == Role::Return && inner.is("at::Scalar") {
        return Compiles::No(NOT_BOXED);
    }
    value(inner, role)
}
