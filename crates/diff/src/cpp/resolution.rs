//! Chooses the overload that a call takes.

use super::Declared;
use super::conversion::{Argument, Conversion, Rank, convert};

/// The outcome of overload resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The call takes the overload with this index.
    Takes(usize),
    /// No overload is better than all others.
    Ambiguous,
    /// No overload takes the arguments.
    Refused,
    /// Opatlas does not know a conversion.
    Unknown,
}

/// Resolves a call among overloads of one name (section `over.match` of the C++ standard).
#[must_use]
pub fn resolve(overloads: &[&Declared], call: &[Argument]) -> Outcome {
    let mut viable: Vec<(usize, Vec<Rank>)> = Vec::new();
    for (index, overload) in overloads.iter().enumerate() {
        match ranks(overload, call) {
            Viability::Viable(ranks) => viable.push((index, ranks)),
            Viability::NotViable => {}
            Viability::Unknown => return Outcome::Unknown,
        }
    }
    if viable.is_empty() {
        return Outcome::Refused;
    }
    let best = viable.iter().find(|(index, ranks)| {
        let mut others = viable.iter().filter(|(other, _)| other != index);
        others.all(|(_, other)| is_better(ranks, other))
    });
    best.map_or(Outcome::Ambiguous, |(index, _)| Outcome::Takes(*index))
}

enum Viability {
    Viable(Vec<Rank>),
    NotViable,
    Unknown,
}

fn ranks(overload: &Declared, call: &[Argument]) -> Viability {
    if !(overload.required()..=overload.parameters.len()).contains(&call.len()) {
        return Viability::NotViable;
    }
    let mut ranks = Vec::with_capacity(call.len());
    let mut is_unknown = false;
    for (argument, parameter) in call.iter().zip(&overload.parameters) {
        match convert(argument, &parameter.ty) {
            Conversion::By(rank) => ranks.push(rank),
            Conversion::Impossible => return Viability::NotViable,
            Conversion::Unknown => is_unknown = true,
        }
    }
    if is_unknown {
        Viability::Unknown
    } else {
        Viability::Viable(ranks)
    }
}

fn is_better(one: &[Rank], other: &[Rank]) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.clone().all(|(one, other)| one <= other) && pairs.any(|(one, other)| one < other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(overloads: &[&str], call: &[Argument]) -> Outcome {
        let declared: Vec<_> = overloads
            .iter()
            .map(|parameters| Declared::parse(&format!("at::Tensor f({parameters})")).unwrap())
            .collect();
        resolve(&declared.iter().collect::<Vec<_>>(), call)
    }

    const X: &str = "const at::Tensor & self";

    #[test]
    fn defaults_may_be_left_out() {
        let call = [Argument::Tensor];
        let plain = outcome(&[X, "const at::Tensor & self, int64_t n=1"], &call);
        assert_eq!(plain, Outcome::Ambiguous);
        let needed = outcome(&[X, "const at::Tensor & self, int64_t n"], &call);
        assert_eq!(needed, Outcome::Takes(0));
        assert_eq!(outcome(&["int64_t n"], &call), Outcome::Refused);
        let other = outcome(&["at::TensorOptions options"], &[Argument::Int]);
        assert_eq!(other, Outcome::Unknown);
    }
}
