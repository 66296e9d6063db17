//! Rules of `derivatives.yaml` (`docs/spec/files.md`, section 5).
//!
//! [`outputs`] and [`variants`] report what torchgen reads, but generates no autograd code from.

mod entries;
mod gradients;
mod names;
mod outputs;
mod subjects;
mod symbolic;
mod tangents;
mod variants;
mod wrapped;

use opatlas_operators::derivative_match::is_formula_key;
use opatlas_operators::derivatives::FormulaSet;
use opatlas_operators::derivatives::expand::Expansion;
use opatlas_source::DERIVATIVES;

use crate::scope::Scope;
use crate::sink::Sink;
use subjects::Subjects;

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
                let subjects = Subjects::new(catalogue, file, index, target);
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

/// Checks an entry; returns its expansions if nothing is wrong.
fn check_entry<'a>(subjects: &Subjects<'a>, sink: &mut Sink) -> Option<Vec<Expansion<'a>>> {
    let before = sink.count();
    entries::check(subjects, sink);
    names::condition(subjects, sink);
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
    names::check(subjects, &expansion, sink);
    wrapped::check(subjects, &expansion, sink);
    if sink.count() == before {
        outputs::check(subjects, &expansion, sink);
    }
    expansion
}
