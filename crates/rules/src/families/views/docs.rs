//! The rules about views.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const GROUP: &str = "torchgen/model.py: NativeFunctionsViewGroup.__post_init__";
const REPLAY: &str = "torchgen/gen_functionalization_type.py: emit_view_functionalization_body";
const COPY: &str = "torchgen/gen_functionalization_type.py: GenCompositeViewCopyKernel";

const GOOD: Example = Example::native(
    "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
);

const INPLACE: Example = Example::native(
    "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
);

const fn rule(id: RuleId, stage: Stage, source: &'static str) -> Rule {
    Rule {
        id,
        family: Family::Views,
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
        what: "A view that does not decompose has no functional operator `name_copy` with the same \
               arguments. In grouping, a base name that ends in `_inverse` is exempt since 2.3; \
               its code cannot be generated all the same.",
        why: "Backends without aliasing run the copy in place of the view.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n",
        ),
        ..rule(RuleId::ViewCopyRequired, Stage::Group, GROUP)
    },
    Rule {
        what: "The copy of a view is not tagged `view_copy`, or its base name does not end in \
               `_copy` (or `_scatter`, since 2.3).",
        why: "Tag and name are how a copy is known from other operators of the same signature.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyTag, Stage::Group, GROUP)
    },
    Rule {
        what: "A view whose own base name ends in `_copy` or `_scatter` meets the copy or the \
               in-place form of another.",
        why: "The ending is cut off to find what belongs together, so that the two look alike \
              where they are not.",
        bad: Example::native(
            "- func: flip_sides_copy(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n- func: flip_sides.by(Tensor self, int times) -> Tensor\n",
        ),
        good: INPLACE,
        ..rule(RuleId::ViewNamedCopy, Stage::Group, GROUP)
    },
    Rule {
        what: "A view with an in-place name is not tagged `inplace_view`.",
        why: "It changes what its argument is a view of, which is handled apart from writing.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a! -> *) self) -> Tensor(a! -> *) flipped\n",
        ),
        good: INPLACE,
        ..rule(
            RuleId::ViewInplaceTag,
            Stage::Group,
            "torchgen/model.py: NativeFunction.view_schema_kind",
        )
    },
    Rule {
        what: "A view decomposes and its in-place form does not. The same holds for the composite \
               key of nested tensors. The other way round is possible.",
        why: "The two are handled as one.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: flip_sides_\n  tags: inplace_view\n",
        ),
        good: INPLACE,
        ..rule(RuleId::ViewCompositeAgree, Stage::Group, GROUP)
    },
    Rule {
        what: "Two operators claim the same place in a view group: their names differ by `_copy` \
               only, and they are both views, or both not and of one kind.",
        why: "A view has one in-place form and one copy.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_copy(Tensor(a) self) -> Tensor(a)\n",
        ),
        good: Example::native("- func: flip_sides(Tensor(a) self) -> Tensor(a)\n"),
        ..rule(
            RuleId::ViewGroupDuplicate,
            Stage::Group,
            "torchgen/gen.py: get_grouped_by_view_native_functions",
        )
    },
    Rule {
        severity: Severity::Warning,
        what: "A return is annotated as a view, and no argument has its letter.",
        why: "The annotation then says that the result aliases something, but not what.",
        bad: Example::native("- func: flip_sides(Tensor self) -> Tensor(a)\n"),
        good: Example::native("- func: flip_sides(Tensor(a) self) -> Tensor(a)\n"),
        ..rule(
            RuleId::ViewAnnotations,
            Stage::Convention,
            "the documentation of annotations; nothing checks it",
        )
    },
    Rule {
        what: "A view that does not decompose, or its in-place form, does not take an annotated \
               plain tensor first, or annotates another argument too.",
        why: "A view is replayed on its first argument, and on that alone.",
        bad: Example::native(
            "- func: flip_sides(int times, Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(int times, Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(
            RuleId::ViewFirstArgument,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: assert_view_op_properties",
        )
    },
    Rule {
        what: "A view that does not decompose returns something else than tensors; or the kernel of \
               its copy would have to copy something else than one tensor or one list of them.",
        why: "Views are replayed, and copied by a generated kernel, as tensors.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> (Tensor(a), Tensor(a))\n- func: flip_sides_copy(Tensor self) -> (Tensor, Tensor)\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewReturns, Stage::Codegen, COPY)
    },
    Rule {
        what: "The copy of a view has no kernel on CompositeExplicitAutogradNonFunctional; or it is \
               `view_copy`, and the kernel is not `view_copy_symint`.",
        why: "The kernel is generated for that key, under the name that is written there.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyKernel, Stage::Codegen, COPY)
    },
    Rule {
        what: "Of a view and its copy one has TensorOptions and the other has not.",
        why: "Each calls the other with the arguments that it was given.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyOptions, Stage::Codegen, REPLAY)
    },
    Rule {
        until: Some(Release::V2_0),
        what: "An in-place view that decomposes has no view of the same arguments.",
        why: "In 2.0 its registration is refused outside of a view group.",
        bad: Example::native(
            "- func: flip_sides.by(Tensor(a) self, int times) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
        ),
        good: INPLACE,
        ..rule(
            RuleId::ViewInplaceAlone,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: gen_functionalization_registration",
        )
    },
    Rule {
        what: "A view that does not decompose takes a `str` (until 2.6) or a `Scalar` (since \
               2.14).",
        why: "To be replayed, the arguments of a view are kept by value. There was no such type for \
              strings, and there is no conversion to that of scalars.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self, str how, Scalar turns) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self, str how, Scalar turns) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(
            RuleId::ViewArgumentType,
            Stage::Codegen,
            "torchgen/api/cpp.py: argumenttype_type; torchgen/api/translate.py: translate",
        )
    },
    Rule {
        since: Release::V2_15,
        what: "A view that does not decompose, or its in-place form, returns several views and is \
               none of the operators whose outputs can be replayed one by one.",
        why: "Replaying all of them for each one would take quadratic time.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a -> *) self) -> Tensor(a)[]\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor[]\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(
            RuleId::MultiOutputViewReplay,
            Stage::Codegen,
            "torchgen/gen_functionalization_type.py: ViewMetaSpecialization.single_output_body",
        )
    },
];
