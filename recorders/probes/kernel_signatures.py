"""The C++ types that the dispatcher compares kernels with. Answer: for each operator of `aten`, the type
of a kernel that PyTorch registered with symbolic sizes (`symbolic`), and without (`concrete`); null if
there is none. Request: empty."""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import torch
from probe import serve

_TORCH = Path(torch.__file__).parent
_SOURCE = r"""
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
namespace {
struct Unlike {};
at::Tensor concrete(const at::Tensor& a) { return a; }
at::Tensor symbolic(const at::Tensor& a, c10::SymInt) { return a; }
}
// If a kernel does not fit, the error of the dispatcher names the registered type.
extern "C" const char* type_of(const char* name, const char* overload, bool is_symbolic) {
  static std::string found;
  auto kernel = is_symbolic ? c10::KernelFunction::makeFromUnboxedRuntimeFunction(&symbolic)
                            : c10::KernelFunction::makeFromUnboxedRuntimeFunction(&concrete);
  try {
    auto other = c10::impl::CppSignature::make<void(Unlike)>();
    auto kept = c10::Dispatcher::singleton().registerImpl(
        {name, overload}, c10::DispatchKey::PrivateUse3, std::move(kernel), other, nullptr, "");
    return nullptr;
  } catch (const c10::Error& error) {
    found = error.what_without_backtrace();
  }
  auto start = found.find("kernel 1: ") + 10;
  found = found.substr(start, found.find("\n", start) - start);
  return found.c_str();
}
"""


def answer(_request: dict) -> list[dict]:
    """The operators, sorted by name."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = ctypes.CDLL(str(_library(Path(folder))))
    loaded.type_of.restype = ctypes.c_char_p
    rows = []
    for full in sorted(torch._C._dispatch_get_all_op_names()):  # noqa: SLF001
        space, _, operator = full.partition("::")
        if space != "aten":
            continue
        name, _, overload = operator.partition(".")
        row = {"operator": operator}
        for field, is_symbolic in (("concrete", False), ("symbolic", True)):
            found = loaded.type_of(f"aten::{name}".encode(), overload.encode(), is_symbolic)
            row[field] = found.decode() if found else None
        rows.append(row)
    return rows


def _library(folder: Path) -> Path:
    source, library = folder / "types.cpp", folder / "types.so"
    source.write_text(_SOURCE)
    include = _TORCH / "include"
    subprocess.run(["g++", "-std=c++20", "-O0", "-w", "-fPIC", "-shared", "-isystem", include, "-isystem",
                    include / "torch" / "csrc" / "api" / "include", source, "-o", library, f"-L{_TORCH / 'lib'}",
                    "-ltorch_cpu", "-lc10"], check=True)
    return library


serve(answer)
