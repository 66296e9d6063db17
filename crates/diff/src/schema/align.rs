//! Pairs the arguments of the old schema with those of the new one: by name, then by position and type.
//! The rest was removed or added. Plain and out arguments are paired separately.

use rustc_hash::FxHashMap;

use crate::official::{Argument, RuntimeSchema};

/// Indices into the arguments of the old and the new schema.
pub(super) type Pair = (usize, usize);

/// The alignment of two argument lists. Indices are those of all arguments.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// Plain arguments of both sides, in the old side's order.
    pub plain: Vec<Pair>,
    pub out: Vec<Pair>,
    pub became_out: Vec<Pair>,
    pub became_plain: Vec<Pair>,
    pub removed: Vec<usize>,
    pub added: Vec<usize>,
}

impl Alignment {
    pub(super) fn new(old: &RuntimeSchema<'_>, new: &RuntimeSchema<'_>) -> Self {
        let (old, new) = (&old.arguments[..], &new.arguments[..]);
        let mut to_new: Vec<Option<usize>> = vec![None; old.len()];
        let mut to_old: Vec<Option<usize>> = vec![None; new.len()];
        // Arguments of one kind first, so that an input does not take the place of an out argument with
        // the same name.
        let mut unpaired = Unpaired::new(new);
        for same_kind in [true, false] {
            for (i, argument) in old.iter().enumerate().filter(|(_, a)| !a.name.is_empty()) {
                let wanted = (argument.name, argument.is_out() == same_kind);
                if to_new[i].is_none()
                    && let Some(j) = unpaired.take(wanted)
                {
                    to_new[i] = Some(j);
                    to_old[j] = Some(i);
                }
            }
        }
        for is_out in [false, true] {
            rename(old, new, is_out, &mut to_new, &mut to_old);
        }
        let mut alignment = Self::default();
        for (i, j) in to_new.iter().enumerate() {
            let Some(j) = *j else {
                alignment.removed.push(i);
                continue;
            };
            match (old[i].is_out(), new[j].is_out()) {
                (false, false) => alignment.plain.push((i, j)),
                (true, true) => alignment.out.push((i, j)),
                (false, true) => alignment.became_out.push((i, j)),
                (true, false) => alignment.became_plain.push((i, j)),
            }
        }
        alignment.added = (0..new.len()).filter(|&j| to_old[j].is_none()).collect();
        alignment
    }
}

struct Unpaired<'a> {
    /// The first argument of each name and kind (whether it is an out argument).
    first: FxHashMap<(&'a str, bool), usize>,
    /// The next argument of the same name and kind, by index.
    next: Vec<Option<usize>>,
}

impl<'a> Unpaired<'a> {
    fn new(arguments: &[Argument<'a>]) -> Self {
        let mut first = FxHashMap::default();
        let mut next = vec![None; arguments.len()];
        for (i, argument) in arguments.iter().enumerate().rev() {
            next[i] = first.insert((argument.name, argument.is_out()), i);
        }
        Self { first, next }
    }

    fn take(&mut self, wanted: (&'a str, bool)) -> Option<usize> {
        let found = self.first.remove(&wanted)?;
        if let Some(next) = self.next[found] {
            self.first.insert(wanted, next);
        }
        Some(found)
    }
}

/// The position of an unpaired argument: the pair before it, and the number of unpaired arguments in
/// between.
type Place = (Option<usize>, usize);

fn rename(
    old: &[Argument<'_>],
    new: &[Argument<'_>],
    is_out: bool,
    to_new: &mut [Option<usize>],
    to_old: &mut [Option<usize>],
) {
    let of_old = places(
        old,
        is_out,
        |i| to_new[i].map(|_| i),
        |i| to_new[i].is_some(),
    );
    let of_new = places(new, is_out, |j| to_old[j], |j| to_old[j].is_some());
    let of_new: FxHashMap<Place, usize> = of_new.into_iter().map(|(j, at)| (at, j)).collect();
    for (i, place) in &of_old {
        let Some(&j) = of_new.get(place) else {
            continue;
        };
        let (before, after) = (&old[*i], &new[j]);
        if before.size == after.size && before.ty.text() == after.ty.text() {
            to_new[*i] = Some(j);
            to_old[j] = Some(*i);
        }
    }
}

/// The unpaired arguments of one kind with their places. The old side's index identifies a pair.
fn places(
    arguments: &[Argument<'_>],
    is_out: bool,
    name_of_pair: impl Fn(usize) -> Option<usize>,
    is_paired: impl Fn(usize) -> bool,
) -> Vec<(usize, Place)> {
    let mut places = Vec::new();
    let (mut behind, mut count) = (None, 0);
    for (i, argument) in arguments.iter().enumerate() {
        if argument.is_out() != is_out {
            continue;
        }
        if is_paired(i) {
            (behind, count) = (name_of_pair(i), 0);
        } else {
            places.push((i, (behind, count)));
            count += 1;
        }
    }
    places
}
