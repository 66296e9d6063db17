"""Golden files whose verdicts torchgen and the YAML loader give. None needs a torch process."""

from . import children, files, generate, places, versions

# The release whose generator judges single documents; its rules are those that are written down.
REFERENCE = "2.9.0"
# Releases that stand for all where releases are expected to agree.
SPREAD = ("2.0", "2.5", "2.9", "2.13", "2.15")
_ORDER = ["parse", "group", "codegen"]
Recorded = tuple[files.Row, list[files.Row]]


def case(name: str) -> list[files.Row]:
    """The cases of a file in `recorders/cases/`."""
    return files.cases(places.CASES / f"{name}.jsonl.gz")


def documents() -> Recorded:
    """Documents about one rule each: verdict by stage, and the operators that they declare."""
    cases = case("documents")
    rows = []
    for of, found in zip(cases, _judged(REFERENCE, cases, "full"), strict=True):
        stages = _stages(found["stage"])
        early = _coarse(found["stage"]) == "parse"
        rows.append({**of, "verdict": stages["parse"], "error": found["error"] if early else None,
                     "stages": stages, "functions": found.get("functions", [])})
    return files.header("documents", 1, torchgen=REFERENCE), rows


def random_documents() -> Recorded:
    """Random documents. Those of `cases/` come from a generator that is lost; the others from ours."""
    cases = case("documents_random") + generate.documents(generate.SEED, 500)
    rows = []
    for of, found in zip(cases, _judged(REFERENCE, cases, "short"), strict=True):
        row = dict(of)
        if "functions" in found:
            row["functions"] = found["functions"]
        if found["stage"]:
            row["error"] = {"type": found["error"]["type"], "first_line": found["error"]["first_line"],
                            "context_line": found["line"]}
            row["error_stage"] = _coarse(found["stage"])
        stages = _stages(found["stage"])
        row |= {"verdict": stages["parse"], "group_verdict": stages.get("group"),
                "codegen_verdict": stages.get("codegen")}
        rows.append(row)
    return files.header("random_documents", 1, torchgen=REFERENCE, seed=generate.SEED), rows


def documents_by_release(only: str | None = None) -> Recorded:
    """Documents on which releases differ: of each release the verdict, with the stage of a refusal.

    With `only`, that release is judged anew and the others stay as the file has them.
    """
    cases = case("documents_by_release")
    kept = files.cases(places.GOLDEN / "validator_by_release.jsonl.gz") if only else []
    by_release = {release: [row["verdicts"][release] for row in kept] if only not in (None, release)
                  else verdicts(versions.generator_of(release), cases)
                  for release in versions.minors()}
    rows = [{**of, "verdicts": {release: found[place] for release, found in by_release.items()}}
            for place, of in enumerate(cases)]
    used = {release: versions.generator_of(release) for release in by_release}
    return files.header("documents_by_release", 1, torchgen=used), rows


def verdicts(version: str, cases: list[files.Row]) -> list[str]:
    """`accept` or `reject at STAGE` for each document."""
    found = _judged(version, cases, None)
    return ["accept" if row["stage"] is None else f"reject at {row['stage']}" for row in found]


def random_schemas() -> Recorded:
    """Random schemas, those of `cases/` first, then ours."""
    schemas = [row["schema"] for row in case("schemas_random")] + generate.schemas(generate.SEED, 1000)
    rows = children.torchgen(REFERENCE, "schemas", {"schemas": schemas})
    return files.header("random_schemas", 1, torchgen=REFERENCE, seed=generate.SEED), rows


def operators(version: str) -> Recorded:
    """The operators of a release's own file, generated ones included."""
    rows = children.torchgen(version, "operators", {})
    return files.header("operators", 1, torchgen=version), rows


def signatures(version: str) -> Recorded:
    """The C++ and Python declarations of a release's operators."""
    found = children.torchgen(version, "signatures", {})
    return files.header("signatures", 1, torchgen=version), [{"stubs": found["stubs"]}, *found["rows"]]


def deprecated() -> Recorded:
    """`deprecated.yaml` files over one small `native_functions.yaml`, which is the first row."""
    return _over_base("deprecated")


def deprecated_forms(version: str) -> Recorded:
    """The deprecated Python signatures of a release."""
    return files.header("deprecated_forms", 1, torchgen=version), children.torchgen(version, "deprecated", {})


def derivatives() -> Recorded:
    """`derivatives.yaml` files over one small `native_functions.yaml`, which is the first row."""
    return _over_base("derivatives")


def backends() -> Recorded:
    """Backend files over the same `native_functions.yaml`, which is the first row."""
    return _over_base("backends")


def tags() -> Recorded:
    """`tags.yaml` files, with an entry that uses their tags."""
    return _over_releases("tags")


def list_sizes() -> Recorded:
    """Sizes of lists, small and large."""
    return _over_releases("list_sizes")


def backend_symint() -> Recorded:
    """Backend files with `symint`, over one `native_functions.yaml`, which is the first row. The
    verdict is that of writing the kernels down, not only of reading the file.
    """
    base, *cases = case("backend_symint")
    request = {**base, "documents": [row["yaml"] for row in cases]}
    used = {release: versions.generator_of(release) for release in SPREAD}
    found = {release: children.torchgen(version, "backend_stubs", request)
             for release, version in used.items()}
    rows = [{**of, "verdicts": {release: found[release][place] for release in used}}
            for place, of in enumerate(cases)]
    return files.header("backend_symint", 1, torchgen=used), [base, *rows]


def yaml_documents() -> Recorded:
    """Documents, and what PyYAML's C loader makes of them."""
    cases = case("yaml_documents")
    found = children.alone("yaml_documents", {"documents": cases})
    rows = [{**of, **row} for of, row in zip(cases, found["rows"], strict=True)]
    return files.header("yaml_documents", 1, **found["libraries"]), rows


def _over_base(name: str) -> Recorded:
    base, *cases = case(name)
    request = {**base, "documents": [row["yaml"] for row in cases]}
    found = children.torchgen(REFERENCE, name, request)
    rows = [{**of, **row} for of, row in zip(cases, found, strict=True)]
    return files.header(name, 1, torchgen=REFERENCE), [base, *rows]


def _over_releases(name: str) -> Recorded:
    cases = case(name)
    used = {release: versions.generator_of(release) for release in SPREAD}
    found = {release: verdicts(version, cases) for release, version in used.items()}
    rows = [{**of, "verdicts": {release: found[release][place] for release in used}}
            for place, of in enumerate(cases)]
    return files.header(name, 1, torchgen=used), rows


def _judged(version: str, cases: list[files.Row], describe: str | None) -> list[dict]:
    return children.torchgen(version, "verdicts", {"documents": cases, "describe": describe})


def _coarse(stage: str | None) -> str | None:
    return stage if stage in (None, "group", "codegen") else "parse"


def _stages(stage: str | None) -> dict[str, str]:
    """The verdict of each stage that ran."""
    refusing = _coarse(stage)
    ran = _ORDER[: _ORDER.index(refusing) + 1] if refusing else _ORDER
    return {name: "reject" if name == refusing else "accept" for name in ran}
