//! Rules about what is bound in Python and C++.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::VariantMethodRemoved,
        group: Group::Binding,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("xx..x..."),
        what: "The operator is no method of `Tensor` any more.",
        why: "`tensor.op()` in Python and `at::Tensor::op` in C++ are gone.",
        instead: Some("Keep `method` among the variants."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function, method\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::VariantFunctionRemoved,
        group: Group::Binding,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("xx..x..."),
        what: "The operator is no function any more.",
        why: "`torch.op()` in Python and `at::op` in C++ are gone.",
        instead: Some("Keep `function` among the variants."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function, method\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: method\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::VariantMethodAdded,
        group: Group::Binding,
        level: Some(Level::Safe),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".r......"),
        what: "The operator is also a method of `Tensor` now.",
        why: "One more way to call it. A subclass of `Tensor` with an attribute of that name \
              hides it, or is surprised by it.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function, method\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::VariantFunctionAdded,
        group: Group::Binding,
        level: Some(Level::Safe),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "The operator is also a function now.",
        why: "One more way to call it.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: method\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function, method\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::PythonModuleChanged,
        group: Group::Binding,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("xx......"),
        what: "The operator is bound in another Python module.",
        why: "The path under which users import it moves, while the schema, and with it the \
              official check, stays as it was.",
        instead: Some("Keep the binding where it is; add a Python alias at the new place."),
        example: Some(Example {
            old: concat!(
                "- func: linalg_blend(Tensor self) -> Tensor\n",
                "  python_module: special\n",
            ),
            new: concat!(
                "- func: linalg_blend(Tensor self) -> Tensor\n",
                "  python_module: linalg\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::CppNoDefaultArgsAdded,
        group: Group::Binding,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....x..."),
        what: "Arguments lost their default in C++.",
        why: "C++ callers that leave them out no longer compile. Python is not touched.",
        instead: Some("Leave the list as it was."),
        example: Some(Example {
            old: "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
            new: concat!(
                "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
                "  cpp_no_default_args: ['k']\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::CppNoDefaultArgsRemoved,
        group: Group::Binding,
        level: Some(Level::Safe),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....r..."),
        what: "Arguments got their default in C++ back.",
        why: "Old calls compile. With more defaults, two overloads may fit the same call.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
                "  cpp_no_default_args: ['k']\n",
            ),
            new: "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::ManualCppBindingAdded,
        group: Group::Binding,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....x..."),
        what: "The C++ function and method are no longer generated.",
        why: "Unless somebody wrote them by hand in the same change, C++ callers lose them.",
        instead: Some("Make sure that the hand-written binding is there."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_cpp_binding: True\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::ManualCppBindingRemoved,
        group: Group::Binding,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....r..."),
        what: "The C++ function and method are generated again.",
        why: "Of interest where a hand-written binding had another signature.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_cpp_binding: True\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::CategoryOverrideChanged,
        group: Group::Binding,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("rr..r..."),
        what: "Whether the operator counts as a factory was overridden differently.",
        why: "That decides whether dtype, layout and device are gathered into one options \
              argument in C++ and how Python binds them.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  category_override: factory\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ConstRefChanged,
        group: Group::Binding,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....rx.."),
        what: "Written tensors are passed to kernels as `const Tensor&` instead of `Tensor&`, \
               or the reverse.",
        why: "Kernels outside the tree have the other signature and fail to compile or to \
              register.",
        instead: Some("Keep the flag; new operators should set it from the start."),
        example: Some(Example {
            old: "- func: blend_(Tensor(a!) self) -> Tensor(a!)\n",
            new: concat!(
                "- func: blend_(Tensor(a!) self) -> Tensor(a!)\n",
                "  use_const_ref_for_mutable_tensors: True\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
];
