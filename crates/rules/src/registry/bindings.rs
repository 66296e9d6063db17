//! The rules of Python bindings and their documentation.

use opatlas_source::DEPRECATED;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const fn error(id: RuleId) -> Rule {
    Rule {
        good: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, other, factor)\n\
             - name: scale(Scalar factor, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  \
             aten: scaled_out(out, self, other, factor)\n",
        ),
        ..Rule::new(
            id,
            Family::Bindings,
            Severity::Error,
            Stage::Codegen,
            example(""),
            "tools/autograd/gen_python_functions.py, load_deprecated_signatures",
        )
    }
}

/// A rule about operators, not about `deprecated.yaml`.
const fn binding(id: RuleId) -> Rule {
    Rule {
        good: PAIR,
        stage: Stage::Autograd,
        source: "tools/autograd/gen_python_functions.py, group_overloads",
        ..error(id)
    }
}

const fn example(text: &'static str) -> Example {
    Example::of(DEPRECATED, text)
}

pub(super) static RULES: [Rule; 14] = [
    Rule {
        what: "deprecated.yaml is a list of mappings.",
        why: "Each entry is one Python signature that old callers may still use.",
        bad: example("name: scale(Tensor self) -> Tensor\naten: scale(self)\n"),
        ..error(RuleId::DeprecatedRoot)
    },
    Rule {
        what: "An entry has `name` and `aten`, and both are strings.",
        why: "`name` is the signature that callers use, and `aten` the call that it turns into. \
              PyTorch ignores all other keys.",
        bad: example("- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n"),
        ..error(RuleId::DeprecatedFields)
    },
    Rule {
        what: "`name` is a schema, without a namespace.",
        why: "The generator reads it with the parser of native_functions.yaml, annotations and \
              returns included.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other)\n  aten: scaled(self, other, factor)\n",
        ),
        ..error(RuleId::DeprecatedName)
    },
    Rule {
        what: "`aten` is a call, `op(argument, argument)`.",
        why: "The generator splits it at `(` and at every comma that one space follows.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled\n",
        ),
        ..error(RuleId::DeprecatedAten)
    },
    Rule {
        what: "Everything that `aten` passes is an argument of `name` or the constant `1`.",
        why: "The generated binding has nothing else to pass.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, other, 2)\n",
        ),
        ..error(RuleId::DeprecatedArgument)
    },
    Rule {
        what: "An operator of the name in `aten` that Python binds has the types and annotations of \
               what is passed, in this order, and the same returns. Its other arguments have defaults. A \
               name that ends in `_out` means the out variant, whose out arguments come first.",
        why: "The deprecated signature would call nothing. This also happens when the operator \
              changes and the entry does not.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, factor, other)\n",
        ),
        ..error(RuleId::DeprecatedNoMatch)
    },
    Rule {
        what: "No operator has the same deprecated signature twice.",
        why: "The argument parser could not choose between the two.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, other, factor)\n\
             - name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, other, 1)\n",
        ),
        source: "tools/autograd/gen_python_functions.py, group_overloads",
        ..error(RuleId::DeprecatedDuplicate)
    },
    Rule {
        what: "For a deprecated signature with `out`, there is one with the same arguments without it.",
        why: "Python parses both with one signature, in which `out` is optional.",
        bad: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  \
             aten: scaled_out(out, self, other, factor)\n",
        ),
        source: "tools/autograd/gen_python_functions.py, group_overloads",
        ..error(RuleId::DeprecatedOutAlone)
    },
    Rule {
        what: "Overloads of one name that Python binds in one place have different Python signatures.",
        why: "The argument parser could not choose between the two, and the generator of the \
              bindings stops. Annotations and overload names are not part of a Python signature.",
        bad: Example::native(concat!(
            "- func: blend(Tensor self) -> Tensor\n",
            "- func: blend.plain(Tensor self) -> Tensor[]\n",
        )),
        ..binding(RuleId::PythonOverloadDuplicate)
    },
    Rule {
        what: "Of several returns of an operator that Python binds, all have names or none has.",
        why: "Python returns a named tuple if all have names, and a plain one if none has. The \
              generator of the bindings refuses anything between.",
        bad: Example::native("- func: blend(Tensor self) -> (Tensor low, Tensor)\n"),
        good: Example::native("- func: blend(Tensor self) -> (Tensor low, Tensor high)\n"),
        source: "torchgen/api/python.py, structseq_fieldnames",
        ..binding(RuleId::PythonReturnsPartlyNamed)
    },
    Rule {
        what: "Python's argument parser can unpack every argument of an operator that Python binds, and none \
               is named `requires_grad`. It has no way to unpack `bool[N]`, `str[]`, `QScheme`, `SymBool` and a \
               `Generator` without `?`.",
        why: "The generator of the bindings stops. Operators without a binding, such as those named \
              `..._backward`, may take any type.",
        bad: Example::native("- func: choose(Tensor self, bool[2] mask) -> Tensor\n"),
        good: Example::native("- func: choose_backward(Tensor grad, bool[2] mask) -> Tensor\n"),
        source: "torchgen/api/python.py, arg_parser_unpack_method",
        ..binding(RuleId::PythonArgument)
    },
    Rule {
        what: "An operator that Python binds returns nothing, up to six tensors, a list of tensors, one plain \
               value, or one of the few mixtures that PyTorch's own operators return.",
        why: "A binding converts each return type with a function written by hand. For another type, the \
              generator of the bindings stops.",
        bad: Example::native("- func: blend(Tensor self) -> (Tensor, float)\n"),
        good: Example::native("- func: blend(Tensor self) -> (Tensor, Tensor)\n"),
        source: "torchgen/api/python.py, dispatch_lambda_return_str",
        ..binding(RuleId::PythonReturn)
    },
    Rule {
        what: "An operator that Python binds takes TensorOptions (dtype, layout, device and pin_memory) exactly \
               if Python adds them: if it returns a tensor and takes none, if its name begins with `new_` or \
               ends in `_like`, or if its category is `factory`. An out variant does not need them.",
        why: "The binding of such an operator passes these options, and no other binding does. The generator of \
              the bindings stops where the two differ.",
        bad: Example::native("- func: blank(int[] size) -> Tensor\n"),
        good: Example::native(concat!(
            "- func: blank(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n",
            "  dispatch:\n",
            "    CompositeExplicitAutograd: blank\n",
            "  autogen: blank.out\n",
        )),
        source: "torchgen/api/python.py, dispatch_lambda_exprs",
        ..binding(RuleId::PythonTensorOptions)
    },
    Rule {
        what: "For an out variant that Python binds, it binds an operator with the same arguments without `out` \
               in the same place.",
        why: "Python parses both with one signature, in which `out` is optional. Without the other operator, the \
              generator of the bindings stops. Generated operators have no binding.",
        bad: Example::native(concat!(
            "- func: blend(Tensor self, int n) -> Tensor\n",
            "- func: blend.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
        )),
        ..binding(RuleId::PythonOutAlone)
    },
];

const PAIR: Example = Example::native(concat!(
    "- func: blend(Tensor self) -> Tensor\n",
    "  dispatch:\n",
    "    CPU: blend\n",
    "- func: blend.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
    "  dispatch:\n",
    "    CPU: blend_out\n",
));
