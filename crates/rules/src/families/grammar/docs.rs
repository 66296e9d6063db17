//! The rules about the shape of the schema and the operator's name.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const NAMES: &str = "torchgen/model.py: BaseOperatorName.parse, OperatorName.parse";

const GOOD: Example = Example::native("- func: scale(Tensor self, float factor) -> Tensor\n");

const fn grammar(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Grammar,
        severity,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: NAMES,
    }
}

const fn error(id: RuleId) -> Rule {
    grammar(id, Severity::Error, Stage::Entry)
}

const fn convention(id: RuleId) -> Rule {
    grammar(id, Severity::Warning, Stage::Convention)
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "The text of `func` is not of the form `name(arguments) -> returns`: a parenthesis \
               or the arrow is missing, the arrow has more or less than one space on each side, or \
               the schema is broken over lines.",
        why: "The schema is read by an exact pattern, and printing what was read must give the \
              same text back, so spaces count.",
        bad: Example::native("- func: scale(Tensor self, float factor)\n"),
        source: "torchgen/model.py: FunctionSchema.parse",
        ..error(RuleId::SchemaShape)
    },
    Rule {
        what: "Two arguments or returns are not separated by exactly a comma and one space, or a \
               comma has nothing on one side. A default with `, ` in it is cut there too.",
        why: "The list is cut at every comma followed by one space and nowhere else.",
        bad: Example::native("- func: scale(Tensor self,float factor) -> Tensor\n"),
        source: "torchgen/model.py: Arguments._preparse, parse_returns",
        ..error(RuleId::ArgumentSeparator)
    },
    Rule {
        what: "The text is read, but not as it looks: a stray comma, bracket or space has become \
               part of a name or default, or a name is empty.",
        why: "Names and defaults are not checked when they are read, so `Tensor self,` declares an \
              argument called `self,`. No code that uses it can compile.",
        bad: Example::native("- func: scale(Tensor self, float factor,) -> Tensor\n"),
        source: "torchgen/model.py: Argument.parse, Return.parse",
        ..convention(RuleId::SchemaQuirkAccepted)
    },
    Rule {
        what: "The operator has more than one level of namespace. Every `::` in the whole text \
               counts, even one in a default.",
        why: "The text of `func` is cut at each `::` before the schema is read; one namespace and \
              the schema is all that may be left.",
        bad: Example::native(
            "- func: acme::vision::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme::scale\n  autogen: scale.out\n",
        ),
        good: Example::native(
            "- func: acme::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme::scale\n  autogen: scale.out\n",
        ),
        source: "torchgen/utils.py: NamespaceHelper.from_namespaced_entity",
        ..error(RuleId::Namespace)
    },
    Rule {
        what: "Operators of two namespaces have the same name and overload.",
        why: "Entries, kernels and groups are looked up by name alone. Such operators pass only as \
              long as no key of theirs meets, and tools that go by the name mix them up.",
        bad: Example::native(
            "- func: acme::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme_scale\n  autogen: scale.out\n- func: scale(Tensor self, int factor) -> Tensor\n",
        ),
        good: Example::native(
            "- func: acme::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme_scale\n  autogen: scale.out\n- func: scale.int(Tensor self, int factor) -> Tensor\n",
        ),
        source: "torchgen/model.py: OperatorName, BackendIndex.grow_index",
        ..grammar(
            RuleId::NamespaceNotPartOfIdentity,
            Severity::Warning,
            Stage::File,
        )
    },
    Rule {
        what: "The operator has no base name.",
        why: "Kernels, headers and Python bindings are named after it.",
        bad: Example::native("- func: .Tensor(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale.Tensor(Tensor self, float factor) -> Tensor\n"),
        ..error(RuleId::OpNameEmpty)
    },
    Rule {
        what: "A base or overload name is no identifier of letters, digits and underscores.",
        why: "Any character but `(` is read as part of a name, but functions, files and Python \
              attributes are named after it, and none of them can be called `scale-by`.",
        bad: Example::native("- func: scale-by(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale_by(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/model.py: FunctionSchema.parse checks no characters",
        ..convention(RuleId::OpNameCharset)
    },
    Rule {
        what: "No file can be named after the operator: its base name is too long for a file \
               system, or holds NUL, a character outside Latin-1, or a leading slash.",
        why: "The generator writes headers called after each base name, and sorts operators into \
              files by a hash of the Latin-1 text of the name. Both fail on such a name.",
        bad: Example::native("- func: масштаб(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/utils.py: string_stable_hash, FileManager.write_with_template",
        ..grammar(RuleId::OpNameNotWritable, Severity::Error, Stage::Codegen)
    },
    Rule {
        what: "A base name is another operator's with `_ops`, `_native`, `_meta` or a dispatch key \
               and `_dispatch` behind it.",
        why: "Headers are named after operators with these suffixes, so both operators ask for the \
              same file, and no file is written twice.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale_ops(Tensor self) -> Tensor\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale_by(Tensor self) -> Tensor\n",
        ),
        source: "torchgen/utils.py: FileManager.write_with_template",
        ..grammar(RuleId::OpNameHeaderTaken, Severity::Error, Stage::Codegen)
    },
    Rule {
        what: "A base name has more than 200 characters.",
        why: "One header or more is named after each base name, with a suffix for the key. File \
              systems allow 255 bytes.",
        bad: Example::native(
            "- func: scale_by_a_factor_that_is_given_as_a_number_of_type_float_and_is_applied_to_every_element_of_the_tensor_whatever_its_type_layout_device_or_number_of_dimensions_and_without_changing_any_of_them_in_the_result(Tensor self, float factor) -> Tensor\n",
        ),
        source: "torchgen/gen.py: gen_per_operator_headers",
        ..grammar(RuleId::OpNameTooLong, Severity::Warning, Stage::Codegen)
    },
    Rule {
        what: "A base name ends in `_out`.",
        why: "The C++ names of out variants get this suffix, so it is kept for them. An out \
              variant is an overload: `scale.out`.",
        bad: Example::native(
            "- func: scale_out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..error(RuleId::OpNameOutSuffix)
    },
    Rule {
        what: "A dot follows the base name, but no overload name follows the dot.",
        why: "Printing the name would lose the dot, so it is refused.",
        bad: Example::native("- func: scale.(Tensor self, float factor) -> Tensor\n"),
        ..error(RuleId::OverloadName)
    },
    Rule {
        what: "A name of the form `__i...__` is no augmented assignment. Those are `__iadd__`, and \
               likewise sub, mul, div, mod, pow, lshift, rshift, and, xor, or.",
        why: "The `i` is read as the mark of an in-place operator, and what is behind it must be a \
              binary operation that Python can assign with.",
        bad: Example::native("- func: __inverse__(Tensor self) -> Tensor\n"),
        good: Example::native("- func: __neg__(Tensor self) -> Tensor\n"),
        ..error(RuleId::DunderName)
    },
    Rule {
        what: "A base name ends in `_functional_`.",
        why: "`_functional` marks the functional twin of an operator that writes its arguments, \
              and a trailing `_` says the contrary: that it writes.",
        bad: Example::native("- func: scale_functional_(Tensor(a!) self) -> Tensor(a!)\n"),
        good: Example::native("- func: scale_functional(Tensor self) -> Tensor\n"),
        ..error(RuleId::FunctionalSuffix)
    },
    Rule {
        what: "The overload name says `functional`, but the operator writes to an argument.",
        why: "Overloads with that word are taken for the functional variants of operators that \
              write, and nothing is written by those.",
        bad: Example::native(
            "- func: update.functional(Tensor self, Tensor(a!) state) -> Tensor\n",
        ),
        good: Example::native(
            "- func: update.functional(Tensor self, Tensor state) -> (Tensor, Tensor)\n",
        ),
        source: "torchgen/model.py: FunctionSchema.__post_init__",
        ..error(RuleId::FunctionalOverload)
    },
    Rule {
        what: "An overload name is `default`, or only lists the types of all the arguments.",
        why: "Overload names are public and can never change. `default` is how the runtime calls \
              the overload without a name. A list of types says nothing about what the overload is \
              for, and becomes wrong when an argument is added.",
        bad: Example::native(
            "- func: scale.Tensor_float_float(Tensor self, float factor, float bias) -> Tensor\n",
        ),
        good: Example::native(
            "- func: scale.bias(Tensor self, float factor, float bias) -> Tensor\n",
        ),
        source: "aten/src/ATen/native/README.md: func, overloads",
        ..convention(RuleId::OverloadSemantic)
    },
];
