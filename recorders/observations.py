"""What a release says today of the facts in `data/`, to compare with them or to add them."""

import hashlib

from . import children, facts, from_process, generators, handwritten, places, runtimes, ways

# Facts that no wheel holds: in 2.0, whose wheel lacks the autograd generator.
UNRECORDED = {"derivatives_with_dispatch"}
_FALLBACK_KINDS = {True: "fallthrough", False: "kernel"}


def generator(version: str) -> dict[str, dict]:
    """Facts of torchgen, by group and table."""
    return children.torchgen(version, "generator_facts", {})


def digest(version: str) -> str:
    """SHA-256 of the release's `native_functions.yaml`."""
    path = generators.aten(version) / "native" / "native_functions.yaml"
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Process:
    """What a process of a release says; recorded once, since it takes a while."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.keys = from_process.keys(version)
        self.tables = children.torch(version, "runtime_tables", {})

    def facts(self) -> dict[str, dict]:
        """Facts of the runtime, by group and table."""
        implicit = self.keys["alias_includes"]["CompositeImplicitAutograd"]
        return {
            "flags": {"functionalize_in_composite_implicit": "Functionalize" in implicit},
            "runtime": {"backends": self.keys["backends"],
                        "functionalities": self.keys["functionalities"],
                        "unparseable": sorted(self.keys["unparseable"])},
        }

    def fallbacks(self) -> set[tuple[str, str, str]]:
        """Backend fallbacks: key, file, kind."""
        return {(key, file, _FALLBACK_KINDS[passes])
                for key, (file, passes) in self.keys["fallbacks"].items()}

    def registrations(self) -> set[handwritten.Registration]:
        """Registrations that no YAML file declares."""
        rows = children.torchgen(self.version, "operators", {})
        return handwritten.of_process(self.tables, {row["name"] for row in rows})


def process(version: str) -> Process | None:
    """A process of a release; `None` where torch is not installed."""
    return Process(version) if runtimes.python(version, install=False) else None


def known_fallbacks(data: dict, releases: list[str], release: str) -> set[tuple[str, str, str]]:
    """The fallbacks that the data has for a release."""
    at = releases.index(release)
    return {tuple(row[:3]) for row in data["runtime"]["fallbacks"]
            if releases.index(row[3]) <= at <= (releases.index(row[4]) if len(row) > 4 else at)}


def differences(data: dict, releases: list[str], release: str, version: str) -> list[str]:
    """Where the data says something else than the release."""
    seen = generator(version)
    running = process(version)
    if running:
        for group, tables in running.facts().items():
            seen.setdefault(group, {}).update(tables)
    found = [f"{release}: {group}.{name}: data {known!r}, release {value!r}"
             for group, tables in seen.items() for name, value in tables.items()
             if (known := facts.expand(data[group][name], releases, release)) != value]
    row = next(row for row in data["releases"] if row["release"] == release)
    for measured, known in row["native_functions"].items():
        if digest(measured) != known:
            found.append(f"{measured}: digest of native_functions.yaml")
    if not running:
        return found
    changed = known_fallbacks(data, releases, release) ^ running.fallbacks()
    found += [f"{release}: fallback {row}" for row in sorted(changed)]
    own = {key for key, covered in handwritten.load(places.HANDWRITTEN_JSON, releases).items()
           if release in covered and not handwritten.is_entered(key)}
    found += ways.differences(release, ways.of_process(version))
    return found + [f"{release}: hand-written {row}" for row in sorted(own ^ running.registrations())]
