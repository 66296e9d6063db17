//! C++ calls that a new overload takes or makes ambiguous.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use super::side::entry_place;
use crate::change::{Change, Fragment, Note, Subject};
use crate::cpp::{Argument, Declared, Outcome, resolve};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Call;
use opatlas_source::{Stop, Stopped};

/// The maximum number of overloads of a name that are compared. No release reaches it.
const OVERLOADS: usize = 128;

pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let added = pairing.added.iter();
    let names: FxHashSet<&str> = added.map(|id| head.operator(*id).base_name()).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    for name in names {
        for call in [Call::Function, Call::Method] {
            stop.check()?;
            let old = Overloads::new(base, name, call);
            let new = Overloads::new(head, name, call);
            if !old.all.is_empty() && old.all.len().max(new.all.len()) <= OVERLOADS {
                of_name((base, &old), (head, &new), pairing, changes);
            }
        }
    }
    Ok(())
}

type Overload = (OperatorId, Declared);

/// The functions or methods of operators with one base name.
struct Overloads {
    all: Vec<Overload>,
    call: Call,
}

impl Overloads {
    fn new(catalogue: &Catalogue, name: &str, call: Call) -> Self {
        let maker = FaceMaker::new(catalogue);
        let mut all = Vec::new();
        for &id in catalogue.overloads(name) {
            let operator = catalogue.operator(id);
            let variants = operator.variants();
            let is_declared = match call {
                Call::Function => variants.function,
                Call::Method => variants.method,
            };
            if !is_declared || operator.vendor().is_some() {
                continue;
            }
            let texts = maker.cpp(operator, call).into_iter().flatten();
            let declared = texts.filter_map(|text| Declared::parse(&text));
            all.extend(declared.map(|declared| (id, declared)));
        }
        Self { all, call }
    }

    fn named(&self, name: &str) -> Vec<&Overload> {
        self.all.iter().filter(|(_, it)| it.name == name).collect()
    }
}

fn of_name(
    (base, old): (&Catalogue, &Overloads),
    (head, new): (&Catalogue, &Overloads),
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    let mut found: FxHashSet<(OperatorId, ChangeRuleId)> = FxHashSet::default();
    for (id, declared) in &old.all {
        let before = old.named(&declared.name);
        let after = new.named(&declared.name);
        for call in calls(declared) {
            let Some((rule, taker)) = effect(*id, (&before, &after), &call, pairing) else {
                continue;
            };
            if found.insert((*id, rule)) {
                let shown = shown(old.call, &declared.name, &call);
                changes.push(change(rule, (base, *id), (head, taker), shown));
            }
        }
    }
}

/// Returns the rule that applies to a call of an operator, and the new overload.
fn effect(
    id: OperatorId,
    (before, after): (&[&Overload], &[&Overload]),
    call: &[Argument],
    pairing: &Pairing<'_>,
) -> Option<(ChangeRuleId, OperatorId)> {
    let resolved = |overloads: &[&Overload]| {
        let declared: Vec<&Declared> = overloads.iter().map(|(_, declared)| declared).collect();
        resolve(&declared, call)
    };
    let Outcome::Takes(index) = resolved(before) else {
        return None;
    };
    if before.get(index)?.0 != id {
        return None;
    }
    let is_new = |id: &OperatorId| pairing.added.contains(id);
    match resolved(after) {
        Outcome::Takes(index) => {
            let taker = after.get(index)?.0;
            is_new(&taker).then_some((ChangeRuleId::CppCallRebound, taker))
        }
        Outcome::Ambiguous => {
            let kept: Vec<_> = after
                .iter()
                .copied()
                .filter(|(id, _)| !is_new(id))
                .collect();
            let Outcome::Takes(_) = resolved(&kept) else {
                return None;
            };
            // Removing only this overload resolves the ambiguity.
            let taker = after.iter().find(|(new, _)| {
                let others = after.iter().copied().filter(|(id, _)| id != new);
                is_new(new) && matches!(resolved(&others.collect::<Vec<_>>()), Outcome::Takes(_))
            });
            Some((ChangeRuleId::CppCallAmbiguous, taker?.0))
        }
        Outcome::Refused | Outcome::Unknown => None,
    }
}

/// Generates calls of a function: calls of every length with the usual argument for each parameter,
/// and variants with one argument replaced.
fn calls(declared: &Declared) -> Vec<Vec<Argument>> {
    let usual: Vec<Vec<Argument>> = declared
        .parameters
        .iter()
        .map(|parameter| parameter.ty.usual_arguments())
        .collect();
    let first = usual.iter().filter_map(|kinds| kinds.first().cloned());
    let first: Vec<Argument> = first.collect();
    let mut calls = Vec::new();
    for length in declared.required()..=first.len() {
        let plain = &first[..length];
        calls.push(plain.to_vec());
        for (at, kinds) in usual.iter().take(length).enumerate() {
            for kind in kinds.iter().skip(1) {
                let mut call = plain.to_vec();
                call[at] = kind.clone();
                calls.push(call);
            }
        }
    }
    calls
}

/// Formats a call: `at::tilt(x, 2)` or `x.tilt(2)`.
fn shown(call: Call, name: &str, arguments: &[Argument]) -> Arc<str> {
    let arguments: Vec<&str> = arguments.iter().map(Argument::code).collect();
    let prefix = match call {
        Call::Function => "at::",
        Call::Method => "x.",
    };
    format!("{prefix}{name}({})", arguments.join(", ")).into()
}

fn change(
    rule: ChangeRuleId,
    (base, id): (&Catalogue, OperatorId),
    (head, taker): (&Catalogue, OperatorId),
    call: Arc<str>,
) -> Change {
    let operator = base.operator(id);
    let new = head.operator(taker);
    let fragment = |catalogue: &Catalogue, id: OperatorId| {
        let operator = catalogue.operator(id);
        let source = operator.generated_from().unwrap_or(id);
        Fragment::of_field(operator.canonical(), entry_place(catalogue, source))
    };
    let subject = Subject::Names(vec![new.shared_name()]);
    Change::new(rule, operator.shared_name(), subject)
        .old(fragment(base, id))
        .new_side(fragment(head, taker))
        .note(Note::Sibling(new.shared_name()))
        .note(Note::CppCall(call))
}
