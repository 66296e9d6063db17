//! The lists of operators with functions in the C shim: of a release, or of a file.

use std::collections::BTreeMap;

use opatlas_pytorch::release::Release;
use opatlas_pytorch::ways::{Facts, Registry, facts};
use opatlas_schema::faces::ShimVersion;

use super::literal::{Literal, LiteralError, Reader};
use crate::catalogue::Catalogue;

const FALLBACK: &str = "inductor_fallback_ops";
const SHIMIFIED: &str = "aten_shimified_ops";

/// How a list names the arguments that a version adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionForm {
    /// The list is a set of names: operators have one version.
    Set,
    /// `{"v2": ["argument"]}`
    Names,
    /// `{"v2": {"new_args": ["argument"]}}`
    NewArguments,
}

impl VersionForm {
    /// The form that torchgen of a release reads.
    #[must_use]
    pub fn of(release: Release) -> Self {
        if release >= Release::V2_13 {
            Self::NewArguments
        } else if release >= Release::V2_8 {
            Self::Names
        } else {
            Self::Set
        }
    }
}

/// The entry of an operator in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShimEntry {
    /// The versions after the first, in ascending order.
    pub versions: Vec<ShimVersion>,
    /// The value in the list, if it is not empty.
    value: Vec<(String, Literal)>,
}

/// The lists of `torchgen/aoti/fallback_ops.py`, by the operator's name (`add.Tensor`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShimLists {
    form: VersionForm,
    fallback: BTreeMap<String, ShimEntry>,
    shimified: BTreeMap<String, ShimEntry>,
}

impl ShimLists {
    /// The lists of a release; `None` if it has none, or none was recorded.
    #[must_use]
    pub fn of_release(release: Release) -> Option<Self> {
        let facts = facts(release)?;
        let form = VersionForm::of(facts.release());
        facts.absent(Registry::AotiFallbackOps).is_none().then(|| {
            let of = |registry| recorded(facts, registry, form);
            Self {
                form,
                fallback: of(Registry::AotiFallbackOps),
                shimified: of(Registry::AotiShimifiedOps),
            }
        })
    }

    /// The lists of a revision: of its own file, or of its release if it has none or it does not parse.
    #[must_use]
    pub fn of_revision(catalogue: &Catalogue) -> Option<Self> {
        let own = Self::own(catalogue).and_then(Result::ok);
        own.or_else(|| Self::of_release(catalogue.release))
    }

    /// The lists of a revision's own file; `None` without the file.
    #[must_use]
    pub fn own(catalogue: &Catalogue) -> Option<Result<Self, LiteralError>> {
        let file = catalogue.fallback_ops.as_ref()?;
        let text = String::from_utf8_lossy(file.bytes());
        Some(Self::read(&text, catalogue.release))
    }

    /// Reads `fallback_ops.py` as torchgen of a release does.
    ///
    /// # Errors
    /// [`LiteralError`] if the file does not assign literals to its lists.
    pub fn read(text: &str, release: Release) -> Result<Self, LiteralError> {
        let form = VersionForm::of(release);
        let Some(fallback) = assigned(text, FALLBACK) else {
            let message = format!("the file does not assign `{FALLBACK}`");
            return Err(Reader::new(text, text.len()).error(message));
        };
        let shimified = assigned(text, SHIMIFIED);
        Ok(Self {
            form,
            fallback: list(text, fallback, form)?,
            shimified: shimified.map_or_else(|| Ok(BTreeMap::new()), |at| list(text, at, form))?,
        })
    }

    /// The entry of an operator in `inductor_fallback_ops`; `None` if it is not listed.
    #[must_use]
    pub fn fallback(&self, name: &str) -> Option<&ShimEntry> {
        self.fallback.get(name)
    }

    /// The entry of an operator in `aten_shimified_ops`; `None` if it is not listed.
    #[must_use]
    pub fn shimified(&self, name: &str) -> Option<&ShimEntry> {
        self.shimified.get(name)
    }

    /// The names in both lists.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let more = self.shimified.keys();
        let more = more.filter(|name| !self.fallback.contains_key(*name));
        self.fallback.keys().chain(more).map(String::as_str)
    }

    /// The lists of an operator alone with one more version, and the entry that says so. `None` if the
    /// operator is not listed, or if the release has no versions.
    #[must_use]
    pub fn with_version(&self, name: &str, new_arguments: &[&str]) -> Option<(Self, String)> {
        if self.form == VersionForm::Set {
            return None;
        }
        let known = self.fallback(name).or_else(|| self.shimified(name))?;
        let number = known.versions.last().map_or(2, |last| last.number + 1);
        let names = new_arguments.iter().map(|name| (*name).to_owned());
        let names = Literal::List(names.map(Literal::Text).collect());
        let mut entry = known.clone();
        let value = match self.form {
            VersionForm::NewArguments => Literal::Dict(vec![("new_args".into(), names)]),
            VersionForm::Names | VersionForm::Set => names,
        };
        entry.value.push((format!("v{number}"), value));
        entry.versions.push(ShimVersion {
            number,
            new_arguments: new_arguments.iter().map(|name| (*name).into()).collect(),
        });
        let value = written(&Literal::Dict(entry.value.clone()));
        let line = format!("\"{}\": {value}", listed_name(name));
        let only = |list: &BTreeMap<String, ShimEntry>| {
            let known = list.contains_key(name);
            let pair = known.then(|| (name.to_owned(), entry.clone()));
            pair.into_iter().collect()
        };
        let lists = Self {
            form: self.form,
            fallback: only(&self.fallback),
            shimified: only(&self.shimified),
        };
        Some((lists, line))
    }
}

fn recorded(facts: Facts, registry: Registry, form: VersionForm) -> BTreeMap<String, ShimEntry> {
    let members = facts.members(registry);
    members
        .map(|(name, value)| {
            let entry = value.and_then(|value| entry(value, 0, form).ok());
            (name.to_owned(), entry.unwrap_or_default())
        })
        .collect()
}

/// Where the value begins that the file assigns to a name on the outermost level.
fn assigned(text: &str, name: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let after = line.strip_prefix(name).map(str::trim_start);
        if after.is_some_and(|rest| rest.starts_with([':', '='])) {
            return Some(at + line.find('=')? + 1);
        }
        at += line.len();
    }
    None
}

fn list(
    text: &str,
    at: usize,
    form: VersionForm,
) -> Result<BTreeMap<String, ShimEntry>, LiteralError> {
    let mut reader = Reader::new(text, at);
    let entries = match reader.literal(0)? {
        Literal::Dict(entries) => entries,
        Literal::List(names) => names
            .into_iter()
            .filter_map(|name| match name {
                Literal::Text(name) => Some((name, Literal::Dict(Vec::new()))),
                Literal::List(_) | Literal::Dict(_) => None,
            })
            .collect(),
        Literal::Text(_) => return Err(Reader::new(text, at).error("expected a dict or a set")),
    };
    let mut found = BTreeMap::new();
    for (name, value) in entries {
        let entry = of_value(value, form).map_err(|message| {
            let place = text[at..].find(&*name).map_or(at, |offset| at + offset);
            Reader::new(text, place).error(format!("`{name}`: {message}"))
        })?;
        found.insert(operator_name(&name), entry);
    }
    Ok(found)
}

fn entry(text: &str, at: usize, form: VersionForm) -> Result<ShimEntry, LiteralError> {
    let value = Reader::new(text, at).literal(0)?;
    of_value(value, form).map_err(|message| Reader::new(text, at).error(message))
}

/// The versions that a value gives, as torchgen reads them. Before 2.13 it takes the keys of a dict for
/// the names of arguments.
fn of_value(value: Literal, form: VersionForm) -> Result<ShimEntry, String> {
    let Literal::Dict(value) = value else {
        return Err("expected a dict of versions".into());
    };
    let mut versions = Vec::new();
    for (key, of) in &value {
        if key == "since" && form == VersionForm::NewArguments {
            continue;
        }
        let number = key.strip_prefix('v').and_then(|digits| digits.parse().ok());
        let number: u32 = number.ok_or_else(|| format!("`{key}` is not a version such as `v2`"))?;
        versions.push(ShimVersion {
            number,
            new_arguments: new_arguments(key, of, form)?,
        });
    }
    versions.sort_by_key(|version| version.number);
    Ok(ShimEntry { versions, value })
}

fn new_arguments(key: &str, of: &Literal, form: VersionForm) -> Result<Vec<Box<str>>, String> {
    let names = match (of, form) {
        (Literal::Dict(fields), VersionForm::NewArguments) => {
            let found = fields.iter().find(|(name, _)| name == "new_args");
            match found {
                Some((_, Literal::List(names))) => names.as_slice(),
                Some(_) => return Err(format!("`new_args` of `{key}` is not a list")),
                None => &[],
            }
        }
        (Literal::List(names), VersionForm::Names | VersionForm::Set) => names.as_slice(),
        (Literal::Dict(fields), _) => {
            return Ok(fields.iter().map(|(name, _)| (**name).into()).collect());
        }
        (_, VersionForm::NewArguments) => {
            return Err(format!(
                "`{key}` must be `{{\"new_args\": [...]}}` from PyTorch 2.13 on"
            ));
        }
        _ => return Err(format!("`{key}` is not a list of arguments")),
    };
    let names = names.iter().map(|name| match name {
        Literal::Text(name) => Ok((**name).into()),
        Literal::List(_) | Literal::Dict(_) => {
            Err(format!("`{key}` names an argument that is not a string"))
        }
    });
    names.collect()
}

/// `add.Tensor` of `aten.add.Tensor`, `abs` of `aten.abs.default`, `prims::add` of
/// `prims.add.default`.
fn operator_name(listed: &str) -> String {
    let (namespace, name) = listed.split_once('.').unwrap_or(("aten", listed));
    let name = name.strip_suffix(".default").unwrap_or(name);
    match namespace {
        "aten" => name.to_owned(),
        other => format!("{other}::{name}"),
    }
}

/// The inverse of [`operator_name`].
fn listed_name(operator: &str) -> String {
    let (namespace, name) = operator.split_once("::").unwrap_or(("aten", operator));
    let overload = if name.contains('.') { "" } else { ".default" };
    format!("{namespace}.{name}{overload}")
}

/// A literal as Python writes it, with double quotes.
fn written(literal: &Literal) -> String {
    match literal {
        Literal::Text(text) => format!("{text:?}"),
        Literal::List(items) => {
            let items: Vec<_> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        Literal::Dict(entries) => {
            let entries = entries.iter();
            let entries: Vec<_> = entries
                .map(|(key, value)| format!("{key:?}: {}", written(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
