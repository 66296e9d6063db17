"""The C++ that declarations are compiled in."""

import unittest

from recorders import headers

ADD = headers.Kernel(
    "add.Tensor",
    "at::Tensor add_Tensor(const at::Tensor & self, const at::Tensor & other);",
    'TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  m.impl("add.Tensor", TORCH_FN(add_Tensor));\n}\n',
)


class Texts(unittest.TestCase):
    """What is compiled."""

    def test_the_type_is_that_of_the_operator(self) -> None:
        """A declaration is held against the type in `at::_ops`."""
        text = headers.types([ADD])
        self.assertIn("namespace k0 { at::Tensor add_Tensor(", text)
        self.assertIn("std::is_same_v<decltype(k0::add_Tensor), at::_ops::add_Tensor::schema>", text)

    def test_a_registration_names_its_function(self) -> None:
        """A registered function is defined first, and found in its namespace."""
        text = headers.registrations([ADD])
        self.assertIn("const at::Tensor & other) { TORCH_CHECK(false); }", text)
        self.assertIn('m.impl("add.Tensor", TORCH_FN(k0::add_Tensor));', text)


if __name__ == "__main__":
    unittest.main()
