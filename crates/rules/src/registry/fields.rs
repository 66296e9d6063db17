//! The rules about fields with simple values.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const FROM_YAML: &str = "torchgen/model.py: NativeFunction.from_yaml";
const POST_INIT: &str = "torchgen/model.py: NativeFunction.__post_init__";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  variants: function, method\n  device_guard: False\n",
);

const fn error(id: RuleId) -> Rule {
    Rule::new(
        id,
        Family::Fields,
        Severity::Error,
        Stage::Entry,
        GOOD,
        FROM_YAML,
    )
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        stage: Stage::Convention,
        ..error(id)
    }
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A boolean field holds another type: a number, a quoted word, a list.",
        why: "The value must be a YAML boolean.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_guard: 0\n",
        ),
        ..error(RuleId::FieldTypeBool)
    },
    Rule {
        what: "A text field holds another type. YAML parses a plain `1_000`, `on` or `2001-12-14` \
               as a number, a boolean and a date.",
        why: "The value must be a YAML string; quote it if it looks like another type.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  variants: [function, method]\n",
        ),
        ..error(RuleId::FieldTypeStr)
    },
    Rule {
        what: "`tags` is neither a tag nor a list, or `cpp_no_default_args` is not a list.",
        why: "Several values are written as a YAML list, even if there is only one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  cpp_no_default_args: factor\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  cpp_no_default_args: [factor]\n",
        ),
        ..error(RuleId::FieldTypeList)
    },
    Rule {
        what: "`dispatch` is not a mapping from keys to kernels, or `ufunc_inner_loop` is neither \
               a string nor a mapping.",
        why: "Each key needs the name of its kernel.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  dispatch: [CPU, CUDA]\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  dispatch:\n    CPU, CUDA: scale_kernel\n  autogen: scale.out\n",
        ),
        ..error(RuleId::FieldTypeDict)
    },
    Rule {
        what: "A field has no value but requires one: `variants`, `autogen`, `tags`, \
               `cpp_no_default_args`, `ufunc_inner_loop` and the boolean fields.",
        why: "An empty value is null. For `dispatch`, `device_check`, `python_module` and some \
              others null means the same as leaving the field out; for these fields it is an \
              error.",
        bad: Example::native("- func: scale(Tensor self, float factor=1.0) -> Tensor\n  tags:\n"),
        ..error(RuleId::FieldNull)
    },
    Rule {
        what: "`device_check` is neither `NoCheck` nor `ExactSame`.",
        why: "PyTorch has only these two checks. The names are case-sensitive, and `False` is not \
              one of them.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_check: nocheck\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_check: NoCheck\n",
        ),
        ..error(RuleId::DeviceCheck)
    },
    Rule {
        what: "An operator whose name begins with `_foreach` does not declare `device_check: \
               NoCheck`.",
        why: "Foreach operators take lists whose tensors may be on different devices, so the \
              generated check must be off. Only the beginning of the name is looked at.",
        bad: Example::native("- func: _foreach_scale(Tensor[] self, float factor) -> Tensor[]\n"),
        good: Example::native(
            "- func: _foreach_scale(Tensor[] self, float factor) -> Tensor[]\n  device_check: NoCheck\n",
        ),
        source: POST_INIT,
        ..error(RuleId::ForeachDeviceCheck)
    },
    Rule {
        since: Release::V2_7,
        what: "`use_const_ref_for_mutable_tensors` is set on an operator with out arguments.",
        why: "PyTorch passes out arguments by mutable reference everywhere, so the generated \
              declarations would not match the kernels.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n  use_const_ref_for_mutable_tensors: True\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..error(RuleId::UseConstRef)
    },
    Rule {
        what: "`cpp_no_default_args` names an argument that does not exist or has no default.",
        why: "The field removes defaults from the C++ function, so each argument must have one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  cpp_no_default_args: [factor]\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  cpp_no_default_args: [factor]\n",
        ),
        source: POST_INIT,
        ..error(RuleId::CppNoDefaultArgs)
    },
    Rule {
        what: "`manual_kernel_registration` is set together with a `dispatch` section.",
        why: "With manual registration PyTorch registers no kernel from this file and would ignore \
              a table of kernels, even an empty one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  manual_kernel_registration: True\n  dispatch:\n    CPU: scale_cpu\n  autogen: scale.out\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CPU: scale_cpu\n  autogen: scale.out\n",
        ),
        ..error(RuleId::DispatchManualRegistration)
    },
    Rule {
        what: "`python_module` is not one of the modules that have bindings: `nn`, `fft`, \
               `linalg`, `sparse`, `special`, `nested`.",
        why: "torchgen accepts any text, but generates no binding for other modules, so the \
              function is silently missing in Python.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  python_module: linear\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  python_module: linalg\n",
        ),
        source: "aten/src/ATen/native/README.md: python_module; tools/autograd/gen_python_functions.py",
        ..convention(RuleId::PythonModule)
    },
    Rule {
        what: "`category_override` is not one of the categories in use.",
        why: "torchgen accepts any text, but the bindings only use `factory` (and `dummy`, to \
              exclude an operator from the factories).",
        bad: Example::native(
            "- func: filled(Tensor self, float value) -> Tensor\n  category_override: dumy\n",
        ),
        good: Example::native(
            "- func: filled(Tensor self, float value) -> Tensor\n  category_override: dummy\n",
        ),
        source: "aten/src/ATen/native/README.md: func, argument types",
        ..convention(RuleId::CategoryOverride)
    },
];
