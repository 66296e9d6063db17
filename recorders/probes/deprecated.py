"""The deprecated Python signatures of a release, and verdicts on files of them.

Request: `native_functions_yaml` and `documents`, or nothing for the release's own file.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

import judge
from probe import failure, serve
from torchgen.packaged.autograd import gen_python_functions as generator

OWN = Path(generator.__file__).parent / "deprecated.yaml"


def answer(request: dict) -> list[dict]:
    """A row for each document, or for each deprecated signature of the release."""
    if "documents" not in request:
        functions = bound((judge.ATEN / "native" / "native_functions.yaml").read_bytes())
        return forms(functions, OWN)
    functions = bound(request["native_functions_yaml"].encode())
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(request["documents"]):
            path = Path(folder) / f"deprecated_{number}.yaml"
            path.write_text(document)
            rows.append(one(functions, path))
    return rows


def bound(data: bytes) -> list:
    """The operators that Python binds."""
    functions = judge.parse(data, judge.own_tags()).native_functions
    return [f for f in functions if generator.should_generate_py_binding(f)]


def one(functions: list, path: Path) -> dict:
    """The verdict, and what was made of an accepted file."""
    try:
        made = forms(functions, path)
    except Exception as error:
        return {"verdict": "reject", "error": failure(error)}
    return {"verdict": "accept", "error": None, "forms": made}


def forms(functions: list, path: Path) -> list[dict]:
    """The deprecated signatures by operator, as the argument parser and the type stubs get them."""
    rows = defaultdict(dict)
    for word, method, is_of in (("function", False, generator.is_py_torch_function),
                                ("method", True, generator.is_py_variable_method)):
        pairs = [pair for pair in generator.load_signatures(functions, str(path), method=method)
                 if is_of(pair.function)]
        for overloads in generator.group_filter_overloads(pairs, lambda _: True).values():
            generator.group_overloads(overloads)
        for place, signature in deprecated(pairs):
            rows[place][f"python_{word}"] = signature.signature_str()
    stubs = generator.load_signatures(functions, str(path), method=False, pyi=True)
    for place, signature in deprecated(stubs):
        if "python_function" in rows[place]:
            rows[place]["pyi_function"] = signature.signature_str_pyi()
    return [{"operator": operator, "schema": schema, **row} for (operator, schema), row in rows.items() if row]


def deprecated(pairs: list) -> list:
    """The deprecated ones, by operator and schema."""
    return [((str(pair.function.func.name), str(pair.signature.deprecated_schema)), pair.signature)
            for pair in pairs if pair.signature.deprecated]


if __name__ == "__main__":
    serve(answer)
