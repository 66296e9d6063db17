"""Tests the types of generated kernels."""

import random
import sys
import unittest

from recorders import places

sys.path.insert(0, str(places.PROBES))
from kernel_choices import OF_SCHEMA, replaced, respelled  # noqa: E402


class Choices(unittest.TestCase):
    """Tests changes to a signature."""

    def test_the_same_seed_gives_the_same_kernels(self) -> None:
        """Recordings are reproducible."""
        parameters = ["const at::Tensor &", "int64_t", "at::IntArrayRef"]
        made = [replaced(random.Random(7), "at::Tensor", list(parameters)) for _ in range(2)]  # noqa: S311
        self.assertEqual(made[0], made[1])

    def test_all_kinds_occur(self) -> None:
        """A few hundred draws produce right signatures and every kind of wrong signature."""
        choose = random.Random(1)  # noqa: S311
        kinds = {replaced(choose, "at::Tensor", ["const at::Tensor &", "int64_t"])[0] for _ in range(400)}
        self.assertEqual(kinds, {"right", "keys first", "keys elsewhere", "argument missing", "argument added",
                                 "last argument first", "other return", "other type"})

    def test_a_value_may_be_spelled_in_other_words(self) -> None:
        """Aliases, `using`, and `const` of a value."""
        choose = random.Random(2)  # noqa: S311
        found = {respelled(choose, "at::IntArrayRef", is_used) for is_used in (False, True) for _ in range(60)}
        self.assertIn("IntArrayRef", found)
        self.assertIn("c10::ArrayRef<long>", found)
        self.assertIn("const at::IntArrayRef", found)

    def test_every_schema_type_has_both(self) -> None:
        """Right types fit and wrong types do not."""
        for right, wrong in OF_SCHEMA.values():
            self.assertTrue(right)
            self.assertTrue(wrong)
            self.assertFalse(set(right) & set(wrong))


if __name__ == "__main__":
    unittest.main()
