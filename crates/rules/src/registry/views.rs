//! The rules about views.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

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
    Rule::new(id, Family::Views, Severity::Error, stage, GOOD, source)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A view that is not composite has no functional operator `name_copy` with the same \
               arguments. Since 2.3, torchgen exempts base names that end in `_inverse` from \
               grouping, but still cannot generate their code.",
        why: "Backends without aliasing run the copy instead of the view.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n",
        ),
        ..rule(RuleId::ViewCopyRequired, Stage::Group, GROUP)
    },
    Rule {
        what: "The copy of a view is not tagged `view_copy`, or its base name does not end in \
               `_copy` (or `_scatter`, since 2.3).",
        why: "The tag and the name distinguish a copy from other operators with the same \
              signature.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyTag, Stage::Group, GROUP)
    },
    Rule {
        what: "The base name of a view ends in `_copy` or `_scatter` and matches the copy or the \
               in-place form of another view.",
        why: "The generator strips the suffix to find the operators that belong together, so it \
              would mix the two up.",
        bad: Example::native(
            "- func: flip_sides_copy(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n- func: flip_sides.by(Tensor self, int times) -> Tensor\n",
        ),
        good: INPLACE,
        ..rule(RuleId::ViewNamedCopy, Stage::Group, GROUP)
    },
    Rule {
        what: "A view with an in-place name is not tagged `inplace_view`.",
        why: "The operator changes what its argument is a view of, which PyTorch handles \
              differently from mutation.",
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
        what: "A view is composite but its in-place form is not. The same applies to the composite \
               key of nested tensors. The reverse is allowed.",
        why: "PyTorch handles the two as one.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: flip_sides_\n  tags: inplace_view\n",
        ),
        good: INPLACE,
        ..rule(RuleId::ViewCompositeAgree, Stage::Group, GROUP)
    },
    Rule {
        what: "Two operators compete for one place in a view group: their names differ only by \
               `_copy`, and both are views, or both are not and have the same kind.",
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
        what: "A return is annotated as a view, but no argument has the same alias letter.",
        why: "The annotation says that the result aliases something, but not what.",
        bad: Example::native("- func: flip_sides(Tensor self) -> Tensor(a)\n"),
        good: Example::native("- func: flip_sides(Tensor(a) self) -> Tensor(a)\n"),
        ..rule(
            RuleId::ViewAnnotations,
            Stage::Convention,
            "the documentation of annotations; PyTorch does not check it",
        )
    },
    Rule {
        what: "The first argument of a view that is not composite (or of its in-place form) is not \
               an annotated plain tensor, or another argument is annotated too.",
        why: "PyTorch replays a view on its first argument only.",
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
        what: "A view that is not composite returns something other than tensors; or its copy \
               returns something other than one tensor or one list of tensors.",
        why: "PyTorch replays views, and generates the kernels of their copies, for tensors only.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> (Tensor(a), Tensor(a))\n- func: flip_sides_copy(Tensor self) -> (Tensor, Tensor)\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewReturns, Stage::Codegen, COPY)
    },
    Rule {
        what: "The copy of a view has no kernel on CompositeExplicitAutogradNonFunctional; or it is \
               `view_copy`, and the kernel is not `view_copy_symint`.",
        why: "PyTorch generates the kernel for that key, under the declared name.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyKernel, Stage::Codegen, COPY)
    },
    Rule {
        what: "Only one of a view and its copy takes TensorOptions.",
        why: "Each calls the other with its own arguments.",
        bad: Example::native(
            "- func: flip_sides(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor(a)\n  category_override: factory\n  dispatch:\n    CPU, CUDA: flip_sides\n- func: flip_sides_copy(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutogradNonFunctional: flip_sides_copy\n  tags: view_copy\n  autogen: flip_sides_copy.out\n",
        ),
        ..rule(RuleId::ViewCopyOptions, Stage::Codegen, REPLAY)
    },
    Rule {
        until: Some(Release::V2_0),
        what: "A composite in-place view has no view with the same arguments.",
        why: "PyTorch 2.0 rejects its registration outside a view group.",
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
        what: "A view that is not composite takes a `str` (up to 2.6) or a `Scalar` (since 2.14).",
        why: "To replay a view, PyTorch stores its arguments by value. It had no such type for \
              strings, and has no conversion for scalars.",
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
        what: "A view that is not composite, or its in-place form, returns several views and is \
               not one of the operators whose outputs PyTorch can replay one by one.",
        why: "Replaying all outputs for each one would take quadratic time.",
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
