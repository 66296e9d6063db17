"""`data/steps.txt`: what steps of real and of long histories say, with which the program packs further ones.

The stored form of a step is that of `crates/service/src/history/`: rows packed by `packed.rs`.
"""

import collections
import hashlib
import heapq
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from . import places

# How long the file may be: twice as much saves hardly more, and half of it loses a tenth.
SIZE = 12 << 10
# Sequences of so many bytes are counted.
SEQUENCE = 12
# How many rows of a database are looked at, so that a long history does not outweigh the releases.
ROWS = 12_000
# How many of them may get into the file.
CANDIDATES = 4_000
MAGIC = b"\x28\xb5\x2f\xfd"


def make(databases: list[Path]) -> bytes:
    """The rows of SQLite stores that pack all of them best, the most useful last; then lines of keys."""
    rows, keys = [], collections.Counter()
    for database in databases:
        says, facts = read(database)
        rows.append(sorted(set(says), key=lambda row: hashlib.sha256(row).digest())[:ROWS])
        keys.update(fact.split(b"\n")[0] for fact in facts)
    lines = b"".join(line + b"\n" for line, _ in reversed(keys.most_common(8)))
    candidates = [row for some in rows for row in some[:CANDIDATES]]
    chosen = choose(candidates, (row for some in rows for row in some), SIZE - len(lines))
    return b"".join(row + b"\n" for row in reversed(chosen)) + lines


def choose(candidates: Iterable[bytes], rows: Iterable[bytes], size: int) -> list[bytes]:
    """The candidates whose sequences are in most rows for their length, each sequence counted once."""
    found = collections.Counter(part for row in rows for part in _sequences(row))
    parts = {row: [part for part in _sequences(row) if found[part] > 3] for row in candidates}
    covered: set[bytes] = set()

    def gain(row: bytes) -> float:
        return sum(found[part] for part in parts[row] if part not in covered) / (len(row) + 1)

    heap = [(-gain(row), row) for row in parts]
    heapq.heapify(heap)
    chosen = []
    while heap:
        _, row = heapq.heappop(heap)
        now = gain(row)
        if now == 0 or len(row) + 1 > size:
            continue
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, row))
            continue
        chosen.append(row)
        covered.update(parts[row])
        size -= len(row) + 1
    return chosen


def read(database: Path) -> tuple[list[bytes], list[bytes]]:
    """What the steps of a store did to operators, and the facts of their heads, unpacked."""
    import zstandard  # noqa: PLC0415 - needed by nothing else

    known = zstandard.ZstdCompressionDict(places.STEPS_TXT.read_bytes(), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    unpacker = zstandard.ZstdDecompressor(dict_data=known)
    store = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    return ([unpacker.decompress(MAGIC + row) for (row,) in store.execute("SELECT says FROM step_operators")],
            [unpacker.decompress(MAGIC + row) for (row,) in store.execute("SELECT facts FROM steps")])


def _sequences(row: bytes) -> list[bytes]:
    return list(dict.fromkeys(row[at:at + SEQUENCE] for at in range(len(row) - SEQUENCE + 1)))
