//! Filters and searches operators.

use opatlas_dispatch::Reason;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::sought::{Candidate, Sought, Texts};
use opatlas_schema::function::SchemaKind;
use opatlas_source::suggest::nearest_few;
use opatlas_source::{Stop, Stopped};

use super::dispatch::runtime_key;
use super::error::ServiceError;
use super::snapshot::Snapshot;

/// Whether to include generated operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Generated {
    /// Include them.
    #[default]
    Include,
    /// Only them.
    Only,
    /// Exclude them.
    Exclude,
}

/// A filter for operators; `None` accepts everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Words that must all occur in the name or schema ([`Sought`]), or else similar spellings.
    pub words: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name without the overload.
    pub base_name: Option<String>,
    /// Its kind.
    pub kind: Option<SchemaKind>,
    /// One of its tags.
    pub tag: Option<String>,
    /// A key with a declared kernel. With a reason, the runtime key that the reason is about.
    pub key: Option<String>,
    /// The reason of its entry at the key, in the default tables.
    pub reason: Option<Reason>,
    /// Whether it is `structured: True`.
    pub structured: Option<bool>,
    /// Whether it is generated.
    pub generated: Generated,
    /// Its `python_module`.
    pub python_module: Option<String>,
}

impl Filter {
    /// Validates the key, which must be a runtime key if there is a reason. Fails with
    /// [`ServiceError::UnknownKey`] with similar names, or [`ServiceError::AliasKey`].
    pub fn check(&self, catalogue: &Catalogue) -> Result<(), ServiceError> {
        if let (Some(_), Some(key)) = (self.reason, &self.key) {
            return runtime_key(catalogue.release, key).map(|_| ());
        }
        let known = catalogue.release.data().dispatch_keys_known;
        match &self.key {
            Some(key) if !known.contains(key) => Err(ServiceError::UnknownKey {
                release: catalogue.release,
                suggestions: nearest_few(key, known.iter(), 3)
                    .into_iter()
                    .map(Into::into)
                    .collect(),
                name: key.chars().take(128).collect(),
            }),
            _ => Ok(()),
        }
    }
}

/// The operators that match a filter, in the order of [`search`].
pub fn find(snapshot: &Snapshot, filter: &Filter, stop: &Stop) -> Result<Vec<OperatorId>, Stopped> {
    let mut found = search(&snapshot.catalogue, filter, stop)?;
    if let (Some(reason), Some(key)) = (filter.reason, &filter.key) {
        let tables = snapshot.view().tables;
        let slot = runtime_key(snapshot.release(), key).ok();
        let has_reason = |id: &OperatorId| {
            let table = tables.pattern(*id).map(|pattern| &pattern.table);
            slot.zip(table)
                .is_some_and(|(slot, table)| table.rule(slot).reason() == reason)
        };
        found.retain(has_reason);
    }
    Ok(found)
}

/// The operators that match a filter apart from its reason, in the order of the catalogue or, if
/// there are words, best matches first.
pub fn search(
    catalogue: &Catalogue,
    filter: &Filter,
    stop: &Stop,
) -> Result<Vec<OperatorId>, Stopped> {
    let fitting = catalogue
        .iter()
        .take_while(|_| !stop.is_requested())
        .filter(|&(id, operator)| fits(catalogue, filter, id, operator));
    let sought = Sought::parse(filter.words.as_deref().unwrap_or_default());
    if sought.is_empty() {
        let found = fitting.map(|(id, _)| id).collect();
        return stop.check().map(|()| found);
    }
    let fitting: Vec<(OperatorId, &Operator)> = fitting.collect();
    let mut found = ranked(&fitting, &sought, stop)?;
    if found.is_empty() {
        let names = fitting.iter().map(|(_, operator)| operator.name_text());
        let names: Vec<&str> = names.collect();
        if let Some(loose) = sought.loosened(&names) {
            found = ranked(&fitting, &loose, stop)?;
        }
    }
    Ok(found)
}

fn ranked(
    operators: &[(OperatorId, &Operator)],
    sought: &Sought,
    stop: &Stop,
) -> Result<Vec<OperatorId>, Stopped> {
    let mut texts = Texts::default();
    let mut ranked: Vec<(u32, usize, OperatorId)> = operators
        .iter()
        .take_while(|_| !stop.is_requested())
        .filter_map(|&(id, operator)| {
            let name = operator.name_text();
            let candidate = Candidate {
                namespace: operator.namespace(),
                name,
                schema: operator.canonical(),
            };
            Some((sought.rank(&mut texts, candidate)?, name.len(), id))
        })
        .collect();
    stop.check()?;
    ranked.sort_unstable();
    Ok(ranked.into_iter().map(|(_, _, id)| id).collect())
}

fn fits(catalogue: &Catalogue, filter: &Filter, id: OperatorId, operator: &Operator) -> bool {
    let module = || {
        let entry = &operator.declared()?.entry;
        Some(&*entry.python_module.as_ref()?.value)
    };
    let has_key = |key: &str| catalogue.kernels(id).iter().any(|k| k.key.as_str() == key);
    let generated = match filter.generated {
        Generated::Include => true,
        Generated::Only => operator.is_generated(),
        Generated::Exclude => !operator.is_generated(),
    };
    generated
        && is_wanted(filter.namespace.as_deref(), |n| operator.namespace() == n)
        && is_wanted(filter.base_name.as_deref(), |n| operator.base_name() == n)
        && is_wanted(filter.kind, |kind| operator.kind == kind)
        && is_wanted(filter.tag.as_deref(), |tag| operator.has_tag(tag))
        && is_wanted(filter.structured, |s| operator.is_structured() == s)
        && is_wanted(filter.python_module.as_deref(), |m| module() == Some(m))
        && (filter.reason.is_some() || is_wanted(filter.key.as_deref(), has_key))
}

fn is_wanted<T>(wanted: Option<T>, is: impl FnOnce(T) -> bool) -> bool {
    wanted.is_none_or(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    const FILE: &[u8] = b"
- func: addmm(Tensor self, Tensor mat1) -> Tensor
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU: add_cpu
- func: badd(Tensor self) -> Tensor
- func: acme::add(Tensor self) -> Tensor
- func: other(SymInt additional) -> Tensor
";

    fn names(filter: &Filter) -> Vec<String> {
        let catalogue = Catalogue::read(&Bundle::of_native_functions(FILE), Release::LATEST, None);
        let found = search(&catalogue, filter, &Stop::never()).unwrap();
        let name = |id| catalogue.operator(id).qualified_name().to_owned();
        found.into_iter().map(name).collect()
    }

    #[test]
    fn best_names_come_first() {
        let filter = |words: &str| Filter {
            words: Some(words.into()),
            ..Filter::default()
        };
        let found = names(&filter("add"));
        assert_eq!(found, ["acme::add", "add.Tensor", "addmm", "badd", "other"]);
        assert_eq!(names(&filter("ADD.tensor")), ["add.Tensor"]);
        assert_eq!(names(&filter("symint other")), ["other"]);
        assert_eq!(names(&filter("admm")), ["addmm"]);
        assert_eq!(names(&filter("aten::addmm")), ["addmm"]);
        assert!(names(&filter("nothing here")).is_empty());
    }

    #[test]
    fn filters_narrow() {
        let filter = Filter {
            namespace: Some("acme".into()),
            ..Filter::default()
        };
        assert_eq!(names(&filter), ["acme::add"]);
        let filter = Filter {
            key: Some("CPU".into()),
            ..Filter::default()
        };
        assert_eq!(names(&filter), ["add.Tensor"]);
    }
}
