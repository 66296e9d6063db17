//! Choosing operators: by what they are, and by words.

use opatlas_dispatch::Reason;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::SchemaKind;
use opatlas_source::suggest::nearest_few;
use opatlas_source::{Stop, Stopped};

use super::dispatch::runtime_key;
use super::error::ServiceError;
use super::snapshot::Snapshot;

/// Whether generated operators are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Generated {
    /// With all others.
    #[default]
    Include,
    /// Without all others.
    Only,
    /// Not.
    Exclude,
}

/// What an operator must be like; `None` asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Words that must all occur in its name or schema; names also match by letters in order.
    pub words: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name without the overload name.
    pub base_name: Option<String>,
    /// Its kind.
    pub kind: Option<SchemaKind>,
    /// A tag that it has.
    pub tag: Option<String>,
    /// A key that its declaration puts a kernel on; with a reason, the runtime key that is asked
    /// about.
    pub key: Option<String>,
    /// The reason that its entry at the key has, of everything that is declared and known.
    pub reason: Option<Reason>,
    /// Whether it is `structured: True`.
    pub structured: Option<bool>,
    /// Whether it is generated.
    pub generated: Generated,
    /// Its `python_module`.
    pub python_module: Option<String>,
}

impl Filter {
    /// Whether the key is one of the release's, and with a reason a runtime key.
    ///
    /// # Errors
    /// [`ServiceError::UnknownKey`] with similar names, [`ServiceError::AliasKey`].
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

/// The operators of a snapshot that a filter asks for, ordered as by [`search`].
///
/// # Errors
/// [`Stopped`].
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

/// The operators that the parts of a filter other than the reason ask for: in the order of the
/// catalogue, or, where there are words, those first whose names fit best.
///
/// # Errors
/// [`Stopped`].
pub fn search(
    catalogue: &Catalogue,
    filter: &Filter,
    stop: &Stop,
) -> Result<Vec<OperatorId>, Stopped> {
    let fitting = catalogue
        .iter()
        .take_while(|_| !stop.is_requested())
        .filter(|&(id, operator)| fits(catalogue, filter, id, operator));
    let words = filter.words.as_deref().unwrap_or_default();
    let words: Vec<String> = words.split_whitespace().map(lower).collect();
    if words.is_empty() {
        let found = fitting.map(|(id, _)| id).collect();
        return stop.check().map(|()| found);
    }
    let mut texts = Texts::default();
    let mut ranked: Vec<(u32, usize, OperatorId)> = fitting
        .filter_map(|(id, operator)| {
            let rank = texts.of(operator).rank(&words)?;
            Some((rank, operator.name().as_str().len(), id))
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
        && is_wanted(filter.base_name.as_deref(), |n| operator.name().base() == n)
        && is_wanted(filter.kind, |kind| operator.kind == kind)
        && is_wanted(filter.tag.as_deref(), |tag| operator.has_tag(tag))
        && is_wanted(filter.structured, |s| operator.is_structured() == s)
        && is_wanted(filter.python_module.as_deref(), |m| module() == Some(m))
        && (filter.reason.is_some() || is_wanted(filter.key.as_deref(), has_key))
}

fn is_wanted<T>(wanted: Option<T>, is: impl FnOnce(T) -> bool) -> bool {
    wanted.is_none_or(is)
}

/// The texts of an operator in lower case; the buffers are used again for the next one.
#[derive(Default)]
struct Texts {
    name: String,
    schema: String,
    namespace: usize,
}

impl Texts {
    fn of(&mut self, operator: &Operator) -> &Self {
        self.name.clear();
        self.namespace = 0;
        if operator.namespace() != "aten" {
            self.name.push_str(operator.namespace());
            self.name.push_str("::");
            self.namespace = self.name.len();
        }
        self.name.push_str(operator.name().as_str());
        self.name.make_ascii_lowercase();
        self.schema.clear();
        self.schema.push_str(operator.canonical());
        self.schema.make_ascii_lowercase();
        self
    }

    /// How well all words fit, least first; `None` when one does not.
    fn rank(&self, words: &[String]) -> Option<u32> {
        words.iter().map(|word| self.rank_of(word)).sum()
    }

    fn rank_of(&self, word: &str) -> Option<u32> {
        let word = word.strip_prefix("aten::").unwrap_or(word);
        let bare = &self.name[self.namespace..];
        let base = bare.split('.').next().unwrap_or(bare);
        if self.name == word || bare == word {
            return Some(0);
        }
        if base == word {
            return Some(1);
        }
        if bare.starts_with(word) || self.name.starts_with(word) {
            return Some(2);
        }
        if let Some(at) = self.name.find(word) {
            let begins_word = self.name[..at].ends_with(['_', '.', ':']);
            return Some(if begins_word { 3 } else { 4 });
        }
        if self.schema.contains(word) {
            return Some(5);
        }
        (word.len() >= 4 && is_subsequence(word, &self.name)).then_some(6)
    }
}

fn lower(word: &str) -> String {
    word.to_ascii_lowercase()
}

fn is_subsequence(letters: &str, text: &str) -> bool {
    let mut text = text.chars();
    letters.chars().all(|letter| text.any(|c| c == letter))
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
        let name = |id| catalogue.operator(id).qualified_name();
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
