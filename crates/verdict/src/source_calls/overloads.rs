//! The operators that a C++ call may mean: by name, number of arguments and their types.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Call;
use rustc_hash::FxHashMap;

use super::cpp_type::{CppType, split};

/// A declaration that a call may mean.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) id: OperatorId,
    parameters: Vec<CppType>,
    /// How many arguments a call has at least.
    required: usize,
    pub(super) returns: CppType,
}

/// What the arguments of a call decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resolved {
    /// No operator has such a name or takes such arguments.
    Nothing,
    /// One operator, and the type of its result.
    One(OperatorId, CppType),
    /// Several operators that the text does not tell apart.
    OneOf(Vec<OperatorId>, CppType),
}

/// The C++ declarations of operators by name.
pub(super) struct Overloads<'a> {
    catalogue: &'a Catalogue,
    by_base: FxHashMap<&'a str, Vec<OperatorId>>,
    by_variable: FxHashMap<String, OperatorId>,
    known: FxHashMap<(Box<str>, bool), Vec<Candidate>>,
}

impl<'a> Overloads<'a> {
    pub(super) fn new(catalogue: &'a Catalogue) -> Self {
        let mut by_base: FxHashMap<&str, Vec<OperatorId>> = FxHashMap::default();
        let mut by_variable = FxHashMap::default();
        for (id, operator) in catalogue.iter() {
            by_base.entry(operator.base_name()).or_default().push(id);
            by_variable.insert(operator.name().unambiguous(), id);
        }
        Self {
            catalogue,
            by_base,
            by_variable,
            known: FxHashMap::default(),
        }
    }

    /// The operator that `at::_ops::NAME` names.
    pub(super) fn named(&self, name: &str) -> Option<(OperatorId, CppType)> {
        let id = *self.by_variable.get(name)?;
        let operator = self.catalogue.operator(id);
        let returns = match operator.schema().returns.as_slice() {
            [one] if one.ty.is_tensor() => CppType::Tensor,
            _ => CppType::Unknown,
        };
        Some((id, returns))
    }

    /// Whether a function or method has this name.
    pub(super) fn has(&mut self, name: &str, call: Call) -> bool {
        !self.candidates(name, call).is_empty()
    }

    /// The operators whose functions have this name.
    pub(super) fn all(&mut self, name: &str) -> Vec<OperatorId> {
        let candidates = self.candidates(name, Call::Function).iter();
        let mut ids: Vec<OperatorId> = candidates.map(|candidate| candidate.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The operator that a call of a function or method means.
    pub(super) fn resolve(&mut self, name: &str, call: Call, arguments: &[CppType]) -> Resolved {
        let catalogue = self.catalogue;
        let candidates = self.candidates(name, call);
        let costs = candidates.iter().filter_map(|candidate| {
            let cost = cost(&candidate.parameters, candidate.required, arguments)?;
            Some((cost, candidate))
        });
        let mut viable: Vec<(u32, &Candidate)> = costs.collect();
        let best = viable.iter().map(|(cost, _)| *cost).min();
        viable.retain(|(cost, _)| Some(*cost) == best);
        let Some((_, first)) = viable.first() else {
            return Resolved::Nothing;
        };
        let mut ids: Vec<OperatorId> = viable.iter().map(|(_, candidate)| candidate.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let is_same = viable
            .iter()
            .all(|(_, other)| other.returns == first.returns);
        let returns = match is_same {
            true => first.returns.clone(),
            false => CppType::Unknown,
        };
        // An overload that could not be read may take an argument of an unknown type as well.
        let is_open =
            arguments.iter().any(CppType::is_unknown) && catalogue.native_functions.hides_any();
        match ids[..] {
            [id] if !is_open => Resolved::One(id, returns),
            _ => Resolved::OneOf(ids, returns),
        }
    }

    fn candidates(&mut self, name: &str, call: Call) -> &[Candidate] {
        let key = (name.into(), call == Call::Method);
        if !self.known.contains_key(&key) {
            let found = self.declared(name, call);
            self.known.insert(key.clone(), found);
        }
        self.known.get(&key).map_or(&[], Vec::as_slice)
    }

    fn declared(&self, name: &str, call: Call) -> Vec<Candidate> {
        let plain = name.strip_suffix("_symint").unwrap_or(name);
        let of_out = ["_outf", "_out"]
            .into_iter()
            .find_map(|end| plain.strip_suffix(end))
            .map(|base| base.strip_suffix("_symint").unwrap_or(base));
        let faces = FaceMaker::new(self.catalogue);
        let mut found = Vec::new();
        for base in [Some(plain), of_out].into_iter().flatten() {
            for &id in self.by_base.get(base).into_iter().flatten() {
                let operator = self.catalogue.operator(id);
                let variants = operator.variants();
                let is_offered = match call {
                    Call::Function => variants.function,
                    Call::Method => variants.method,
                };
                if !is_offered || operator.namespace() != "aten" {
                    continue;
                }
                let declarations = faces.cpp(operator, call).unwrap_or_default();
                let declared = declarations.iter().filter_map(|text| candidate(id, text));
                let named = declared.filter(|(declared, _)| *declared == name);
                found.extend(named.map(|(_, candidate)| candidate));
            }
        }
        found
    }
}

/// What passing arguments to these parameters costs; `None` if it cannot be.
pub(super) fn cost(parameters: &[CppType], required: usize, arguments: &[CppType]) -> Option<u32> {
    if arguments.len() < required || arguments.len() > parameters.len() {
        return None;
    }
    let mut sum = 0;
    for (argument, parameter) in arguments.iter().zip(parameters) {
        sum += argument.cost(parameter)?;
    }
    Some(sum)
}

/// The name that a declaration declares, and what a call of it needs.
fn candidate(id: OperatorId, declaration: &str) -> Option<(&str, Candidate)> {
    let (head, rest) = declaration.split_once('(')?;
    let (returns, name) = head.rsplit_once(' ')?;
    let (list, _) = rest.rsplit_once(')')?;
    let parameters = split(list);
    let required = parameters.iter().take_while(|text| !text.contains('='));
    let required = required.count();
    let ty = |text: &&str| {
        let declared = text.split('=').next().unwrap_or(text);
        let (ty, _) = declared.rsplit_once([' ', '&']).unwrap_or((declared, ""));
        CppType::parse(ty)
    };
    let candidate = Candidate {
        id,
        parameters: parameters.iter().map(ty).collect(),
        required,
        returns: CppType::parse(returns),
    };
    Some((name, candidate))
}
