"""Shards: every item once, never over capacity, as few as a plain search gives."""

import random
import unittest

from opatlas_probe.packing import pack


def plain(costs: list[int], capacity: int) -> int:
    """The number of bins of best-fit-decreasing, by searching all bins."""
    free: list[int] = []
    for cost in sorted(costs, reverse=True):
        fits = [place for place, left in enumerate(free) if left >= cost]
        if fits:
            free[min(fits, key=lambda place: free[place])] -= cost
        else:
            free.append(capacity - cost)
    return len(free)


class PackingTest(unittest.TestCase):
    def test_the_worked_case(self) -> None:
        self.assertEqual(pack([8, 6, 6, 4, 3], 8), [[0], [1], [2], [3, 4]])

    def test_random_costs(self) -> None:
        chosen = random.Random(7)
        for _ in range(200):
            capacity = chosen.randint(1, 60)
            costs = [chosen.randint(1, capacity) for _ in range(chosen.randint(0, 80))]
            bins = pack(costs, capacity)
            self.assertEqual(sorted(place for each in bins for place in each), list(range(len(costs))))
            self.assertTrue(all(sum(costs[place] for place in each) <= capacity for each in bins))
            self.assertEqual(len(bins), plain(costs, capacity))

    def test_an_item_over_the_capacity_is_alone(self) -> None:
        self.assertEqual(pack([1, 9, 1], 4), [[0, 2], [1]])
