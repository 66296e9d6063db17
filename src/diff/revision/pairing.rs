//! Which operator of the base is which of the head (BC.md section 4, items 1 to 3).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::RuleId;
use crate::diff::schema::rename_rule;
use crate::model::catalogue::Catalogue;
use crate::model::operator::{Operator, OperatorId};
use crate::suggest::similarity;

/// The operators of two revisions, paired.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// Equal names, in the base's order: written ones first, then generated ones.
    pub same: Vec<(OperatorId, OperatorId)>,
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
    pub rule: RuleId,
    /// How alike the names are, in percent, where the signature is all that speaks for the pair.
    pub guess: Option<u8>,
}

/// Below this likeness two names with one signature are taken for two operators. The only
/// candidate in all releases, `align_as` and `_test_functorch_fallback`, is none.
const LIKENESS: u8 = 50;

impl Pairing {
    pub(super) fn new(base: &Catalogue, head: &Catalogue) -> Self {
        let mut pairing = Self::default();
        let mut taken = vec![false; head.operators.len()];
        for (id, operator) in base.iter() {
            match counterpart(head, operator) {
                // Of entries that share a name, which the rules refuse, the first counts.
                Some(there) if !taken[there.index()] => {
                    taken[there.index()] = true;
                    pairing.same.push((id, there));
                }
                Some(_) => {}
                None => pairing.removed.push(id),
            }
        }
        for (id, operator) in head.iter() {
            if !taken[id.index()] && counterpart(base, operator).is_none() {
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
    for (i, c) in behind.char_indices() {
        // An annotation is the only parenthesis right behind a letter.
        let is_annotation = c == '(' && behind[..i].ends_with(char::is_alphanumeric);
        if is_annotation || (depth > 0 && c == '(') {
            depth += 1;
        } else if depth > 0 && c == ')' {
            depth -= 1;
        } else if depth == 0 {
            shape.push(c);
        }
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
