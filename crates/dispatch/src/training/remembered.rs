//! Answers on training that are the same for all backends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{Detail, Through};
use crate::resolve::Precedence;
use opatlas_operators::operator::OperatorId;

/// The rules that serve `AutogradCPU` for 3,106 of the 3,110 operators of 2.15.0. Their kernel is that of an alias,
/// so what it means for training is a matter of the operator alone.
const RULES: [Precedence; 2] = [Precedence::Autograd, Precedence::Implicit];

type Answer = (Through, Option<Detail>);

/// What such a kernel can mean.
const ANSWERS: [Answer; 7] = [
    (Through::OwnFormula, None),
    (Through::Composite, None),
    (Through::AutogradKernel, None),
    (Through::Unknown, None),
    (Through::Error, Some(Detail::NoFormula)),
    (Through::Error, Some(Detail::OutVariant)),
    (Through::NotDifferentiable, Some(Detail::NoGradient)),
];

/// The answers that have been found. A comparison of far releases asks for those of thousands of operators on
/// both sides, and what they follow from (registrations, formulas) lies all over memory. Of each
/// operator and rule the place in [`ANSWERS`] counted from 1, or 0; two bytes for an operator.
#[derive(Debug, Default)]
pub(crate) struct Remembered(OnceLock<Box<[[AtomicU8; RULES.len()]]>>);

impl Clone for Remembered {
    /// Nothing is remembered there yet.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Remembered {
    /// The answer for one of so many operators where a rule serves the autograd key; `find` gives it when
    /// it is asked for the first time.
    pub(super) fn get(
        &self,
        count: usize,
        id: OperatorId,
        rule: Precedence,
        find: impl FnOnce() -> Answer,
    ) -> Answer {
        let Some(at) = RULES.iter().position(|&known| known == rule) else {
            return find();
        };
        let all = self
            .0
            .get_or_init(|| (0..count).map(|_| Default::default()).collect());
        let Some(place) = all.get(id.index()).map(|of_rules| &of_rules[at]) else {
            return find();
        };
        // Two threads that find an answer at the same time find the same.
        let known = usize::from(place.load(Ordering::Relaxed)).checked_sub(1);
        if let Some(&answer) = known.and_then(|known| ANSWERS.get(known)) {
            return answer;
        }
        let answer = find();
        let mut places = (1..).zip(&ANSWERS);
        if let Some((known, _)) = places.find(|(_, known)| **known == answer) {
            place.store(known, Ordering::Relaxed);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_is_found_once() {
        for answer in ANSWERS {
            let remembered = Remembered::default();
            let ask = |rule, find: &dyn Fn() -> Answer| {
                remembered.get(2, OperatorId::of_index(1), rule, find)
            };
            for rule in RULES {
                assert_eq!(ask(rule, &|| answer), answer);
                assert_eq!(ask(rule, &|| unreachable!()), answer);
            }
        }
    }

    #[test]
    fn what_depends_on_the_key_is_asked_again() {
        let remembered = Remembered::default();
        let id = OperatorId::of_index(0);
        for answer in ANSWERS {
            let found = remembered.get(1, id, Precedence::Direct, || answer);
            assert_eq!(found, answer);
        }
        // No such operator.
        for answer in ANSWERS {
            let found = remembered.get(0, id, Precedence::Autograd, || answer);
            assert_eq!(found, answer);
        }
    }
}
