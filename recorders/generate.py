"""Makes random cases. The same seed gives the same cases on every machine and Python version."""

import random

from .files import Row

SEED = 20_251_009

_TYPES = ["Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "int", "int?", "int[2]", "int[]", "SymInt",
          "SymInt[]", "SymInt[1]?", "float", "bool", "bool[3]", "str", "Scalar", "ScalarType?", "Device?",
          "Generator?", "MemoryFormat?", "Layout?", "Tensor(a)", "Tensor(a!)", "Tensor(b!)[]",
          "Tensor(a -> *)", "Dimname[]", "Storage", "Stream", "SymBool", "DeviceIndex"]
_DEFAULTS = {"int": ["0", "-1", "1"], "int?": ["None", "3"], "int[2]": ["0", "[0,1]", "1"],
             "float": ["0.5", "1e-5"], "bool": ["True", "False"], "str": ["'sum'", "\"mean\""],
             "Scalar": ["1", "2.5"], "ScalarType?": ["None", "long"], "Tensor?": ["None"],
             "SymInt": ["1"], "Device?": ["None"], "Generator?": ["None"], "int[]": ["[]", "[1]"]}
_RETURNS = ["Tensor", "Tensor(a!)", "Tensor(a)", "()", "(Tensor, Tensor)", "Tensor[]", "int", "bool",
            "(Tensor vals, Tensor idx)", "Tensor?", "Scalar", "(Tensor(a!), Tensor(b!))"]
_NAMES = ["quox", "quox_", "quox.out", "quox.Tensor", "quux", "__and__", "__iadd__.Scalar",
          "quox_copy", "_quox_functional", "quox_backward.grad_input", "custom::quox"]
_KEYS = ["CPU", "CUDA", "MPS", "Meta", "SparseCPU", "CompositeImplicitAutograd", "QuantizedCPU",
         "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "ZeroTensor",
         "CompositeImplicitAutogradNestedTensor", "AutogradCPU", "XLA", "NestedTensorCPU", "XPU"]
_FIELDS = [("variants", ["function", "method", "function, method", "methods"]),
           ("tags", ["core", "pointwise", "view_copy", "[core, inplace_view]", "nondeterministic_seeded"]),
           ("device_check", ["NoCheck", "ExactSame", "Maybe"]), ("device_guard", ["False", "True", "no"]),
           ("manual_cpp_binding", ["True"]), ("python_module", ["nn", "linalg"]),
           ("structured", ["True"]), ("structured_inherits", ["TensorIteratorBase"]),
           ("autogen", ["quox.out", "quux.out", "quox, quox.out", "quux_, quux.out"]),
           ("structured_delegate", ["quox.out", "quux.out"]), ("category_override", ["dummy"]),
           ("cpp_no_default_args", ["[n]", "[self]"]), ("colour", ["blue"])]


def schemas(seed: int, count: int) -> list[str]:
    """Schemas: written by the grammar, a third of them spoilt at one place."""
    made = random.Random(f"{seed} schemas")
    return [_spoil(made, _schema(made)) if made.random() < 0.33 else _schema(made)
            for _ in range(count)]


def documents(seed: int, count: int) -> list[Row]:
    """Documents of one to four entries that share names, so that they meet in groups."""
    made = random.Random(f"{seed} documents")
    return [{"id": f"gd-{number:04}", "yaml": "".join(_family(made))} for number in range(count)]


def registration_sets(seed: int, count: int, keys: list[str]) -> list[Row]:
    """Sets of two to six registrations: a runtime key or, more often than its share, an alias."""
    made = random.Random(f"{seed} sets")
    aliases = ["Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd",
               "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutogradNestedTensor"]
    rows = []
    while len(rows) < count:
        chosen = [made.choice(aliases if made.random() < 0.35 else keys[1:])
                  for _ in range(made.randint(2, 6))]
        # Each once, in the order of choice; a set would have another order in each process.
        registrations = list(dict.fromkeys(chosen))
        rows.append({"id": 10_000 + len(rows), "kind": "seeded", "registrations": registrations})
    return rows


def pairs(seed: int, count: int) -> list[Row]:
    """An old schema, and the same with one change."""
    made = random.Random(f"{seed} pairs")
    rows = []
    while len(rows) < count:
        arguments = _plain_arguments(made)
        returns = made.choice(["Tensor", "(Tensor, Tensor)", "()", "Tensor[]", "int"])
        changed = _change(made, arguments)
        if made.random() < 0.15:
            after = made.choice(["Tensor", "(Tensor, Tensor)", "int?", "Tensor?"])
        else:
            after = returns
        rows.append({"id": f"g:{len(rows):04}", "old": _written("blend", arguments, returns),
                     "new": _written("blend", changed, after)})
    return rows


def _plain_arguments(made: random.Random) -> list[tuple[str, str, str | None]]:
    types = ["Tensor", "Tensor?", "int", "int[]", "SymInt", "float", "bool", "Scalar", "str", "Tensor(a!)"]
    arguments = []
    for name in made.sample(["self", "other", "dim", "n", "mode", "flag"], made.randint(1, 5)):
        kind = made.choice(types)
        defaults = _DEFAULTS.get(kind) if arguments and made.random() < 0.5 else None
        arguments.append((kind, name, made.choice(defaults) if defaults else None))
    required = [row for row in arguments if row[2] is None]
    return required + [row for row in arguments if row[2] is not None]


def _change(made: random.Random, arguments: list) -> list:
    changed = list(arguments)
    place = made.randrange(len(changed))
    kind, name, default = changed[place]
    what = made.choice(["none", "rename", "type", "default", "remove", "add", "swap"])
    if what == "rename":
        changed[place] = (kind, name + "x", default)
    elif what == "type":
        changed[place] = (made.choice(["Tensor", "int", "float?", "Scalar", "int[]"]), name, None)
    elif what == "default":
        changed[place] = (kind, name, None if default else made.choice(_DEFAULTS.get(kind, ["None"])))
    elif what == "remove" and len(changed) > 1:
        del changed[place]
    elif what == "add":
        changed.append(("int", "extra", made.choice([None, "0"])))
    elif what == "swap":
        other = made.randrange(len(changed))
        changed[place], changed[other] = changed[other], changed[place]
    # What has a default must stay behind what has none, or no schema can be read.
    return [row for row in changed if row[2] is None] + [row for row in changed if row[2] is not None]


def _written(name: str, arguments: list, returns: str) -> str:
    texts = [f"{kind} {of}" + (f"={default}" if default else "") for kind, of, default in arguments]
    return f"{name}({', '.join(texts)}) -> {returns}"


def _schema(made: random.Random) -> str:
    return f"{made.choice(_NAMES)}({', '.join(_arguments(made))}) -> {made.choice(_RETURNS)}"


def _arguments(made: random.Random) -> list[str]:
    names = ["self", "other", "n", "dim", "out", "size", "dtype", "flag"]
    texts = []
    for name in names[: made.randint(0, 5)]:
        kind = made.choice(_TYPES) if made.random() < 0.6 else "Tensor"
        default = made.choice(_DEFAULTS[kind]) if kind in _DEFAULTS and made.random() < 0.4 else None
        texts.append(f"{kind} {name}" + (f"={default}" if default else ""))
    if texts and made.random() < 0.3:
        texts.insert(made.randint(0, len(texts)), "*")
    return texts


def _spoil(made: random.Random, text: str) -> str:
    place = made.randrange(len(text))
    kind = made.choice(["drop", "double", "insert", "cut"])
    if kind == "drop":
        return text[:place] + text[place + 1:]
    if kind == "double":
        return text[:place] + text[place] + text[place:]
    if kind == "insert":
        return text[:place] + made.choice(list("()[]?!*,.= >-|a1")) + text[place:]
    return text[:place]


def _family(made: random.Random) -> list[str]:
    """Entries of one operator in several forms, each with some fields."""
    base = made.choice(["quox", "quux"])
    arguments = made.choice(["", ", int n", ", Scalar s=1", ", Tensor other", ", SymInt n"])
    forms = [f"{base}(Tensor self{arguments}) -> Tensor",
             f"{base}_(Tensor(a!) self{arguments}) -> Tensor(a!)",
             f"{base}.out(Tensor self{arguments}, *, Tensor(a!) out) -> Tensor(a!)",
             f"{base}_copy(Tensor self{arguments}) -> Tensor",
             f"{base}(Tensor(a) self{arguments}) -> Tensor(a)",
             f"{base}.Foo(Tensor self{arguments}, Tensor(b!) buf) -> Tensor"]
    return [_entry(made, schema) for schema in made.sample(forms, made.randint(1, 4))]


def _entry(made: random.Random, schema: str) -> str:
    lines = [f"- func: {schema}"]
    if made.random() < 0.6:
        lines.append("  dispatch:")
        for number, key in enumerate(made.sample(_KEYS, made.randint(1, 3))):
            kernel = made.choice(["kern", "my::kern", "kern_symint"]) if made.random() < 0.2 else "kern"
            lines.append(f"    {key}: {kernel}{number}")
    for field, values in made.sample(_FIELDS, made.choice([0, 0, 1, 1, 2])):
        lines.append(f"  {field}: {made.choice(values)}")
    return "\n".join(lines) + "\n"
