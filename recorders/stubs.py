"""Stands in for the CUDA libraries that the wheels of PyPI link, so that torch imports without them.

The wheel alone has all registrations and all CPU kernels. What it links of CUDA, about 2 GB of
download, is needed only to run on a GPU. A stand-in defines every symbol that the wheel takes from
libraries that are not there, under the same versions, and each does nothing.
"""

import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

_NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.+)\]")
_VERSION_FILE = re.compile(r"\bFile: (\S+)\s+Cnt:")
_VERSION_NAME = re.compile(r"\bName: (\S+)\s+Flags:")
_SYMBOL = re.compile(r"^\s*\d+: \S+\s+\d+ (\w+)\s+(\w+)\s+\w+\s+(\S+)\s+(\S+)")
# The interpreter itself defines these.
_OF_PYTHON = re.compile(r"_?Py")
# What the process asks while it is imported. 100 is `cudaErrorNoDevice`.
_ANSWERS = {"cudaGetDeviceCount": "if (count) *count = 0; return 100;"}


def add(lib: Path) -> list[str]:
    """Puts the stand-ins into torch's folder of libraries; returns their names."""
    libraries = sorted(path for path in lib.iterdir() if ".so" in path.name and path.is_file())
    present = {path.name for path in libraries}
    missing = sorted(name for path in libraries for name in _needed(path)
                     if name not in present and not _is_of_the_system(name))
    missing = list(dict.fromkeys(missing))
    if not missing:
        return []
    of_version: dict[str, set] = defaultdict(set)
    plain: set[str] = set()
    defined: set[str] = set()
    files: dict[str, str] = {}
    for path in libraries:
        files |= _version_files(path)
        for name, version, is_defined in _symbols(path):
            if is_defined:
                defined.add(name)
            elif version in files and files[version] in missing:
                of_version[version].add(name)
            elif version is None:
                plain.add(name)
    by_library: dict[str, dict] = {name: {} for name in missing}
    for version, names in of_version.items():
        by_library[files[version]][version] = names
    by_library[missing[0]].setdefault(None, set()).update(plain - defined)
    for name, versions in by_library.items():
        _build(lib / name, versions)
    return missing


def _readelf(path: Path, *options: str) -> str:
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True, check=True).stdout


def _needed(path: Path) -> list[str]:
    return _NEEDED.findall(_readelf(path, "-d"))


def _is_of_the_system(name: str) -> bool:
    """Whether the loader finds a library outside torch."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return name.startswith("ld-linux") or f"\t{name} " in listed


def _version_files(path: Path) -> dict[str, str]:
    found, file = {}, None
    for line in _readelf(path, "-V").splitlines():
        if of := _VERSION_FILE.search(line):
            file = of[1]
        elif (name := _VERSION_NAME.search(line)) and file:
            found[name[1]] = file
    return found


def _symbols(path: Path) -> list[tuple[str, str | None, bool]]:
    found = []
    for line in _readelf(path, "--dyn-syms").splitlines():
        row = _SYMBOL.match(line)
        if not row:
            continue
        _, binding, section, text = row.groups()
        name, _, version = text.replace("@@", "@").partition("@")
        if section != "UND" or (binding == "GLOBAL" and not _OF_PYTHON.match(name)):
            found.append((name, version or None, section != "UND"))
    return found


def _build(path: Path, versions: dict[str | None, set[str]]) -> None:
    names = sorted(name for names in versions.values() for name in names)
    source = "".join(f"int {name}(int *count) {{ {_ANSWERS.get(name, 'return 0;')} }}\n" for name in names)
    script = "".join(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n"
                     for version, names in versions.items() if version and names)
    with tempfile.TemporaryDirectory() as folder:
        code, map_ = Path(folder) / "stub.c", Path(folder) / "stub.map"
        code.write_text(source)
        map_.write_text(script)
        options = [f"-Wl,--version-script={map_}"] if script else []
        subprocess.run(["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", *options,
                        "-o", path, code], check=True)
