"""Verdicts from recorded calls, to check the recording: what `docs/spec/support.md` says, in little.

It knows only what was recorded: registrations of a process and calls. Opatlas also knows what the
generated kernels call.
"""

from collections.abc import Iterable

from . import calls

_DEFAULTS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
WORKS, PARTLY, FAILS, UNKNOWN = "works", "partly", "fails", "unknown"
_RANK = {WORKS: 0, UNKNOWN: 0, PARTLY: 1, FAILS: 2}
# Their default kernels only raise.
_RAISE = ("convolution_overrideable", "convolution_backward_overrideable")
# Calls that Meta does not make, and devices outside PyTorch do.
_OUT_OF_TREE = {"_copy_from", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", *_RAISE}
# The kernels of the bare device that are not the CPU fallback.
_NOT_FALLBACKS = {"empty.memory_format", "empty_strided", "_copy_from", "as_strided", "view", "resize_", "_reshape_alias",
                  "unfold", "view_as_real", "view_as_complex", "_copy_from_and_resize", *_RAISE}


class Device:
    """The verdicts on a device with some kernels."""

    def __init__(self, tables: list[dict], schemas: dict[str, str], made: calls.Calls,
                 kernels: Iterable[str] | None) -> None:
        """`kernels` are those of the bare device; `None` is Meta, with what is registered to it."""
        self.calls: dict[str, tuple[set[str], set[str]] | None] = {}
        known = made if kernels is not None else _in_tree(made)
        own = set(kernels) if kernels is not None else {row["op"] for row in tables if "Meta" in row["r"]}
        for row in tables:
            name = row["op"]
            if name in own:
                # The boxed CPU fallback writes its results back.
                writes = kernels is not None and name not in _NOT_FALLBACKS and "!" in schemas.get(name, "")
                self.calls[name] = ({"_copy_from_and_resize"} if writes else set(), set())
            elif name not in _RAISE and any(key in row["r"] for key in _DEFAULTS):
                forward = known.get(name, {}).get("forward")
                self.calls[name] = forward and (set(forward["always"]), set(forward["sometimes"]))
        self.verdicts = {name: WORKS if of is not None else UNKNOWN for name, of in self.calls.items()}
        while any([self._lowered(name) for name in self.calls]):
            pass

    def verdict(self, name: str) -> str:
        """The verdict of an operator."""
        return self.verdicts.get(name, FAILS)

    def needs(self, name: str) -> list[str]:
        """The operators that nothing serves, nearest first."""
        seen, leaves = [name], []
        for each in seen:
            if each not in self.calls:
                leaves.append(each)
                continue
            always, sometimes = self.calls[each] or (set(), set())
            seen += [callee for callee in (*sorted(always), *sorted(sometimes))
                     if callee not in seen and self.verdict(callee) != WORKS]
        return leaves

    def _lowered(self, name: str) -> bool:
        """Takes away what cannot work; whether something was."""
        if self.calls[name] is None:
            return False
        always, sometimes = self.calls[name]
        of_always = {self.verdict(callee) for callee in always}
        verdict = FAILS if FAILS in of_always else WORKS
        if verdict == WORKS and (of_always | {self.verdict(callee) for callee in sometimes}) - {WORKS}:
            verdict = PARTLY
        is_lower = _RANK[verdict] > _RANK[self.verdicts[name]]
        if is_lower:
            self.verdicts[name] = verdict
        return is_lower


def _in_tree(made: calls.Calls) -> calls.Calls:
    return {name: {phase: {kind: [callee for callee in called if callee not in _OUT_OF_TREE]
                           for kind, called in lists.items()} for phase, lists in phases.items()}
            for name, phases in made.items()}


def judged(device: Device, rows: list[dict]) -> tuple[int, int, int, int]:
    """Right tests, tests, right leaves, leaves, of the rows of `device_runs`."""
    right = tests = right_leaves = leaves = 0
    for row in rows:
        kinds = {result[0] for result in row["results"]}
        of_roots = [device.verdict(root) for root in row["roots"]]
        if kinds == {"ok"}:
            tests += 1
            right += all(verdict == WORKS for verdict in of_roots)
        elif kinds == {"missing"}:
            tests += 1
            right += any(verdict in (FAILS, PARTLY) for verdict in of_roots)
            needed = {leaf for root in row["roots"] for leaf in device.needs(root)}
            leaves += len(row["results"])
            right_leaves += sum(leaf.removeprefix("aten::") in needed for _, leaf in row["results"])
    return right, tests, right_leaves, leaves
