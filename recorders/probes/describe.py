"""An operator as torchgen models it, as plain data."""

from torchgen.model import NativeFunction

_DEFAULT_NAMESPACE = "at::native"
# The fields of a short description; rows of random documents have these.
SHORT = ["name", "func", "kind", "is_generated", "namespace", "dispatch", "dispatch_ns",
         "structured", "structured_delegate", "autogen", "variants", "tags", "is_abstract",
         "is_view_op"]


def operators(parsed: object) -> list[dict]:
    """Every operator of a parsed file, generated ones included, in torchgen's order."""
    return [operator(f, parsed.backend_indices) for f in parsed.native_functions]


def short(described: dict) -> dict:
    """The fields of the short description."""
    return {field: described[field] for field in SHORT}


def operator(f: NativeFunction, indices: dict) -> dict:
    """One operator."""
    kernels = {str(key): index.index[f.func.name] for key, index in indices.items()
               if f.func.name in index.index}
    kernels = dict(sorted(kernels.items()))
    return {
        "name": str(f.func.name),
        "func": str(f.func),
        "kind": f.func.kind().name,
        "is_generated": "generated" in f.tags,
        "namespace": f.namespace,
        "dispatch": {key: made.kernel for key, made in kernels.items()},
        "dispatch_ns": {key: made.cpp_namespace for key, made in kernels.items()
                        if made.cpp_namespace != _DEFAULT_NAMESPACE},
        "dispatch_structured": [key for key, made in kernels.items() if made.structured],
        "structured": f.structured,
        "structured_delegate": text(f.structured_delegate),
        "structured_inherits": f.structured_inherits,
        "precomputed": precomputed(f),
        "autogen": [str(name) for name in f.autogen],
        "ufunc_inner_loop": {key.name: loop(made) for key, made in
                             sorted(f.ufunc_inner_loop.items(), key=lambda row: row[0].name)},
        "variants": sorted(variant.name for variant in f.variants),
        "tags": sorted(f.tags),
        "python_module": f.python_module,
        "category_override": f.category_override,
        "device_check": f.device_check.name,
        "device_guard": f.device_guard,
        "manual_kernel_registration": f.manual_kernel_registration,
        "manual_cpp_binding": f.manual_cpp_binding,
        "use_const_ref_for_mutable_tensors": f.use_const_ref_for_mutable_tensors,
        "cpp_no_default_args": sorted(f.cpp_no_default_args),
        "is_abstract": f.is_abstract,
        "is_view_op": f.is_view_op,
        **{field: getattr(f, field) for field in (
            "has_composite_implicit_autograd_kernel",
            "has_composite_implicit_autograd_nested_tensor_kernel",
            "has_composite_explicit_autograd_kernel",
            "has_composite_explicit_autograd_non_functional_kernel")},
        "line": f.loc.line,
        "signature": str(f.func.signature()),
    }


def text(value: object) -> str | None:
    """The text of a name that may be absent."""
    return None if value is None else str(value)


def precomputed(f: NativeFunction) -> dict | None:
    """What `precomputed:` replaces and adds, as texts of arguments."""
    if f.precomputed is None:
        return None
    replaced = {name: [str(argument) for argument in arguments]
                for name, arguments in f.precomputed.replace.items()}
    return {"replace": replaced, "add": [str(argument) for argument in f.precomputed.add or []]}


def loop(made: object) -> dict:
    """One inner loop of a ufunc."""
    return {"name": made.name, "dtypes": [dtype.name for dtype in made.supported_dtypes]}
