"""What a real process makes of sets of registrations to one operator. Request: `sets` of
`registrations` and `fallthrough_registrations`. Answer: whether each can be registered, the table
of the dispatcher in groups of keys, and what `PythonDispatcher` says of the set."""

import warnings

import tables
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch._python_dispatcher import PythonDispatcher  # noqa: E402

C = torch._C
CATCH_ALL = "(catch-all)"
_NAMESPACE = "opatlas_sets"


def answer(request: dict) -> list[dict]:
    """A row for each set."""
    return [one(number, row) for number, row in enumerate(request["sets"])]


def one(number: int, row: dict) -> dict:
    """One set."""
    keys = row["registrations"]
    passes = row.get("fallthrough_registrations", [])
    found: dict = {"python_dispatcher": python_dispatcher(keys)}
    name = f"op_{number}"
    library = C._dispatch_library("FRAGMENT", _NAMESPACE, "")
    library.def_(f"{name}(Tensor x) -> Tensor")
    kept = torch.library.Library(_NAMESPACE, "FRAGMENT")
    try:
        for key in keys:
            if key in passes:
                kept.impl(name, torch.library.fallthrough_kernel, key)
            else:
                library.impl_t_t(name, "" if key == CATCH_ALL else key, key)
        found["register"] = "ok"
    except RuntimeError as error:
        found["register"] = f"error: {str(error).splitlines()[0]}"
    else:
        found["table"] = table(f"{_NAMESPACE}::{name}", passes)
        found["stored_table_matches"] = stored_matches(f"{_NAMESPACE}::{name}")
    # The operator must go before the next one: the process would keep every kernel.
    kept._destroy()
    del library
    return found


def python_dispatcher(keys: list[str]) -> str:
    """`ok`, or why `PythonDispatcher` refuses the set."""
    try:
        PythonDispatcher().register(keys)
    except RuntimeError as error:
        return f"error: {str(error).splitlines()[0]}"
    return "ok"


def table(operator: str, passes: list[str]) -> dict:
    """Of each key that has a kernel: source, reason, whether it is a fallthrough."""
    cells = {}
    for key, (source, reason, through) in tables.table(C._dispatch_dump_table(operator)).items():
        if reason == "backend fallback":
            source = "fallback"
        elif through and len(passes) == 1:
            # A fallthrough kernel carries no label; there is one in the set.
            source = passes[0]
        cells[key] = [source, reason, through]
    return cells


def stored_matches(operator: str) -> bool:
    """Whether the table that calls go by is the one that the dispatcher would compute now."""
    try:
        C._dispatch_check_invariants(operator)
    except RuntimeError:
        return False
    return True


if __name__ == "__main__":
    serve(answer)
