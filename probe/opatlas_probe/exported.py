"""What an exported program runs on the bare device: `python -m opatlas_probe.exported MODELS NAME OUT`.

It runs the program, serves the operator that was missing, and runs it again, until it runs or enough
operators were missing. The answer has the operators of the program, in the order of its graph, and
those that were missing, in the order in which the device asked for them.
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

import torch

from . import device, runs

# So many missing operators are recorded of one program.
MOST_MISSING = 40
# The CPU fallback writes its results back with it, so a program that it serves needs it as well.
SERVED = (*device.OWN, "_copy_from_and_resize")


def build(given: dict) -> torch.nn.Module:
    """A model with random weights, small enough to export in seconds."""
    arguments = given.get("arguments", {})
    torch.manual_seed(0)
    if "config" in given:
        arguments = {"config": _named(given["config"])(**arguments)}
    return _named(given["model"])(**arguments).eval()


def export(given: dict) -> torch.export.ExportedProgram:
    """The exported program of a model."""
    inputs = tuple(_tensor(*each) for each in given["inputs"])
    with torch.no_grad():
        return torch.export.export(build(given), inputs, strict=False)


def operators(program: torch.export.ExportedProgram) -> list[list]:
    """The operators of a program in the order in which they first run, each with its number of calls."""
    counts: dict[str, int] = {}
    for module in program.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                if isinstance(node.target, torch._ops.OpOverload):
                    name = str(node.target)
                    counts[name] = counts.get(name, 0) + 1
    return [[name, count] for name, count in counts.items()]


def missing(program: torch.export.ExportedProgram) -> tuple[list[str], list]:
    """The operators that a bare device misses one after the other, and how the last run ended."""
    from torch.export.passes import move_to_device_pass

    runner = runs.Runner(device.BARE, list(SERVED))
    program = move_to_device_pass(program, device.BARE)
    module = program.module()
    found: list[str] = []
    result: list = []
    while len(found) < MOST_MISSING:
        result = _run(runner, module, program.example_inputs)
        if result[0] != "missing" or result[1] in found:
            break
        found.append(result[1])
        runner.extension.serve([result[1].removeprefix("aten::")])
    return found, result


def _run(runner: runs.Runner, module: torch.nn.Module, inputs: tuple) -> list:
    torch.manual_seed(0)
    try:
        given, named = inputs
        runner.extension.start([], device.BARE)
        with torch.no_grad():
            module(*[each.to(device.BARE) for each in given], **named)
    except Exception as error:  # noqa: BLE001: this is what is measured
        runner.extension.stop()
        return runner.failure(error)
    runner.extension.stop()
    return ["ok"]


def _named(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _tensor(kind: str, sizes: list[int]) -> torch.Tensor:
    if kind == "int64":
        return torch.randint(3, 90, sizes)
    return torch.randn(sizes, dtype=getattr(torch, kind))


def record(given: dict) -> dict:
    """The row of a model."""
    program = export(given)
    found, result = missing(program)
    return {"model": given["name"], "operators": operators(program), "missing": found, "end": result}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    models_, name_, out_ = sys.argv[1:]
    given_ = next(each for each in json.loads(Path(models_).read_text()) if each["name"] == name_)
    Path(out_).write_text(json.dumps(record(given_)), encoding="utf-8")
