//! Types of PyTorch and the standard library.

use super::CppType;

/// Namespaces in which PyTorch's types are visible: `at` and `torch` use `c10`.
const PYTORCH: [&str; 10] = [
    "at",
    "autograd",
    "c10",
    "detail",
    "impl",
    "jit",
    "native",
    "torch",
    "functorch",
    "autocast",
];

/// PyTorch's classes and enumerations that kernels take, and their namespaces.
const CLASSES: [(&str, &str); 26] = [
    ("Tensor", "at"),
    ("TensorBase", "at"),
    ("OptionalTensorRef", "at"),
    ("Dimname", "at"),
    ("Generator", "at"),
    ("Scalar", "at"),
    ("ScalarType", "at"),
    ("Layout", "at"),
    ("Device", "at"),
    ("MemoryFormat", "at"),
    ("QScheme", "at"),
    ("Storage", "at"),
    ("Stream", "at"),
    ("TensorOptions", "at"),
    ("Half", "at"),
    ("BFloat16", "at"),
    ("SymInt", "c10"),
    ("SymFloat", "c10"),
    ("SymBool", "c10"),
    ("IValue", "c10"),
    ("DispatchKey", "c10"),
    ("DispatchKeySet", "c10"),
    ("DeviceType", "c10"),
    ("Symbol", "c10"),
    ("TensorImpl", "c10"),
    ("OperatorHandle", "c10"),
];

/// PyTorch's class templates.
const TEMPLATES: [(&str, &str); 7] = [
    ("ArrayRef", "at"),
    ("OptionalArrayRef", "at"),
    ("IListRef", "c10"),
    ("List", "c10"),
    ("Dict", "c10"),
    ("complex", "c10"),
    ("intrusive_ptr", "c10"),
];

/// Class templates of the standard library.
const OF_STANDARD: [&str; 21] = [
    "allocator",
    "array",
    "complex",
    "deque",
    "function",
    "initializer_list",
    "list",
    "map",
    "optional",
    "pair",
    "reference_wrapper",
    "set",
    "shared_ptr",
    "span",
    "tuple",
    "unique_ptr",
    "unordered_map",
    "unordered_set",
    "variant",
    "vector",
    "char_traits",
];

/// Integers of the standard library.
const INTEGERS: [(&str, &str); 22] = [
    ("int64_t", "int64_t"),
    ("int32_t", "int"),
    ("int16_t", "short"),
    ("int8_t", "int8_t"),
    ("uint64_t", "unsigned long"),
    ("uint32_t", "unsigned int"),
    ("uint16_t", "unsigned short"),
    ("uint8_t", "unsigned char"),
    ("size_t", "unsigned long"),
    ("ssize_t", "int64_t"),
    ("ptrdiff_t", "int64_t"),
    ("intptr_t", "int64_t"),
    ("uintptr_t", "unsigned long"),
    ("intmax_t", "int64_t"),
    ("uintmax_t", "unsigned long"),
    ("int_fast64_t", "int64_t"),
    ("int_least64_t", "int64_t"),
    ("int_fast8_t", "int8_t"),
    ("int_least8_t", "int8_t"),
    ("nullptr_t", "std::nullptr_t"),
    ("byte", "std::byte"),
    ("string", "std::string"),
];

/// Aliases of PyTorch for a template over one type.
const ALIASES: [(&str, &str, &str); 9] = [
    ("IntArrayRef", "at::ArrayRef", "int64_t"),
    ("TensorList", "at::ArrayRef", "at::Tensor"),
    ("SymIntArrayRef", "at::ArrayRef", "c10::SymInt"),
    ("DimnameList", "at::ArrayRef", "at::Dimname"),
    ("ITensorListRef", "c10::IListRef", "at::Tensor"),
    (
        "IOptTensorListRef",
        "c10::IListRef",
        "at::OptionalTensorRef",
    ),
    ("OptionalIntArrayRef", "at::OptionalArrayRef", "int64_t"),
    (
        "OptionalSymIntArrayRef",
        "at::OptionalArrayRef",
        "c10::SymInt",
    ),
    ("variable_list", "std::vector", "at::Tensor"),
];

pub(super) fn is_pytorch(namespace: &str) -> bool {
    PYTORCH.contains(&namespace)
}

/// Resolves a name in one of PyTorch's namespaces.
pub(super) fn of_pytorch(name: &str, arguments: &[CppType]) -> Option<CppType> {
    let aliased = ALIASES.iter().find(|(alias, ..)| *alias == name);
    if let Some((_, template, element)) = aliased {
        return Some(CppType::of(template, vec![CppType::named(element)]));
    }
    let class = |(class, namespace): &(&str, &str)| {
        (*class == name).then(|| format!("{namespace}::{class}"))
    };
    if arguments.is_empty()
        && let Some(path) = CLASSES.iter().find_map(class)
    {
        return Some(CppType::named(&path));
    }
    if !arguments.is_empty()
        && let Some(path) = TEMPLATES.iter().find_map(class)
    {
        return Some(CppType::of(&path, arguments.to_vec()));
    }
    Some(CppType::named(match name {
        "Variable" => "at::Tensor",
        "Dtype" => "at::ScalarType",
        "DeviceIndex" => "int8_t",
        "string_view" => "c10::string_view",
        "optional" => return of_standard(name, arguments),
        _ => return None,
    }))
}

/// Resolves a name of the standard library. `std::string_view` is `c10::string_view` since 2.6.
/// For earlier releases, the two also count as one type.
pub(super) fn of_standard(name: &str, arguments: &[CppType]) -> Option<CppType> {
    if let Some((_, path)) = INTEGERS.iter().find(|(integer, _)| *integer == name) {
        return Some(CppType::named(path));
    }
    match name {
        "string_view" | "basic_string_view" => return Some(CppType::named("c10::string_view")),
        "basic_string" => return Some(CppType::named("std::string")),
        _ => {}
    }
    // Compilers also print default template arguments.
    let is_default = |ty: &&CppType| ty.parts().is_some_and(|(name, _)| name == "std::allocator");
    let arguments = arguments.iter().filter(|ty| !is_default(ty)).cloned();
    OF_STANDARD
        .contains(&name)
        .then(|| CppType::of(&format!("std::{name}"), arguments.collect()))
}

/// Reads a built-in type: words such as `unsigned`, `long` and `int` in any order.
pub(super) fn built_in(words: &[&str]) -> Option<CppType> {
    let count = |word: &str| words.iter().filter(|one| **one == word).count();
    let is_unsigned = count("unsigned") > 0;
    let sign = |plain: &'static str, unsigned: &'static str| {
        if is_unsigned { unsigned } else { plain }
    };
    let name = if count("char") > 0 {
        match (is_unsigned, count("signed") > 0) {
            (true, _) => "unsigned char",
            (_, true) => "int8_t",
            _ => "char",
        }
    } else if count("short") > 0 {
        sign("short", "unsigned short")
    } else if count("double") > 0 {
        if count("long") > 0 {
            "long double"
        } else {
            "double"
        }
    } else {
        match count("long") {
            // The size on Linux.
            1 => sign("int64_t", "unsigned long"),
            2 => sign("long long", "unsigned long long"),
            _ => match words {
                [
                    one @ ("bool" | "float" | "void" | "wchar_t" | "char16_t" | "char32_t"
                    | "char8_t" | "__half" | "__int128"),
                ] => one,
                _ => sign("int", "unsigned int"),
            },
        }
    };
    Some(CppType::named(name))
}

pub(super) fn is_built_in(word: &str) -> bool {
    matches!(
        word,
        "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "signed"
            | "unsigned"
            | "float"
            | "double"
            | "void"
            | "wchar_t"
            | "char16_t"
            | "char32_t"
            | "char8_t"
            | "__int128"
    )
}

pub(super) fn is_template(name: &str) -> bool {
    name == "std::tuple"
}

/// Returns the alias that declarations use for a template over one type.
pub(super) fn alias_of(name: &str, arguments: &[CppType]) -> Option<&'static str> {
    let [argument] = arguments else {
        return None;
    };
    let shown = [
        "at::IntArrayRef",
        "at::TensorList",
        "c10::SymIntArrayRef",
        "at::DimnameList",
        "at::ITensorListRef",
        "at::IOptTensorListRef",
        "at::OptionalIntArrayRef",
        "at::OptionalSymIntArrayRef",
    ];
    let mut aliases = ALIASES.iter().zip(shown);
    let found =
        aliases.find(|((_, template, element), _)| *template == name && argument.is(element));
    found.map(|(_, shown)| shown)
}
