//! Structured kernels: structured entries, delegates, their groups, precomputed arguments and ufuncs.
//! Lowering reports what it cannot parse.

mod arguments;
mod groups;
mod precomputed;
mod ufunc;

use opatlas_operators::entry::{Entry, Field};
use opatlas_operators::operator::{OperatorId, PlacedEntry};
use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::name::OperatorName;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::suggest::Near;
use rustc_hash::FxHashMap;

use crate::families::out_naming;
use crate::scope::Scope;
use crate::scope::field_edit::removing;
use crate::scope::places::{field_at, is_unread};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let release = scope.catalogue.release;
    for placed in sink.while_wanted(scope.entries()) {
        let entry = &placed.entry;
        if entry.structured || entry.structured_delegate.is_some() {
            placement(scope, placed, sink);
        }
        if !entry.structured {
            needs_structured(scope, placed, sink);
        }
        precomputed::check(placed, release, sink);
        ufunc::entry(placed, release, sink);
    }
}

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    Targets::new(scope).check(sink);
    groups::check(scope, sink);
}

/// Which fields each kind of schema can have (torchgen `NativeFunction.__post_init__`).
fn placement(scope: &Scope<'_>, placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    let Some(schema) = &entry.schema else { return };
    let text = scope.text(placed);
    if entry.structured && entry.structured_delegate.is_some() {
        let diagnostic = Diagnostic::new(
            RuleId::StructuredAndDelegate,
            field_at(entry, Field::StructuredDelegate),
            "an operator cannot be both structured and delegating",
        )
        .with_help(
            "use `structured: True` on the out variant and `structured_delegate` on the others",
        );
        let field = match schema.kind() {
            SchemaKind::Out => Field::StructuredDelegate,
            _ => Field::Structured,
        };
        sink.entry(placed, removing(diagnostic, text, entry, field));
    } else if entry.structured {
        if schema.kind() != SchemaKind::Out {
            sink.entry(placed, structured_elsewhere(entry, schema));
        }
    } else {
        if schema.kind() == SchemaKind::Out {
            let diagnostic = Diagnostic::new(
                RuleId::StructuredDelegateNotOnOut,
                field_at(entry, Field::StructuredDelegate),
                "an out variant cannot delegate",
            )
            .with_help("write `structured: True`, or remove the field");
            sink.entry(placed, diagnostic);
        }
        structured_keys(scope, placed, sink);
    }
    if !entry.device_guard {
        let diagnostic = Diagnostic::new(
            RuleId::StructuredDeviceGuard,
            field_at(entry, Field::DeviceGuard),
            "structured kernels always have a device guard",
        )
        .with_help("remove `device_guard: False`");
        sink.entry(
            placed,
            removing(diagnostic, text, entry, Field::DeviceGuard),
        );
    }
}

fn structured_elsewhere(entry: &Entry, schema: &FunctionSchema) -> Diagnostic {
    let at = field_at(entry, Field::Structured);
    if let Some(out) = out_naming::unannotated(schema) {
        let message = message!(
            "`structured: True` needs an out variant, but `{}` is not annotated as mutable",
            out.name
        );
        return Diagnostic::new(RuleId::StructuredOnOutOnly, at, message)
            .with_help(out_naming::ANNOTATE);
    }
    let message = message!(
        "`structured: True` is set on an operator of kind {}, not on an out variant",
        schema.kind().as_str()
    );
    Diagnostic::new(RuleId::StructuredOnOutOnly, at, message).with_help(message!(
        "set it on the out variant, and write `structured_delegate: {}` here",
        out_name(&schema.name)
    ))
}

fn out_name(name: &OperatorName) -> String {
    match name.overload() {
        "" => format!("{}.out", name.stem()),
        overload => format!("{}.{overload}_out", name.stem()),
    }
}

fn structured_keys(scope: &Scope<'_>, placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    let keys = scope.catalogue.release.data().structured_keys;
    for line in entry.dispatch.iter().flatten() {
        let key = line.key.as_str();
        if !keys.contains(key) {
            continue;
        }
        let mut diagnostic = Diagnostic::new(
            RuleId::StructuredDelegateNoStructuredKeys,
            line.key_at,
            message!("the kernel for {} comes from the structured operator", key),
        )
        .with_help(message!("list {} there, and remove it here", key));
        if let Some(delegate) = &entry.structured_delegate {
            diagnostic = diagnostic.with_related("delegated here", delegate.at);
        }
        sink.entry(placed, diagnostic);
    }
}

fn needs_structured(scope: &Scope<'_>, placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    if is_unread(entry, Field::Structured) {
        return;
    }
    let inherits = entry.structured_inherits.is_some().then_some((
        RuleId::StructuredInherits,
        Field::StructuredInherits,
        "`structured_inherits` is set, but the operator is not structured",
    ));
    let precomputed = entry.precomputed.is_some().then_some((
        RuleId::PrecomputedNeedsStructured,
        Field::Precomputed,
        "`precomputed` is set, but the operator is not structured",
    ));
    let ufunc = (!entry.ufunc_inner_loop.is_empty()).then_some((
        RuleId::UfuncStructured,
        Field::UfuncInnerLoop,
        "`ufunc_inner_loop` is set, but the operator is not structured",
    ));
    let text = scope.text(placed);
    for (rule, field, message) in [inherits, precomputed, ufunc].into_iter().flatten() {
        let help = match entry.kind() {
            Some(SchemaKind::Out) => "add `structured: True`, or remove the field",
            _ => "move the field to the structured out variant",
        };
        let diagnostic = Diagnostic::new(rule, field_at(entry, field), message).with_help(help);
        sink.entry(placed, removing(diagnostic, text, entry, field));
    }
}

struct Targets<'s, 'c> {
    scope: &'s Scope<'c>,
    /// The last operator of each name counts, as in torchgen's `error_check_native_functions`.
    by_name: FxHashMap<&'c OperatorName, OperatorId>,
}

impl<'s, 'c> Targets<'s, 'c> {
    fn new(scope: &'s Scope<'c>) -> Self {
        let operators = scope.catalogue.native();
        let written = operators.filter(|(_, operator)| !operator.is_generated());
        let wanted = written
            .filter(|(_, operator)| operator.kind == SchemaKind::Out || operator.is_structured());
        Self {
            scope,
            by_name: wanted.map(|(id, operator)| (operator.name(), id)).collect(),
        }
    }

    /// The last declared operator of this name.
    fn find(&self, name: &OperatorName) -> Option<OperatorId> {
        if let Some(&id) = self.by_name.get(name) {
            return Some(id);
        }
        let same = self.scope.catalogue.all_named(name.as_str());
        let written = |id: &OperatorId| !self.scope.operator(*id).is_generated();
        same.rev().find(written)
    }

    fn check(mut self, sink: &mut Sink) {
        let native = self.scope.catalogue.native();
        for (id, operator) in native.filter(|(_, it)| it.is_part_of_structured_group()) {
            let Some(delegate) = operator.structured_delegate() else {
                continue;
            };
            match self.find(delegate) {
                None => self.missing(id, delegate, sink),
                Some(target) if !self.scope.operator(target).is_structured() => {
                    self.not_structured(id, target, sink);
                }
                Some(_) => {}
            }
        }
    }

    fn place(&self, id: OperatorId) -> Option<opatlas_source::Span> {
        let entry = &self.scope.operator(id).declared()?.entry;
        Some(entry.structured_delegate.as_ref()?.at)
    }

    fn missing(&mut self, id: OperatorId, delegate: &OperatorName, sink: &mut Sink) {
        let Some(at) = self
            .place(id)
            .filter(|_| !self.scope.has_broken_relative(delegate))
        else {
            return;
        };
        let message = message!("unknown operator `{}`", delegate);
        let diagnostic = Diagnostic::new(RuleId::StructuredDelegateTargetMissing, at, message);
        let structured = || {
            let names = self.by_name.iter();
            names
                .filter(|(_, id)| self.scope.operator(**id).is_structured())
                .map(|(name, _)| name.as_str())
        };
        let near = if sink.is_full(RuleId::StructuredDelegateTargetMissing) {
            Vec::new()
        } else {
            sink.suggestions
                .nearest_few(delegate.as_str(), structured(), 8)
        };
        let is_only = near.len() == 1;
        let nearest = near.into_iter().min_by_key(|name| rank(name, delegate));
        let diagnostic = match nearest {
            Some(name) => diagnostic.with_near_name(at, Near { name, is_only }),
            None => diagnostic.with_help("name the structured out variant, or declare it"),
        };
        self.scope.report(sink, id, diagnostic);
    }

    fn not_structured(&self, id: OperatorId, target: OperatorId, sink: &mut Sink) {
        let other = self.scope.operator(target);
        let unclear = other
            .declared()
            .is_some_and(|placed| is_unread(&placed.entry, Field::Structured));
        let Some(at) = self.place(id).filter(|_| !unclear) else {
            return;
        };
        let message = message!(
            "`{}` is not structured, so no operator can delegate to it",
            other.name()
        );
        let diagnostic = Diagnostic::new(RuleId::StructuredDelegateTargetStructured, at, message)
            .with_help(message!("add `structured: True` to `{}`", other.name()));
        let elsewhere = [("the operator is here", target, other.schema().name_at.0)];
        self.scope.report_with(sink, id, diagnostic, &elsewhere);
    }
}

/// Prefers the same base name, then the first by name.
fn rank<'n>(name: &'n str, delegate: &OperatorName) -> (bool, &'n str) {
    let base = name.split('.').next().unwrap_or(name);
    (base != delegate.base(), name)
}
