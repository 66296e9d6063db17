//! Tags that other entries or other files decide about.

use opatlas_source::diagnostic::RuleId;
use opatlas_source::message;
use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::{Example, Family, Rule, Stage};
use opatlas_operators::entry::TagName;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_schema::name::{NameForm, OperatorName};
use opatlas_source::diagnostic::{Diagnostic, Severity};
use opatlas_source::{Span, TAGS};

use super::Sink;
use super::scope::{CompleteGroup, Scope};

const fn rule(id: RuleId, severity: Severity, stage: Stage, source: &'static str) -> Rule {
    Rule {
        id,
        family: Family::Tags,
        severity,
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

const GOOD: Example = Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n");

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "An operator is tagged `inplace_view` but does not have an in-place name, or no \
               operator has its name without the `_`. `resize_` is exempt, `resize_as_` since 2.1, \
               and all overloads of `set_` since 2.3.",
        why: "PyTorch replays an in-place view with the view of the same name.",
        bad: Example::native(
            "- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
        ),
        good: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
        ),
        ..rule(
            RuleId::InplaceViewTag,
            Severity::Error,
            Stage::File,
            "torchgen/gen.py: error_check_native_functions",
        )
    },
    Rule {
        what: "An entry is tagged `generated`, but is not in a group with an out variant, or has \
               no variant that its kernel could be generated from.",
        why: "The tag marks operators that the generator creates, and those are always in a group.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  tags: generated\n",
        ),
        ..rule(
            RuleId::TagsGeneratedReserved,
            Severity::Error,
            Stage::Group,
            "torchgen/gen.py: get_grouped_native_functions",
        )
    },
    Rule {
        what: "An entry is tagged `generated`, so it counts as a generated operator.",
        why: "The generator also writes its kernel, which collides with a hand-written one, and \
              tools treat the operator as undeclared.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend\n  tags: generated\n- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU: blend_\n  autogen: blend\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU: blend_out\n",
        ),
        ..rule(
            RuleId::TagsGeneratedByHand,
            Severity::Warning,
            Stage::Convention,
            "torchgen/native_function_generation.py: generate_function",
        )
    },
    Rule {
        what: "The name of a tag in `tags.yaml` is a number, a boolean or null.",
        why: "The names become members of a C++ enum, and the generator sorts and joins them as \
              text.",
        bad: Example::of(TAGS, "- tag: 5\n  desc: the fifth\n"),
        good: Example::of(TAGS, "- tag: five\n  desc: the fifth\n"),
        ..rule(
            RuleId::TagsMustBeStrings,
            Severity::Error,
            Stage::Codegen,
            "torchgen/gen.py: gen_headers (gen_tags_enum)",
        )
    },
];

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    for tag in catalogue.tags.all().iter().filter(|tag| !tag.is_string) {
        let message = message!(
            "`{}` is not a string, so it cannot be the name of a tag",
            tag.name
        );
        sink.file(
            TAGS,
            Diagnostic::new(RuleId::TagsMustBeStrings, tag.at, message)
                .with_help("quote it, or choose another name"),
        );
    }
    let inplace_views = InplaceViews::new(scope);
    for (id, operator) in sink.while_wanted(catalogue.native()) {
        if operator.is_generated() {
            break;
        }
        if operator.tags.is_empty() {
            continue;
        }
        if operator.has_tag("inplace_view") {
            inplace_views.check(id, operator, sink);
        }
        if operator.has_tag("generated") {
            by_hand(scope, id, operator, sink);
        }
    }
}

/// The position of an operator's tag, or of its name if the tag is not declared.
pub(super) fn tag_at(operator: &Operator, name: &str) -> Span {
    let tags = operator
        .declared()
        .into_iter()
        .flat_map(|placed| &placed.entry.tags);
    tags.into_iter()
        .find(|tag| matches!(&tag.value, TagName::Text(text) if **text == *name))
        .map_or(operator.schema().name_at.0, |tag| tag.at)
}

struct InplaceViews<'s, 'c> {
    scope: &'s Scope<'c>,
    /// Base names of operators that are not in place.
    bases: OnceCell<FxHashSet<&'c str>>,
}

impl<'s, 'c> InplaceViews<'s, 'c> {
    fn new(scope: &'s Scope<'c>) -> Self {
        Self {
            scope,
            bases: OnceCell::new(),
        }
    }

    fn has_base(&self, name: &OperatorName) -> bool {
        let bases = self.bases.get_or_init(|| {
            let written = self
                .scope
                .catalogue
                .operators
                .iter()
                .take_while(|op| !op.is_generated());
            let plain =
                written.filter(|op| matches!(op.name().form(), NameForm::Plain | NameForm::Dunder));
            plain.map(|op| op.base_name()).collect()
        });
        bases.contains(&*base_in_plain(name))
    }

    fn check(&self, id: OperatorId, operator: &Operator, sink: &mut Sink) {
        let name = operator.name();
        let lists = &self.scope.catalogue.release.data().name_lists;
        if lists
            .inplace_view_naming_exempt_full_names
            .contains(name.as_str())
            || lists
                .inplace_view_naming_exempt_base_names
                .contains(name.base())
        {
            return;
        }
        let at = tag_at(operator, "inplace_view");
        let diagnostic = if !name.is_inplace() {
            let message = message!(
                "`{}` is tagged `inplace_view`, but its name does not end in `_`",
                name
            );
            Diagnostic::new(RuleId::InplaceViewTag, at, message)
                .with_help("remove the tag, or give the operator an in-place name")
        } else if !self.has_base(name) && !self.scope.is_story_clouded(name) {
            let plain = base_in_plain(name);
            let message = message!(
                "`{}` is tagged `inplace_view`, but there is no view `{}`",
                name,
                plain
            );
            Diagnostic::new(RuleId::InplaceViewTag, at, message).with_help(message!(
                "declare `{}` with the same arguments, or remove the tag",
                plain
            ))
        } else {
            return;
        };
        self.scope.report(sink, id, diagnostic);
    }
}

/// The base name of the operator that is not in place.
fn base_in_plain(name: &OperatorName) -> String {
    if name.is_dunder() {
        format!("__{}__", name.stem())
    } else {
        name.stem().to_owned()
    }
}

/// Hand-written operators that pass for generated ones. Where they do not, another rule says so.
fn by_hand(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let group = scope.catalogue.groups.of(id);
    let passes = CompleteGroup::of(group).is_some_and(|complete| {
        let calls = [complete.inplace, complete.mutable].into_iter().flatten();
        let tagged = |id: OperatorId| scope.operator(id).has_tag("generated");
        complete.functional != id || calls.into_iter().any(|id| !tagged(id))
    });
    if passes {
        let message = message!(
            "`{}` is tagged `generated`, but is declared here",
            operator.name()
        );
        let diagnostic = Diagnostic::new(
            RuleId::TagsGeneratedByHand,
            tag_at(operator, "generated"),
            message,
        )
        .with_help("remove the tag");
        scope.report(sink, id, diagnostic);
    }
}
