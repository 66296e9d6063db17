//! The rules about generated operators and groups.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const GENERATION: &str = "torchgen/native_function_generation.py: add_generated_native_functions";
const GROUP: &str = "torchgen/model.py: NativeFunctionsGroup";
const FUNCTIONALIZATION: &str =
    "torchgen/gen_functionalization_type.py: emit_inplace_functionalization_body";

const GOOD: Example = Example::native(
    "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n  autogen: blend, blend.out\n",
);

const TRIPLE: Example = Example::native(
    "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
);

const fn rule(id: RuleId, stage: Stage, source: &'static str) -> Rule {
    Rule::new(id, Family::Autogen, Severity::Error, stage, GOOD, source)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A name in `autogen` is not an operator name. Since 2.7 this includes the part after \
               a namespace.",
        why: "Names are separated by a comma and one space, are not empty, and their base name \
              does not end in `_out`.",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  autogen: blend, blend_out\n",
        ),
        ..rule(
            RuleId::AutogenMalformed,
            Stage::Entry,
            "torchgen/model.py: OperatorName.parse",
        )
    },
    Rule {
        what: "An operator with its own kernels (or, since 2.6, one tagged `core`) returns no \
               tensor, has no out variant, and is not in-place.",
        why: "torchgen expects an out variant for every operator that is not composite, but an \
              operator that returns no tensor has nothing to write into. A fixed list of operators \
              is exempt.",
        bad: Example::native(
            "- func: count_blended(Tensor self, Tensor other) -> int\n  dispatch:\n    CPU, CUDA: count_blended\n",
        ),
        good: Example::native("- func: count_blended(Tensor self, Tensor other) -> int\n"),
        ..rule(RuleId::NoTensorReturn, Stage::Generate, GENERATION)
    },
    Rule {
        what: "An out variant with its own kernels has no other variant with the same signature \
               (defaults included).",
        why: "PyTorch finds the other variants by signature: base name, arguments with their names \
              and defaults, and returns.",
        bad: Example::native(
            "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: TRIPLE,
        ..rule(RuleId::OutWithoutOtherVariant, Stage::Generate, GENERATION)
    },
    Rule {
        what: "`autogen` requests an out variant of an operator that returns both tensors and \
               other values.",
        why: "The out variant would have to return the other values besides its out arguments, but \
              an out variant returns its out arguments or nothing.",
        bad: Example::native(
            "- func: blend_forward(Tensor self, Tensor other) -> (Tensor, int)\n  dispatch:\n    CPU, CUDA: blend_forward\n  autogen: blend_forward.out\n",
        ),
        good: Example::native(
            "- func: blend_forward(Tensor self, Tensor other) -> (Tensor, Tensor)\n  dispatch:\n    CPU, CUDA: blend_forward\n  autogen: blend_forward.out\n",
        ),
        ..rule(
            RuleId::AutogenMixedReturns,
            Stage::Generate,
            "torchgen/native_function_generation.py: functional_to_out_signature",
        )
    },
    Rule {
        what: "The schema of a generated variant would break a schema rule.",
        why: "Generated schemas obey the same rules as declared ones. For example, an out variant \
              cannot have an overload name that contains `functional`.",
        bad: Example::native(
            "- func: blend.functional(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.functional_out\n",
        ),
        good: Example::native(
            "- func: blend.pure(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.pure_out\n",
        ),
        ..rule(
            RuleId::AutogenSchema,
            Stage::Generate,
            "torchgen/native_function_generation.py: generate_function",
        )
    },
    Rule {
        what: "A generated operator would have the name of an existing operator that has a kernel \
               on CompositeExplicitAutograd.",
        why: "Generated kernels are registered on CompositeExplicitAutograd, and an operator has \
              at most one kernel per key.",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n  autogen: blend, blend.out\n- func: blend(Tensor self, Tensor other, float weight) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend_weighted\n  manual_cpp_binding: True\n",
        ),
        good: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n  autogen: blend, blend.out\n- func: blend.weight(Tensor self, Tensor other, float weight) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend_weighted\n  manual_cpp_binding: True\n",
        ),
        ..rule(
            RuleId::AutogenNameClash,
            Stage::Generate,
            "torchgen/model.py: BackendIndex.grow_index",
        )
    },
    Rule {
        what: "A generated variant has a different signature from the operator it is generated \
               from.",
        why: "PyTorch groups variants by signature, so the generated variant would not join the \
              group. This happens to operators that mutate `self` without an in-place name.",
        bad: Example::native(
            "- func: blend(Tensor(a!) self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        ..rule(
            RuleId::AutogenStrayVariant,
            Stage::Group,
            "torchgen/gen.py: get_grouped_native_functions",
        )
    },
    Rule {
        what: "The `autogen` list of a group does not name exactly the variants that are generated \
               for it.",
        why: "Generated operators are public, so the file must list them. PyTorch reads the list \
              of the mutable variant, or else of the in-place, out or functional one (up to 2.5, \
              in-place precedes mutable).",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::AutogenListMismatch, Stage::Group, GROUP)
    },
    Rule {
        severity: Severity::Info,
        what: "A functional operator with its own kernels has no out variant, neither declared nor \
               generated.",
        why: "The documentation asks for one, and `autogen: name.out` generates it. PyTorch does \
              not enforce this.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::AutogenMissing, Stage::Convention, GENERATION)
    },
    Rule {
        severity: Severity::Warning,
        what: "`autogen` is set where PyTorch generates nothing: on views, on operators with \
               `manual_cpp_binding` and on composite operators (unless tagged `core`, since 2.6). \
               Or no name in the list is that of an out variant.",
        why: "PyTorch ignores the list, so the operators in it do not exist.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::AutogenUnsupported, Stage::Generate, GENERATION)
    },
    Rule {
        what: "An operator mutates its arguments and is not composite, but its group has no \
               functional or no out variant. A fixed list of operators is exempt.",
        why: "Functionalization replaces the operator with its functional variant, and considers \
              only groups with an out variant.",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n",
        ),
        ..rule(
            RuleId::MutableOpMustBeGrouped,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: gen_functionalization_definition",
        )
    },
    Rule {
        what: "Several variants of an operator exist, but not the functional one.",
        why: "Every group needs a functional variant. PyTorch generates it if the other variants \
              are not composite; otherwise it must be declared.",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::GroupFunctionalRequired, Stage::Group, GROUP)
    },
    Rule {
        what: "An operator with scratch arguments has the same signature as other variants.",
        why: "Scratch variants cannot join a group.",
        bad: Example::native(
            "- func: blend(Tensor self) -> (Tensor, Tensor)\n- func: blend.scratch(Tensor self, *, Tensor(a!) out, Tensor(b!) _scratch_rows) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self) -> Tensor\n- func: blend.scratch(Tensor self, *, Tensor(a!) out, Tensor(b!) _scratch_rows) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::GroupScratch, Stage::Group, GROUP)
    },
    Rule {
        what: "A group has a mutable variant, and its functional variant is not named \
               `name_functional`.",
        why: "Both take the same arguments, so a call by base name would be ambiguous.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor(a!) buffer) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: blend.pure(Tensor self, Tensor buffer) -> (Tensor, Tensor)\n  dispatch:\n    CPU, CUDA: blend_pure\n- func: blend.pure_out(Tensor self, Tensor buffer, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor(a!) buffer) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: blend_functional(Tensor self, Tensor buffer) -> (Tensor, Tensor)\n  dispatch:\n    CPU, CUDA: blend_pure\n- func: blend.out(Tensor self, Tensor buffer, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::GroupMutableFunctionalName, Stage::Group, GROUP)
    },
    Rule {
        what: "The variants of an operator are in different namespaces.",
        why: "PyTorch registers a group in one namespace.",
        bad: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: acme::blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::GroupNamespace, Stage::Group, GROUP)
    },
    Rule {
        what: "The functional variant of a group mutates its arguments, or returns aliases of \
               them.",
        why: "Functionalization replaces the other variants with it, and takes the new values of \
              the mutated arguments from its returns.",
        bad: Example::native(
            "- func: blend(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: TRIPLE,
        ..rule(
            RuleId::GroupFunctionalWrites,
            Stage::Codegen,
            FUNCTIONALIZATION,
        )
    },
    Rule {
        what: "A return of a variant in a group has the same annotation as two arguments.",
        why: "The generator must know which of the two is returned.",
        bad: Example::native(
            "- func: blend(Tensor self) -> Tensor\n- func: blend.out(Tensor(a!) self, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: TRIPLE,
        ..rule(
            RuleId::GroupReturnAliasesTwice,
            Stage::Codegen,
            "torchgen/model.py: FunctionSchema.aliased_return_names",
        )
    },
    Rule {
        what: "The functional variant of a group has TensorOptions, and another variant has no \
               tensor argument named `out`.",
        why: "The other variants have no TensorOptions; the generator takes them from the argument \
              `out`, by name. A factory therefore has one out argument and no in-place variant.",
        bad: Example::native(
            "- func: blend(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> (Tensor, Tensor)\n  dispatch:\n    CompositeExplicitAutograd: blend\n  autogen: blend.out\n",
        ),
        good: Example::native(
            "- func: blend(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend\n  autogen: blend.out\n",
        ),
        ..rule(
            RuleId::GroupFactoryOut,
            Stage::Codegen,
            "torchgen/api/translate.py: translate",
        )
    },
    Rule {
        since: Release::V2_2,
        what: "`autogen` requests an out variant of an operator that returns types other than \
               `Tensor` and `Tensor[]`, such as `Tensor?`.",
        why: "Out arguments have the types of the returns. A mutable optional tensor has two \
              incompatible C++ types, and a list of optional tensors cannot be annotated.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor?\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        ..rule(
            RuleId::AutogenReturnType,
            Stage::Codegen,
            "torchgen/api/native.py: argumenttype_type; torchgen/api/translate.py: translate",
        )
    },
    Rule {
        what: "A member of a group with an out variant is a view.",
        why: "Views are grouped with their copies, not with variants.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  manual_cpp_binding: True\n- func: flip_sides.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: flip_sides_out\n",
        ),
        good: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(
            RuleId::GroupViewMember,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: gen_functionalization_registration",
        )
    },
    Rule {
        since: Release::V2_12,
        what: "An operator named `cumsum.out` or `cumprod.out` has several out arguments, or its \
               functional variant has no argument `dtype`.",
        why: "The generator special-cases these two operators and passes on the dtype of `out`.",
        bad: Example::native(
            "- func: cumsum(Tensor self, int dim) -> Tensor\n- func: cumsum.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n- func: cumsum.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..rule(
            RuleId::GroupCumulativeDtype,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: maybe_replace_cumulative_out_dtype_exprs",
        )
    },
];
