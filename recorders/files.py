"""Recorded files: JSON lines, compressed, the first line of which says what recorded them.

The bytes are reproducible: the compressed stream holds no date and no file name.
"""

import gzip
import json
import platform
from pathlib import Path

HEADER = "recorded_by"
Row = dict


def dump(value: object) -> str:
    """One line of JSON, without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def header(recorder: str, version: int, **facts: object) -> Row:
    """The first line of a file. `facts` name what was recorded from: releases, libraries, a seed."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {HEADER: {"recorder": recorder, "version": version, "python": python, **facts}}


def same_source(one: Row, other: Row) -> bool:
    """Whether two headers name the same recorder and releases. The Python may be another."""
    def source(head: Row) -> Row:
        return {key: value for key, value in head[HEADER].items() if key != "python"}

    return source(one) == source(other)


def read(path: Path) -> tuple[Row | None, list[Row]]:
    """The header, `None` where the file has none, and the rows."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    if rows and HEADER in rows[0]:
        return rows[0], rows[1:]
    return None, rows


def write(path: Path, head: Row, rows: list[Row]) -> None:
    """Writes a recorded file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(dump(row) + "\n" for row in [head, *rows])
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def cases(path: Path) -> list[Row]:
    """The rows of a file of cases."""
    return read(path)[1]
