//! Gradient formulas: their text, and how they use the incoming gradients.

use std::ops::Range;

use opatlas_operators::derivatives::expand::{Backward, Expansion};
use opatlas_operators::derivatives::saved::{first_use, strides_places};
use opatlas_operators::derivatives::text::{
    bare_calls, gradient_indices, identifiers, numbered_sizes, uses,
};
use opatlas_operators::derivatives::{Formula, Scalar};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, message};
use rustc_hash::{FxHashMap, FxHashSet};

use super::subjects::Subjects;
use super::symbolic;
use crate::sink::Sink;

pub(super) fn check(subjects: &Subjects<'_>, expansion: &Expansion<'_>, sink: &mut Sink) {
    let wanted = sink.while_wanted(&expansion.backward);
    let mut check = Check {
        subjects,
        expansion,
        sink,
    };
    for formula in &expansion.unreadable {
        check.formula_type(formula);
    }
    check.overlaps();
    for backward in wanted {
        check.refused_calls(backward);
        check.strides(backward);
        check.bounds(backward);
    }
    check.gradients();
}

pub(super) fn formula_type(subjects: &Subjects<'_>, formula: &Formula) -> Diagnostic {
    let names = subjects.file.value(formula.names);
    let at = if formula.value_at.is_empty() {
        subjects.file.span(formula.names)
    } else {
        formula.value_at
    };
    Diagnostic::new(
        RuleId::DerivFormulaType,
        at,
        message!("the formula for `{}` must be a string", names),
    )
    .with_help("write the formula in C++, in quotes if YAML parses it as another type")
}

struct Check<'c, 'a> {
    subjects: &'c Subjects<'a>,
    expansion: &'c Expansion<'a>,
    sink: &'c mut Sink,
}

impl<'c, 'a> Check<'c, 'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.subjects.report(self.sink, diagnostic);
    }

    /// The position of a range of bytes in a formula's text.
    fn place(&self, backward: &Backward<'_>, range: Range<usize>) -> Span {
        let scalar: Option<Scalar> = backward.source.formula;
        scalar.map_or(backward.source.value_at, |scalar| {
            self.subjects.file.place(scalar, range)
        })
    }

    /// The position of a name in the text of a formula; the whole formula if only the generated
    /// text contains the name.
    fn place_of(&self, backward: &Backward<'_>, name: &str) -> Span {
        let range = first_use(backward.text, name).unwrap_or(0..backward.text.len());
        self.place(backward, range)
    }

    fn formula_type(&mut self, formula: &Formula) {
        let diagnostic = formula_type(self.subjects, formula);
        self.report(diagnostic);
    }

    fn overlaps(&mut self) {
        const RULE: RuleId = RuleId::DerivOverlapNondiff;
        let file = self.subjects.file;
        if self.expansion.non_differentiable.is_empty() {
            return;
        }
        let mut first: FxHashMap<&str, &Backward<'_>> = FxHashMap::default();
        for backward in &self.expansion.backward {
            for name in &backward.names {
                first.entry(name).or_insert(backward);
            }
        }
        for (name, formula) in &self.expansion.non_differentiable {
            let Some(other) = first.get(name) else {
                continue;
            };
            if self.sink.is_full(RULE) {
                let at = file.span(formula.names);
                self.report(Diagnostic::new(RULE, at, Message::code(name)));
                continue;
            }
            let place = |formula: &Formula| {
                let mut names = file.names(formula);
                let range = names
                    .find(|(_, n)| n == name)
                    .map_or(0..0, |(range, _)| range);
                file.place(formula.names, range)
            };
            let diagnostic = Diagnostic::new(
                RULE,
                place(formula),
                message!(
                    "`{}` is listed under `non_differentiable`, but has a gradient",
                    name
                ),
            )
            .with_help("remove one of the two")
            .with_related("the gradient is here", place(other.source));
            self.report(diagnostic);
        }
    }

    fn refused_calls(&mut self, backward: &Backward<'_>) {
        let calls = [
            (
                RuleId::DerivSizesBanned,
                "sizes",
                bare_calls(backward.text, "sizes()"),
            ),
            (
                RuleId::DerivSizeBanned,
                "size",
                numbered_sizes(backward.text),
            ),
            (
                RuleId::DerivStridesBanned,
                "strides",
                bare_calls(backward.text, "strides()"),
            ),
        ];
        for (rule, method, places) in calls {
            for range in places {
                let at = self.place(backward, range.clone());
                let message = message!(
                    "formulas cannot use `{}`, because sizes may be symbolic",
                    &backward.text[range.clone()]
                );
                let diagnostic = Diagnostic::new(rule, at, message);
                let symbolic = symbolic::Call {
                    text: backward.text,
                    range,
                    method,
                };
                let diagnostic = match self.sink.is_full(rule) {
                    true => diagnostic,
                    false => self.with_symbolic(backward, &symbolic, diagnostic),
                };
                self.report(diagnostic);
            }
        }
    }

    fn with_symbolic(
        &self,
        backward: &Backward<'_>,
        call: &symbolic::Call<'_>,
        diagnostic: Diagnostic,
    ) -> Diagnostic {
        let catalogue = self.subjects.catalogue;
        let diagnostic = diagnostic.with_help(call.help(catalogue));
        let Some((range, text)) = call.edit(catalogue) else {
            return diagnostic;
        };
        let at = self.place(backward, range.clone());
        if at.slice(&self.subjects.file.text) == &backward.text[range] {
            diagnostic.with_fix(at, text)
        } else {
            diagnostic
        }
    }

    fn strides(&mut self, backward: &Backward<'_>) {
        let saved = [&backward.of_arguments, &backward.of_results];
        let mut seen = FxHashSet::default();
        for name in saved.iter().flat_map(|saved| &saved.strides_of) {
            if backward.names == [&**name] || !seen.insert(name) {
                continue;
            }
            let places = strides_places(backward.text, name);
            let range = places.first().cloned().unwrap_or(0..backward.text.len());
            let diagnostic = Diagnostic::new(
                RuleId::DerivStridesSingle,
                self.place(backward, range),
                message!(
                    "only the formula for `{}` alone can use `{}.sym_strides()`",
                    name,
                    name
                ),
            )
            .with_help(message!(
                "write a separate formula for `{}`, or do not use its strides",
                name
            ));
            self.report(diagnostic);
        }
    }

    fn bounds(&mut self, backward: &Backward<'_>) {
        let count = self.subjects.subject.schema.returns.len();
        let Some((_, index)) = gradient_indices(backward.formula())
            .into_iter()
            .find(|(_, index)| *index >= count)
        else {
            return;
        };
        let written = gradient_indices(backward.text);
        let range = written
            .into_iter()
            .find(|(_, written)| *written == index)
            .map_or(0..backward.text.len(), |(range, _)| range);
        let outputs = match count {
            0 => "no output".to_owned(),
            1 => "one output".to_owned(),
            count => format!("{count} outputs"),
        };
        let help = match count {
            1 => "use `grad`: the operator has a single output",
            _ => "indices start at 0",
        };
        let diagnostic = Diagnostic::new(
            RuleId::DerivGradsOob,
            self.place(backward, range),
            message!(
                "`grads[{}]` is out of bounds: the operator has {}",
                index,
                outputs
            ),
        )
        .with_help(help);
        self.report(diagnostic);
    }

    /// Checks how the gradients of a set name the incoming gradients.
    fn gradients(&mut self) {
        let expansion = self.expansion;
        let all = || expansion.backward.iter();
        let single = all().find(|b| uses(b.formula(), "grad"));
        let list = all().find(|b| uses(b.formula(), "grads"));
        let named = self.named();
        if let (Some(single), Some(list)) = (single, list) {
            let at = self.place_of(single, "grad");
            let related = self.place_of(list, "grads");
            let mut diagnostic = Diagnostic::new(
                RuleId::DerivGradAndGrads,
                at,
                "the gradients of this operator use both `grad` and `grads`",
            )
            .with_help("write `grads[0]` instead of `grad`")
            .with_related("`grads` is used here", related);
            if at.slice(&self.subjects.file.text) == "grad" {
                diagnostic = diagnostic.with_fix(at, "grads[0]");
            }
            self.report(diagnostic);
        }
        self.only_first();
        if let (Some((by_name, name)), Some(other)) = (named, single.or(list)) {
            let word = if single.is_some() { "grad" } else { "grads" };
            let diagnostic = Diagnostic::new(
                RuleId::DerivNamedGradMix,
                self.place_of(other, word),
                message!(
                    "the gradients of this operator use both `{}` and `{}`",
                    name,
                    word
                ),
            )
            .with_help("refer to all gradients by name, or to all by `grads[i]`")
            .with_related(
                "a gradient is used by name here",
                self.place_of(by_name, &name),
            );
            self.report(diagnostic);
        }
    }

    /// The first formula that uses a gradient by the name of its output, and that name.
    fn named(&self) -> Option<(&'c Backward<'a>, String)> {
        let outputs = self.subjects.entry.output_differentiability.as_ref();
        let returns = self.subjects.subject.schema.returns.iter();
        let names: Vec<String> = returns
            .enumerate()
            .filter(|(index, _)| outputs.is_none_or(|outputs| outputs.allows(*index)))
            .filter(|(_, ret)| ret.ty.is_tensor_like())
            .filter_map(|(_, ret)| Some(format!("grad_{}", ret.name.as_deref()?)))
            .collect();
        let expansion = self.expansion;
        expansion.backward.iter().find_map(|backward| {
            let name = names.iter().find(|name| uses(backward.formula(), name))?;
            Some((backward, name.clone()))
        })
    }

    fn only_first(&mut self) {
        let mut uses_of_grads = 0;
        let mut indices = Vec::new();
        for backward in &self.expansion.backward {
            uses_of_grads += identifiers(backward.formula(), "grads").count();
            let found = gradient_indices(backward.formula());
            indices.extend(found.into_iter().map(|(_, index)| (index, backward)));
        }
        let [(0, first), ..] = indices[..] else {
            return;
        };
        if uses_of_grads != indices.len() || indices.iter().any(|(index, _)| *index != 0) {
            return;
        }
        let written = gradient_indices(first.text);
        let at = match written.first() {
            Some((range, _)) => self.place(first, range.clone()),
            None => first.source.value_at,
        };
        let mut diagnostic = Diagnostic::new(
            RuleId::DerivGrads0Only,
            at,
            "the gradients of this operator use only `grads[0]`",
        )
        .with_help(
            "write `grad` if only the first output is differentiable; otherwise use the gradients \
             of the other outputs too",
        );
        if indices.len() == 1 && at.slice(&self.subjects.file.text) == "grads[0]" {
            diagnostic = diagnostic.with_fix(at, "grad");
        }
        self.report(diagnostic);
    }
}
