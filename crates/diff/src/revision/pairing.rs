//! Which operator of the base is which of the head (`docs/spec/compatibility.md`, section 4, items
//! 1 to 3).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::ChangeRuleId;
use crate::schema::rename_rule;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::suggest::similarity;

/// The operators of two revisions, paired.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// Equal names, in the base's order: written ones first, then generated ones.
    pub same: Vec<(OperatorId, OperatorId)>,
    /// Those of [`Self::same`] that may differ in themselves: all but written ones of which both
    /// sides share one reading of one text.
    pub unshared: Vec<(OperatorId, OperatorId)>,
    /// What [`counterpart`] finds in the head for each operator of the base, by its index.
    pub in_head: Vec<Option<OperatorId>>,
    /// The operator of the base that [`Self::same`] pairs with each of the head, by its index.
    pub in_base: Vec<Option<OperatorId>>,
    /// Another name for what is likely the same operator.
    pub renamed: Vec<Renamed>,
    /// Only in the base.
    pub removed: Vec<OperatorId>,
    /// Only in the head.
    pub added: Vec<OperatorId>,
}

/// An old operator that is gone and a new one with the same signature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renamed {
    pub base: OperatorId,
    pub head: OperatorId,
    pub rule: ChangeRuleId,
    /// How alike the names are, in percent, where the signature is all that speaks for the pair.
    pub guess: Option<u8>,
}

/// Below this likeness two names with one signature are taken for two operators. The only
/// candidate in all releases, `align_as` and `_test_functorch_fallback`, is none.
const LIKENESS: u8 = 50;

impl Pairing {
    pub(super) fn new(base: &Catalogue, head: &Catalogue) -> Self {
        let mut pairing = Self {
            in_base: vec![None; head.operators.len()],
            ..Self::default()
        };
        pairing.same.reserve(base.operators.len());
        pairing.in_head.reserve(base.operators.len());
        let mut search = Search::new(head);
        for (id, operator) in base.iter() {
            let found = search.counterpart(operator);
            pairing.in_head.push(found.map(|found| found.id));
            match found {
                // Of entries that share a name, which the rules refuse, the first counts.
                Some(found) if pairing.in_base[found.id.index()].is_none() => {
                    pairing.in_base[found.id.index()] = Some(id);
                    pairing.same.push((id, found.id));
                    if !found.is_shared {
                        pairing.unshared.push((id, found.id));
                    }
                }
                Some(_) => {}
                None => pairing.removed.push(id),
            }
        }
        for (id, operator) in head.iter() {
            if pairing.in_base[id.index()].is_none() && counterpart(base, operator).is_none() {
                pairing.added.push(id);
            }
        }
        pairing.rename(base, head);
        pairing
    }

    /// Takes pairs out of what was removed and added: written operators only, since generated ones
    /// follow what they are generated from.
    fn rename(&mut self, base: &Catalogue, head: &Catalogue) {
        let removed = shapes(base, &self.removed);
        let added = shapes(head, &self.added);
        let mut renamed = Vec::new();
        let mut used = FxHashSet::default();
        for step in [Step::Overload, Step::Underscore, Step::OtherName] {
            for (shape, olds) in &removed {
                let Some(news) = added.get(shape) else {
                    continue;
                };
                let free = |ids: &[OperatorId], side: bool| -> Vec<OperatorId> {
                    let free = ids.iter().filter(|id| !used.contains(&(side, **id)));
                    free.copied().collect()
                };
                let (olds, news) = (free(olds, false), free(news, true));
                for &old in &olds {
                    let fits = |new: &&OperatorId| {
                        step.fits(base.operator(old), head.operator(**new))
                            && !used.contains(&(true, **new))
                    };
                    // A guess has to be the only one; the other steps speak for themselves.
                    let is_free = step != Step::OtherName || (olds.len() == 1 && news.len() == 1);
                    let found = news.iter().find(fits).filter(|_| is_free);
                    if let Some(&new) = found
                        && let Some(pair) = pair(base, head, old, new, step)
                    {
                        used.insert((false, old));
                        used.insert((true, new));
                        renamed.push(pair);
                    }
                }
            }
        }
        renamed.sort_by_key(|pair| pair.base);
        self.removed.retain(|id| !used.contains(&(false, *id)));
        self.added.retain(|id| !used.contains(&(true, *id)));
        self.renamed = renamed;
    }
}

/// A counterpart that was found.
#[derive(Debug, Clone, Copy)]
struct Found {
    id: OperatorId,
    /// Whether both sides share one reading of one text.
    is_shared: bool,
}

/// Finds counterparts of operators that come in the order of their own side. Two revisions name
/// most operators in the same order, so the next one is tried before any name is looked up.
struct Search<'a> {
    there: &'a Catalogue,
    next: usize,
    /// With names that several operators share, the next one need not be the first of its name.
    has_shared_names: bool,
}

impl<'a> Search<'a> {
    fn new(there: &'a Catalogue) -> Self {
        Self {
            there,
            next: 0,
            has_shared_names: there.shared_names().next().is_some(),
        }
    }

    /// What [`counterpart`] finds.
    fn counterpart(&mut self, operator: &Operator) -> Option<Found> {
        let next = self.there.operators.get(self.next);
        let next = next.filter(|_| !self.has_shared_names);
        let found = match next {
            Some(next) if is_shared(operator, next) => {
                self.next += 1;
                return Some(Found {
                    id: OperatorId::of_index(self.next - 1),
                    is_shared: true,
                });
            }
            Some(next) if is_namesake(operator, next) => OperatorId::of_index(self.next),
            _ => counterpart(self.there, operator)?,
        };
        self.next = found.index() + 1;
        Some(Found {
            id: found,
            is_shared: is_shared(operator, self.there.operator(found)),
        })
    }
}

fn is_namesake(a: &Operator, b: &Operator) -> bool {
    a.name() == b.name() && a.namespace() == b.namespace()
}

/// Whether two operators are one reading of one text.
pub(super) fn is_shared(a: &Operator, b: &Operator) -> bool {
    match (a.written(), b.written()) {
        (Some(a), Some(b)) => Arc::ptr_eq(&a.entry, &b.entry),
        _ => false,
    }
}

/// The first operator of the same name and namespace.
pub(super) fn counterpart(there: &Catalogue, operator: &Operator) -> Option<OperatorId> {
    let found = there.find(operator.name().as_str())?;
    if there.operator(found).namespace() == operator.namespace() {
        return Some(found);
    }
    there
        .all_named(operator.name().as_str())
        .into_iter()
        .find(|id| there.operator(*id).namespace() == operator.namespace())
}

/// Written operators by what their schema says behind the name, annotations left out: one that
/// became in place says the same otherwise.
fn shapes(catalogue: &Catalogue, ids: &[OperatorId]) -> FxHashMap<String, Vec<OperatorId>> {
    let mut shapes: FxHashMap<String, Vec<OperatorId>> = FxHashMap::default();
    for &id in ids {
        let operator = catalogue.operator(id);
        if !operator.is_generated() {
            shapes.entry(shape(operator)).or_default().push(id);
        }
    }
    shapes
}

fn shape(operator: &Operator) -> String {
    let behind = &operator.canonical()[operator.name().as_str().len()..];
    let mut shape = String::with_capacity(behind.len());
    let mut depth = 0_u32;
    let mut kept = 0;
    let mut before = b' ';
    for (i, byte) in behind.bytes().enumerate() {
        // An annotation is the only parenthesis right behind a letter.
        let is_annotation = byte == b'(' && before.is_ascii_alphanumeric();
        if depth == 0 && is_annotation {
            shape.push_str(&behind[kept..i]);
            depth = 1;
        } else if depth > 0 && byte == b'(' {
            depth += 1;
        } else if depth > 0 && byte == b')' {
            depth -= 1;
            kept = i + 1;
        }
        before = byte;
    }
    if depth == 0 {
        shape.push_str(&behind[kept..]);
    }
    shape
}

/// What may have happened to a name, the likeliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Overload,
    Underscore,
    OtherName,
}

impl Step {
    fn fits(self, old: &Operator, new: &Operator) -> bool {
        let (a, b) = (old.name(), new.name());
        let same_space = old.namespace() == new.namespace();
        let overload = a.overload() == b.overload();
        let is = |longer: &str, shorter: &str| {
            longer.strip_prefix('_') == Some(shorter) || longer.strip_suffix('_') == Some(shorter)
        };
        let same_text = old.canonical()[a.as_str().len()..] == new.canonical()[b.as_str().len()..];
        match self {
            Self::Overload => same_space && a.base() == b.base() && same_text,
            Self::Underscore => {
                let turned = is(a.base(), b.base()) || is(b.base(), a.base());
                same_space && overload && turned
            }
            Self::OtherName => same_space && same_text,
        }
    }
}

fn pair(
    base: &Catalogue,
    head: &Catalogue,
    old: OperatorId,
    new: OperatorId,
    step: Step,
) -> Option<Renamed> {
    let parts = |operator: &Operator| {
        let name = operator.name().clone();
        (operator.namespace().to_owned(), name)
    };
    let (a, b) = (parts(base.operator(old)), parts(head.operator(new)));
    let rule = rename_rule(
        (&a.0, a.1.base(), a.1.overload()),
        (&b.0, b.1.base(), b.1.overload()),
    )?;
    let guess = (step == Step::OtherName).then(|| similarity(a.1.base(), b.1.base()));
    if guess.is_some_and(|likeness| likeness < LIKENESS) {
        return None;
    }
    Some(Renamed {
        base: old,
        head: new,
        rule,
        guess,
    })
}
