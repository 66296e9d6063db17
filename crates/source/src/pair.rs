//! Work in two parts that do not need each other.

/// Runs two parts of a piece of work: one after the other, or at the same time. The core has no threads;
/// whoever calls it may lend it one.
pub trait Pair: Sync {
    /// Runs both parts and returns when both have ended.
    fn run(&self, one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send));
}

/// Runs one part after the other.
#[derive(Debug, Clone, Copy)]
pub struct InTurn;

impl Pair for InTurn {
    fn run(&self, one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
        one();
        other();
    }
}

/// Runs two parts and returns what both make.
pub fn both<A: Send, B: Send>(
    pair: &dyn Pair,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut a, mut b) = (None, None);
    pair.run(&mut || a = one.take().map(|one| one()), &mut || {
        b = other.take().map(|other| other());
    });
    a.zip(b).expect("a pair runs both of its parts, each once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_give_what_they_make() {
        assert_eq!(both(&InTurn, || 1, || "two"), (1, "two"));
    }
}
