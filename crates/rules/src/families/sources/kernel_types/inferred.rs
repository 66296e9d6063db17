//! The schema types that PyTorch infers from C++ types (`getTypePtr` in
//! `aten/src/ATen/core/jit_type.h`), spelled as in the runtime.

use opatlas_sources::CppType;

/// Infers the schema type of an argument.
///
/// # Errors
/// If the C++ type has no schema type. The library does not load.
pub(super) fn inferred(ty: &CppType) -> Result<String, Box<str>> {
    let ty = ty.decayed();
    let Some((name, arguments)) = ty.parts() else {
        return Err(none(ty));
    };
    Ok(match (name, arguments) {
        ("at::Generator", []) => "Generator?".to_owned(),
        ("std::tuple", members) => {
            let members: Result<Vec<_>, _> = members.iter().map(inferred).collect();
            format!("({})", members?.join(", "))
        }
        (_, []) => base(name).ok_or_else(|| none(ty))?.to_owned(),
        ("c10::complex", [inner]) if inner.is("double") => "complex".to_owned(),
        ("std::optional", [inner]) => optional(inferred(inner)?),
        ("at::OptionalArrayRef", [inner]) if inner.is("int64_t") => "int[]?".to_owned(),
        ("at::OptionalArrayRef", [inner]) if inner.is("c10::SymInt") => "SymInt[]?".to_owned(),
        ("std::vector" | "at::ArrayRef" | "c10::List" | "c10::IListRef", [inner])
        | ("std::array", [inner, _]) => format!("{}[]", inferred(inner)?),
        ("c10::Dict" | "std::unordered_map", [key, value]) => {
            format!("Dict({}, {})", inferred(key)?, inferred(value)?)
        }
        _ => return Err(none(ty)),
    })
}

fn none(ty: &CppType) -> Box<str> {
    format!("`{ty}` is not a type of schemas").into()
}

/// Infers the schema types of a function's return values. A tuple stands for several values.
pub(super) fn inferred_returns(ty: &CppType) -> Result<Vec<String>, Box<str>> {
    match ty.parts() {
        Some(("void", [])) => Ok(Vec::new()),
        Some(("std::tuple", members)) => members.iter().map(inferred).collect(),
        _ => Ok(vec![inferred(ty)?]),
    }
}

fn optional(inner: String) -> String {
    if inner.ends_with('?') {
        inner
    } else {
        inner + "?"
    }
}

pub(super) fn base(name: &str) -> Option<&'static str> {
    Some(match name {
        "at::Tensor" => "Tensor",
        "at::Scalar" => "Scalar",
        "at::ScalarType" => "ScalarType",
        "at::Layout" => "Layout",
        "at::Device" => "Device",
        "at::MemoryFormat" => "MemoryFormat",
        "at::QScheme" => "QScheme",
        "at::Storage" => "Storage",
        "at::Stream" => "Stream",
        "at::Dimname" | "std::string" | "c10::string_view" => "str",
        "int64_t" | "int8_t" => "int",
        "double" => "float",
        "bool" => "bool",
        "c10::SymInt" => "SymInt",
        "c10::SymFloat" => "SymFloat",
        "c10::SymBool" => "SymBool",
        "c10::IValue" => "Any",
        _ => return None,
    })
}
