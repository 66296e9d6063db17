"""Calls of Python bindings with made-up arguments: the operator that a binding calls first, or its error.

Arguments are kinds in words, such as `Tensor(int64, 1-dim)`. Calls are made in a child process, since some end
theirs.
"""

import json
import os
import random
import signal
import sys
import warnings
from collections import defaultdict

import judge
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch._C._profiler import _ExperimentalConfig  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402
from torchgen.packaged.autograd import gen_python_functions as generator  # noqa: E402

SECONDS = 20
# The values that a parameter of a type takes, most common first.
TAKEN = {
    "Tensor": ["Tensor", "Tensor", "Tensor(int64)", "Tensor(bool)", "Tensor(3-dim)", "Tensor(0-dim)", "1", "Tensor(1-dim)"],
    "Tensor[]": ["[Tensor, Tensor]", "(Tensor, Tensor)", "[Tensor(int64)]", "[]", "Tensor", "[Tensor, None]", "[1, 2]"],
    "Tensor?[]": ["[Tensor(int64, 1-dim)]", "(Tensor(bool),)", "[None, Tensor(int64, 1-dim)]", "Tensor(int64)"],
    "Scalar": ["1", "2.0", "True", "Tensor(0-dim)", "1j", "Tensor", "'x'"],
    "Scalar[]": ["[1, 2]", "(1.0, 2.0)", "[True]", "[]", "1", "['x']"],
    "int": ["0", "1", "Tensor(int64, 0-dim)", "1.0", "True", "Tensor", "'x'", "(1,)"],
    "int[]": ["[0, 1]", "(1, 2)", "0", "(1,)", "[]", "[1.0]", "[1, 2.0]", "1.0", "Tensor(int64, 0-dim)", "(True, 1)",
              "[Tensor(int64, 0-dim), 1]", "[1, Tensor]"],
    "float": ["0.5", "1", "True", "Tensor(0-dim)", "'x'", "1j", "(0.5,)"],
    "float[]": ["[0.5, 2.0]", "(1, 2)", "[]", "0.5", "['x']", "[0.5, 'x']"],
    "bool": ["True", "False", "1", "0.0", "Tensor(bool, 0-dim)"],
    "str": ["'x'", "'mean'", "'none'", "1", "b'x'"],
    "ScalarType": ["torch.float64", "torch.int64", "float", "int", "'float'", "1"],
    "Layout": ["torch.strided", "'strided'", "torch.float64"],
    "Device": ["'cpu'", "torch.device('cpu')", "1.0", "torch.float64"],
    "MemoryFormat": ["torch.contiguous_format", "torch.preserve_format", "'contiguous_format'"],
    "Generator": ["Generator", "1"],
    "Storage": ["Storage", "Tensor"],
    "Dimname": ["'N'", "'C'", "0"],
    "Dimname[]": ["['N']", "['N', 'C']", "'N'", "('N', None)"],
}
SIZES = {"SymInt": "int", "DeviceIndex": "int"}
NUMPY = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}
# Their calls wait, end the process, or change global state.
SKIPPED = {"_assert_async", "_assert_scalar", "_functional_assert_async", "from_file", "set_num_threads", "_sobol_engine_draw",
           "_cufft_set_plan_cache_max_size"}


def answer(request: dict) -> dict:
    """The calls of the seed with their results."""
    random_calls = made(overloads(), random.Random(request["seed"]), request["count"])
    wanted = [*request["calls"], *random_calls]
    return {"torch": torch.__version__.split("+")[0], "rows": called(wanted)}


def overloads() -> dict[str, list]:
    """The arguments of each signature, by the name of the bound function."""
    root = judge.ATEN / "native"
    natives = [f for f in judge.parse((root / "native_functions.yaml").read_bytes(), judge.own_tags()).native_functions
               if generator.should_generate_py_binding(f)]
    deprecated = judge.ATEN.parent / "autograd" / "deprecated.yaml"
    found = defaultdict(list)
    for method in (False, True):
        for pair in generator.load_signatures(natives, str(deprecated), method=method):
            place, name = place_of(pair.function, method), pair.signature.name
            if place and name not in SKIPPED:
                found[called_by(place, name)].append(pair.signature)
    return dict(sorted(found.items()))


def place_of(function: object, method: bool) -> str | None:
    """Return the place of a function or method, with the dot."""
    variants = {variant.name for variant in function.variants}
    if method:
        return "Tensor." if function.python_module is None and "method" in variants else None
    if function.python_module is not None:
        return f"torch._C._{function.python_module}."
    return "torch." if "function" in variants else None


def called_by(place: str, name: str) -> str:
    """Return the name of a binding. Functions in Python replace some bindings."""
    owner, itself = {"torch.": (torch, "torch._C._VariableFunctions."),
                     "Tensor.": (torch.Tensor, "torch._C.TensorBase.")}.get(place, (None, place))
    if owner is None:
        return place + name
    return (place if isinstance(getattr(owner, name, None), BUILTIN) else itself) + name


BUILTIN = (type(torch.add), type(torch.Tensor.add))


def made(functions: dict[str, list], chance: random.Random, count: int) -> object:
    """Generate random calls, half of them of functions with several signatures."""
    several = [name for name, signatures in functions.items() if len({str(s.arguments()) for s in signatures}) > 2]
    every = list(functions)
    seen = set()
    while len(seen) < count:
        name = chance.choice(several if chance.random() < 0.6 else every)
        call = one(name, chance.choice(functions[name]), chance)
        key = json.dumps(call)
        if key not in seen:
            seen.add(key)
            yield call


def one(name: str, signature: object, chance: random.Random) -> dict:
    """Generate a call that fits the signature or almost does."""
    args = ["Tensor"] if name.startswith(("Tensor.", "torch._C.TensorBase.")) else []
    kwargs = {}
    spoilt = chance.random() < 0.4
    by_name = False
    positional = len(signature.input_args)
    for at, argument in enumerate(signature.arguments(skip_outputs=True)):
        is_optional = argument.default is not None
        if is_optional and chance.random() < (0.6 if at < positional else 0.9):
            by_name = True
            continue
        if spoilt and chance.random() < 0.1:
            continue
        value = value_of(argument, chance, spoilt)
        by_name |= at >= positional or chance.random() < 0.2
        called_by = "input" if argument.name == "self" and str(argument.type) == "Tensor" else argument.name
        if by_name:
            kwargs[NUMPY.get(called_by, called_by) if chance.random() < 0.1 else called_by] = value
        else:
            args.append(value)
    if signature.output_args and chance.random() < 0.3:
        kwargs["out"] = "Tensor"
    if spoilt and chance.random() < 0.2:
        args.append(chance.choice(TAKEN["int"]))
    if spoilt and chance.random() < 0.1:
        kwargs[chance.choice(["foo", "out", "dtype"])] = chance.choice(["1", "Tensor", "None"])
    return {"function": name, "args": args, "kwargs": kwargs}


def value_of(argument: object, chance: random.Random, spoilt: bool) -> str:
    """Choose a kind of value for an argument."""
    name = str(argument.type)
    if name.endswith("?") and chance.random() < 0.3:
        return "None"
    name = name.rstrip("?")
    if "[" in name and name != "Tensor?[]":
        name = name[:name.index("[")] + "[]"
    for size, plain in SIZES.items():
        name = name.replace(size, plain)
    taken = TAKEN.get(name, ["1"])
    if spoilt and chance.random() < 0.15:
        return chance.choice(chance.choice(list(TAKEN.values())))
    return chance.choice(taken if spoilt else taken[:3])


def called(wanted: list[dict]) -> list[dict]:
    """Return the calls with their results, without calls that hang or end their process."""
    rows = []
    at = 0
    while at < len(wanted):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as out:
                for call in wanted[at:]:
                    signal.alarm(SECONDS)
                    print(json.dumps(result(call)), file=out, flush=True)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answered:
            found = [json.loads(line) for line in answered]
        os.waitpid(child, 0)
        rows += [{**call, **row} for call, row in zip(wanted[at:], found, strict=False)]
        at += len(found)
        if at < len(wanted):
            print(f"no answer: {wanted[at]}", file=sys.stderr)
            at += 1
    return rows


def result(call: dict) -> dict:
    """Run a call in this process and return its result."""
    function = bound(call["function"])
    args = [value(text) for text in call["args"]]
    kwargs = {key: value(text) for key, text in call["kwargs"].items()}
    config = _ExperimentalConfig(capture_overload_names=True)
    error = None
    with profile(activities=[ProfilerActivity.CPU], experimental_config=config) as seen:
        try:
            function(*args, **kwargs)
        except Exception as raised:  # noqa: BLE001: any error is a result
            error = raised
    # `item` reads a tensor that is converted to a number before the call, unless it is the call.
    is_item = call["function"] == "Tensor.item"
    events = sorted((event for event in seen.events() if event.name.startswith("aten::")
                     and (event.name != "aten::item" or is_item) and event.cpu_parent is None),
                    key=lambda event: event.time_range.start)
    if events:
        first = events[0]
        overload = first.name.removeprefix("aten::") + (f".{first.overload_name}" if first.overload_name else "")
        return {"overload": overload, **({"raises": type(error).__name__} if error else {})}
    if error is None:
        return {"overload": None}
    kind = {} if isinstance(error, TypeError) else {"type": type(error).__name__}
    return {"error": str(error).split("\n")[0], **kind}


def bound(name: str) -> object:
    """Return the binding itself. `torch` and `Tensor` replace some with functions in Python."""
    place, _, name = name.rpartition(".")
    functions, methods = torch._C._VariableFunctions, torch._C.TensorBase
    places = {"torch": functions, "torch._C._VariableFunctions": functions,
              "Tensor": methods, "torch._C.TensorBase": methods}
    module = place.removeprefix("torch._C.")
    return getattr(places[place] if place in places else getattr(torch._C, module), name)


def value(text: str) -> object:
    """Return a value of a kind."""
    def tensor(*words: str) -> torch.Tensor:
        dims, dtype, options = 2, torch.float32, {}
        for word in words:
            if word.endswith("-dim"):
                dims = int(word.removesuffix("-dim"))
            elif word == "named":
                options = {"names": ["N", "C"]}
            else:
                dtype = getattr(torch, word)
        return torch.zeros([2] * dims, dtype=dtype, **options)

    return _Kinds(tensor).read(text)


class _Kinds:
    """Read kinds: Python literals and tensors such as `tensor(int64)`."""

    def __init__(self, tensor: object) -> None:
        self.tensor = tensor

    def read(self, text: str) -> object:
        names = {"torch": torch, "slice": slice, "float": float, "int": int, "bool": bool}
        spelled = []
        while "Tensor" in text:
            before, _, after = text.partition("Tensor")
            words = []
            if after.startswith("("):
                inside, _, after = after[1:].partition(")")
                words = [word.strip() for word in inside.split(",")]
            names[f"t{len(spelled)}"] = self.tensor(*words)
            text = f"{before}t{len(spelled)}{after}"
            spelled.append(words)
        names["Generator"] = torch.Generator()
        names["Storage"] = torch.zeros(6).untyped_storage()
        return eval(text, names)  # noqa: S307: our own kinds


if __name__ == "__main__":
    serve(answer)
