//! Formulas that the parser accepts but autograd code generation rejects, because of variants and
//! generated operators that share them.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::{Basis, Origin};
use opatlas_operators::derivatives::expand::{Backward, Expansion};
use opatlas_operators::derivatives::saved::first_use;
use opatlas_operators::derivatives::text::uses;
use opatlas_operators::derivatives::{Derivatives, Outputs};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{DERIVATIVES, message};

use super::subjects::Subjects;
use crate::scope::places::declaration;
use crate::sink::Sink;

/// The operators that an entry serves.
type Served = Vec<(OperatorId, Basis)>;

/// The operators that each entry serves; none if a later entry replaces it.
pub(super) fn served(catalogue: &Catalogue, file: &Derivatives) -> Vec<Served> {
    let matches = &catalogue.derivative_matches;
    let mut served: Vec<Served> = vec![Vec::new(); file.entries.len()];
    for (id, _) in catalogue.native() {
        if let Some((found, basis)) = matches.of(id)
            && let Origin::Entry(index) = found.origin
        {
            served[index as usize].push((id, basis));
        }
    }
    served
}

pub(super) struct Check<'c, 'a> {
    subjects: Subjects<'a>,
    /// Formulas that serve a variant; few entries have any.
    expansions: Vec<Expansion<'a>>,
    served: &'c Served,
}

impl<'c, 'a> Check<'c, 'a> {
    pub(super) fn new(
        subjects: Subjects<'a>,
        expansions: Vec<Expansion<'a>>,
        served: &'c Served,
    ) -> Self {
        let is_shared = |(id, basis): &(OperatorId, Basis)| {
            *basis == Basis::Generated
                || subjects.catalogue.operator(*id).kind == SchemaKind::Inplace
        };
        let expansions = if served.iter().any(is_shared) {
            expansions
        } else {
            Vec::new()
        };
        Self {
            subjects,
            expansions,
            served,
        }
    }

    fn operator(&self, id: OperatorId) -> &Operator {
        self.subjects.catalogue.operator(id)
    }

    pub(super) fn all(&self, sink: &mut Sink) {
        self.dispatch(sink);
        self.output_differentiability(sink);
        for expansion in &self.expansions {
            let faults = [
                self.inplace_forward(expansion),
                self.inplace_strides(expansion),
                self.generated(expansion),
            ];
            for fault in faults.into_iter().flatten() {
                self.subjects.report(sink, fault);
            }
        }
    }

    fn name(&self, id: OperatorId) -> String {
        self.operator(id).qualified_name().to_owned()
    }

    fn first(&self, test: impl Fn(&Operator, Basis) -> bool) -> Option<OperatorId> {
        let mut served = self.served.iter();
        let (id, _) = served.find(|(id, basis)| test(self.operator(*id), *basis))?;
        Some(*id)
    }

    fn dispatch(&self, sink: &mut Sink) {
        let matches = &self.subjects.catalogue.derivative_matches;
        for (id, _) in self.served {
            let differentiable = matches.of(*id).is_some_and(|(f, _)| f.is_differentiable());
            if !differentiable || self.operator(*id).is_abstract() {
                continue;
            }
            let name = self.name(*id);
            let at = self.subjects.file.span(self.subjects.entry.name);
            let message = message!("`{}` has a gradient, but only a composite kernel", name);
            let fault = Diagnostic::new(RuleId::DerivNeedsDispatch, at, message).with_help(
                "add a `dispatch:` with backend kernels or CompositeExplicitAutograd, or remove \
                 the formulas",
            );
            sink.about(DERIVATIVES, &name, fault);
            if let Some(related) = declaration(self.subjects.catalogue, *id) {
                sink.relate(related);
            }
        }
    }

    fn output_differentiability(&self, sink: &mut Sink) {
        let Some(outputs) = &self.subjects.entry.output_differentiability else {
            return;
        };
        let not_all = matches!(&outputs.outputs, Outputs::Flags(flags) if flags.contains(&false));
        let inplace = self.first(|operator, _| operator.kind == SchemaKind::Inplace);
        if let Some(first) = inplace.filter(|_| not_all) {
            let fault = Diagnostic::new(
                RuleId::DerivOutputInplace,
                outputs.at,
                message!(
                    "the formulas also serve the in-place `{}`, whose output must be \
                     differentiable",
                    self.name(first)
                ),
            )
            .with_help("list the arguments under `non_differentiable` instead");
            self.subjects.report(sink, fault);
        }
    }

    fn inplace_forward(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        const RULE: RuleId = RuleId::DerivInplaceForward;
        let first = expansion.forward.first()?;
        let inplace = self.first(|operator, _| operator.kind == SchemaKind::Inplace)?;
        let file = self.subjects.file;
        if expansion.forward.len() > 1 {
            let name = self.name(inplace);
            let message = message!(
                "the formulas also serve the in-place `{}`, which can have only one tangent \
                 formula",
                name
            );
            let at = file.span(first.source.names);
            return Some(
                Diagnostic::new(RULE, at, message)
                    .with_help("keep the formula for the output that is mutated in place"),
            );
        }
        self.first(|operator, basis| operator.kind == SchemaKind::Inplace && basis == Basis::Own)?;
        if !uses(&first.formula, "self_p") {
            return None;
        }
        let range = first.text.and_then(|text| first_use(text, "self_p"));
        let at = match (first.source.formula, range) {
            (Some(scalar), Some(range)) => file.place(scalar, range),
            _ => first.source.value_at,
        };
        Some(
            Diagnostic::new(
                RULE,
                at,
                "the value of `self` is already overwritten when the tangent is computed",
            )
            .with_help("use `result`, or `original_self_p` for a copy of the original value"),
        )
    }

    fn inplace_strides(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        let inplace = self.first(|operator, _| operator.kind == SchemaKind::Inplace)?;
        let fault = expansion.backward.iter().find(|backward| {
            backward.names.contains(&"self") && !backward.of_arguments.strides_of.is_empty()
        })?;
        let at = self.subjects.file.span(fault.source.formula?);
        let name = self.name(inplace);
        Some(
            Diagnostic::new(
                RuleId::DerivInplaceStrides,
                at,
                message!(
                    "the formula also serves the in-place `{}`, which cannot use strides",
                    name
                ),
            )
            .with_help("write a separate entry for the in-place operator, or do not use strides"),
        )
    }

    fn generated(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        let generated = self.first(|_, basis| basis == Basis::Generated)?;
        let keeps = |b: &&Backward<'_>| b.of_arguments.keeps_part("self");
        let backward = expansion.backward.iter().find(keeps)?;
        let at = self.subjects.file.span(backward.source.formula?);
        let name = self.name(generated);
        Some(
            Diagnostic::new(
                RuleId::DerivGeneratedSelf,
                at,
                message!(
                    "the formula uses `self`, but also serves the generated `{}`",
                    name
                ),
            )
            .with_help("do not use `self`, or declare the functional operator with its own entry"),
        )
    }
}
