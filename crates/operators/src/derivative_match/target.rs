//! The operators that an entry means: the one that it names and the one that carries its formulas.

use super::views::ViewCopies;
use crate::catalogue::Catalogue;
use crate::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;

/// The operators that an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The operator whose schema it names.
    pub named: OperatorId,
    /// The variant that the formulas belong to (torchgen `canonical_function`).
    pub canonical: OperatorId,
}

/// Why an entry means no operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetFault {
    /// Its name is no schema.
    Malformed,
    /// No operator has this schema.
    UnknownSchema,
    /// The operator has it, but is the copy of a view, which until 2.2 cannot have an entry.
    ViewCopy(OperatorId),
    /// The operator has no variant that formulas could belong to.
    NoCanonical(OperatorId),
}

/// The base name in `base[.overload](...)` (torchgen `split_name_params`); `None` where the text
/// does not begin so.
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

/// Finds what an entry of this name means.
pub(super) fn find(
    catalogue: &Catalogue,
    copies: &ViewCopies<'_>,
    name: &str,
) -> Result<Target, TargetFault> {
    let base = base_name(name).ok_or(TargetFault::Malformed)?;
    let operator = name.split('(').next().unwrap_or(name);
    let named = catalogue
        .all_named(operator)
        .into_iter()
        .find(|&id| catalogue.operator(id).canonical() == name)
        .ok_or(TargetFault::UnknownSchema)?;
    let hidden = |id: OperatorId| catalogue.release < Release::V2_3 && copies.is_copy(id);
    if hidden(named) {
        return Err(TargetFault::ViewCopy(named));
    }
    let mut variants: Vec<OperatorId> = variants(catalogue, named);
    variants.retain(|&id| !hidden(id));
    let named_so = |id: &OperatorId| {
        let schema = catalogue.operator(*id).schema();
        let own_variant = schema.name.overload().contains("functional");
        !own_variant && schema.arguments.out().is_empty() && schema.name.base() == base
    };
    let canonical = variants.iter().copied().find(named_so).or_else(|| {
        // Some functions have only an in-place variant.
        let first = *variants.first()?;
        let name = catalogue.operator(first).schema().default_kernel();
        (name.strip_suffix('_') == Some(base)).then_some(first)
    });
    match canonical {
        Some(canonical) => Ok(Target { named, canonical }),
        None => Err(TargetFault::NoCanonical(named)),
    }
}

/// The variants of an operator: a view first, then its in-place form, then the others in order.
fn variants(catalogue: &Catalogue, id: OperatorId) -> Vec<OperatorId> {
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
