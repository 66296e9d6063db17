"""Every file of `tests/golden/`, and what records it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import (
    aoti,
    backend_tables,
    cpp_overloads,
    decisions,
    device_runs,
    direct_functions,
    exported_models,
    from_process,
    from_torchgen,
    kernel_types,
    places,
    python_functions,
    runtimes,
    way_runs,
    ways,
)
from .from_torchgen import REFERENCE, Recorded


@dataclass(frozen=True)
class Recording:
    """A golden file."""

    file: str
    record: Callable[[], Recorded]
    # The release of which a process is needed; `None` where torchgen or less is enough.
    process: str | None = None
    # Whether what else it needs is there.
    needs: Callable[[], bool] | None = None

    def needed(self) -> str:
        """What it needs, in words."""
        if self.needs is not None:
            return f"what {', '.join(backend_tables.NEEDED)} name"
        return f"a process of torch {self.process}" if self.process else "no process"

    def is_possible(self) -> bool:
        """Whether what it needs is installed. torchgen is fetched when it is missing."""
        if self.needs is not None:
            return self.needs()
        return self.process is None or runtimes.python(self.process, install=False) is not None


def recordings() -> list[Recording]:
    """All recordings. Files of single releases are those that are there."""
    single = [
        Recording("validator", from_torchgen.documents),
        Recording("documents_fuzz", from_torchgen.random_documents),
        Recording("validator_by_release", from_torchgen.documents_by_release),
        Recording("schemas_fuzz", from_torchgen.random_schemas),
        Recording("derivatives", from_torchgen.derivatives),
        Recording("backends", from_torchgen.backends),
        Recording("deprecated", from_torchgen.deprecated),
        Recording("tags", from_torchgen.tags),
        Recording("list_sizes", from_torchgen.list_sizes),
        Recording("backend_symint", from_torchgen.backend_symint),
        Recording("yaml_documents", from_torchgen.yaml_documents),
        Recording("dispatch_keys", from_process.dispatch_keys),
        Recording("dispatch_combos", from_process.registration_sets, REFERENCE),
        Recording("official_pairs", from_process.schema_pairs, REFERENCE),
        Recording("library_schemas", from_process.library_schemas, REFERENCE),
        Recording("official_runtime", from_process.runtime_pairs, REFERENCE),
        Recording("official_releases", from_process.official_releases, REFERENCE),
        Recording("official_release_counts", from_process.official_release_counts, REFERENCE),
        *(Recording(name, partial(decisions.table, name))
          for name in ("change_rules", "schema_changes", "entry_changes")),
    ]
    whole = [Recording(f"operators_{version}", partial(from_torchgen.operators, version))
             for version in recorded("operators")]
    whole += [Recording(f"signatures_{version}", partial(from_torchgen.signatures, version))
              for version in recorded("signatures")]
    whole += [Recording(f"deprecated_forms_{version}", partial(from_torchgen.deprecated_forms, version))
              for version in recorded("deprecated_forms")]
    whole += [Recording(f"dispatch_runtime_{version}", partial(from_process.runtime_tables, version),
                        version) for version in recorded("dispatch_runtime")]
    whole += [Recording(f"backend_tables_xla_{version}", partial(backend_tables.xla, version),
                        needs=backend_tables.is_possible) for version in recorded("backend_tables_xla")]
    whole += [Recording(f"device_runs_{REFERENCE}_{name}", partial(device_runs.of_set, REFERENCE, name), REFERENCE)
              for name in device_runs.SETS]
    whole += [Recording(f"exported_models_{version}", partial(exported_models.of_release, version), version)
              for version in recorded("exported_models")]
    whole += [Recording(f"{way}_runs_{REFERENCE}", partial(way_runs.of_way, REFERENCE, way), REFERENCE)
              for way in way_runs.WAYS]
    whole += [Recording(f"autocast_runs_{version}", partial(from_process.autocast_runs, version), version)
              for version in recorded("autocast_runs")]
    whole += [Recording(f"kernel_types_{version}", partial(kernel_types.kernels, version), version)
              for version in recorded("kernel_types")]
    whole += [Recording(f"kernel_signatures_{version}", partial(kernel_types.signatures, version), version)
              for version in recorded("kernel_signatures")]
    whole += [Recording(f"{kind}_{version}", partial(record, version), version)
              for kind, record in (("python_calls", from_process.python_calls), ("bound_names", from_process.bound_names),
                                   ("python_lines", python_functions.lines))
              for version in recorded(kind)]
    whole += [Recording(f"aoti_shims_{version}", partial(aoti.shims, version)) for version in recorded("aoti_shims")]
    whole += [Recording(f"cpp_overloads_{version}", partial(cpp_overloads.of_release, version), version)
              for version in recorded("cpp_overloads")]
    whole += [Recording(f"direct_functions_{version}", partial(direct_functions.of_release, version), version)
              for version in recorded("direct_functions")]
    whole += [Recording(f"ways_{version}", partial(ways.recorded, version), version) for version in recorded("ways")]
    return single + whole


def recorded(kind: str) -> list[str]:
    """The releases that have a file `KIND_RELEASE.jsonl.gz`."""
    names = (path.name for path in places.GOLDEN.glob(f"{kind}_*.jsonl.gz"))
    return sorted(name.removeprefix(f"{kind}_").removesuffix(".jsonl.gz") for name in names)
