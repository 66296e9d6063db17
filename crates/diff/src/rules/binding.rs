//! Rules about what is bound in Python and C++.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Binding, level, "aten/src/ATen/native/README.md")
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("xx..x..."),
        what: "The operator is no longer a method of `Tensor`.",
        why: "`tensor.op()` in Python and `at::Tensor::op` in C++ no longer exist.",
        instead: Some("Keep `method` in `variants`."),
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
        ..rule(Id::VariantMethodRemoved, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("xx..x..."),
        what: "The operator is no longer a function.",
        why: "`torch.op()` in Python and `at::op` in C++ no longer exist.",
        instead: Some("Keep `function` in `variants`."),
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
        ..rule(Id::VariantFunctionRemoved, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row(".r......"),
        what: "The operator is now also a method of `Tensor`.",
        why: "Callers have one more way to call it. In a subclass of `Tensor` with an attribute of \
              the same name, that attribute hides the method.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  variants: function, method\n",
            ),
        }),
        ..rule(Id::VariantMethodAdded, Level::Safe)
    },
    ChangeRule {
        what: "The operator is now also a function.",
        why: "Callers have one more way to call it.",
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
        ..rule(Id::VariantFunctionAdded, Level::Safe)
    },
    ChangeRule {
        impacts: Impacts::row("xx......"),
        what: "The operator moved to another Python module.",
        why: "The import path of users changes. The schema does not, so PyTorch's check does not \
              see it.",
        instead: Some("Keep the binding in its module, and add a Python alias in the new one."),
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
        ..rule(Id::PythonModuleChanged, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("....x..."),
        what: "Arguments lost their default in C++.",
        why: "C++ callers that omit them no longer compile. Python is not affected.",
        instead: Some("Restore the previous list."),
        example: Some(Example {
            old: "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
            new: concat!(
                "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
                "  cpp_no_default_args: ['k']\n",
            ),
        }),
        source: "torchgen/model.py",
        ..rule(Id::CppNoDefaultArgsAdded, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("....r..."),
        what: "Arguments regained their default in C++.",
        why: "Existing calls compile. With more defaults, a call may match two overloads.",
        example: Some(Example {
            old: concat!(
                "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
                "  cpp_no_default_args: ['k']\n",
            ),
            new: "- func: pow2(Tensor self, *, int? k=None) -> Tensor\n",
        }),
        source: "torchgen/model.py",
        ..rule(Id::CppNoDefaultArgsRemoved, Level::Safe)
    },
    ChangeRule {
        impacts: Impacts::row("....x..."),
        what: "PyTorch no longer generates the C++ function and method.",
        why: "C++ callers lose them, unless the same change adds hand-written ones.",
        instead: Some("Check that the hand-written binding exists."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_cpp_binding: True\n",
            ),
        }),
        source: "torchgen/model.py",
        ..rule(Id::ManualCppBindingAdded, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("....r..."),
        what: "PyTorch generates the C++ function and method again.",
        why: "Check whether a hand-written binding had a different signature.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_cpp_binding: True\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "torchgen/model.py",
        ..rule(Id::ManualCppBindingRemoved, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("rr..r..."),
        what: "The override of the operator's category changed.",
        why: "It determines whether C++ gathers dtype, layout and device into one TensorOptions \
              argument, and how Python binds them.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  category_override: factory\n",
            ),
        }),
        ..rule(Id::CategoryOverrideChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("....rx.."),
        what: "Kernels now take mutable tensors as `const Tensor&` instead of `Tensor&`, or the \
               reverse.",
        why: "Out-of-tree kernels have the old signature and fail to compile or to register.",
        instead: Some("Keep the flag; set it on new operators from the start."),
        example: Some(Example {
            old: "- func: blend_(Tensor(a!) self) -> Tensor(a!)\n",
            new: concat!(
                "- func: blend_(Tensor(a!) self) -> Tensor(a!)\n",
                "  use_const_ref_for_mutable_tensors: True\n",
            ),
        }),
        ..rule(Id::ConstRefChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("xx......"),
        what: "Python no longer accepts a deprecated signature of the operator.",
        why: "Calls with the arguments of that signature fail. An entry of deprecated.yaml that no \
              longer fits its operator counts as removed too.",
        instead: Some("Keep the entry in deprecated.yaml until callers have moved."),
        source: "tools/autograd/deprecated.yaml",
        ..rule(Id::DeprecatedSignatureRemoved, Level::Breaking)
    },
    ChangeRule {
        what: "Python accepts a deprecated signature of the operator.",
        why: "Callers have one more way to call it, which is not shown in error messages.",
        source: "tools/autograd/deprecated.yaml",
        ..rule(Id::DeprecatedSignatureAdded, Level::Safe)
    },
    ChangeRule {
        impacts: Impacts::row("....x..."),
        what: "A C++ call is ambiguous because of a new overload.",
        why: "Two overloads convert the arguments equally well, so callers no longer compile. C++ \
              functions do not have the overload's name.",
        instead: Some("Give the new overload another base name, or arguments that do not convert."),
        example: Some(Example {
            old: "- func: blend(Tensor self, float weight) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, float weight) -> Tensor\n",
                "- func: blend.int(Tensor self, int weight) -> Tensor\n",
            ),
        }),
        source: "torchgen/api/cpp.py",
        ..rule(Id::CppCallAmbiguous, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("....r..."),
        what: "A C++ call takes a new overload instead of an old one.",
        why: "C++ prefers the overload whose arguments need the lesser conversion. Callers compile \
              unchanged and call another operator.",
        instead: Some("Check that the new overload gives the same results for such calls."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Scalar weight) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Scalar weight) -> Tensor\n",
                "- func: blend.int(Tensor self, int weight) -> Tensor\n",
            ),
        }),
        source: "torchgen/api/cpp.py",
        ..rule(Id::CppCallRebound, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("....x..."),
        what: "A function in the namespace of a backend is gone, such as `at::cpu::add`.",
        why: "C++ code calls these functions to skip the dispatcher, and no longer compiles. The \
              operator has no kernel of its own for that backend any more.",
        instead: Some("Keep the kernel, or tell callers to use the function in `at`."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    MPS: blend_mps\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
        }),
        source: "torchgen/dest/register_dispatch_key.py",
        ..rule(Id::DirectFunctionRemoved, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("....r..."),
        what: "A function in `at::native`, `at::meta` or the namespace of a composite is gone, or one \
               like `at::cpu::_op` of an operator whose name begins with `_`.",
        why: "These functions are internal, but headers declare them, and code outside PyTorch calls \
              some. A kernel that gets the suffix `_symint` loses its old name.",
        instead: Some("Keep the function, or let a function of its name call what replaces it."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_old\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_new\n",
            ),
        }),
        source: "torchgen/dest/native_functions.py",
        ..rule(Id::InternalFunctionRemoved, Level::Info)
    },
    ChangeRule {
        what: "There are new functions that skip the dispatcher.",
        why: "C++ code can call a kernel directly, for example as `at::cpu::add`.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    MPS: blend_mps\n",
            ),
        }),
        source: "torchgen/dest/register_dispatch_key.py",
        ..rule(Id::DirectFunctionAdded, Level::Safe)
    },
];
