"""The names that Python binds, by module, each with its kind: `function`, `method` or `property`."""

from types import BuiltinFunctionType, GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType

from probe import serve

import torch

PLACES = {
    "torch": torch._C._VariableFunctionsClass,
    "Tensor": torch._C.TensorBase,
    **{f"torch._C.{name}": getattr(torch._C, name)
       for name in ("_nn", "_fft", "_linalg", "_nested", "_sparse", "_special")},
}
KINDS = {BuiltinFunctionType: "function", MethodDescriptorType: "method", GetSetDescriptorType: "property",
         WrapperDescriptorType: "method"}


def answer(_: dict) -> dict:
    """A row for each name that a module or class has itself."""
    rows = []
    for place, owner in PLACES.items():
        for name, value in sorted(vars(owner).items()):
            kind = KINDS.get(type(getattr(value, "__func__", value)))
            if kind:
                # Functions of `torch` are static methods of a class.
                rows.append({"place": place, "name": name, "kind": "method" if place == "Tensor" and kind == "function"
                             else kind if place == "Tensor" else "function"})
    return {"rows": rows}


if __name__ == "__main__":
    serve(answer)
