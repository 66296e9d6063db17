//! Names and signatures that two entries share.

mod cpp;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    for (_, ids) in catalogue.shared_names() {
        let mut earlier = Earlier::default();
        for &id in ids {
            same_name(scope, id, &earlier, sink);
            earlier.add(scope.operator(id), id);
        }
    }
    for group in sink.while_wanted(catalogue.groups.all()) {
        for &id in &group.duplicates {
            if let Some(first) = group.member(scope.operator(id).kind) {
                same_signature(scope, id, first, sink);
            }
        }
    }
    cpp::check(scope, sink);
}

fn collide(a: &Operator, b: &Operator) -> bool {
    a.kernels()
        .iter()
        .any(|kernel| b.has_kernel(kernel.key.as_str()))
}

#[derive(Default)]
struct Earlier<'c> {
    first: Option<OperatorId>,
    by_key: FxHashMap<&'c str, OperatorId>,
    signatures: FxHashSet<(SchemaKind, &'c str)>,
}

impl<'c> Earlier<'c> {
    fn add(&mut self, operator: &'c Operator, id: OperatorId) {
        self.first.get_or_insert(id);
        for kernel in operator.kernels() {
            self.by_key.entry(kernel.key.as_str()).or_insert(id);
        }
        self.signatures
            .insert((operator.kind, operator.signature()));
    }

    fn colliding(&self, operator: &Operator) -> Option<OperatorId> {
        let kernels = operator.kernels().iter();
        let first = kernels.filter_map(|kernel| self.by_key.get(kernel.key.as_str()));
        first.min().copied()
    }

    /// Whether one has the operator's kind and signature, which is reported with groups.
    fn coincides(&self, operator: &Operator) -> bool {
        self.signatures
            .contains(&(operator.kind, operator.signature()))
    }
}

fn same_name(scope: &Scope<'_>, id: OperatorId, earlier: &Earlier<'_>, sink: &mut Sink) {
    let operator = scope.operator(id);
    let Some(first) = earlier.first.filter(|_| !operator.is_generated()) else {
        return;
    };
    let name = operator.name();
    let at = operator.schema().name_at.0;
    if let Some(first) = earlier.colliding(operator) {
        let other = scope.operator(first);
        let help = if other.namespace() == operator.namespace() {
            "give one of them a different overload name"
        } else {
            "rename one of them: the namespace does not distinguish operators"
        };
        let diagnostic = Diagnostic::new(
            RuleId::DuplicateOperator,
            at,
            message!("duplicate declaration of `{}`", name),
        )
        .with_help(help);
        let elsewhere = [("first declared here", first, other.schema().name_at.0)];
        scope.report_with(sink, id, diagnostic, &elsewhere);
        return;
    }
    let other = scope.operator(first);
    // Another rule covers other namespaces.
    let silent = earlier.coincides(operator) || other.namespace() != operator.namespace();
    if silent {
        return;
    }
    let message = message!(
        "duplicate declaration of `{}`, with different dispatch keys",
        name
    );
    let diagnostic = Diagnostic::new(RuleId::DuplicateOperatorUnnoticed, at, message)
        .with_help("give one of them a different overload name");
    let elsewhere = [("first declared here", first, other.schema().name_at.0)];
    scope.report_with(sink, id, diagnostic, &elsewhere);
}

fn same_signature(scope: &Scope<'_>, id: OperatorId, first: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let other = scope.operator(first);
    // Generated operators are reported where they are generated.
    if operator.is_generated() || other.is_generated() {
        return;
    }
    if operator.name() == other.name() && collide(operator, other) {
        return;
    }
    if scope.has_broken_sibling(id) {
        return;
    }
    let (message, help) = if operator.name() == other.name() {
        (
            message!(
                "`{}` is declared twice, with different dispatch keys",
                operator.name()
            ),
            "write all dispatch keys in one entry",
        )
    } else {
        let message = message!(
            "`{}` has the same signature as `{}`, and both are {}",
            operator.name(),
            other.name(),
            kind_words(operator)
        );
        (message, "remove one, or change its arguments or defaults")
    };
    let at = operator.schema().name_at.0;
    let diagnostic = Diagnostic::new(RuleId::DuplicateSignature, at, message).with_help(help);
    let elsewhere = [(
        "the other operator is here",
        first,
        other.schema().name_at.0,
    )];
    scope.report_with(sink, id, diagnostic, &elsewhere);
}

fn kind_words(operator: &Operator) -> &'static str {
    use opatlas_schema::function::SchemaKind;
    match operator.kind {
        SchemaKind::Functional => "functional",
        SchemaKind::Inplace => "in-place",
        SchemaKind::Out => "out variants",
        SchemaKind::Mutable => "mutable",
        SchemaKind::Scratch => "scratch variants",
    }
}
