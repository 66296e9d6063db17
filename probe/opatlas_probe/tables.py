"""Registrations and computed tables of this process, with facts about the build and the device."""

import re
import warnings

import torch

_LINE = re.compile(r"^(\w+)(?:\[alias\])?: (fallthrough )?(.*)$")
_PLACE = re.compile(r"^registered at (.+?):\d+$")
_REGISTRATION = re.compile(r"^(\w+)(?:\[alias\])?( \(inactive\))?: (.*?) :: .*\[ (.*) \]$")
_REASON = re.compile(r"^(.*?) \[([a-z ]+)\]$")
_SHARD = re.compile(r"_\d+(?=\.cpp$)")
# Every operator has an entry of a fallback at these keys; the fallbacks are listed once.
_FALLBACK = "backend fallback"


def dump(device: str) -> dict:
    """All operators of the process. Equal tables are listed once; the same process gives the same dump."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = sorted(torch._C._dispatch_get_all_op_names())
    tables: dict[tuple, int] = {}
    fallbacks: dict[str, str] = {}
    operators = {}
    for name in names:
        cells = _table(torch._C._dispatch_dump_table(name), fallbacks)
        operators[name] = {"registrations": _registrations(torch._C._dispatch_dump(name)),
                           "table": tables.setdefault(cells, len(tables))}
    return {"torch": torch.__version__.split("+")[0], "build": _build(), "device": _device(device),
            "fallbacks": fallbacks, "tables": [dict(cells) for cells in tables], "operators": operators}


def _build() -> dict:
    return {"version": torch.__version__, "git": torch.version.git_version, "cuda": torch.version.cuda,
            "hip": torch.version.hip, "debug": torch.version.debug, "cxx11_abi": torch.compiled_with_cxx11_abi()}


def _device(name: str) -> dict:
    found: dict = {"name": name}
    if name == "cuda" and torch.cuda.is_available():
        found |= {"model": torch.cuda.get_device_name(), "capability": list(torch.cuda.get_device_capability())}
    elif name == "cpu":
        found["capability"] = torch.backends.cpu.get_cpu_capability() if hasattr(torch.backends, "cpu") else None
    return found


def _table(printed: str, fallbacks: dict[str, str]) -> tuple[tuple[str, str], ...]:
    cells = []
    for line in printed.splitlines():
        found = _LINE.match(line)
        key, passes, rest = found.groups()
        text, reason = _REASON.match(rest).groups()
        value = f"{'fallthrough ' if passes else ''}{_source(text)} [{reason}]"
        if reason == _FALLBACK:
            fallbacks[key] = value
        else:
            cells.append((key, value))
    return tuple(cells)


def _registrations(printed: str) -> dict[str, str]:
    active = {}
    for line in printed.splitlines():
        found = _REGISTRATION.match(line)
        if found and not found[2]:
            key, _, text, flags = found.groups()
            active[key] = f"{'fallthrough ' if 'fallthrough' in flags else ''}{_source(text)}"
    return active


def _source(text: str) -> str:
    """The file of `registered at FILE:LINE`, without folder and shard."""
    place = _PLACE.match(text)
    return _SHARD.sub("", place[1].rsplit("/", 1)[-1]) if place else text
