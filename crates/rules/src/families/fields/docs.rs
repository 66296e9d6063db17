//! The rules about fields with simple values.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const FROM_YAML: &str = "torchgen/model.py: NativeFunction.from_yaml";
const POST_INIT: &str = "torchgen/model.py: NativeFunction.__post_init__";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  variants: function, method\n  device_guard: False\n",
);

const fn error(id: RuleId) -> Rule {
    Rule {
        id,
        family: Family::Fields,
        severity: Severity::Error,
        stage: Stage::Entry,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: FROM_YAML,
    }
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        stage: Stage::Convention,
        ..error(id)
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "A field that is on or off holds something else: a number, a quoted word, a list.",
        why: "The value must be a boolean of YAML; nothing else is taken for one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_guard: 0\n",
        ),
        ..error(RuleId::FieldTypeBool)
    },
    Rule {
        what: "A field that holds text holds something else. YAML takes a plain `1_000`, `on` or \
               `2001-12-14` for a number, a boolean and a date.",
        why: "The value must be a string of YAML; quote it when it looks like anything else.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  variants: [function, method]\n",
        ),
        ..error(RuleId::FieldTypeStr)
    },
    Rule {
        what: "`tags` is neither a tag nor a list, or `cpp_no_default_args` is no list.",
        why: "Several values are given as a list of YAML, even where it has one item.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  cpp_no_default_args: factor\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  cpp_no_default_args: [factor]\n",
        ),
        ..error(RuleId::FieldTypeList)
    },
    Rule {
        what: "`dispatch` is no mapping from keys to kernels, or `ufunc_inner_loop` is neither a \
               string nor a mapping.",
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
        what: "A field has no value where one is needed: `variants`, `autogen`, `tags`, \
               `cpp_no_default_args`, `ufunc_inner_loop` and the fields that are on or off.",
        why: "An empty value is null. For `dispatch`, `device_check`, `python_module` and some \
              others that means the same as leaving the field out; for these it is refused.",
        bad: Example::native("- func: scale(Tensor self, float factor=1.0) -> Tensor\n  tags:\n"),
        ..error(RuleId::FieldNull)
    },
    Rule {
        what: "`device_check` is neither `NoCheck` nor `ExactSame`.",
        why: "Those are the two checks that exist. Case matters, and `False` is no name.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_check: nocheck\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor=1.0) -> Tensor\n  device_check: NoCheck\n",
        ),
        ..error(RuleId::DeviceCheck)
    },
    Rule {
        what: "An operator whose name begins with `_foreach` does not say `device_check: NoCheck`.",
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
        why: "Out arguments are passed by mutable reference everywhere, so the generated \
              declarations would not fit the kernels.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n  use_const_ref_for_mutable_tensors: True\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..error(RuleId::UseConstRef)
    },
    Rule {
        what: "`cpp_no_default_args` names something that is no argument with a default.",
        why: "The field takes defaults away from the C++ function, so there must be one to take.",
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
        what: "`manual_kernel_registration` is set beside a `dispatch` section.",
        why: "With manual registration no kernel is registered from this file, so a table of \
              kernels, even an empty one, would be ignored.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  manual_kernel_registration: True\n  dispatch:\n    CPU: scale_cpu\n  autogen: scale.out\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CPU: scale_cpu\n  autogen: scale.out\n",
        ),
        ..error(RuleId::DispatchManualRegistration)
    },
    Rule {
        what: "`python_module` is none of the modules that bindings are made for: `nn`, `fft`, \
               `linalg`, `sparse`, `special`, `nested`.",
        why: "Any text is accepted, but no binding is generated for other modules, so the function \
              is missing in Python without a word.",
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
        why: "Any text is accepted, but only `factory` (and `dummy`, to take an operator out of \
              it) means something to the bindings.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  category_override: factories\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  category_override: factory\n",
        ),
        source: "aten/src/ATen/native/README.md: func, argument types",
        ..convention(RuleId::CategoryOverride)
    },
];
