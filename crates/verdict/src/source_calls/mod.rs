//! What composite kernels call, read from their C++ bodies (`docs/spec/support.md`, section 11).
//!
//! [`SourceCalls::read`] follows the function of each composite kernel and the functions that it
//! calls. A call that every path through the body makes is made always, any other one in some cases.
//! What the text does not decide is [`SourceKernel::unresolved`], never guessed.

mod called;
mod conditions;
mod constants;
mod cpp_type;
mod flow;
mod kernels;
mod overloads;
mod values;

use std::collections::BTreeSet;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_sources::{Bodies, File, Function, Functions};
use rustc_hash::{FxHashMap, FxHashSet};

use cpp_type::CppType;
use flow::Flow;
use overloads::{Overloads, cost};

/// How many functions deep calls are followed.
const DEEPEST: usize = 24;

/// How many statements and expressions may be in each other, in all functions that are being read.
const MOST_NESTED: usize = 300;

/// What a composite kernel calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceKernel {
    /// The operators that every path calls.
    pub always: BTreeSet<OperatorId>,
    /// The operators that some paths call.
    pub sometimes: BTreeSet<OperatorId>,
    /// What was not understood: a function that is not in the files, or a call that may mean several
    /// overloads. If it is not empty, the calls are incomplete.
    pub unresolved: BTreeSet<Box<str>>,
    /// The files that decide, by index.
    pub files: BTreeSet<u32>,
    /// Whether it does something else on some devices or layouts. The calls are then those for a dense
    /// tensor on a device without kernels of its own, as in recordings.
    pub asks_device: bool,
}

/// What composite kernels call.
#[derive(Debug, Clone, Default)]
pub struct SourceCalls {
    kernels: FxHashMap<OperatorId, SourceKernel>,
}

impl SourceCalls {
    /// Reads the kernels of the operators that are `wanted`, as far as the files define them.
    #[must_use]
    pub fn read(
        catalogue: &Catalogue,
        files: &[File<'_>],
        wanted: impl Fn(OperatorId) -> bool,
    ) -> Self {
        let mut found = Self::default();
        let composites = kernels::composites(catalogue, wanted);
        if composites.is_empty() || files.is_empty() {
            return found;
        }
        let mut reader = FunctionReader::new(catalogue, files);
        for composite in composites {
            if let Some(kernel) = reader.kernel(&composite) {
                found.kernels.insert(composite.id, kernel);
            }
        }
        found
    }

    /// What the kernel of an operator calls; `None` if no file defines it.
    #[must_use]
    pub fn of(&self, id: OperatorId) -> Option<&SourceKernel> {
        self.kernels.get(&id)
    }

    /// All kernels that were found.
    pub fn iter(&self) -> impl Iterator<Item = (OperatorId, &SourceKernel)> {
        self.kernels.iter().map(|(&id, kernel)| (id, kernel))
    }
}

/// What one function calls.
#[derive(Debug, Clone, Default)]
struct Summary {
    /// What every path that returns calls.
    always: FxHashSet<OperatorId>,
    seen: BTreeSet<OperatorId>,
    unresolved: BTreeSet<Box<str>>,
    files: BTreeSet<u32>,
    asks_device: bool,
    /// No path returns.
    raises: bool,
}

/// Reads functions and remembers what they call.
struct FunctionReader<'a> {
    overloads: Overloads<'a>,
    files: &'a [File<'a>],
    functions: Functions,
    by_name: FxHashMap<Box<str>, Vec<usize>>,
    bodies: Bodies,
    /// `None` while a function is being read.
    summaries: FxHashMap<usize, Option<Summary>>,
    /// How many statements and expressions are being read.
    nested: usize,
}

impl<'a> FunctionReader<'a> {
    fn new(catalogue: &'a Catalogue, files: &'a [File<'a>]) -> Self {
        let functions = Functions::index(files);
        let mut by_name: FxHashMap<Box<str>, Vec<usize>> = FxHashMap::default();
        for (index, function) in functions.all.iter().enumerate() {
            by_name
                .entry(function.name.clone())
                .or_default()
                .push(index);
        }
        Self {
            overloads: Overloads::new(catalogue),
            files,
            functions,
            by_name,
            bodies: Bodies::default(),
            summaries: FxHashMap::default(),
            nested: 0,
        }
    }

    fn kernel(&mut self, composite: &kernels::Composite) -> Option<SourceKernel> {
        let named = self.by_name.get(&*composite.function)?;
        let within = named.iter().copied().filter(|&index| {
            let scope = self.functions.all[index]
                .scope
                .strip_suffix(&*composite.scope);
            scope.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        });
        let within: Vec<usize> = within.collect();
        let mut fitting = within.iter().copied().filter(|&index| {
            composite.parameters.as_deref() == Some(&self.functions.all[index].parameters)
        });
        let index = fitting.next().or(match within[..] {
            [only] => Some(only),
            _ => None,
        })?;
        let summary = self.summary(index, 0);
        let is_always = |id: &OperatorId| summary.always.contains(id);
        Some(SourceKernel {
            always: summary.always.iter().copied().collect(),
            sometimes: summary
                .seen
                .iter()
                .copied()
                .filter(|id| !is_always(id))
                .collect(),
            unresolved: match summary.raises {
                true => BTreeSet::from(["it only raises".into()]),
                false => summary.unresolved,
            },
            files: summary.files,
            asks_device: summary.asks_device,
        })
    }

    /// What a function calls. A function that calls itself adds nothing by that.
    fn summary(&mut self, index: usize, depth: usize) -> Summary {
        if let Some(known) = self.summaries.get(&index) {
            return known.clone().unwrap_or_default();
        }
        let Some(function) = self.functions.all.get(index).cloned() else {
            return Summary::default();
        };
        let incomplete = || Summary {
            unresolved: BTreeSet::from([function.name.clone()]),
            ..Summary::default()
        };
        if depth > DEEPEST {
            return incomplete();
        }
        self.summaries.insert(index, None);
        let text = self.functions.text(self.files, &function);
        let body = text.and_then(|text| self.bodies.read(text, &function));
        let mut summary = match body {
            Some(body) => Flow::of(self, &function, depth).read(&body),
            None => incomplete(),
        };
        summary.files.insert(function.file);
        self.summaries.insert(index, Some(summary.clone()));
        summary
    }

    /// The functions that a call may mean: those that accept the arguments best, with what that costs.
    fn meant(&self, (path, arguments): (&str, &[CppType]), from: &Function) -> (u32, Vec<usize>) {
        let (qualifiers, name) = path.rsplit_once("::").unwrap_or(("", path));
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let is_visible = |scope: &str| match qualifiers {
            "" => from.scope.starts_with(scope),
            _ => scope
                .strip_suffix(qualifiers)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with("::")),
        };
        let cost = |&index: &usize| {
            let function = &self.functions.all[index];
            if !is_visible(&function.scope) {
                return None;
            }
            let parameters: Vec<CppType> = function
                .parameters
                .iter()
                .map(|text| CppType::parse(text))
                .collect();
            let cost = cost(&parameters, 0, arguments)?;
            let missing = u32::try_from(parameters.len() - arguments.len()).ok()?;
            let is_elsewhere = function.file != from.file;
            Some((is_elsewhere, cost + missing, index))
        };
        let found: Vec<(bool, u32, usize)> = all.iter().filter_map(cost).collect();
        let best = found.iter().map(|&(place, cost, _)| (place, cost)).min();
        let best = found
            .iter()
            .filter(|&&(place, cost, _)| Some((place, cost)) == best);
        let cost = best.clone().map(|(_, cost, _)| *cost).next().unwrap_or(0);
        (cost, best.map(|(.., index)| *index).collect())
    }
}
