//! The rules about the shape of the schema and the operator's name.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const NAMES: &str = "torchgen/model.py: BaseOperatorName.parse, OperatorName.parse";

const GOOD: Example = Example::native("- func: scale(Tensor self, float factor) -> Tensor\n");

const fn grammar(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(id, Family::Grammar, severity, stage, GOOD, NAMES)
}

const fn error(id: RuleId) -> Rule {
    grammar(id, Severity::Error, Stage::Entry)
}

const fn convention(id: RuleId) -> Rule {
    grammar(id, Severity::Warning, Stage::Convention)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "The code generator accepts the schema, but the schema parser of PyTorch's runtime does \
               not: the default is `inf`, `nan`, or a list for an optional list or a list of tensors or \
               scalars, or the type is `DimVector`.",
        why: "The generated code passes the schema to `m.def`, which raises an error while PyTorch is \
              loaded.",
        bad: Example::native("- func: scale(Tensor self, float factor=inf) -> Tensor\n"),
        source: "torch/csrc/jit/frontend/function_schema_parser.cpp",
        ..grammar(RuleId::SchemaLoad, Severity::Error, Stage::Load)
    },
    Rule {
        what: "The text of `func` is not of the form `name(arguments) -> returns`: a parenthesis \
               or the arrow is missing, the arrow does not have exactly one space on each side, or \
               the schema spans several lines.",
        why: "The parser requires that the printed schema equals the text, so spaces matter.",
        bad: Example::native("- func: scale(Tensor self, float factor)\n"),
        source: "torchgen/model.py: FunctionSchema.parse",
        ..error(RuleId::SchemaShape)
    },
    Rule {
        what: "Two arguments or returns are not separated by exactly a comma and one space, or the \
               text before or after a comma is empty. A default that contains `, ` is split there \
               too.",
        why: "The parser splits the list at every comma followed by one space, and nowhere else.",
        bad: Example::native("- func: scale(Tensor self,float factor) -> Tensor\n"),
        source: "torchgen/model.py: Arguments._preparse, parse_returns",
        ..error(RuleId::ArgumentSeparator)
    },
    Rule {
        what: "The schema parses, but not as intended: a stray comma, bracket or space is part of \
               a name or default, or a name is empty.",
        why: "The parser does not check the characters of names and defaults, so `Tensor self,` \
              declares an argument named `self,`. Code that uses it does not compile.",
        bad: Example::native("- func: scale(Tensor self, float factor,) -> Tensor\n"),
        source: "torchgen/model.py: Argument.parse, Return.parse",
        ..convention(RuleId::SchemaQuirkAccepted)
    },
    Rule {
        what: "The operator has more than one level of namespace. Every `::` in the text counts, \
               even inside a default.",
        why: "The parser splits the text of `func` at each `::` and expects at most one namespace \
              before the schema.",
        bad: Example::native(
            "- func: acme::vision::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme::scale\n  autogen: scale.out\n",
        ),
        good: Example::native(
            "- func: acme::scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: scale\n  autogen: scale.out\n",
        ),
        source: "torchgen/utils.py: NamespaceHelper.from_namespaced_entity",
        ..error(RuleId::Namespace)
    },
    Rule {
        what: "Operators in two namespaces have the same name and overload.",
        why: "PyTorch looks up entries, kernels and groups by name alone. Such operators work only \
              as long as they share no dispatch key, and tools that look up names mix them up.",
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
        what: "The base name of the operator is empty.",
        why: "Kernels, headers and Python bindings are named after the base name.",
        bad: Example::native("- func: .Tensor(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale.Tensor(Tensor self, float factor) -> Tensor\n"),
        ..error(RuleId::OpNameEmpty)
    },
    Rule {
        what: "A base or overload name is not an identifier (letters, digits and underscores).",
        why: "The parser accepts any character except `(` in a name. But functions, files and \
              Python attributes are named after the operator, and none of them can be named \
              `scale-by`.",
        bad: Example::native("- func: scale-by(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale_by(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/model.py: FunctionSchema.parse checks no characters",
        ..convention(RuleId::OpNameCharset)
    },
    Rule {
        what: "No file can have the operator's name: its base name is too long for a file system, \
               or contains NUL, a character outside Latin-1, or a leading slash.",
        why: "The generator names headers after the base name, and assigns operators to files by a \
              hash of the Latin-1 text of the name. Both fail on such a name.",
        bad: Example::native("- func: масштаб(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/utils.py: string_stable_hash, FileManager.write_with_template",
        ..grammar(RuleId::OpNameNotWritable, Severity::Error, Stage::Codegen)
    },
    Rule {
        what: "A base name is the name of another operator plus `_ops`, `_native`, `_meta` or a \
               dispatch key and `_dispatch`.",
        why: "The generator names headers with these suffixes, so both operators need a file of \
              the same name, and it writes no file twice.",
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
        why: "The generator names headers after each base name, with a suffix for the key. File \
              systems allow 255 bytes.",
        bad: Example::native(
            "- func: scale_by_a_factor_that_is_given_as_a_number_of_type_float_and_is_applied_to_every_element_of_the_tensor_whatever_its_type_layout_device_or_number_of_dimensions_and_without_changing_any_of_them_in_the_result(Tensor self, float factor) -> Tensor\n",
        ),
        source: "torchgen/gen.py: gen_per_operator_headers",
        ..grammar(RuleId::OpNameTooLong, Severity::Warning, Stage::Codegen)
    },
    Rule {
        what: "A base name ends in `_out`.",
        why: "The C++ names of out variants have this suffix, so it is reserved. An out variant is \
              an overload: `scale.out`.",
        bad: Example::native(
            "- func: scale_out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..error(RuleId::OpNameOutSuffix)
    },
    Rule {
        what: "A dot follows the base name, but the overload name is empty.",
        why: "The printed name would lose the dot, so the parser rejects it.",
        bad: Example::native("- func: scale.(Tensor self, float factor) -> Tensor\n"),
        ..error(RuleId::OverloadName)
    },
    Rule {
        what: "A name of the form `__i...__` is not an augmented assignment. Those are `__iadd__`, \
               and likewise sub, mul, div, mod, pow, lshift, rshift, and, xor, or.",
        why: "The parser takes the `i` as the mark of an in-place operator and expects a binary \
              operation of Python after it.",
        bad: Example::native("- func: __inverse__(Tensor self) -> Tensor\n"),
        good: Example::native("- func: __neg__(Tensor self) -> Tensor\n"),
        ..error(RuleId::DunderName)
    },
    Rule {
        what: "A base name ends in `_functional_`.",
        why: "`_functional` marks the functional variant of a mutable operator, but a trailing `_` \
              marks an in-place operator.",
        bad: Example::native("- func: scale_functional_(Tensor(a!) self) -> Tensor(a!)\n"),
        good: Example::native("- func: scale_functional(Tensor self) -> Tensor\n"),
        ..error(RuleId::FunctionalSuffix)
    },
    Rule {
        what: "The overload name contains `functional`, but the operator mutates an argument.",
        why: "PyTorch takes overloads with this word for the functional variants of mutable \
              operators, which mutate nothing.",
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
        what: "An overload name is `default`, or only lists the types of all arguments.",
        why: "Overload names are public and can never change. `default` is the runtime's name for \
              the overload without a name. A list of types does not describe the purpose of the \
              overload, and becomes wrong when it gets another argument.",
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
