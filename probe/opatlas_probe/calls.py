"""What every composite calls: runs the operator database on the bare device and records the tree.

An invocation is one call of an operator with what it called directly. `always` is what all
invocations called, `sometimes` what some did, both in the order of the first call. Operators that the
device itself serves have none.
"""

import contextlib
import functools
import json
import os
import sys
import types
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import torch

from . import by_hand, device, examples, samples, synthetic

FORWARD, WITH_GRADIENTS, BACKWARD = "forward", "forward_with_gradients", "backward"
# The first samples of a test, with all that each reaches.
REACHED = "reached"
_MOST_SAMPLES = 8
# The items of a test.
KINDS = (FORWARD, "gradients", REACHED)
# In-place and out forms call other operators than the function does, but the same in most samples.
_MOST_OF_OTHER_FORMS = 2
# The dispatcher's message if an operator has no kernel, and that of a kernel without code for the device.
_MISSING = ("Could not run", "DispatchStub")
_RETURNED = 1


class Tally:
    """Of each operator and phase: the invocations, and how many of them made a call."""

    def __init__(self) -> None:
        # (operator, phase) -> [complete, {callee: complete}, broken off, {callee: broken off}]
        self.rows: dict = {}

    def add(self, operator: str, phase: str, called: Iterable[str], *, is_complete: bool) -> None:
        """Counts one invocation."""
        row = self.rows.setdefault((operator, phase), [0, defaultdict(int), 0, defaultdict(int)])
        at = 0 if is_complete else 2
        row[at] += 1
        for callee in called:
            row[at + 1][callee] += 1

    def operators(self, phase: str) -> set[str]:
        """The operators whose calls are known."""
        return {operator for operator, of in self.lists().items() if phase in of}

    def merge(self, rows: list, but: set[str] = frozenset()) -> None:
        """Adds the rows of another tally, but for some operators."""
        for operator, phase, *counts in rows:
            if operator in but:
                continue
            row = self.rows.setdefault((operator, phase), [0, defaultdict(int), 0, defaultdict(int)])
            for at in (0, 2):
                row[at] += counts[at]
                for callee, count in counts[at + 1].items():
                    row[at + 1][callee] += count

    def packed(self) -> list:
        """The rows as JSON."""
        return [[operator, phase, *row] for (operator, phase), row in sorted(self.rows.items())]

    def lists(self) -> dict[str, dict[str, dict[str, list[str]]]]:
        """Of each operator and phase what it calls always and sometimes, and those of the latter that most do.

        An invocation that raised says what was called before, so it adds to `sometimes`. Where none
        returned, what all of them called is known, if they called anything.
        """
        found: dict = {}
        for (operator, phase), (complete, returned, broken, raised) in sorted(self.rows.items()):
            counted, most = (returned, complete) if complete else (raised, broken)
            always = [callee for callee, count in counted.items() if count == most]
            if complete or always:
                sometimes = [callee for callee in {**returned, **raised} if callee not in always]
                mostly = [callee for callee in sometimes if 2 * returned.get(callee, 0) > complete]
                found.setdefault(operator, {})[phase] = {"always": always, "sometimes": sometimes, "mostly": mostly}
        return found


class Tree:
    """The events of one sample."""

    def __init__(self, names: list[str], rows: list[tuple]) -> None:
        self.rows = rows
        self.names = [names[row[0]].removeprefix("aten::") for row in rows]
        self.called: list[set[int]] = [set() for _ in rows]
        for place, (_, parent, _, kind, _) in enumerate(rows):
            # A kernel of autograd that calls its own operator again is the same invocation.
            while parent >= 0 and not kind and self.names[parent] == self.names[place]:
                parent = rows[parent][1]
            above = self._same_as_caller(place)
            if not above and parent >= 0:
                self.called[self._first(parent)].add(place)

    def _same_as_caller(self, place: int) -> bool:
        parent = self.rows[place][1]
        return parent >= 0 and not self.rows[place][3] and self.names[parent] == self.names[place]

    def _first(self, place: int) -> int:
        while self._same_as_caller(place):
            place = self.rows[place][1]
        return place

    def roots(self) -> set[str]:
        """The operators that Python called."""
        return {self.names[place] for place, row in enumerate(self.rows) if row[1] < 0 and not row[3]}

    def _named(self, places: Iterable[int]) -> list[str]:
        """The names of calls, each once, in the order of the first call."""
        return list(dict.fromkeys(self.names[place] for place in sorted(places)))

    def invocations(self) -> Iterator[tuple[str, list[str], bool]]:
        """Operators with the names that they called and whether they returned."""
        for place, (_, _, _, kind, state) in enumerate(self.rows):
            if not kind and not self._same_as_caller(place):
                yield self.names[place], self._named(self.called[place]), state == _RETURNED

    def reached(self, leaves: set[str]) -> Iterator[tuple[str, list[str], list[tuple[str, str]]]]:
        """Operators that Python called, with what they called, and the calls of composites below."""
        for place, (_, parent, _, kind, _) in enumerate(self.rows):
            if parent >= 0 or kind:
                continue
            below, open_, seen = set(), [self._first(place)], set()
            while open_:
                caller = open_.pop()
                for each in self.called[caller] - seen:
                    seen.add(each)
                    below.add((self.names[caller], self.names[each]))
                    open_.append(self._first(each))
            own = self.names[place]
            yield (own, sorted(callee for caller, callee in below if caller == own),
                   sorted(call for call in below if call[0] != own and call[0] not in leaves))

    def makers(self) -> dict[int, list[int]]:
        """Of each backward node the invocations that made it, innermost first."""
        last: dict[int, int] = {}
        for place, (_, _, sequence, kind, _) in enumerate(self.rows):
            if not kind and sequence >= 0:
                last[sequence] = place
        return {sequence: list(self._chain(place)) for sequence, place in last.items()}

    def _chain(self, place: int) -> Iterator[int]:
        while place >= 0:
            if not self.rows[place][3]:
                yield self._first(place)
            place = self.rows[self._first(place)][1]

    def nodes(self) -> Iterator[tuple[int, list[str]]]:
        """Of each backward node its number and what it called."""
        for place, (_, _, sequence, kind, _) in enumerate(self.rows):
            if kind:
                yield sequence, self._named(each for each in self.called[place] if not self.rows[each][3])


class Recorder:
    """Runs samples on the bare device and counts the calls."""

    def __init__(self, most: int = _MOST_SAMPLES) -> None:
        self.most = most
        self.served = device.served_for_calls()
        self.extension = device.start_bare(self.served)
        self.leaves = {*self.served}
        self.tally = Tally()
        self.trees: list = []
        self.extension.start([f"aten::{name}" for name in self.served], device.BARE)
        self.extension.stop()

    def forward(self, op: object) -> None:
        """Samples without gradients: the function, its other forms, and its other names."""
        every = samples.samples(op, most=self.most, gradients=False)
        for sample in every:
            self._run(sample, op.op, FORWARD)
        for call in _other_forms(op):
            for sample in every[:_MOST_OF_OTHER_FORMS]:
                self._run(sample, call, FORWARD)

    def gradients(self, op: object) -> None:
        """Samples with gradients, and their backward pass."""
        if op.supports_autograd and samples.dtype_of(op) in op.supported_backward_dtypes("cpu"):
            for sample in samples.samples(op, most=self.most, gradients=True):
                self._run(sample, op.op, WITH_GRADIENTS)

    def reached(self, op: object) -> None:
        """The first samples of the function, with all that they reach."""
        for sample in samples.samples(op, most=samples.FIRST, gradients=False):
            self._run(sample, op.op, REACHED)

    def example(self, name: str) -> None:
        """A call written by hand."""
        for phase in (FORWARD, WITH_GRADIENTS):
            given = types.SimpleNamespace(input=None, args=(), kwargs={})
            self._run(given, lambda _: examples.CALLS[name](device.BARE), phase)

    def defaults(self, name: str) -> None:
        """An operator with float32 arguments made from its schema, and none that has a default."""
        self._made(name, synthetic.arguments(name, (torch.float32,)))

    def schema(self, name: str) -> None:
        """An operator that no sample reached, with arguments written by hand and made from its schema."""
        self._made(name, by_hand.arguments(name))
        if synthetic.is_callable(name):
            self._made(name, synthetic.arguments(name))
            for option in synthetic.options(name):
                self._made(name, synthetic.arguments(name, (torch.float32,), option))

    def _made(self, name: str, every: Iterable[tuple[list, dict]]) -> None:
        """Calls that the operator takes: they return, or they run into an operator that the device lacks."""
        for arguments, keywords in every:
            with contextlib.suppress(RuntimeError, NotImplementedError, TypeError), torch.no_grad():
                made, named = (samples.moved(each, device.BARE) for each in (arguments, keywords))
                _, tree, error = self._recorded(lambda made=made, named=named: synthetic.overload(name)(*made, **named))
                if error is None and name not in tree.roots():
                    # PyTorch does not report the smallest operators, nor those without a tensor.
                    self.tally.add(name, FORWARD, sorted(tree.roots()), is_complete=True)
                if error is None or any(text in str(error) for text in _MISSING):
                    self._count(tree, FORWARD)

    def _run(self, sample: object, call: Callable, phase: str) -> None:
        with_gradients = phase == WITH_GRADIENTS
        try:
            given = [samples.moved(each, device.BARE) for each in (sample.input, sample.args, sample.kwargs)]
        except (RuntimeError, NotImplementedError, TypeError):
            return
        with torch.set_grad_enabled(with_gradients):
            result, forward, _ = self._recorded(lambda: call(given[0], *given[1], **given[2]))
        self._count(forward, phase)
        if with_gradients and result is not None:
            self._backward(forward, result)

    def _recorded(self, call: Callable) -> tuple[object, Tree, Exception | None]:
        self.extension.take()
        self.extension.resume()
        result = error = None
        try:
            result = call()
        except Exception as raised:  # noqa: BLE001: what a bare device cannot do breaks the sample off
            error = raised
        finally:
            self.extension.stop()
        return result, Tree(*self.extension.take()), error

    def _count(self, tree: Tree, phase: str) -> None:
        if phase == REACHED:
            self.trees.extend(tree.reached(self.leaves))
            return
        for operator, called, is_complete in tree.invocations():
            if operator not in self.leaves:
                self.tally.add(operator, phase, called, is_complete=is_complete)

    def _backward(self, forward: Tree, result: object) -> None:
        outputs = [each for each in samples.tensors(result) if each.requires_grad]
        gradients = [torch.ones(each.shape, dtype=each.dtype).to(device.BARE) for each in outputs]
        if not outputs:
            return

        def run() -> bool:
            torch.autograd.backward(outputs, gradients)
            return True

        is_complete, tree, _ = self._recorded(run)
        self._count(tree, FORWARD)
        makers = forward.makers()
        called: dict[int, dict[str, None]] = {}
        for sequence, names in tree.nodes():
            for place in makers.get(sequence, ()):
                called.setdefault(place, {}).update(dict.fromkeys(names))
        for place, names in called.items():
            self.tally.add(forward.names[place], BACKWARD, names, is_complete=bool(is_complete))


def _other_forms(op: object) -> Iterator[Callable]:
    """Other ways to call an operator: in place, with `out`, and by the names that are aliases."""
    for form in (op, *op.aliases):
        if form is not op:
            yield form.op
        if form.inplace_variant is not None:
            yield form.inplace_variant
        if op.supports_out:
            yield functools.partial(_with_out, form.op)


def _with_out(function: Callable, given: object, *args: object, **kwargs: object) -> object:
    result = function(given, *args, **kwargs)
    return function(given, *args, **kwargs, out=result)


def tests(kind: str) -> list[str]:
    """The tests of the database."""
    return [f"{kind}:{name}" for name in samples.named(samples.database())]


def others(known: set[str], kind: str = "schema") -> list[str]:
    """Composites that no test reached."""
    served = set(device.served_for_calls())
    return [f"{kind}:{name}" for name in device.operators()
            if name not in known and name not in served and device.has_default(name)
            and (name in by_hand.ARGUMENTS or synthetic.is_callable(name))]


def main() -> None:
    """Records the items on standard input; one line each when it is done."""
    # Operators print to another stream.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    every = samples.named(samples.database())
    recorder = Recorder()
    for item in json.load(sys.stdin):
        print(json.dumps({"begin": item}), file=out, flush=True)
        recorder.tally, recorder.trees = Tally(), []
        kind, _, name = item.partition(":")
        error = None
        try:
            if kind in KINDS:
                getattr(recorder, kind)(every[name])
            else:
                getattr(recorder, kind)(name)
        except Exception as raised:  # noqa: BLE001: a broken sample is not the end of the run
            error = f"{type(raised).__name__}: {str(raised)[:200]}"
        print(json.dumps({"end": item, "error": error, "rows": recorder.tally.packed(), "trees": recorder.trees}),
              file=out, flush=True)


if __name__ == "__main__":
    main()
