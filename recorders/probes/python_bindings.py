"""Which operators Python binds: what the binding generator skips, and what the stubs have all the
same because it is bound by hand.
"""

import ast
import importlib
import re
import sys
from itertools import product
from pathlib import Path

import judge
from torchgen.model import Variant

try:
    # Where `re` keeps its parser since Python 3.11.
    from re import _parser
except ImportError:
    import sre_parse as _parser

# Methods that the type stubs leave out, since operators such as `+` have them.
_SPECIAL = re.compile(r"__\w+__$")


def facts() -> dict:
    """The lists of the group `bindings`; none where the wheel lacks the generator."""
    try:
        generator = importlib.import_module("torchgen.packaged.autograd.gen_python_functions")
    except ModuleNotFoundError:
        return {}
    skipped = {glob for pattern in generator._SKIP_PYTHON_BINDINGS for glob in globs(pattern)}
    functions = judge.parse((judge.ATEN / "native" / "native_functions.yaml").read_bytes(),
                            judge.own_tags()).native_functions
    left = [f for f in functions if f.python_module is None]
    stubs = names()
    found = {}
    for variant, field, module in ((Variant.function, "functions_by_hand", "torch"),
                                   (Variant.method, "methods_by_hand", "Tensor")):
        of = [f for f in left if variant in f.variants]
        bound = {str(f.func.name.name) for f in of if generator.should_generate_py_binding(f)}
        every = {str(f.func.name.name) for f in of}
        found[field] = sorted(name for name in (every - bound) & stubs[module]
                              if not _SPECIAL.match(name))
    return {"skipped": sorted(skipped),
            "skipped_schemas": sorted(generator.SKIP_PYTHON_BINDINGS_SIGNATURES), **found}


def globs(pattern: str) -> list[str]:
    """A regular expression as globs: `(a|b)` and `x?` become one glob for each choice."""
    return _expand(_parser.parse(pattern))


def _expand(parsed: object) -> list[str]:
    choices = []
    for kind, value in parsed:
        name = str(kind)
        if name == "LITERAL":
            choices.append([chr(value)])
        elif name == "ANY":
            choices.append(["?"])
        elif name == "SUBPATTERN":
            choices.append(_expand(value[-1]))
        elif name == "BRANCH":
            choices.append([glob for branch in value[1] for glob in _expand(branch)])
        elif name == "MAX_REPEAT" and value[0] == 0 and value[1] == 1:
            choices.append(["", *_expand(value[2])])
        elif name == "MAX_REPEAT" and value[0] == 0 and _expand(value[2]) == ["?"]:
            choices.append(["*"])
        elif name == "IN":
            choices.append([chr(code) for _, code in value])
        else:
            raise ValueError(f"{name} in {parsed}")
    return ["".join(parts) for parts in product(*choices)]


def names() -> dict[str, set[str]]:
    """The names in the type stubs, attributes included, by module."""
    root = next(Path(path) / "torch" / "_C" for path in sys.path
                if (Path(path) / "torch" / "_C" / "_VariableFunctions.pyi").is_file())
    tensor = next(node for node in ast.parse((root / "__init__.pyi").read_text()).body
                  if isinstance(node, ast.ClassDef) and node.name in ("TensorBase", "_TensorBase"))
    functions = ast.parse((root / "_VariableFunctions.pyi").read_text()).body
    return {"torch": _declared(functions), "Tensor": _declared(tensor.body)}


def _declared(body: list) -> set[str]:
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return functions | {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
