//! The rules of Python bindings and their documentation.

use opatlas_source::DEPRECATED;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        good: example(
            "- name: scale(Scalar factor, Tensor self, Tensor other) -> Tensor\n  aten: scaled(self, other, factor)\n\
             - name: scale(Scalar factor, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  \
             aten: scaled_out(out, self, other, factor)\n",
        ),
        ..Rule::new(
            id,
            Family::Bindings,
            severity,
            Stage::Codegen,
            example(""),
            "tools/autograd/gen_python_functions.py, load_deprecated_signatures",
        )
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error)
}

const fn warning(id: RuleId) -> Rule {
    Rule {
        source: "tools/autograd/gen_python_functions.py, group_overloads",
        ..rule(id, Severity::Warning)
    }
}

const fn example(text: &'static str) -> Example {
    Example::of(DEPRECATED, text)
}

pub(super) static RULES: [Rule; 10] = [
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
        good: PAIR,
        ..warning(RuleId::PythonOverloadDuplicate)
    },
    Rule {
        what: "Of several returns of an operator that Python binds, all have names or none has.",
        why: "Python returns a named tuple if all have names, and a plain one if none has. The \
              generator of the bindings refuses anything between.",
        bad: Example::native("- func: blend(Tensor self) -> (Tensor low, Tensor)\n"),
        good: Example::native("- func: blend(Tensor self) -> (Tensor low, Tensor high)\n"),
        source: "torchgen/api/python.py, structseq_fieldnames",
        ..warning(RuleId::PythonReturnsPartlyNamed)
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
