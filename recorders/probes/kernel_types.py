"""Which C++ types of kernels compile and load. Request: `seed` and `count`. Answer: a row for each
generated kernel, with its text and whether it was `accepted`, or refused by the compiler (`compile`)
or when it was registered (`load`).

Every kernel is of another operator, because the dispatcher remembers the types that it has seen.
"""

import ctypes
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from kernel_choices import OF_SCHEMA, respelled, replaced
from probe import serve
from torchgen.api.types import DispatcherSignature
from torchgen.context import native_function_manager
from torchgen.gen import parse_native_yaml
from torchgen.model import NativeFunction

_TORCH = Path(torch.__file__).parent
_EACH = 60
_ERROR = re.compile(r"kernels\.cpp:(\d+):\d+:")
# torch/types.h has more, which takes long to compile.
_PRELUDE = "#include <ATen/ATen.h>\n#include <torch/library.h>\nnamespace torch { using namespace at; }\n"
_BLOCK = re.compile(r"TORCH_LIBRARY_IMPL\(\w+, PrivateUse1, m\)")
_TRY = """
extern "C" const char* attempt(int kernel) {
  static std::string message;
  try {
    run(kernel);
    return nullptr;
  } catch (const c10::Error& error) {
    message = error.what_without_backtrace();
  } catch (const std::exception& error) {
    message = error.what();
  }
  return message.c_str();
}
"""


def answer(request: dict) -> list[dict]:
    """Return the kernels with their results."""
    kernels = list(generated(random.Random(request["seed"]), request["count"]))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for start in range(0, len(kernels), _EACH):
            part = kernels[start:start + _EACH]
            _compile(part, place)
            _load([kernel for kernel in part if "result" not in kernel], place / f"kernels{start}.so")
    return kernels


def generated(choose: random.Random, count: int) -> list[dict]:
    """Generate kernels. A quarter of them belong to operators that the block defines."""
    functions = _functions()
    choose.shuffle(functions)
    kernels = []
    for number in range(count):
        kernel = _own(choose, number) if number % 4 == 3 else _of_pytorch(choose, functions.pop(), number)  # noqa: PLR2004
        kernels.append(kernel | {"text": _text(choose, kernel, number)})
    return [{key: kernel[key] for key in ("operator", "schema", "kind", "text")} for kernel in kernels]


def _functions() -> list[NativeFunction]:
    folder = Path(sys.modules["torchgen"].__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    return sorted((one for one in parsed.native_functions if one.namespace == "aten"), key=lambda one: str(one.func.name))


def _of_pytorch(choose: random.Random, function: NativeFunction, number: int) -> dict:
    with native_function_manager(function):
        sizes = choose.random() < 0.6  # noqa: PLR2004
        signature = DispatcherSignature.from_schema(function.func, symint=sizes)
        parameters = [one.nctype.cpp_type() for one in signature.arguments()]
        returns = signature.returns_type().cpp_type()
    kind, returns, parameters = replaced(choose, returns, parameters)
    return {"operator": str(function.func.name), "schema": None, "kind": kind, "returns": returns,
            "parameters": parameters}


def _own(choose: random.Random, number: int) -> dict:
    types = [choose.choice(sorted(OF_SCHEMA)) for _ in range(choose.randint(1, 4))]
    returns = choose.choice(["Tensor", "Tensor", "int", "float", "bool", "Tensor[]", "Tensor?", "SymInt", "str", "Scalar",
                             "(Tensor, Tensor)", "()"])
    wrong = choose.randrange(len(types) + 1) if choose.random() < 0.6 else None  # noqa: PLR2004

    def cpp(place: int, ty: str) -> str:
        right, other = OF_SCHEMA[ty]
        return choose.choice(other if place == wrong else right)

    parameters = [cpp(place, ty) for place, ty in enumerate(types)]
    returned = choose.choice(_OF_RETURN[returns][1 if wrong == len(types) else 0])
    arguments = ", ".join(f"{ty} a{place}" for place, ty in enumerate(types))
    return {"operator": f"opatlas_types::f{number}", "schema": f"f{number}({arguments}) -> {returns}",
            "kind": "own operator, other type" if wrong is not None else "own operator",
            "returns": returned, "parameters": parameters}


_OF_RETURN = {
    "Tensor": (["at::Tensor", "at::Tensor"], ["std::tuple<at::Tensor, at::Tensor>", "void", "int64_t", "std::vector<at::Tensor>",
                                              "std::optional<at::Tensor>"]),
    "int": (["int64_t", "long"], ["int", "double", "bool", "c10::SymInt", "size_t"]),
    "float": (["double"], ["float", "int64_t", "at::Scalar"]),
    "bool": (["bool"], ["int64_t", "at::Tensor"]),
    "Tensor[]": (["std::vector<at::Tensor>", "c10::List<at::Tensor>"], ["at::Tensor", "std::tuple<at::Tensor, at::Tensor>"]),
    "Tensor?": (["std::optional<at::Tensor>"], ["at::Tensor"]),
    "SymInt": (["c10::SymInt"], ["int64_t"]),
    "str": (["std::string"], ["const char*", "at::Tensor"]),
    "Scalar": (["at::Scalar"], ["double", "at::Tensor"]),
    "(Tensor, Tensor)": (["std::tuple<at::Tensor, at::Tensor>"], ["at::Tensor", "std::pair<at::Tensor, at::Tensor>",
                                                                 "std::tuple<at::Tensor, at::Tensor, at::Tensor>"]),
    "()": (["void"], ["at::Tensor", "int64_t"]),
}


def _text(choose: random.Random, kernel: dict, number: int) -> str:
    """Return a namespace with the function, and the statement that registers it."""
    used = ["using namespace at;", "using at::Tensor;", "using c10::SymInt;"] if choose.random() < 0.3 else []  # noqa: PLR2004
    returns, *parameters = (respelled(choose, ty, bool(used)) for ty in (kernel["returns"], *kernel["parameters"]))
    listed = ", ".join(f"{ty} a{place}" for place, ty in enumerate(parameters))
    name = kernel["operator"].removeprefix("opatlas_types::")
    form = choose.choice(["&{f}", "&{f}", "{f}", "TORCH_FN({f})", "lambda"])
    lines = [f"namespace k{number} {{", *used]
    if form == "lambda":
        body = f"[]({listed}) -> {returns} {{ TORCH_CHECK(false); }}"
    else:
        lines.append(f"{returns} kernel({listed}) {{ TORCH_CHECK(false); }}")
        body = form.format(f="kernel")
    space = "opatlas_types" if kernel["schema"] else "aten"
    lines.append(f'TORCH_LIBRARY_IMPL({space}, PrivateUse1, m) {{ m.impl("{name}", {body}); }}')
    return "\n".join([*lines, "}"])


def _callable(kernel: dict) -> str:
    """Replace the block with a function, so that a refusal can be caught."""
    return _BLOCK.sub("void add(torch::Library& m)", kernel["text"])


def _gcc(*arguments: object) -> subprocess.CompletedProcess:
    include = _TORCH / "include"
    paths = [part for path in (include, include / "torch" / "csrc" / "api" / "include") for part in ("-isystem", str(path))]
    standard = "c++20" if tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) >= (2, 13) else "c++17"
    return subprocess.run(["g++", f"-std={standard}", "-O0", "-w", "-fPIC", "-fmax-errors=0", *paths, *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def _compile(kernels: list[dict], place: Path) -> None:
    """Mark kernels that do not compile. Repeat, since a failed instance is reported only once."""
    source = place / "kernels.cpp"
    while True:
        left = [kernel for kernel in kernels if "result" not in kernel]
        text, owners = _PRELUDE, {}
        for kernel in left:
            first = text.count("\n") + 1
            text += _callable(kernel) + "\n"
            owners |= dict.fromkeys(range(first, text.count("\n") + 1), kernel)
        source.write_text(text)
        done = _gcc("-fsyntax-only", source)
        if done.returncode == 0:
            return
        current, found = None, 0
        for line in done.stderr.splitlines():
            at = _ERROR.search(line)
            if at and int(at[1]) in owners:
                current = owners[int(at[1])]
            if "error: " in line and current is not None and "result" not in current:
                current |= {"result": "compile", "message": line.split("error: ", 1)[1]}
                found += 1
        if not found:
            raise SystemExit(done.stderr[-4000:])


def _load(kernels: list[dict], library: Path) -> None:
    """Register the other kernels, each in its own library."""
    source = library.with_suffix(".cpp")
    lines = [_PRELUDE, *map(_callable, kernels),
             "static std::vector<std::unique_ptr<torch::Library>> kept;",
             "static torch::Library& made(torch::Library::Kind kind, const char* space) {",
             "  bool impl = kind == torch::Library::IMPL;",
             "  auto key = impl ? std::make_optional(c10::DispatchKey::PrivateUse1) : std::nullopt;",
             "  kept.push_back(std::make_unique<torch::Library>(kind, space, key, \"kernels.cpp\", 1));",
             "  return *kept.back();", "}", "static void run(int kernel) {", "  switch (kernel) {"]
    for index, kernel in enumerate(kernels):
        space = "opatlas_types" if kernel["schema"] else "aten"
        number = re.match(r"namespace (k\d+)", kernel["text"])[1]
        define = f'made(torch::Library::FRAGMENT, "{space}").def("{kernel["schema"]}"); ' if kernel["schema"] else ""
        lines.append(f'    case {index}: {define}{number}::add(made(torch::Library::IMPL, "{space}")); break;')
    source.write_text("\n".join([*lines, "  }", "}", _TRY]))
    done = _gcc("-shared", source, "-o", library, f"-L{_TORCH / 'lib'}", "-ltorch_cpu", "-lc10")
    if done.returncode != 0:
        raise SystemExit(done.stderr[-4000:])
    loaded = ctypes.CDLL(str(library))
    loaded.attempt.restype = ctypes.c_char_p
    for index, kernel in enumerate(kernels):
        message = loaded.attempt(index)
        kernel |= {"result": "accepted", "message": None} if message is None else \
            {"result": "load", "message": _lines(message.decode())}


def _lines(message: str) -> str:
    """Return the lines that name the mismatch and the types."""
    wanted = ("kernel 1: ", "kernel 2: ", "reason: ")
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return "\n".join([lines[0], *(line for line in lines if line.startswith(wanted))])


serve(answer)
