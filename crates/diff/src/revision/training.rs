//! Whether gradients still work where they worked before.

use std::sync::{Arc, OnceLock};

use crate::rules::ChangeRuleId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::support::{Memory, Places, Tables, serves};
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::Level;
use opatlas_dispatch::Precedence;
use opatlas_dispatch::autograd_key;
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;
use opatlas_verdict::View;
use opatlas_verdict::training::{Through, Works};

/// Whether the formulas of an operator may lead to another answer although its table is the same.
pub(super) fn may_differ(base: View<'_>, head: View<'_>, old: OperatorId, new: OperatorId) -> bool {
    let has_formula = |view: View<'_>, id| {
        let formulas = view.inputs.matches.of(id);
        formulas.is_some_and(|(formulas, _)| formulas.is_differentiable())
    };
    head.inputs.derivatives.is_some() && has_formula(base, old) && !has_formula(head, new)
}

/// Adds the backends on which an operator could be trained and cannot any more, although it still
/// runs there.
pub(super) fn compare<'a>(
    tables: &Tables<'a>,
    memory: &mut Memory<'a>,
    operator: &Arc<str>,
    (old, new): (OperatorId, OperatorId),
    changes: &mut Vec<Change>,
) {
    let (base, head) = tables.views();
    let patterns = (
        base.tables.pattern_index(old),
        head.tables.pattern_index(new),
    );
    let (Some(before), Some(after)) = patterns else {
        return;
    };
    let alike = memory.alike.entry((before, after));
    let alike = alike.or_insert_with(|| Alike::of(tables, (old, new)));
    let mut was_composite = false;
    let mut lost_alike = KeySet::EMPTY;
    for &(slot, there) in &alike.first {
        let was = base.trains(old, slot);
        let Some(was) = was.filter(|was| was.through.works() == Works::Yes) else {
            continue;
        };
        let Some(is) = head.trains(new, there) else {
            continue;
        };
        let lost_it = is.inference_works == Works::Yes
            && match is.through {
                Through::Error | Through::NotDifferentiable => true,
                // Without a derivatives file no formula is assumed, and the composite with
                // differentiable parts was removed.
                Through::Unknown => {
                    was.through == Through::Composite && tables.lost_default(operator)
                }
                _ => false,
            };
        if lost_it {
            was_composite |= was.through == Through::Composite;
            lost_alike.insert(slot);
        }
    }
    if lost_alike.is_empty() {
        return;
    }
    let lost = alike.all.iter();
    let lost = lost.filter(|(_, first)| lost_alike.contains(*first));
    let lost = lost.map(|&(slot, _)| KeyName::Known(base.keys().name(Key::Runtime(slot))));
    let parts_too = was_composite && !memory.siblings.train(base, &tables.of_stem, old);
    let change = Change::new(
        ChangeRuleId::AutogradSupportLost,
        Arc::clone(operator),
        Subject::Keys(lost.collect()),
    );
    let change = change
        .old(Fragment::of_field("differentiable", None))
        .new_side(Fragment::of_field("not differentiable", None));
    let mut change = Places::of(tables, (old, new)).placed(change);
    if parts_too {
        change.level = Level::Dangerous;
        change = change.note(Note::SiblingsDoNotTrain);
    }
    if head.inputs.derivatives.is_none() {
        change = change.note(Note::NoDerivatives);
    } else if let Some(note) = memory.formulas.fate(base, head, (old, new)) {
        change = change.note(note);
    }
    changes.push(change);
}

/// The backends whose keys and autograd keys are served by the same rules on either side, which have the
/// same answer: it is a matter of the patterns of both tables.
#[derive(Debug)]
pub(super) struct Alike {
    /// The first of each, on both sides, where gradients can have been lost.
    first: Vec<(Slot, Slot)>,
    /// All backends, in table order, each with the first one that is like it.
    all: Vec<(Slot, Slot)>,
}

impl Alike {
    fn of(tables: &Tables<'_>, (old, new): (OperatorId, OperatorId)) -> Self {
        let (base, head) = tables.views();
        let rules = |view: View<'_>, id, slot| {
            let pattern = view.tables.pattern(id)?;
            let autograd = pattern.rule(autograd_key(view.keys(), slot)?);
            Some((pattern.rule(slot), autograd))
        };
        let most = tables.dense.len();
        let (mut first, mut all) = (Vec::new(), Vec::with_capacity(most));
        let mut known = Vec::with_capacity(most);
        for &(slot, there) in &tables.dense {
            let (Some(before), Some(after)) = (rules(base, old, slot), rules(head, new, there))
            else {
                continue;
            };
            // An autograd kernel of its own is its own; anything else is shared.
            let is_own = before.1 == Precedence::Direct || after.1 == Precedence::Direct;
            let mut same = known.iter().filter(|_| !is_own);
            match same.find(|(rules, _)| *rules == (before, after)) {
                Some(&(_, like)) => all.push((slot, like)),
                None => {
                    known.push(((before, after), slot));
                    all.push((slot, slot));
                    if may_lose(before, after) {
                        first.push((slot, there));
                    }
                }
            }
        }
        Self { first, all }
    }
}

/// Whether an operator may lose its gradients where these rules serve a backend and its autograd key: it ran and may
/// have trained in the base, and runs in the head ([`View::trains`]).
fn may_lose(before: (Precedence, Precedence), after: (Precedence, Precedence)) -> bool {
    serves(before.0) && serves(before.1) && serves(after.0)
}

/// The operators that the head's `derivatives.yaml` has formulas for, by name.
#[derive(Debug, Default)]
pub(super) struct Formulas<'a> {
    names: Option<FxHashSet<&'a str>>,
}

impl<'a> Formulas<'a> {
    /// What became of the formula that an operator had in the base; `None` where it had none, or
    /// still has one, which yields no gradient.
    fn fate(
        &mut self,
        base: View<'_>,
        head: View<'a>,
        (old, new): (OperatorId, OperatorId),
    ) -> Option<Note> {
        let (formulas, _) = base.inputs.matches.of(old)?;
        if head.inputs.matches.of(new).is_some() {
            return None;
        }
        let written_for = base.inputs.catalogue.operator(formulas.operator);
        let file = head.inputs.derivatives?;
        let names = self.names.get_or_insert_with(|| {
            let entries = file.entries.iter();
            let schemas = entries.map(|entry| file.value(entry.name));
            schemas
                .filter_map(|schema| schema.split('(').next())
                .collect()
        });
        Some(match names.contains(written_for.name_text()) {
            true => Note::FormulaUnmatched,
            false => Note::FormulaRemoved,
        })
    }
}

/// What the operators of each stem that have kernels of their own say on training, as counts, so
/// that operators of one stem are not held against each other.
#[derive(Debug, Default)]
pub(super) struct Siblings<'a> {
    known: FxHashMap<&'a str, Answers>,
}

/// The operators of vendors' files by their stems, found when they are first asked for. The catalogue has those of
/// native functions at hand.
pub(super) type OfStem<'a> = OnceLock<FxHashMap<&'a str, Vec<OperatorId>>>;

/// How many operators run through kernels of their own, and how many of them train or may do so.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    own: usize,
    train: usize,
}

impl Answers {
    fn of(base: View<'_>, id: OperatorId, cpu: Slot) -> Self {
        let operator = base.inputs.catalogue.operator(id);
        let answer = base.trains(id, cpu).filter(|answer| {
            operator.kind != SchemaKind::Out && answer.through != Through::Composite
        });
        let Some(answer) = answer else {
            return Self::default();
        };
        Self {
            own: 1,
            train: usize::from(answer.through.works() != Works::No),
        }
    }
}

impl<'a> Siblings<'a> {
    /// Whether, of the operators of the same stem that have kernels of their own, some can be
    /// trained on. A composite is made of them most of the time, so where none can it could not be
    /// either.
    fn train(&mut self, base: View<'a>, of_stem: &OfStem<'a>, id: OperatorId) -> bool {
        let Some(cpu) = base.keys().slot("CPU") else {
            return true;
        };
        let catalogue = base.inputs.catalogue;
        let stem = catalogue.operator(id).name().stem();
        let of_stem = of_stem.get_or_init(|| {
            let mut of_stem: FxHashMap<&str, Vec<OperatorId>> = FxHashMap::default();
            for (id, operator) in catalogue.iter().skip(catalogue.native().len()) {
                of_stem.entry(operator.name().stem()).or_default().push(id);
            }
            of_stem
        });
        let all = *self.known.entry(stem).or_insert_with(|| {
            let of_vendors = of_stem.get(stem).into_iter().flatten().copied();
            let ids = catalogue.of_stem(stem).chain(of_vendors);
            ids.fold(Answers::default(), |sum, id| {
                let answer = Answers::of(base, id, cpu);
                Answers {
                    own: sum.own + answer.own,
                    train: sum.train + answer.train,
                }
            })
        });
        let itself = Answers::of(base, id, cpu);
        all.own == itself.own || all.train > itself.train
    }
}
