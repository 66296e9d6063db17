//! Rules of `derivatives.yaml` (`docs/spec/files.md`, section 5).
//!
//! What the reader of formulas refuses is an error. What only the writers of autograd code refuse
//! ([`outputs`], [`variants`]) is a warning: the file can be read, but not built with.

pub(super) mod entries;
pub(super) mod gradients;
pub(super) mod outputs;
pub(super) mod tangents;
pub(super) mod variants;

use super::scope::Scope;
use crate::sink::Sink;
use crate::{Example, Family, Rule, Stage};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::{Target, is_formula_key};
use opatlas_operators::derivatives::expand::{Expansion, Subject, expand};
use opatlas_operators::derivatives::{DerivativeEntry, Derivatives, FormulaSet};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::{Diagnostic, Related, Severity};
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS};

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        id,
        family: Family::Derivatives,
        severity,
        stage: Stage::Codegen,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: example(""),
        good: example(""),
        source: "torchgen/packaged/autograd/load_derivatives.py",
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error)
}

const fn warning(id: RuleId) -> Rule {
    rule(id, Severity::Warning)
}

const fn example(text: &'static str) -> Example {
    Example::of(DERIVATIVES, text)
}

/// One entry with the operators that it means.
#[derive(Clone, Copy)]
struct Subjects<'a> {
    catalogue: &'a Catalogue,
    file: &'a Derivatives,
    entry: &'a DerivativeEntry,
    target: Target,
    subject: Subject<'a>,
}

impl<'a> Subjects<'a> {
    fn of(catalogue: &'a Catalogue, file: &'a Derivatives, index: usize, target: Target) -> Self {
        let entry = &file.entries[index];
        let name = file.value(entry.name);
        let canonical = catalogue.operator(target.canonical);
        Self {
            catalogue,
            file,
            entry,
            target,
            subject: Subject {
                name: name.split(['.', '(']).next().unwrap_or(name),
                schema: canonical.schema(),
                variants: canonical.variants(),
                release: catalogue.release,
            },
        }
    }

    fn expand(&self, set: &'a FormulaSet) -> Expansion<'a> {
        expand(self.file, set, self.subject)
    }

    /// Reports a complaint about the entry, with the operator's own entry as a place to look at.
    fn report(&self, sink: &mut Sink, diagnostic: Diagnostic) {
        about(self.catalogue, self.target.named, sink, diagnostic);
    }
}

pub(super) fn about(
    catalogue: &Catalogue,
    operator: OperatorId,
    sink: &mut Sink,
    diagnostic: Diagnostic,
) {
    let name = catalogue.operator(operator).qualified_name();
    sink.about(DERIVATIVES, name, diagnostic);
    if let Some(related) = declaration(catalogue, operator) {
        sink.relate(related);
    }
}

/// Where an operator is declared; of a generated one, what it is generated from.
pub(super) fn declaration(catalogue: &Catalogue, id: OperatorId) -> Option<Related> {
    let operator = catalogue.operator(id);
    let (message, placed) = match operator.generated_from() {
        None => ("the operator is declared here", operator.declared()?),
        Some(from) => (
            "the operator is generated from this one",
            catalogue.entry(from)?,
        ),
    };
    Some(Related {
        message: message.into(),
        file: Some(NATIVE_FUNCTIONS.into()),
        span: placed.place(placed.entry.func_at),
    })
}

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    let Some(file) = &catalogue.derivatives else {
        return;
    };
    sink.complaints(DERIVATIVES, &file.diagnostics);
    let targets = &catalogue.derivative_matches.targets;
    let served = variants::served(catalogue, file);
    let mut sound = Vec::new();
    for (index, target) in sink.while_wanted(targets.iter().enumerate()) {
        match *target {
            Err(fault) => entries::unmatched(catalogue, file, &file.entries[index], fault, sink),
            Ok(target) => {
                let subjects = Subjects::of(catalogue, file, index, target);
                if let Some(expansions) = check_entry(&subjects, sink)
                    && !served[index].is_empty()
                {
                    sound.push(variants::Check::new(subjects, expansions, &served[index]));
                }
            }
        }
    }
    entries::repeated(catalogue, file, sink);
    for entry in sound {
        entry.all(sink);
    }
}

/// Checks an entry; its formulas if nothing is wrong with it.
fn check_entry<'a>(subjects: &Subjects<'a>, sink: &mut Sink) -> Option<Vec<Expansion<'a>>> {
    let before = sink.count();
    entries::check(subjects, sink);
    let sets = sink.while_wanted(&subjects.entry.sets);
    let expansions = sets.map(|set| check_set(subjects, set, sink)).collect();
    (sink.count() == before).then_some(expansions)
}

fn check_set<'a>(subjects: &Subjects<'a>, set: &'a FormulaSet, sink: &mut Sink) -> Expansion<'a> {
    let before = sink.count();
    if !is_formula_key(subjects.file.key(set), subjects.catalogue.release) {
        entries::unknown_key(subjects, set, sink);
    }
    let expansion = subjects.expand(set);
    entries::clashes(subjects, set, &expansion, sink);
    gradients::check(subjects, &expansion, sink);
    tangents::check(subjects, &expansion, sink);
    if sink.count() == before {
        outputs::check(subjects, &expansion, sink);
    }
    expansion
}
