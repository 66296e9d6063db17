"""Lines of Python: the operators that no other operator calls, in order."""

import warnings

from probe import serve
from python_functions import named

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch._C._profiler import _ExperimentalConfig  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402

# Parts that run before the last call of a line.
INNER = ("torch.hann_window(100)", "x.view(-1, 2)", "x[None]", "m[None]")


def answer(request: dict) -> dict:
    """A row for each line."""
    return {"rows": [row(line) for line in request["lines"]]}


def row(line: str) -> dict:
    """The operators of a line, without those of its parts."""
    names = variables()
    code = line
    for number, part in enumerate(INNER):
        if part in line and part != line:
            names[f"part{number}"] = eval(part, dict(names))  # noqa: S307: our own
            code = code.replace(part, f"part{number}")
    made = module(code, names)
    config = _ExperimentalConfig(capture_overload_names=True)
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], experimental_config=config) as seen:
        exec(made.removeprefix("return "), names)  # noqa: S102: our own
    events = [event for event in seen.events() if event.name.startswith("aten::") and event.cpu_parent is None]
    events.sort(key=lambda event: event.time_range.start)
    found = (named(event.name) + (f".{event.overload_name}" if event.overload_name else "") for event in events)
    return {"line": line, "operators": list(dict.fromkeys(found))}


def module(line: str, names: dict) -> str:
    """Makes the module of a line, so that its parameters are not part of what is recorded."""
    if not line.startswith("nn.") or line.startswith("nn.init"):
        return line
    depth = 0
    for at, character in enumerate(line):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ")" and depth == 0:
            names["made"] = eval(line[: at + 1], dict(names))  # noqa: S307: our own
            return "made" + line[at + 1:]
    return line


def variables() -> dict:
    """The variables of a line."""
    return {
        "torch": torch, "F": F, "nn": nn,
        "x": torch.rand(3, 4), "y": torch.rand(3, 4), "v": torch.rand(4), "m": torch.rand(4, 4),
        "c": torch.rand(2, 3, 8, 8), "c4": torch.rand(2, 4, 8, 8), "k": torch.rand(4, 3, 3, 3), "w": torch.rand(400),
        "g": torch.rand(2, 5, 5, 2), "i": torch.tensor([0, 1, 2]), "i2": torch.zeros(3, 2, dtype=torch.int64),
        "b": torch.rand(3, 4) > 0.5, "s": torch.tensor(2.5),
    }


if __name__ == "__main__":
    serve(answer)
