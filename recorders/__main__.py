"""Records what real releases do, and checks what was recorded: `python3 -m recorders --help`."""

import argparse
import signal
import sys
from pathlib import Path

from . import (autocast_lists, calls, facts, files, headers, manifest, observations, places, python_functions, rare_calls, release,
               runtimes, steps, versions, ways, works)


def main() -> int:
    """Runs a command; returns its exit status."""
    # `recorders list | head` ends quietly.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    parser = argparse.ArgumentParser(prog="recorders", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the recorded files and what each needs")
    for name, said in (("record", "record files anew"), ("verify", "compare files with a new recording")):
        command = commands.add_parser(name, help=said)
        command.add_argument("files", nargs="*", metavar="FILE",
                             help="files of tests/golden/ without ending; all when none is named")
    check = commands.add_parser("verify-data", help="compare data/ with the releases")
    check.add_argument("releases", nargs="*", metavar="RELEASE", help="such as 2.9; all when none is named")
    install = commands.add_parser("install", help="install a real torch (0.9 GB each)")
    install.add_argument("versions", nargs="*", metavar="VERSION", help="2.9.0 when none is named")
    of_calls = commands.add_parser("calls", help="record what composites call, into data/calls.json")
    of_calls.add_argument("releases", nargs="*", metavar="RELEASE", help="such as 2.9; all when none is named")
    of_ways = commands.add_parser("ways", help="record the ways to run operators, into data/ways.txt")
    of_ways.add_argument("releases", nargs="*", metavar="RELEASE", help="such as 2.9; all when none is named")
    of_python = commands.add_parser("python-calls",
                                    help="record what functions written in Python call, into data/python_calls.txt")
    of_python.add_argument("releases", nargs="+", metavar="RELEASE", help="such as 2.9")
    of_works = commands.add_parser("works", help="record what works in which release, into data/works.txt")
    of_works.add_argument("--program", type=Path, default=places.PROGRAM, metavar="FILE", help="default: %(default)s")
    of_lists = commands.add_parser("autocast-lists", help="record PyTorch's lists of autocast operators")
    of_lists.add_argument("releases", nargs="*", metavar="RELEASE", help="such as 2.9; all when none is named")
    of_rare = commands.add_parser("rare-calls", help="record which calls tests do not make, into data/rare_calls.json")
    of_rare.add_argument("releases", nargs="+", metavar="RELEASE", help="such as 2.9")
    of_steps = commands.add_parser("steps", help="choose rows of stores for data/steps.txt")
    of_steps.add_argument("databases", nargs="+", type=Path, metavar="FILE", help="an SQLite store")
    of_headers = commands.add_parser("headers", help="compile the declarations of a server against a real torch")
    of_headers.add_argument("version", help="such as 2.9.0, which the server has as a revision")
    of_headers.add_argument("--server", default="http://127.0.0.1:8080", metavar="URL")
    of_headers.add_argument("--project", default="pytorch", metavar="PROJECT")
    add = commands.add_parser("release", help="add a release to data/ and tests/golden/")
    add.add_argument("version", help="such as 2.16.0")
    add.add_argument("--without-process", action="store_true",
                     help="do not install torch; its runtime is taken to be that of the release before")
    given = parser.parse_args()
    return {"list": _list, "record": _record, "verify": _verify, "verify-data": _verify_data,
            "install": _install, "calls": _calls, "rare-calls": _rare_calls, "ways": _ways, "headers": _headers,
            "autocast-lists": _autocast_lists, "works": _works,
            "python-calls": _python_calls,
            "steps": _steps,
            "release": _release}[given.command](given)


def _chosen(names: list[str]) -> list[manifest.Recording]:
    every = {recording.file: recording for recording in manifest.recordings()}
    unknown = [name for name in names if name not in every]
    if unknown:
        raise SystemExit(f"no recording of {', '.join(unknown)}; `python3 -m recorders list` names them")
    return [every[name] for name in names or every]


def _list(_given: argparse.Namespace) -> int:
    for recording in manifest.recordings():
        print(f"{recording.file}: {recording.needed()}")
    return 0


def _record(given: argparse.Namespace) -> int:
    for recording in _chosen(given.files):
        if recording.is_possible():
            files.write(places.GOLDEN / f"{recording.file}.jsonl.gz", *recording.record())
            print(f"{recording.file}: recorded")
        else:
            print(f"{recording.file}: skipped, it needs {recording.needed()}")
    return 0


def _verify(given: argparse.Namespace) -> int:
    wrong = 0
    for recording in _chosen(given.files):
        if not recording.is_possible():
            print(f"{recording.file}: skipped, it needs {recording.needed()}")
            continue
        head, rows = recording.record()
        kept_head, kept = files.read(places.GOLDEN / f"{recording.file}.jsonl.gz")
        differing = [place for place, (now, then) in enumerate(zip(rows, kept, strict=False)) if now != then]
        same = not differing and len(rows) == len(kept) and kept_head and files.same_source(head, kept_head)
        wrong += not same
        print(f"{recording.file}: {len(rows)} rows, " + ("the same" if same else
              f"{len(differing)} differ, first {differing[:1]}; {len(kept)} rows kept; header {kept_head}"),
              flush=True)
    return 1 if wrong else 0


def _verify_data(given: argparse.Namespace) -> int:
    data, releases = facts.load(places.RELEASES_JSON), versions.minors()
    wrong = 0
    for name in given.releases or releases:
        version = versions.generator_of(name)
        found = observations.differences(data, releases, name, version)
        ran = "torchgen and process" if runtimes.python(version, install=False) else "torchgen"
        print(f"{name} ({version}, {ran}): {len(found)} differences", flush=True)
        for line in found:
            print(f"  {line[:500]}")
        wrong += len(found)
    return 1 if wrong else 0


def _install(given: argparse.Namespace) -> int:
    for version in given.versions or ["2.9.0"]:
        print(runtimes.python(version))
    return 0


def _calls(given: argparse.Namespace) -> int:
    for release in given.releases or versions.minors():
        version = versions.generator_of(release)
        found = calls.of_process(version)
        calls.add(version, found)
        print(f"{release}: the calls of {len(found)} operators")
    return 0


def _ways(given: argparse.Namespace) -> int:
    for release in given.releases or versions.minors():
        version = versions.generator_of(release)
        found = ways.of_process(version)
        ways.add(version, found)
        print(f"{release}: {len(found.facts)} facts; missing: {', '.join(sorted(found.missing)) or 'none'}")
    return 0


def _python_calls(given: argparse.Namespace) -> int:
    for release in given.releases:
        version = versions.generator_of(release)
        found = python_functions.of_process(version)
        python_functions.add(version, found)
        print(f"{release}: {len(found)} functions")
    return 0


def _works(given: argparse.Namespace) -> int:
    places.WORKS_TXT.write_text(works.record(given.program))
    print(f"{places.WORKS_TXT}: {places.WORKS_TXT.stat().st_size} bytes")
    return 0


def _autocast_lists(given: argparse.Namespace) -> int:
    for release, count in autocast_lists.record(given.releases or versions.minors()).items():
        print(f"{release}: {count} operators")
    return 0


def _rare_calls(given: argparse.Namespace) -> int:
    for release in given.releases:
        version = versions.generator_of(release)
        found = rare_calls.of_process(version)
        rare_calls.add(version, found)
        print(f"{release}: {len(found)} rare calls")
    return 0


def _headers(given: argparse.Namespace) -> int:
    complaints = headers.check(given.version, given.server, given.project)
    for line in complaints:
        print(line)
    print(f"{len(complaints)} errors of the compiler")
    return 1 if complaints else 0


def _steps(given: argparse.Namespace) -> int:
    made = steps.make(given.databases)
    places.STEPS_TXT.write_bytes(made)
    print(f"{len(made)} bytes; raise STEP_FORMAT, since steps that were packed with other rows cannot be read any more")
    return 0


def _release(given: argparse.Namespace) -> int:
    notes = release.add(given.version, with_process=not given.without_process)
    release.report(given.version, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
