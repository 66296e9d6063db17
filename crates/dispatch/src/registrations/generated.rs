//! Registrations of generated code around kernels: autograd, version counters and views, tracing, backend
//! selection (`docs/spec/dispatch.md`, sections 6.5 to 6.8; `tools/autograd/gen_*.py`,
//! `torchgen/gen.py` `compute_backend_select`).

use std::borrow::Cow;

use super::{Builder, Inputs, Row, RowSource};
use crate::origin::Origin;
use opatlas_operators::derivative_match::{DerivativeMatches, Knowledge};
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::{CodegenLists, Release};
use opatlas_schema::function::{FunctionSchema, SchemaKind};

/// What a generated autograd kernel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AutogradKind {
    /// Records the operator's formula.
    Formula,
    /// Calls the next kernel; the result has no gradient.
    NotDifferentiable,
    /// Calls the next kernel; computing a gradient fails. Without an entry of `derivatives.yaml`, this is
    /// the boxed `autogradNotImplementedFallback`.
    NotImplemented,
    /// Unknown, because `derivatives.yaml` is missing.
    Unknown,
}

/// The C++ name of an operator (torchgen `cpp.name`): its base name, with `_out` for out variants.
#[must_use]
pub fn cpp_name(schema: &FunctionSchema) -> Cow<'_, str> {
    if schema.arguments.out().is_empty() {
        Cow::Borrowed(schema.name.base())
    } else {
        Cow::Owned(schema.default_kernel())
    }
}

/// Whether generated code registers autograd kernels for an operator: it has backend kernels or a
/// formula, and its autograd is not handwritten (`dispatch_strategy`, `MANUAL_AUTOGRAD`).
#[must_use]
pub fn gets_autograd(inputs: Inputs<'_>, id: OperatorId) -> bool {
    let operator = inputs.catalogue.operator(id);
    let lists = &inputs.catalogue.release.data().codegen;
    !is_manual(lists, &cpp_name(operator.schema())) && is_derived(operator, inputs.matches, id)
}

/// What the autograd kernel on a key does: on the alias `Autograd`, or an autograd key with formulas.
#[must_use]
pub fn autograd_kind(inputs: Inputs<'_>, id: OperatorId, key: &str) -> AutogradKind {
    let operator = inputs.catalogue.operator(id);
    if let Some((formulas, _)) = inputs.matches.of(id) {
        let on_key = formulas.keys.iter().find(|formulas| &*formulas.key == key);
        return match on_key {
            Some(formulas) if formulas.is_differentiable => AutogradKind::Formula,
            Some(formulas) if formulas.lacks_formulas => AutogradKind::NotImplemented,
            _ => AutogradKind::NotDifferentiable,
        };
    }
    match inputs.matches.knowledge {
        Knowledge::Complete if is_not_implemented(operator, inputs.catalogue.release) => {
            AutogradKind::NotImplemented
        }
        Knowledge::Complete => AutogradKind::NotDifferentiable,
        Knowledge::KeysOnly | Knowledge::Nothing => AutogradKind::Unknown,
    }
}

impl Builder<'_> {
    pub(super) fn generated(&self, id: OperatorId, rows: &mut Vec<Row>) {
        let operator = self.inputs.catalogue.operator(id);
        let lists = &self.inputs.catalogue.release.data().codegen;
        let is_manual = is_manual(lists, &cpp_name(operator.schema()));
        if !is_manual && is_derived(operator, self.inputs.matches, id) {
            self.autograd(id, rows);
            if counts_versions(operator, lists) {
                add(self.at.inplace_or_view, Origin::InplaceOrView, rows);
            }
        }
        if !is_manual {
            add(self.at.tracer, Origin::Tracer, rows);
        }
        if selects_backend(operator, lists) {
            add(self.at.backend_select, Origin::BackendSelect, rows);
        }
    }

    /// `Default` formulas, and kernels of operators without formulas, serve the alias.
    fn autograd(&self, id: OperatorId, rows: &mut Vec<Row>) {
        let Some((formulas, _)) = self.inputs.matches.of(id) else {
            let key = Key::Alias(Alias::Autograd);
            rows.push(Row::new(key, Origin::Autograd, RowSource::Operator));
            return;
        };
        for (index, formulas) in (0..).zip(&formulas.keys) {
            let key = match &*formulas.key {
                DEFAULT_KEY => Some(Key::Alias(Alias::Autograd)),
                name => self.key(name),
            };
            rows.extend(key.map(|key| Row::new(key, Origin::Autograd, RowSource::Formulas(index))));
        }
    }
}

pub(super) fn add(key: Option<Key>, origin: Origin, rows: &mut Vec<Row>) {
    rows.extend(key.map(|key| Row::new(key, origin, RowSource::Operator)));
}

/// Autograd and tracing of these C++ names are handwritten or missing.
fn is_manual(lists: &CodegenLists, cpp_name: &str) -> bool {
    lists.manual_backend.contains(cpp_name) || lists.manual_autograd_and_tracer.contains(cpp_name)
}

fn is_derived(operator: &Operator, matches: &DerivativeMatches, id: OperatorId) -> bool {
    let has_formula = || {
        let formulas = matches.of(id);
        formulas.is_some_and(|(formulas, _)| formulas.is_differentiable())
    };
    operator.is_abstract() || has_formula()
}

/// Views in a fixed list, and operators that write to their result.
fn counts_versions(operator: &Operator, lists: &CodegenLists) -> bool {
    let schema = operator.schema();
    let stem = schema.name.stem();
    let is_view = || {
        lists.view_functions.contains(stem)
            || lists.view_functions_with_metadata_change.contains(stem)
            || lists.returns_views_of_input.contains(stem)
    };
    let writes = matches!(operator.kind, SchemaKind::Inplace | SchemaKind::Out);
    writes && !schema.returns.is_empty() || is_view()
}

fn selects_backend(operator: &Operator, lists: &CodegenLists) -> bool {
    let schema = operator.schema();
    let base = schema.name.base();
    let is_factory = schema.arguments.tensor_options().is_some()
        && !base.ends_with("_like")
        && !base.starts_with("new_");
    is_factory || lists.backend_select_template.contains(schema.name.as_str())
}

/// True if computing a gradient fails for an operator without an entry in `derivatives.yaml`: it takes and
/// returns tensors, and is not in the list of operators that need no formula (`requires_derivative` in
/// `tools/autograd/gen_variable_type.py`).
fn is_not_implemented(operator: &Operator, release: Release) -> bool {
    let lists = &release.data().codegen;
    let schema = operator.schema();
    let mut inputs = schema.arguments.non_out().iter();
    inputs.any(|argument| argument.ty.is_tensor_like())
        && schema.returns.iter().any(|r| r.ty.is_tensor_like())
        && !lists.dont_require_derivative.contains(schema.name.stem())
}
