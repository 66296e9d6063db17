"""Arguments written by hand: each call has keywords that its operator takes."""

import unittest

try:
    import torch

    from opatlas_probe import by_hand, synthetic
except ImportError:
    torch = None


@unittest.skipUnless(torch, "needs torch")
class ByHandTest(unittest.TestCase):
    def test_the_last_dict_has_the_keywords(self) -> None:
        [(positional, keywords)] = by_hand.arguments("float_power.Scalar_out")
        self.assertEqual(positional[0], 2)
        self.assertEqual(list(keywords), ["out"])
        self.assertEqual(by_hand.arguments("is_vulkan_available"), [([], {})])
        self.assertEqual(by_hand.arguments("add.Tensor"), [])

    def test_every_call_fits_the_schema(self) -> None:
        for name in by_hand.ARGUMENTS:
            try:
                schema = synthetic.overload(name)._schema
            except AttributeError:
                continue
            for positional, keywords in by_hand.arguments(name):
                with self.subTest(operator=name):
                    self.assertLessEqual(len(positional), sum(not each.kwarg_only for each in schema.arguments))
                    self.assertLessEqual(set(keywords), {each.name for each in schema.arguments})

    def test_one_option_is_given(self) -> None:
        positional, _ = next(synthetic.arguments("dropout", (torch.float32,)))
        self.assertEqual(len(positional), 3)
        self.assertIn("sorted", synthetic.options("unique_dim"))
        given = [each for each, _ in synthetic.arguments("unique_dim", (torch.float32,), "sorted")]
        self.assertIs(given[0][2], False)


if __name__ == "__main__":
    unittest.main()
