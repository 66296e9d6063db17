"""What AOTInductor calls of a release: the lists of torchgen, the headers of the C shim, and the stable operators."""

import importlib
import json
import re
from pathlib import Path

import torch

INCLUDE = Path(torch.__file__).parent / "include" / "torch" / "csrc"
_DECLARATION = re.compile(r"AOTITorchError aoti_torch_([a-z]+)_(\w+)\((.*?)\);", re.DOTALL)
_DEVICE = re.compile(r"c_shim_(\w+)\.h")
_FUNCTION = re.compile(r"^inline\s+[\w:<>,\s&*]+?\s(\w+)\(", re.MULTILINE)
_DISPATCHED = re.compile(r"call_dispatcher\(\s*\"aten::(\w+)\",\s*\"(\w*)\"")
_SHIM = re.compile(r"aoti_torch_aten_(\w+)\(")


def lists() -> dict[str, dict[str, str]]:
    """The operators with a shim, and the versions of each as JSON."""
    try:
        of = importlib.import_module("torchgen.aoti.fallback_ops")
    except ModuleNotFoundError:
        raise FileNotFoundError("torchgen has no aoti/fallback_ops.py") from None
    found = {"aoti_fallback_ops": versions(of.inductor_fallback_ops)}
    if hasattr(of, "aten_shimified_ops"):
        found["aoti_shimified_ops"] = versions(of.aten_shimified_ops)
    return found


def versions(listed: object) -> dict[str, str]:
    """Of each listed operator its versions; a set has none."""
    every = listed if isinstance(listed, dict) else dict.fromkeys(listed, {})
    return {operator_of(name): json.dumps(of, separators=(",", ":")) if of else "" for name, of in every.items()}


def operator_of(listed: str) -> str:
    """`add.Tensor` of `aten.add.Tensor`, `abs` of `aten.abs.default`."""
    namespace, base, overload = listed.split(".")
    operator = base if overload == "default" else f"{base}.{overload}"
    return operator if namespace == "aten" else f"{namespace}::{operator}"


def shim() -> dict[str, dict[str, str]]:
    """The declarations of the generated headers: of each device its functions and their parameters."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted((INCLUDE / "inductor" / "aoti_torch" / "generated").rglob("c_shim_*.h")):
        device = _DEVICE.fullmatch(path.name)[1]
        for of, function, parameters in _DECLARATION.findall(path.read_text()):
            if of == device:
                found.setdefault(f"shim_{device}", {})[function] = " ".join(parameters.split())
    if not found:
        raise FileNotFoundError("the wheel has no torch/csrc/inductor/aoti_torch/generated/c_shim_*.h")
    return found


def stable() -> dict[str, dict[str, str]]:
    """The operators that `stable/ops.h` calls, and the functions of the header that call each."""
    path = INCLUDE / "stable" / "ops.h"
    if not path.is_file():
        raise FileNotFoundError("the wheel has no torch/csrc/stable/ops.h")
    text = path.read_text()
    listed = importlib.import_module("torchgen.aoti.fallback_ops")
    shims = {name.replace(".", "_"): name for name in map(operator_of, getattr(listed, "aten_shimified_ops", ()))}
    found: dict[str, set[str]] = {}
    begins = list(_FUNCTION.finditer(text))
    for begin, end in zip(begins, [*begins[1:], None], strict=True):
        body = text[begin.start(): end.start() if end else len(text)]
        called = [f"{base}.{overload}" if overload else base for base, overload in _DISPATCHED.findall(body)]
        called += [shims[name] for name in _SHIM.findall(body) if name in shims]
        for operator in called:
            found.setdefault(operator, set()).add(begin[1])
    return {"stable_ops": {operator: " ".join(sorted(functions)) for operator, functions in sorted(found.items())}}
