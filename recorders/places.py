"""Where everything is. No other module spells a path of the repository."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDERS = ROOT / "recorders"
CASES = RECORDERS / "cases"
PROBES = RECORDERS / "probes"
GOLDEN = ROOT / "tests" / "golden"

# The facts of the releases, from which the build makes tables.
DATA = ROOT / "data"
RELEASES_JSON = DATA / "releases.json"
HANDWRITTEN_JSON = DATA / "handwritten.json"
AUTOCAST_LISTS_JSON = DATA / "autocast_lists.json"
CALLS_JSON = DATA / "calls.json"
WAYS_TXT = DATA / "ways.txt"
WORKS_TXT = DATA / "works.txt"
PYTHON_CALLS_TXT = DATA / "python_calls.txt"
RARE_CALLS_JSON = DATA / "rare_calls.json"
STEPS_TXT = DATA / "steps.txt"

# The program, as `cargo build` makes it.
PROGRAM = ROOT / "target" / "debug" / "opatlas"

# The package that records what a device runs.
PROBE = ROOT / "probe"

# What is downloaded. Nothing of it is committed.
CACHE = Path(os.environ.get("OPATLAS_RECORDERS_CACHE", ROOT / ".cache" / "recorders"))
GENERATORS = CACHE / "generators"
RUNTIMES = CACHE / "runtimes"
RELEASES = Path(os.environ.get("OPATLAS_RELEASES_DIR", ROOT / ".cache" / "releases"))
