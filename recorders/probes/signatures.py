"""The C++ and Python declarations of every operator, as the release's own torchgen writes them."""

import ast
import sys
from pathlib import Path

import judge
from probe import serve
from torchgen import gen
from torchgen.api import python
from torchgen.api.types import CppSignatureGroup, DispatcherSignature
from torchgen.context import native_function_manager
from torchgen.dest.native_functions import gen_structured, gen_unstructured
from torchgen.model import NativeFunctionsGroup, Variant


def answer(_request: dict) -> dict:
    """The names in the release's type stubs, and a row for each operator."""
    data = (judge.ATEN / "native" / "native_functions.yaml").read_bytes()
    parsed = judge.parse(data, judge.own_tags())
    groups = {}
    for group in gen.get_grouped_native_functions(parsed.native_functions):
        if isinstance(group, NativeFunctionsGroup):
            groups |= {f.func.name: group for f in group.functions()}
    indices = list(parsed.backend_indices.values())
    rows = []
    for f in parsed.native_functions:
        with native_function_manager(f):
            rows.append(row(f, groups.get(f.func.name), indices))
    return {"stubs": stubs(), "rows": rows}


def row(f, group, indices: list) -> dict:
    """One operator."""
    found = {"name": str(f.func.name)}
    found["dispatcher"] = DispatcherSignature.from_schema(f.func, symint=True).decl()
    without = DispatcherSignature.from_schema(f.func, symint=False).decl()
    if without != found["dispatcher"]:
        found["dispatcher_int"] = without
    variants = [(Variant.function, "function"), (Variant.method, "method")]
    variants = [(word, variant is Variant.method) for variant, word in variants if variant in f.variants]
    for word, method in variants:
        made = CppSignatureGroup.from_native_function(
            f, method=method, fallback_binding=f.manual_cpp_binding)
        found[f"{word}s"] = [signature.decl() for signature in made.signatures()]
    kernels = {str(index.dispatch_key): declared for index in indices
               if (declared := kernel(f, group, index))}
    if kernels:
        found["kernels"] = kernels
    for word, method in variants:
        found |= bindings(f, word, method)
    return found


def kernel(f, group, index) -> list[str]:
    """What `NativeFunctions.h` declares for a key of an operator; empty where it has no kernel."""
    made = index.get_kernel(group) if group else None
    if made is not None and made.structured:
        return gen_structured(group, index)
    declared = gen_unstructured(f, index)
    return [declared] if declared else []


def bindings(f, word: str, method: bool) -> dict:
    """The signature of the argument parser, and the type stubs; `None` where torchgen refuses."""
    def attempt(make):
        try:
            return make()
        except Exception:
            return None

    plain = attempt(lambda: python.signature(f, method=method).signature_str())
    typed = attempt(lambda: python.signature(f, method=method, pyi=True))
    stub = attempt(lambda: [typed.signature_str_pyi(), typed.signature_str_pyi_vararg()])
    return {f"python_{word}": plain, f"pyi_{word}": stub}


def stubs() -> dict[str, list[str]]:
    """The names that the release's type stubs have."""
    root = next(Path(path) / "torch" / "_C" for path in sys.path
                if (Path(path) / "torch" / "_C" / "_VariableFunctions.pyi").is_file())
    tensor = next(node for node in _tree(root / "__init__.pyi").body
                  if isinstance(node, ast.ClassDef) and node.name in ("TensorBase", "_TensorBase"))
    return {"torch": _functions(_tree(root / "_VariableFunctions.pyi").body),
            "_nn": _functions(_tree(root / "_nn.pyi").body), "Tensor": _functions(tensor.body)}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _functions(body: list) -> list[str]:
    return sorted({node.name for node in body if isinstance(node, ast.FunctionDef)})


if __name__ == "__main__":
    serve(answer)
