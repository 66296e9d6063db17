"""The lists of operators in a header."""

import unittest

from recorders import autocast_lists

HEADER = """
#define ADD_NS(RAW_OP) at::RAW_OP
#define AT_FORALL_DEPRECATED_AUTOCAST_BACKENDS(_) _(privateuseone, at::kPrivateUse1)
#define AT_FORALL_FP32(_)   \\
  _(pow, Tensor_Scalar)     \\
  _(acos)

#define AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(_)                  \\
  _(ADD_NS(norm),                                                    \\
    "norm.Scalar",                                                   \\
    Tensor(const Tensor&, const Scalar&),                            \\
    Tensor(const Tensor&, const std::optional<Scalar>&, ScalarType), \\
    fp32_append_dtype)                                               \\
  _(ADD_NS(norm), "norm.ScalarOpt_dim", Tensor(bool), Tensor(int), fp32_append_dtype)
"""


class Lists(unittest.TestCase):
    """What a header lists."""

    def test_an_item_names_an_operator(self) -> None:
        """The overload is a second word, or the name is a literal."""
        self.assertEqual(autocast_lists.of_text(HEADER), {
            "AT_FORALL_FP32": ["acos", "pow.Tensor_Scalar"],
            "AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE": ["norm.Scalar", "norm.ScalarOpt_dim"],
        })


if __name__ == "__main__":
    unittest.main()
