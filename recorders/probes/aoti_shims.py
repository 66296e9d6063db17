"""The C shim that torchgen generates for changed schemas of listed operators. Request: `seed`, `count`.

A row has the operator, its changed schema, the declarations by device, and whether every declaration of the
release is among them. An appended argument comes a second time, with the version that names it.
"""

import random

import judge
from probe import serve
from torchgen import gen
from torchgen.aoti import fallback_ops
from torchgen.context import native_function_manager
from torchgen.gen_aoti_c_shim import declaration_definition_cache, gen_c_shim, get_fallback_op_name
from torchgen.model import DispatchKey, FunctionSchema, NativeFunction, NativeFunctionsGroup

DEVICES = (DispatchKey.CPU, DispatchKey.CUDA, DispatchKey.MPS, DispatchKey.XPU)
TYPES = ("int", "SymInt", "float", "bool", "Scalar", "Tensor", "str", "ScalarType", "Device", "Layout", "int[]", "int[2]",
         "SymInt[]", "float[]", "bool[3]", "Tensor[]", "Dimname")
APPENDED = ("int new_arg=0", "SymInt new_arg=0", "bool new_arg=False", "float new_arg=1.0", "Tensor? new_arg=None",
            "int? new_arg=None", "Scalar? new_arg=None", "ScalarType? new_arg=None", "Device? new_arg=None",
            "str? new_arg=None", "int[]? new_arg=None", "Generator? new_arg=None", "Scalar new_arg=1", "str new_arg=\"none\"",
            "Dimname? new_arg=None")
Lists = dict[str, dict]


class Release:
    """The operators of the release as torchgen models them, and its lists."""

    def __init__(self) -> None:
        native = judge.ATEN / "native"
        parsed = gen.parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
        self.functions = {get_fallback_op_name(each): each for each in parsed.native_functions}
        self.indices = parsed.backend_indices
        self.groups = {}
        for group in gen.get_grouped_native_functions(parsed.native_functions):
            if isinstance(group, NativeFunctionsGroup) and group.structured:
                structured = next((each for each in group.functions() if each.structured_delegate is not None), None)
                if structured is not None:
                    self.groups[structured.structured_delegate] = group
        self.listed: Lists = fallback_ops.inductor_fallback_ops
        self.shimified: Lists = getattr(fallback_ops, "aten_shimified_ops", {})

    def declarations(self, name: str, schema: FunctionSchema, version: dict) -> dict[str, list[str]]:
        """The declarations of an operator with a schema, by device."""
        function = changed(self.functions[name], schema)
        found = {}
        for device in (*(DEVICES if name in self.listed else ()), *((None,) if name in self.shimified else ())):
            declaration_definition_cache.clear()
            with native_function_manager(function):
                text = gen_c_shim(function, version, self.groups, device, self.indices, True, False)
            if text is not None:
                key = "aten" if device is None else device.lower()
                found[key] = [line for line in text.splitlines() if not line.startswith("#")]
        return found

    def versions(self, name: str) -> dict:
        """What the list says of an operator."""
        return self.listed.get(name) or self.shimified.get(name) or {}


def changed(function: NativeFunction, schema: FunctionSchema) -> NativeFunction:
    """The operator with another schema. Its own checks are left out, since only the shim is generated from it."""
    other = object.__new__(NativeFunction)
    other.__dict__.update({**function.__dict__, "func": schema})
    return other


def answer(request: dict) -> list[dict]:
    """A row for each change that torchgen reads."""
    release, made = Release(), random.Random(request["seed"])
    names = sorted(name for name in {*release.listed, *release.shimified} if name in release.functions)
    rows: list[dict] = []
    while len(rows) < request["count"]:
        name = made.choice(names)
        old = release.functions[name].func
        try:
            schema, appended = FunctionSchema.parse(change(made, str(old))), ""
        except Exception:  # noqa: BLE001, S112: some changes make no schema
            continue
        if schema == old or not defaults_are_last(schema):
            continue
        if "new_arg" in str(schema) and made.random() < 0.5:
            appended = "new_arg"
        rows.append(row(release, name, schema, appended))
    return rows


def defaults_are_last(schema: FunctionSchema) -> bool:
    """Whether no positional argument without a default follows one with a default, which no Python could call."""
    has = [each.default is not None for each in schema.arguments.flat_positional]
    return has == sorted(has)


def row(release: Release, name: str, schema: FunctionSchema, appended: str) -> dict:
    """What torchgen generates for a changed schema."""
    known = release.versions(name)
    version = next_version(known, appended) if appended else known
    before = release.declarations(name, release.functions[name].func, known)
    after = release.declarations(name, schema, version)
    lost = [line for device, lines in before.items() for line in lines if line not in after.get(device, ())]
    return {"operator": name, "schema": str(schema), "versions": version, "declarations": after, "breaks": bool(lost)}


def next_version(known: dict, appended: str) -> dict:
    """The versions of the list with one more, in the form of the release."""
    number = 1 + max((int(key[1:]) for key in known if key.startswith("v")), default=1)
    takes_since = any("since" in each for each in {**fallback_ops.inductor_fallback_ops}.values())
    return {**known, f"v{number}": {"new_args": [appended]} if takes_since else [appended]}


def change(made: random.Random, schema: str) -> str:
    """One change of a schema."""
    begin, end = schema.index("("), schema.rindex(") ->")
    name, arguments, returns = schema[:begin], split(schema[begin + 1: end]), schema[end + 5:]
    kind = made.choice(("append", "append", "append", "append_twice", "rename", "default", "type", "type", "optional",
                        "swap", "remove", "returns", "in_front"))
    place = made.randrange(len(arguments)) if arguments else 0
    if kind in ("append", "append_twice", "in_front"):
        arguments.insert(0 if kind == "in_front" else len(arguments), made.choice(APPENDED))
        if kind == "append_twice":
            arguments.append("bool another_arg=False")
    elif kind == "returns":
        returns = made.choice(("Tensor", "(Tensor, Tensor)", "Tensor[]", "int", "(Tensor, SymInt)", "bool", "()", "Scalar"))
    elif kind == "swap" and len(arguments) > 1:
        arguments[place - 1], arguments[place] = arguments[place], arguments[place - 1]
    elif kind == "remove":
        del arguments[place]
    elif arguments[place] != "*":
        arguments[place] = altered(made, kind, arguments[place])
    return f"{name}({', '.join(arguments)}) -> {returns}"


def altered(made: random.Random, kind: str, argument: str) -> str:
    """An argument with another name, default or type."""
    kept, _, default = argument.partition("=")
    of_type, name = kept.rsplit(" ", 1)
    if kind == "rename":
        return f"{of_type} renamed" + (f"={default}" if default else "")
    if kind == "default":
        return kept if default else f"{kept}=None" if of_type.endswith("?") else f"{kept}=0"
    if kind == "optional":
        return f"{of_type[:-1] if of_type.endswith('?') else of_type + '?'} {name}"
    return f"{made.choice(TYPES)} {name}"


def split(arguments: str) -> list[str]:
    """Arguments at the outermost commas."""
    found, depth = [""], 0
    for each in arguments:
        depth += (each in "([") - (each in ")]")
        if each == "," and not depth:
            found.append("")
        else:
            found[-1] += each
    return [each.strip() for each in found if each.strip()]


if __name__ == "__main__":
    serve(answer)
