//! The operators of entries.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;
use rustc_hash::FxHashMap;

use super::views::ViewCopies;
use crate::operator::{Operator, OperatorId};
use crate::table::OperatorTable;

/// The operators of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The operator with its schema.
    pub named: OperatorId,
    /// The variant with the formulas (torchgen `canonical_function`).
    pub canonical: OperatorId,
}

/// Why an entry has no operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetFault {
    /// Its name is not a schema.
    Malformed,
    /// No operator has this schema.
    UnknownSchema,
    /// The operator is the copy of a view, which cannot have an entry until 2.2.
    ViewCopy(OperatorId),
    /// The operator has no variant for formulas.
    NoCanonical(OperatorId),
    /// The operator has more than [`MOST_ARGUMENTS`] arguments.
    TooManyArguments(OperatorId),
}

/// The maximum number of arguments of an operator with formulas; real ones have fewer than 30.
pub const MOST_ARGUMENTS: usize = 128;

/// The base name in `base[.overload](...)` (torchgen `split_name_params`); `None` for other text.
#[must_use]
pub fn base_name(name: &str) -> Option<&str> {
    let word = |text: &str| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        end.unwrap_or(text.len())
    };
    let end = word(name);
    let mut rest = name[end..]
        .strip_prefix('.')
        .map_or(&name[end..], |overload| {
            let end = word(overload);
            if end == 0 { "" } else { &overload[end..] }
        });
    rest = rest.strip_prefix('(')?;
    let line = rest.split('\n').next().unwrap_or(rest);
    (end > 0 && line.contains(')')).then(|| &name[..end])
}

pub(super) struct Targets<'a> {
    catalogue: &'a OperatorTable,
    copies: &'a ViewCopies<'a>,
    schemas: FxHashMap<&'a str, OperatorId>,
    /// By the first member of a group and a base name.
    canonical: FxHashMap<(Option<OperatorId>, Box<str>), Option<OperatorId>>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(catalogue: &'a OperatorTable, copies: &'a ViewCopies<'a>) -> Self {
        let mut schemas = FxHashMap::default();
        for (id, operator) in catalogue.iter() {
            schemas.entry(operator.canonical()).or_insert(id);
        }
        Self {
            catalogue,
            copies,
            schemas,
            canonical: FxHashMap::default(),
        }
    }

    pub(super) fn find(&mut self, name: &str) -> Result<Target, TargetFault> {
        let base = base_name(name).ok_or(TargetFault::Malformed)?;
        let named = self.schemas.get(name).copied();
        let named = named.ok_or(TargetFault::UnknownSchema)?;
        if self.hides(named) {
            return Err(TargetFault::ViewCopy(named));
        }
        let schema = self.catalogue.operator(named).schema();
        if schema.arguments.all().len() > MOST_ARGUMENTS {
            return Err(TargetFault::TooManyArguments(named));
        }
        let group = self.catalogue.groups.of(named).members().next();
        let key = (group, Box::from(base));
        let canonical = match self.canonical.get(&key) {
            Some(known) => *known,
            None => {
                let found = canonical(self.catalogue, named, base, |id| self.hides(id));
                self.canonical.insert(key, found);
                found
            }
        };
        let canonical = canonical.ok_or(TargetFault::NoCanonical(named))?;
        Ok(Target { named, canonical })
    }

    fn hides(&self, id: OperatorId) -> bool {
        self.catalogue.release < Release::V2_3 && self.copies.is_copy(id)
    }
}

fn canonical(
    catalogue: &OperatorTable,
    named: OperatorId,
    base: &str,
    hidden: impl Fn(OperatorId) -> bool,
) -> Option<OperatorId> {
    let mut variants: Vec<OperatorId> = variants(catalogue, named);
    variants.retain(|&id| !hidden(id));
    let named_so = |id: &OperatorId| {
        let schema = catalogue.operator(*id).schema();
        let own_variant = schema.name.overload().contains("functional");
        !own_variant && schema.arguments.out().is_empty() && schema.name.base() == base
    };
    variants.iter().copied().find(named_so).or_else(|| {
        // Some functions have only an in-place variant.
        let first = *variants.first()?;
        let name = catalogue.operator(first).schema().default_kernel();
        (name.strip_suffix('_') == Some(base)).then_some(first)
    })
}

/// A view first, then its in-place variant, then the others in order.
fn variants(catalogue: &OperatorTable, id: OperatorId) -> Vec<OperatorId> {
    let group = catalogue.groups.of(id);
    let mut members: Vec<OperatorId> = group.members().chain(group.duplicates.clone()).collect();
    members.sort_unstable();
    let is_view = |operator: &Operator| operator.is_view && operator.kind != SchemaKind::Inplace;
    let has_view = members.iter().any(|&id| is_view(catalogue.operator(id)));
    if has_view {
        members.sort_by_key(|&id| {
            let operator = catalogue.operator(id);
            match (operator.is_view, is_view(operator)) {
                (_, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        });
    }
    members
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn the_name_of_a_schema() {
        for (text, expected) in [
            ("add.Tensor(Tensor self) -> Tensor", Some("add")),
            ("add_(", None),
            ("sq", None),
            ("sq()", Some("sq")),
            ("a.b.c()", None),
            ("a-b()", None),
            (".x()", None),
            ("a.()", None),
            ("a(\n)", None),
            ("", None),
        ] {
            assert_eq!(base_name(text), expected, "{text}");
        }
    }
}
