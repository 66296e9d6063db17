//! Tags that depend on other entries or files.

use std::cell::OnceCell;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::name::{NameForm, OperatorName};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{TAGS, message};
use rustc_hash::FxHashSet;

use crate::scope::places::tag_at;
use crate::scope::{CompleteGroup, Scope};
use crate::sink::Sink;

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

struct InplaceViews<'s, 'c> {
    scope: &'s Scope<'c>,
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
        } else if !self.has_base(name) && !self.scope.has_broken_relative(name) {
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

fn base_in_plain(name: &OperatorName) -> String {
    if name.is_dunder() {
        format!("__{}__", name.stem())
    } else {
        name.stem().to_owned()
    }
}

fn by_hand(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let group = scope.catalogue.groups.of(id);
    let passes = CompleteGroup::new(group).is_some_and(|complete| {
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
