"""Measures what operators really do in this process: `python -m opatlas_probe --help`."""

import argparse
import json
import os
import sys
import time
import uuid
from pathlib import Path
from typing import NoReturn

from .failure import USAGE, Failure

DEVICES = ("cpu", "cuda", "mps", "meta", "bare")
PARTS = ("tables", "calls", "runs")


def main() -> None:
    """Runs the probe, as a worker of torchrun or alone."""
    given = _arguments()
    import torch  # noqa: PLC0415: --help and mistakes in the arguments should not wait for it

    from . import places  # noqa: PLC0415

    _check_device(given.device)
    places.use(places.of_worker(given.device))
    torch.set_num_threads(1)
    if given.out:
        _alone(given)
    else:
        _as_worker(given)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Mistakes in the arguments end a worker like every other failure."""
        raise Failure(f"{self.format_usage()}{self.prog}: error: {message}", USAGE)


def _arguments() -> argparse.Namespace:
    parser = _Parser(prog="opatlas_probe", description=__doc__)
    parser.add_argument("--server", help="URL of an Opatlas server")
    parser.add_argument("--project", help="project on the server")
    parser.add_argument("--revision", help="revision of the project; its release must be that of torch")
    parser.add_argument("--name", help="name of the run; torchrun's id unless given")
    parser.add_argument("--out", type=Path, help="write what was measured to this file instead")
    parser.add_argument("--device", choices=DEVICES, required=True)
    parser.add_argument("--parts", type=_parts, help="tables, calls (bare only) and runs, separated by commas")
    parser.add_argument("--kernels", default="", help="kernels of the bare device besides its own, separated by commas")
    parser.add_argument("--only", default="", help="names of tests of the operator database, separated by commas")
    parser.add_argument("--shard-seconds", type=float, default=20, help="work of a shard; 20 unless given")
    given = parser.parse_args()
    if bool(given.out) == bool(given.server):
        parser.error("give either --server or --out")
    if given.server and not (given.project and given.revision):
        parser.error("--server needs --project and --revision")
    if given.parts is None:
        given.parts = PARTS if given.device == "bare" else ("tables", "runs")
    if "calls" in given.parts and given.device != "bare":
        parser.error("calls are recorded on the bare device: --device bare")
    return given


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(text.split(","))
    if set(parts) - set(PARTS):
        raise argparse.ArgumentTypeError(f"parts are {', '.join(PARTS)}")
    return parts


def _check_device(name: str) -> None:
    import torch  # noqa: PLC0415

    is_there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}.get(name, lambda: True)
    if not is_there():
        raise Failure(f"this machine has no {name} device. Choose another --device.")


def _commands(given: argparse.Namespace) -> dict[str, list[str]]:
    from . import places, workers  # noqa: PLC0415

    place = places.of_worker(given.device)
    return {"calls": workers.python("calls"), "runs": workers.python("runs", place, *_kernels(given))}


def _kernels(given: argparse.Namespace) -> list[str]:
    if given.device != "bare":
        return []
    from . import device  # noqa: PLC0415

    return sorted({*device.OWN, *filter(None, given.kernels.split(","))})


def _items(given: argparse.Namespace) -> dict[str, list[str]]:
    """What is run, by part."""
    from . import calls, samples  # noqa: PLC0415

    names = list(samples.named(samples.database()))
    only = set(filter(None, given.only.split(",")))
    unknown = only - set(names)
    if unknown:
        raise Failure(f"the operator database has no test {', '.join(sorted(unknown))}. Correct --only.")
    names = [name for name in names if not only or name in only]
    items = {}
    if "runs" in given.parts:
        items["runs"] = names
    if "calls" in given.parts:
        items["calls"] = [f"{kind}:{name}" for name in names for kind in calls.KINDS]
    return items


def outcome(part: str, row: dict) -> dict:
    """What a row of a worker's process comes to."""
    if row.get("error"):
        return {"outcome": "error", "error": row["error"]}
    if part == "calls":
        return {"outcome": "recorded", "rows": row["rows"]}
    if row["row"] is None:
        return {"outcome": "left out"}
    kinds = [result[0] for result in row["row"]["results"]]
    worst = next(kind for kind in ("wrong", "error", "missing", "ok") if kind in kinds)
    return {"outcome": "runs" if worst == "ok" else worst, **row["row"]}


def _as_worker(given: argparse.Namespace) -> None:
    from . import tables, worker  # noqa: PLC0415
    from .client import Client  # noqa: PLC0415
    from .ledger import Refused, digest  # noqa: PLC0415
    import torch  # noqa: PLC0415

    release = torch.__version__.split("+")[0]
    client = Client(given.server, given.project, os.environ.get("OPATLAS_TOKEN"))
    who = worker.identity()
    key = given.name or os.environ.get("TORCHELASTIC_RUN_ID") or uuid.uuid4().hex
    # Before the operator database is imported, which registers kernels of its own.
    dump = tables.dump(given.device) if "tables" in given.parts and who["rank"] == 0 else None
    try:
        run = client.open({"revision": given.revision, "torch": release, "device": given.device, "key": key,
                           "items": _items(given), "shard_seconds": given.shard_seconds})["run"]
        if dump:
            client.tables({"revision": given.revision, "torch": release, "digest": digest([dump]), "dump": dump})
        worker.Worker(client, run, _commands(given), outcome).work()
    except Refused as refused:
        raise Failure(f"the server refuses: {refused.detail}") from refused
    if who["rank"] == 0:
        print(worker.summary(client.progress(run)), flush=True)


def _alone(given: argparse.Namespace) -> None:
    from . import tables, workers  # noqa: PLC0415
    import torch  # noqa: PLC0415

    started = time.monotonic()
    found: dict = {"torch": torch.__version__.split("+")[0], "device": given.device}
    if given.device == "bare":
        found["kernels"] = _kernels(given)
    if "tables" in given.parts:
        found["tables"] = tables.dump(given.device)
    commands = _commands(given)
    for part, items in _items(given).items():
        rows: list[dict] = []
        events = workers.Events()
        events.done = lambda row, part=part, rows=rows: rows.append({"item": row["end"], **outcome(part, row)})
        crashed = workers.run(commands[part], items, events)
        rows += [{"item": each["item"], "outcome": "crash", "status": each["status"]} for each in crashed]
        found[part] = rows
    given.out.write_text(json.dumps(found), encoding="utf-8")
    print(f"{given.out}: {', '.join(given.parts)} of {given.device} with torch {found['torch']} in "
          f"{time.monotonic() - started:.0f} s")


def _recorded_main() -> None:
    """`main`, with errors handed to torchrun, or as a line for people."""
    if "TORCHELASTIC_RUN_ID" in os.environ:
        from torch.distributed.elastic.multiprocessing.errors import record  # noqa: PLC0415

        record(main)()
        return
    try:
        main()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(failure.status)


if __name__ == "__main__":
    _recorded_main()
