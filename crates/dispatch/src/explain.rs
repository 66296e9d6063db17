//! Why a key has its kernel: the rules in the order tried, why each does or does not apply, and which
//! registrations would change the result. Rendering is in `report`.

use super::resolve::{Precedence, Registered, Table, ambiguous, resolve};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys};

/// Why one key of one operator has its kernel.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Explanation {
    /// The key.
    pub slot: Slot,
    /// The rules tried, in order. The last one serves the key.
    pub steps: Vec<Step>,
    /// Registered keys that reach this one but lose to an earlier rule.
    pub shadowed: Vec<Key>,
    /// Edits that would change the result, most direct first.
    pub remedies: Vec<Remedy>,
}

/// A rule that was tried.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Step {
    /// The rule.
    pub rule: Precedence,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of trying a rule.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Outcome {
    /// The rule serves the key.
    Decides,
    /// No registration for the rule (the key itself, the alias, or a fallback).
    NotRegistered,
    /// The alias is registered but never serves this key.
    OutOfReach,
    /// The alias is not registered, and would not serve this key if it were.
    Irrelevant,
    /// `CompositeExplicitAutograd` takes precedence over the registered alias.
    SwitchedOffByExplicit,
    /// Kernels of these backends take precedence over the registered alias.
    SwitchedOffByBackends(KeySet),
    /// Rule 5a: no backend without an autograd key of its own has a kernel.
    NotAmbiguous,
}

/// An edit of an operator's registrations.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Edit {
    /// Register a kernel.
    Register,
    /// Remove a registration.
    Remove,
}

/// An edit that changes the kernel of a key.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Remedy {
    /// The edit.
    pub edit: Edit,
    /// The keys to edit; any one of them suffices.
    pub keys: Vec<Key>,
    /// The rule that then serves the key.
    pub becomes: Precedence,
}

/// Explains one key. `fallbacks` as for [`resolve`].
#[must_use]
pub fn explain(keys: &Keys, registered: &Registered, fallbacks: KeySet, slot: Slot) -> Explanation {
    let table = resolve(keys, registered, fallbacks);
    let asked = Asked {
        keys,
        registered,
        fallbacks,
        slot,
        rule: table.rule(slot),
    };
    let tried = Precedence::ALL
        .into_iter()
        .filter(|&rule| rule <= asked.rule && asked.concerns(rule));
    let steps = tried
        .map(|rule| Step {
            rule,
            outcome: asked.outcome(rule),
        })
        .collect();
    let source = asked.rule.source(slot);
    let reaching = registered
        .iter()
        .filter(|&key| keys.reach_of(key).contains(slot));
    Explanation {
        slot,
        steps,
        shadowed: reaching.filter(|&key| Some(key) != source).collect(),
        remedies: remedies(&asked, &table),
    }
}

struct Asked<'a> {
    keys: &'a Keys,
    registered: &'a Registered,
    fallbacks: KeySet,
    slot: Slot,
    rule: Precedence,
}

impl Asked<'_> {
    /// Rule 5a concerns only `AutogradOther` of implicit composites.
    fn concerns(&self, rule: Precedence) -> bool {
        rule != Precedence::Ambiguous
            || self.keys.sets.autograd_other == Some(self.slot)
                && self.registered.has_alias(Alias::CompositeImplicitAutograd)
    }

    fn outcome(&self, rule: Precedence) -> Outcome {
        if rule == self.rule {
            return Outcome::Decides;
        }
        let Some(alias) = rule.alias() else {
            return Outcome::NotRegistered;
        };
        let reaches = self.keys.reach(alias).contains(self.slot);
        match (self.registered.has_alias(alias), reaches) {
            (false, false) => Outcome::Irrelevant,
            (false, true) => Outcome::NotRegistered,
            (true, false) => Outcome::OutOfReach,
            (true, true) => self.switched_off(rule),
        }
    }

    /// Why a registered alias that reaches the key does not serve it. Only the implicit composite has
    /// conditions.
    fn switched_off(&self, rule: Precedence) -> Outcome {
        if rule == Precedence::Ambiguous && ambiguous(self.keys, self.registered).is_empty() {
            return Outcome::NotAmbiguous;
        }
        if self.registered.has_alias(Alias::CompositeExplicitAutograd) {
            return Outcome::SwitchedOffByExplicit;
        }
        let backends = self.keys.backends_of_autograd(self.slot) & self.registered.runtime;
        Outcome::SwitchedOffByBackends(backends)
    }

    /// The keys whose registration may matter: the key itself, the backends it represents, and all aliases.
    fn candidates(&self) -> impl Iterator<Item = Key> + use<> {
        let own = KeySet::only(self.slot) | self.keys.backends_of_autograd(self.slot);
        let parseable: KeySet = own
            .iter()
            .filter(|&slot| self.keys.is_parseable(slot))
            .collect();
        let itself = KeySet::only(self.slot) & parseable;
        let others = parseable - itself;
        let runtime = itself.iter().chain(others.iter()).map(Key::Runtime);
        runtime.chain(Alias::ALL.map(Key::Alias))
    }
}

/// Each single edit that changes the kernel, grouped by effect.
fn remedies(asked: &Asked<'_>, now: &Table) -> Vec<Remedy> {
    let mut found: Vec<Remedy> = Vec::new();
    let mut consider = |edit: Edit, key: Key| {
        let mut changed = *asked.registered;
        match edit {
            Edit::Register => changed.insert(key),
            Edit::Remove => changed.remove(key),
        }
        let becomes = resolve(asked.keys, &changed, asked.fallbacks).rule(asked.slot);
        if becomes == now.rule(asked.slot) {
            return;
        }
        let same = found
            .iter_mut()
            .find(|other| other.edit == edit && other.becomes == becomes);
        match same {
            Some(remedy) => remedy.keys.push(key),
            None => found.push(Remedy {
                edit,
                keys: vec![key],
                becomes,
            }),
        }
    };
    let missing = asked
        .candidates()
        .filter(|&key| !asked.registered.contains(key));
    missing.for_each(|key| consider(Edit::Register, key));
    asked
        .registered
        .iter()
        .for_each(|key| consider(Edit::Remove, key));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;

    fn ask(registrations: &[&str], key: &str) -> Explanation {
        let keys = Keys::of(Release::V2_9);
        let registered = registrations
            .iter()
            .map(|name| keys.registrable(name).unwrap())
            .collect();
        explain(keys, &registered, keys.fallbacks(), keys.slot(key).unwrap())
    }

    fn outcome(explanation: &Explanation, rule: Precedence) -> Option<Outcome> {
        let step = explanation.steps.iter().find(|step| step.rule == rule);
        step.map(|step| step.outcome)
    }

    fn remedy(explanation: &Explanation, edit: Edit, name: &str) -> Option<Precedence> {
        let keys = Keys::of(Release::V2_9);
        let key = keys.lookup(name).unwrap();
        let mut remedies = explanation.remedies.iter();
        remedies
            .find(|r| r.edit == edit && r.keys.contains(&key))
            .map(|r| r.becomes)
    }

    /// The example in the manual: `add.Tensor` on `SparseXPU`.
    #[test]
    fn a_missing_key_says_what_does_not_reach_it() {
        let told = ask(
            &[
                "CPU",
                "Meta",
                "SparseCPU",
                "CompositeExplicitAutogradNonFunctional",
                "Autograd",
            ],
            "SparseXPU",
        );
        assert_eq!(told.steps.last().unwrap().rule, Precedence::Missing);
        assert_eq!(
            outcome(&told, Precedence::Direct),
            Some(Outcome::NotRegistered)
        );
        assert_eq!(
            outcome(&told, Precedence::NonFunctional),
            Some(Outcome::OutOfReach)
        );
        assert_eq!(
            outcome(&told, Precedence::Explicit),
            Some(Outcome::NotRegistered)
        );
        assert_eq!(
            outcome(&told, Precedence::Nested),
            Some(Outcome::Irrelevant)
        );
        assert_eq!(outcome(&told, Precedence::Ambiguous), None);
        assert_eq!(
            outcome(&told, Precedence::Implicit),
            Some(Outcome::NotRegistered)
        );
        assert_eq!(
            outcome(&told, Precedence::Autograd),
            Some(Outcome::OutOfReach)
        );
        assert_eq!(
            outcome(&told, Precedence::Fallback),
            Some(Outcome::NotRegistered)
        );
        assert_eq!(outcome(&told, Precedence::Missing), Some(Outcome::Decides));
        assert_eq!(
            remedy(&told, Edit::Register, "SparseXPU"),
            Some(Precedence::Direct)
        );
        assert_eq!(
            remedy(&told, Edit::Register, "CompositeExplicitAutograd"),
            Some(Precedence::Explicit)
        );
        assert_eq!(remedy(&told, Edit::Remove, "CPU"), None);
    }

    #[test]
    fn a_backend_switches_the_composite_off_at_its_autograd_key() {
        let keys = Keys::of(Release::V2_9);
        let told = ask(
            &["CPU", "XLA", "AutogradCPU", "CompositeImplicitAutograd"],
            "AutogradXLA",
        );
        let xla = KeySet::only(keys.slot("XLA").unwrap());
        assert_eq!(told.steps.last().unwrap().rule, Precedence::Fallback);
        assert_eq!(
            outcome(&told, Precedence::Implicit),
            Some(Outcome::SwitchedOffByBackends(xla))
        );
        assert_eq!(
            told.shadowed,
            [Key::Alias(Alias::CompositeImplicitAutograd)]
        );
        assert_eq!(
            remedy(&told, Edit::Remove, "XLA"),
            Some(Precedence::Implicit)
        );
        assert_eq!(
            remedy(&told, Edit::Register, "Autograd"),
            Some(Precedence::Autograd)
        );
    }

    #[test]
    fn an_explicit_composite_switches_the_implicit_one_off() {
        let told = ask(
            &["CompositeExplicitAutograd", "CompositeImplicitAutograd"],
            "AutogradCPU",
        );
        assert_eq!(
            outcome(&told, Precedence::Implicit),
            Some(Outcome::SwitchedOffByExplicit)
        );
        assert_eq!(
            remedy(&told, Edit::Remove, "CompositeExplicitAutograd"),
            Some(Precedence::Implicit)
        );
    }

    #[test]
    fn ambiguity_is_told_before_the_conditions_of_the_composite() {
        let told = ask(
            &[
                "FPGA",
                "CompositeImplicitAutograd",
                "CompositeExplicitAutograd",
            ],
            "AutogradOther",
        );
        assert_eq!(told.steps.last().unwrap().rule, Precedence::Ambiguous);
        assert_eq!(
            remedy(&told, Edit::Register, "AutogradOther"),
            Some(Precedence::Direct)
        );
        assert_eq!(
            remedy(&told, Edit::Remove, "FPGA"),
            Some(Precedence::Fallback)
        );
        let calm = ask(&["CompositeImplicitAutograd"], "AutogradOther");
        assert_eq!(
            outcome(&calm, Precedence::Ambiguous),
            Some(Outcome::NotAmbiguous)
        );
        assert_eq!(
            remedy(&calm, Edit::Register, "SparseCPU"),
            Some(Precedence::Ambiguous)
        );
    }

    #[test]
    fn a_name_that_cannot_be_parsed_is_never_advised() {
        let keys = Keys::of(Release::V2_9);
        for slot in keys.slots().filter(|&slot| !keys.is_parseable(slot)) {
            let told = explain(keys, &Registered::default(), keys.fallbacks(), slot);
            let advised = told.remedies.iter().flat_map(|remedy| &remedy.keys);
            assert!(advised.copied().all(|key| key != Key::Runtime(slot)));
        }
    }
}
