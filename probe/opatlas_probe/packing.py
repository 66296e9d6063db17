"""Best-fit packing of items into shards of about equal cost."""

import bisect
from collections.abc import Sequence


def pack(costs: Sequence[int], capacity: int) -> list[list[int]]:
    """Puts the places of `costs` into bins of at most `capacity`; an item larger than that has its own.

    Largest first, each into the bin with the least free space that holds it. Bins are in the order
    of their first item, items in input order, so the result depends on nothing but the arguments.
    """
    bins: list[list[int]] = []
    # (free space, bin): among equal spaces the bin that was opened first.
    free: list[tuple[int, int]] = []
    for place in sorted(range(len(costs)), key=lambda each: (-costs[each], each)):
        cost = costs[place]
        at = bisect.bisect_left(free, (cost, -1))
        if at == len(free):
            bins.append([place])
            left, number = capacity - cost, len(bins) - 1
        else:
            left, number = free.pop(at)
            bins[number].append(place)
            left -= cost
        if left > 0:
            bisect.insort(free, (left, number))
    return sorted((sorted(each) for each in bins), key=lambda each: each[0])
