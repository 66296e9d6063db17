//! The rules about generated operators and groups.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

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
    Rule {
        id,
        family: Family::Autogen,
        severity: Severity::Error,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source,
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "A name in `autogen` is not the name of an operator. Since 2.7 that counts for what \
               follows a namespace too.",
        why: "Names are separated by a comma and one space, are not empty, and have no base name \
              that ends in `_out`.",
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
        what: "An operator with kernels of its own (or one tagged `core`, since 2.6) returns no \
               tensor, has no out variant, and is not in place.",
        why: "Every operator that does not decompose is to have an out variant one day, and what \
              returns no tensor has nothing to write there. A fixed list of operators is exempt.",
        bad: Example::native(
            "- func: count_blended(Tensor self, Tensor other) -> int\n  dispatch:\n    CPU, CUDA: count_blended\n",
        ),
        good: Example::native("- func: count_blended(Tensor self, Tensor other) -> int\n"),
        ..rule(RuleId::NoTensorReturn, Stage::Generate, GENERATION)
    },
    Rule {
        what: "An out variant with kernels of its own has no other variant of the same signature, \
               defaults included.",
        why: "An out variant is a variant of something, and is found by its signature: base name, \
              arguments with their names and defaults, and returns.",
        bad: Example::native(
            "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: TRIPLE,
        ..rule(RuleId::OutWithoutOtherVariant, Stage::Generate, GENERATION)
    },
    Rule {
        what: "`autogen` asks for an out variant of an operator that returns tensors and other \
               values.",
        why: "The out variant would return the other values beside its out arguments, and an out \
              variant returns its out arguments or nothing.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> (Tensor, int)\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> (Tensor, Tensor)\n  dispatch:\n    CPU, CUDA: blend\n  autogen: blend.out\n",
        ),
        ..rule(
            RuleId::AutogenMixedReturns,
            Stage::Generate,
            "torchgen/native_function_generation.py: functional_to_out_signature",
        )
    },
    Rule {
        what: "The schema of a variant that would be generated breaks a rule of schemas.",
        why: "What is generated is checked as what is written: an overload name that speaks of \
              `functional`, for one, cannot be that of an out variant.",
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
        what: "An operator would be generated under a name that another operator has, and that one \
               has a kernel on CompositeExplicitAutograd.",
        why: "That is the key of generated kernels, and there can be one kernel for a key and a \
              name.",
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
        what: "A generated variant has another signature than the operator that it is made from.",
        why: "It is to complete a group, and groups are found by signature. This happens to \
              operators that write to `self` without being in place by their name.",
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
        what: "The `autogen` lists of a group do not name exactly the variants that are generated \
               for it.",
        why: "Generated operators can be called by anyone, so each is to be written down where it \
              comes from. The list is read on the mutable variant, else the in-place, out or \
              functional one (until 2.5 in-place comes before mutable).",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::AutogenListMismatch, Stage::Group, GROUP)
    },
    Rule {
        severity: Severity::Info,
        what: "A functional operator with kernels of its own has no out variant, written or \
               generated.",
        why: "The documentation asks for one: `autogen: name.out` brings it into being. Nothing \
              enforces that.",
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
        what: "`autogen` is written where nothing is generated: on views, operators with \
               `manual_cpp_binding` and operators that decompose (unless tagged `core`, since \
               2.6); or no name in it is that of an out variant.",
        why: "The list is ignored, and the operators that it names do not exist.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::AutogenUnsupported, Stage::Generate, GENERATION)
    },
    Rule {
        what: "An operator that writes to its arguments and does not decompose is in no group with \
               a functional and an out variant. A fixed list of operators is exempt.",
        why: "Functionalization replaces it by its functional variant, and groups with an out \
              variant are the ones that it looks at.",
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
        what: "Several variants of an operator exist and the functional one does not.",
        why: "A group is built around its functional variant. It is generated where the others do \
              not decompose, and must be written where they do.",
        bad: Example::native(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::GroupFunctionalRequired, Stage::Group, GROUP)
    },
    Rule {
        what: "An operator with scratch arguments has the signature of other variants.",
        why: "Scratch variants take part in no group.",
        bad: Example::native(
            "- func: blend(Tensor self) -> (Tensor, Tensor)\n- func: blend.scratch(Tensor self, *, Tensor(a!) out, Tensor(b!) _scratch_rows) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self) -> Tensor\n- func: blend.scratch(Tensor self, *, Tensor(a!) out, Tensor(b!) _scratch_rows) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::GroupScratch, Stage::Group, GROUP)
    },
    Rule {
        what: "A group has a mutable variant, and its functional variant is not called \
               `name_functional`.",
        why: "Both take the same arguments, so that a call by base name could mean either.",
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
        why: "A group is registered as one.",
        bad: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU, CUDA: blend\n- func: acme::blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::GroupNamespace, Stage::Group, GROUP)
    },
    Rule {
        what: "The functional variant of a group writes to its arguments, or returns aliases of \
               them.",
        why: "The other variants are replaced by it, and take the new values of what they write to \
              from its returns.",
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
        what: "A return of a variant in a group has the annotation of two arguments.",
        why: "It must be known which of them is returned.",
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
               tensor argument called `out`.",
        why: "The other variants lack the options; they are taken from `out`, which is found by \
              its name. So a factory has one out argument, and no in-place variant.",
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
        what: "`autogen` asks for an out variant of an operator that returns something else than \
               `Tensor` and `Tensor[]`, such as `Tensor?`.",
        why: "Out arguments have the types of the returns. An optional tensor that is written to \
              has two different types in C++, and lists of optional ones cannot even be annotated.",
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
        why: "Views are handled with their copies, not as variants of something.",
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
        what: "An operator called `cumsum.out` or `cumprod.out` has several out arguments, or its \
               functional variant has no argument `dtype`.",
        why: "The generator knows these two by name and passes the dtype of `out` on.",
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
