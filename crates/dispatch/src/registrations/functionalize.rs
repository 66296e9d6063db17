//! Functionalization: kernels that replace writes and views by functional calls
//! (`docs/spec/dispatch.md`, section 6.9; `torchgen/gen_functionalization_type.py`
//! `gen_functionalization_registration`).

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::generated::add;
use super::{Builder, Row};
use crate::origin::Origin;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_schema::signature::{ViewCopyNames, view_signature};

/// Views by the signature that they share with their in-place and copy variants.
pub(super) struct Views<'a> {
    by_signature: FxHashMap<Cow<'a, str>, OperatorId>,
    names: ViewCopyNames,
}

impl<'a> Views<'a> {
    pub(super) fn of(catalogue: &'a Catalogue) -> Self {
        let names = if catalogue.release >= Release::V2_3 {
            ViewCopyNames::CopyAndScatter
        } else {
            ViewCopyNames::Copy
        };
        let is_aliasing = |op: &Operator| op.is_view && !op.name().is_inplace();
        let views = catalogue.iter().filter(|(_, op)| is_aliasing(op));
        Self {
            by_signature: views.map(|(id, op)| (signature(op, names), id)).collect(),
            names,
        }
    }

    /// The view whose group contains the operator: a view, its in-place variant, and its copy.
    fn view_of(&self, operator: &Operator) -> Option<OperatorId> {
        let is_copy = operator.kind == SchemaKind::Functional && operator.is_named_after_view();
        if !operator.is_view && !is_copy {
            return None;
        }
        let signature = signature(operator, self.names);
        self.by_signature.get(&*signature).copied()
    }
}

/// Rendered only if it differs from the stored one.
fn signature(operator: &Operator, names: ViewCopyNames) -> Cow<'_, str> {
    if operator.is_named_after_view() {
        Cow::Owned(view_signature(operator.schema(), names))
    } else {
        Cow::Borrowed(operator.signature())
    }
}

/// How composite operators are functionalized.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Composites {
    /// All composites are registered (2.0).
    All,
    /// The alias serves them (2.1 to 2.9).
    None,
    /// Only views are registered (since 2.10).
    Views,
}

impl Composites {
    fn of(release: Release) -> Self {
        if release < Release::V2_1 {
            Self::All
        } else if release < Release::V2_10 {
            Self::None
        } else {
            Self::Views
        }
    }
}

impl Builder<'_> {
    pub(super) fn functionalize(&self, id: OperatorId, rows: &mut Vec<Row>) {
        if self.is_functionalized(id) {
            add(self.at.functionalize, Origin::Functionalize, rows);
        }
    }

    fn is_functionalized(&self, id: OperatorId) -> bool {
        let catalogue = self.inputs.catalogue;
        let group = catalogue.groups.of(id);
        let is_triple = group.functional.is_some() && group.out.is_some();
        let view = self.views.view_of(catalogue.operator(id));
        let as_view = view.is_some_and(|view| self.in_view_group(id, view));
        let as_write = if is_triple {
            self.in_triple(id, group)
        } else {
            view.is_none() && self.alone(id)
        };
        as_view || as_write
    }

    /// The view and its in-place variant, not its copy.
    fn in_view_group(&self, id: OperatorId, view: OperatorId) -> bool {
        let catalogue = self.inputs.catalogue;
        let operator = catalogue.operator(id);
        let composites = Composites::of(catalogue.release);
        operator.is_view
            && catalogue.operator(view).name_text() != "lift_fresh"
            && (!self.is_composite(id) || composites != Composites::None)
    }

    /// The variants that write, unless one of them is handwritten.
    fn in_triple(&self, id: OperatorId, group: &Group) -> bool {
        let catalogue = self.inputs.catalogue;
        let is_variant = group.members().any(|member| member == id)
            && catalogue.operator(id).kind != SchemaKind::Scratch;
        let exceptions = catalogue
            .release
            .data()
            .codegen
            .functionalize_named_exceptions;
        let is_exception = |member: OperatorId| {
            let name = catalogue.operator(member).name_text();
            let is_looked_at = name == "set_.source_Tensor" || !self.is_skipped_composite(member);
            is_looked_at && exceptions.contains(name)
        };
        is_variant && self.writes(id) && !group.members().any(is_exception)
    }

    fn alone(&self, id: OperatorId) -> bool {
        let catalogue = self.inputs.catalogue;
        let name = catalogue.operator(id).name_text();
        let data = catalogue.release.data();
        self.writes(id)
            && !data
                .name_lists
                .mutable_ops_not_using_functionalization
                .contains(name)
            && !data.codegen.functionalization_exempt_lone.contains(name)
            && !matches!(name, "lift" | "resize_")
    }

    /// Whether the operator itself needs a kernel: it writes, or is a composite that must be registered.
    fn writes(&self, id: OperatorId) -> bool {
        let composites = Composites::of(self.inputs.catalogue.release);
        if self.is_composite(id) {
            return composites == Composites::All;
        }
        let arguments = self.inputs.catalogue.operator(id).schema().arguments.all();
        arguments.iter().any(Argument::is_write)
    }

    fn is_skipped_composite(&self, id: OperatorId) -> bool {
        let composites = Composites::of(self.inputs.catalogue.release);
        composites != Composites::All && self.is_composite(id)
    }

    fn is_composite(&self, id: OperatorId) -> bool {
        let kernels = self.inputs.catalogue.kernels(id);
        kernels
            .iter()
            .any(|kernel| kernel.key.as_str() == "CompositeImplicitAutograd")
    }
}
