"""What functions that are written in Python call: operators by function, for calls of PyTorch's own tests.

A call is a sample of the operator database or of the module database, or a line of
`cases/python_functions.txt`. Of each call the probe notes the operators at the top, those below
autograd, and those of the backward.
"""

import ast
import inspect
import types
import warnings

from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch._C._profiler import _ExperimentalConfig  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.common_modules import module_db  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

SAMPLES = 12
# Parameters of modules that choose no operator.
HIDDEN = ("self", "device", "dtype")
MODULES = {"torch": torch, "torch.nn.functional": F, "torch.linalg": torch.linalg, "torch.fft": torch.fft,
           "torch.special": torch.special, "torch.sparse": torch.sparse, "torch.nn.init": torch.nn.init,
           "torch.Tensor": torch.Tensor}


def answer(request: dict) -> dict:
    """The calls of each function, in the order of the samples."""
    torch.manual_seed(0)
    names = functions()
    calls: dict[str, list[dict]] = {}
    # Kernels of oneDNN run on the CPU alone.
    with torch.backends.mkldnn.flags(enabled=False):
        of_functions, modules = of_lines(request["lines"])
        for name, arguments, keywords in [*of_operators(names), *of_functions]:
            if name in names:
                call(calls.setdefault(name, []), resolve(name), resolve(name), arguments, keywords)
        for name, made, arguments, keywords, module in [*of_modules(), *modules]:
            call(calls.setdefault(name, []), module, module.forward, arguments, keywords, made)
    rows = {name: {"parameters": parameters(resolve(name)), "calls": made} for name, made in calls.items()}
    return {"torch": torch.__version__.split("+")[0], "rows": rows, "same": bindings()}


def bindings() -> dict[str, str]:
    """The functions of `torch.nn.functional` that are bindings, each with the name of the binding."""
    places = {"torch": torch, "torch._C._nn": torch._C._nn}
    found = {}
    for name, value in vars(F).items():
        if name.startswith("_") or isinstance(value, (types.FunctionType, type)) or not callable(value):
            continue
        for place, owner in places.items():
            same = [other for other in dir(owner) if getattr(owner, other, None) is value and not other.startswith("__")]
            if same:
                found[f"torch.nn.functional.{name}"] = f"{place}.{name if name in same else same[0]}"
                break
    return dict(sorted(found.items()))


def parameters(function: object) -> str:
    """The parameters, as far as a reader binds arguments: `input, inplace=False, *, size`."""
    signature = inspect_signature(function)
    words = []
    keyword_only = False
    for parameter in signature.parameters.values() if signature else ():
        if parameter.name in HIDDEN and isinstance(function, type):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            words.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keyword_only |= star == "*"
        default = parameter.default
        is_literal = default is None or isinstance(default, (bool, str))
        shown = "" if default is parameter.empty else f"={word(default) if is_literal else '...'}"
        words.append(f"{star}{parameter.name}{shown}")
    return ", ".join(words)


def functions() -> list[str]:
    """The public functions that are written in Python."""
    found = []
    for place, owner in MODULES.items():
        for name in sorted(dir(owner)):
            value = getattr(owner, name, None)
            if isinstance(value, types.FunctionType) and (not name.startswith("_") or place == "torch.Tensor"):
                found.append(f"{place}.{name}")
    return found


def resolve(name: str) -> object:
    """The function of a name."""
    place, _, last = name.rpartition(".")
    return getattr(MODULES.get(place, torch.nn), last)


def inspect_signature(function: object) -> inspect.Signature | None:
    """The parameters, where Python knows them."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def of_operators(names: list[str]) -> list[tuple]:
    """Samples of the operator database whose function is written in Python."""
    known = set(names)
    for test in op_db:
        last = test.name.rpartition(".")[2]
        places = [f"torch.{test.name}", f"torch.Tensor.{last}"]
        wanted = [name for name in places if name in known]
        if not wanted or torch.float32 not in test.dtypes:
            continue
        try:
            samples = list(test.sample_inputs("cpu", torch.float32, requires_grad=False))[:SAMPLES]
        except Exception:  # noqa: BLE001: a test that cannot make samples here
            continue
        for sample in samples:
            for name in wanted:
                yield name, (sample.input, *sample.args), sample.kwargs


def of_modules() -> list[tuple]:
    """Samples of the module database."""
    for test in module_db:
        owner = test.module_cls
        if getattr(torch.nn, owner.__name__, None) is not owner:
            continue
        for training in (False, True):
            try:
                inputs = test.module_inputs_func(test, device="cpu", dtype=torch.float32, requires_grad=False,
                                                 training=training)
            except Exception:  # noqa: BLE001: as above
                continue
            for sample in inputs[:SAMPLES]:
                made, given = sample.constructor_input, sample.forward_input
                if given is not None:
                    yield from of_module(owner, (made.args, made.kwargs), (given.args, given.kwargs), training)


def of_module(owner: type, made: tuple, given: tuple, training: bool) -> list[tuple]:
    """A call of a module that is made so; none if it cannot be made."""
    try:
        module = owner(*made[0], **made[1]).train(training)
        bound = inspect.signature(owner.__init__).bind(None, *made[0], **made[1])
    except Exception:  # noqa: BLE001: as above
        return
    bound.apply_defaults()
    facts = {key: value for key, value in bound.arguments.items() if key not in HIDDEN}
    yield f"torch.nn.{owner.__name__}", {**facts, "training": training}, *given, module


def of_lines(lines: list[str]) -> tuple[list[tuple], list[tuple]]:
    """Calls that are written by hand: of functions, and of modules (`torch.nn.ReLU(inplace=True)(t(3, 4))`)."""
    of_functions, modules = [], []
    for line in lines:
        outer = ast.parse(line, mode="eval").body
        if isinstance(outer.func, ast.Call):
            owner = getattr(torch.nn, ast.unparse(outer.func.func).rpartition(".")[2])
            for training in (False, True):
                modules += of_module(owner, evaluated(outer.func), evaluated(outer), training)
        else:
            of_functions.append((ast.unparse(outer.func), *evaluated(outer)))
    return of_functions, modules


def evaluated(node: ast.Call) -> tuple[tuple, dict]:
    """The arguments of a call."""
    kept: list[tuple] = []
    keep = ast.Expression(ast.Call(ast.Name("keep", ast.Load()), node.args, node.keywords))
    eval(compile(ast.fix_missing_locations(keep), "cases", "eval"),  # noqa: S307: our own
         {"keep": lambda *args, **kwargs: kept.append((args, kwargs)), "t": torch.rand, "i": index, "torch": torch})
    return kept[0]


def index(*sizes: int) -> torch.Tensor:
    """Indices that any tensor has."""
    return torch.zeros(sizes, dtype=torch.int64)


class Seen(TorchDispatchMode):
    """The operators below autograd."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}

    def __torch_dispatch__(self, func: object, kinds: object, args: tuple = (), kwargs: dict | None = None) -> object:
        self.names[named(func.name())] = None
        return func(*args, **(kwargs or {}))


def named(name: str) -> str:
    """`add.Tensor` of `aten::add.Tensor`."""
    return name.removeprefix("aten::")


def call(rows: list[dict], function: object, written: object, arguments: tuple, keywords: dict,
         made: dict | None = None) -> None:
    """Adds what a call does; nothing if it raises. `written` has the parameters."""
    try:
        top = at_the_top(function, *copies((arguments, keywords)))
        given = copies((arguments, keywords))
        with Seen() as below, torch.no_grad():
            function(*given[0], **given[1])
    except Exception:  # noqa: BLE001: a sample may need what this process lacks
        return
    rows.append({"with": facts(inspect_signature(written), arguments, keywords, made), "top": top, "below": list(below.names),
                 "backward": backward(function, arguments, keywords)})


def copies(value: object, *, grad: bool = False) -> object:
    """Tensors that a call may change."""
    if isinstance(value, torch.Tensor):
        made = value.detach().clone()
        return made.requires_grad_(grad and made.is_floating_point())
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(copies(each, grad=grad) for each in value)
    if type(value) is dict:
        return {key: copies(each, grad=grad) for key, each in value.items()}
    return value


def at_the_top(function: object, arguments: tuple, keywords: dict) -> list[str]:
    """The operators that no other operator calls."""
    config = _ExperimentalConfig(capture_overload_names=True)
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], experimental_config=config) as seen:
        function(*arguments, **keywords)
    events = [event for event in seen.events() if event.name.startswith("aten::") and event.cpu_parent is None]
    events.sort(key=lambda event: event.time_range.start)
    names = (named(event.name) + (f".{event.overload_name}" if event.overload_name else "") for event in events)
    return list(dict.fromkeys(names))


def backward(function: object, arguments: tuple, keywords: dict) -> list[str] | None:
    """The operators of the backward; `None` if there is none."""
    given = copies((arguments, keywords), grad=True)
    leaves = list(tensors(given))
    if isinstance(function, torch.nn.Module):
        leaves += list(function.parameters())
    leaves = [leaf for leaf in leaves if leaf.requires_grad]
    try:
        out = [one for one in tensors(function(*given[0], **given[1])) if one.requires_grad]
        with Seen() as seen:
            ones = [torch.ones_like(one) for one in out]
            seen.names.clear()
            torch.autograd.grad(out, leaves, ones, allow_unused=True)
    except Exception:  # noqa: BLE001: nothing to differentiate
        return None
    # Saved results are detached when they are read.
    return [name for name in seen.names if name != "detach"] if out else None


def tensors(value: object) -> object:
    """All tensors in a value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)


def facts(signature: inspect.Signature | None, arguments: tuple, keywords: dict, made: dict | None) -> dict[str, str]:
    """What a call passes: `mode='bilinear'`, `input=4-dim`, `dim=number`."""
    bound: dict[str, object] = dict(made or {})
    if signature:
        given = signature.bind(*arguments, **keywords)
        given.apply_defaults()
        bound.update(given.arguments)
    words = {name: word(value) for name, value in bound.items()}
    return {name: text for name, text in words.items() if text is not None}


def word(value: object) -> str | None:
    """The word of a value."""
    if isinstance(value, torch.Tensor):
        return f"{value.dim()}-dim"
    if value is None or isinstance(value, (bool, str)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "tensors" if value and all(isinstance(each, torch.Tensor) for each in value) else "list"
    if isinstance(value, (int, float)):
        return "number"
    return "dtype" if isinstance(value, torch.dtype) else None


if __name__ == "__main__":
    serve(answer)
