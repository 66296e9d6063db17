//! The types of constants, and of what methods of tensors return that are no operators.

use super::cpp_type::CppType as T;

const DEVICES: [&str; 13] = [
    "CPU",
    "CUDA",
    "HIP",
    "HPU",
    "IPU",
    "Lazy",
    "MPS",
    "MTIA",
    "Meta",
    "Vulkan",
    "XLA",
    "XPU",
    "PrivateUse1",
];

/// The type of a constant of PyTorch.
pub(super) fn constant(path: &str) -> Option<T> {
    let (scope, name) = path.rsplit_once("::").unwrap_or(("", path));
    match scope.rsplit("::").next().unwrap_or(scope) {
        "ScalarType" => return Some(T::ScalarType),
        "DeviceType" => return Some(T::Device),
        "MemoryFormat" => return Some(T::MemoryFormat),
        "Layout" => return Some(T::Layout),
        "Reduction" => return Some(T::Integer),
        _ => {}
    }
    match name {
        "nullopt" => return Some(T::Null),
        "LEGACY_CONTIGUOUS_MEMORY_FORMAT" => return Some(T::MemoryFormat),
        _ => {}
    }
    let short = name.strip_prefix('k')?;
    if !short.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    Some(if DEVICES.contains(&short) {
        T::Device
    } else if short.starts_with("Sparse") || matches!(short, "Strided" | "Mkldnn" | "Jagged") {
        T::Layout
    } else {
        T::ScalarType
    })
}

/// What a method returns that does not go through the dispatcher.
pub(super) fn of_method(object: &T, name: &str) -> T {
    match name {
        "value" | "get" | "operator*" => return object.held(),
        "value_or" => return object.held(),
        "has_value" | "defined" | "empty" => return T::Bool,
        "front" | "back" | "at" | "item" => return object.element(),
        "toTensor" => return T::Tensor,
        "toTensorVector" | "vec" | "slice" if *object == T::Tensors => return T::Tensors,
        "vec" | "slice" => return object.clone(),
        _ => {}
    }
    match (object, name) {
        (
            T::Options,
            "dtype"
            | "device"
            | "layout"
            | "memory_format"
            | "requires_grad"
            | "merge_in"
            | "pinned_memory"
            | "merge_memory_format",
        ) => T::Options,
        (T::Options, "dtype_opt") => T::optional(T::ScalarType),
        (T::Options, "device_opt") => T::optional(T::Device),
        (T::Device, "type") => T::Device,
        (T::Scalar, "to" | "equal" | "isComplex" | "isFloatingPoint") => T::Unknown,
        (T::Scalar, "toDouble") => T::Float,
        (T::Scalar, "toLong") => T::Integer,
        (T::Scalar, "type") => T::ScalarType,
        (T::Scalar, "log" | "conj" | "operator-") => T::Scalar,
        (_, "sizes" | "strides") => T::Integers,
        (_, "sym_sizes" | "sym_strides") => T::SymIntegers,
        (
            _,
            "dim" | "ndimension" | "numel" | "size" | "stride" | "storage_offset" | "nbytes"
            | "element_size" | "itemsize" | "dense_dim" | "sparse_dim" | "get_device" | "output_nr",
        ) => T::Integer,
        (_, "sym_size" | "sym_numel" | "sym_stride" | "sym_storage_offset") => T::SymInt,
        (_, "scalar_type" | "dtype" | "toScalarType") => T::ScalarType,
        (_, "device") => T::Device,
        (_, "layout") => T::Layout,
        (_, "options") => T::Options,
        (_, "suggest_memory_format") => T::MemoryFormat,
        (_, "names" | "opt_names") => T::Dimnames,
        (_, "storage") => T::Storage,
        (_, "requires_grad" | "is_contiguous") => T::Bool,
        (_, name) if name.starts_with("is_") || name.starts_with("has_") => T::Bool,
        _ => T::Unknown,
    }
}

/// Methods that `TensorBase` defines without the dispatcher (`manual_cpp_binding`).
pub(super) fn is_bound_by_hand(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "stride"
            | "sym_size"
            | "sym_stride"
            | "sym_numel"
            | "sym_storage_offset"
            | "is_floating_point"
            | "is_complex"
            | "is_signed"
            | "is_conj"
            | "is_neg"
            | "is_inference"
            | "_is_zerotensor"
            | "is_leaf"
            | "output_nr"
            | "_version"
            | "data"
            | "requires_grad_"
            | "retain_grad"
            | "is_same"
            | "names"
            | "numel"
            | "dim"
    )
}

/// What functions and casts of the language return.
pub(super) fn of_standard(path: &str, bare: &str, types: &[T]) -> Option<T> {
    let first = || types.first().cloned().unwrap_or(T::Unknown);
    let template = || {
        let inner = path.split_once('<')?.1;
        inner.strip_suffix('>')
    };
    Some(match bare {
        "std::move" | "std::forward" | "move" | "c10::value_or_else" => first(),
        "std::get" => match (
            first(),
            template().and_then(|index| index.parse::<usize>().ok()),
        ) {
            (T::Tuple(parts), Some(index)) => parts.get(index).cloned().unwrap_or(T::Unknown),
            _ => T::Unknown,
        },
        "std::make_tuple" | "std::tie" | "std::make_pair" | "std::tuple" => {
            T::Tuple(types.to_vec())
        }
        "static_cast" => template().map_or(T::Unknown, T::parse),
        "std::max" | "std::min" | "std::abs" => first(),
        "c10::make_optional" | "std::make_optional" | "std::optional" | "c10::optional"
            if path == bare =>
        {
            T::optional(first())
        }
        _ => return None,
    })
}
