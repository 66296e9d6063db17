//! The parameters of a dispatch table.

use opatlas_dispatch::Wanted;
use utoipa::IntoParams;

use crate::entry::Source;
use crate::problem::{Kind, Problem};

/// Options of an operator's table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TableQuery {
    /// Only the entry for this runtime key.
    #[param(example = "SparseXPU")]
    pub key: Option<String>,
    /// Whether to explain each entry: the rules tried, why each did not apply, and what to register
    /// to change the result.
    pub explain: Option<bool>,
    /// A build profile (`all`, the default: all declared backends; `linux-cuda`, `cpu`, `macos`),
    /// or a comma-separated list of backends to leave out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` ignores hand-written and observed registrations.
    #[param(inline)]
    pub source: Option<Source>,
    /// What if: a registration to add, `KEY:kernel` or `KEY`; for several use a comma-separated
    /// list or repeat the parameter.
    #[param(example = "MPS:my_kernel", required = false)]
    pub with: Vec<String>,
    /// What if: a key whose registration to remove; several in the same way.
    #[param(example = "CompositeImplicitAutograd", required = false)]
    pub without: Vec<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

impl TableQuery {
    /// Whether the query changes registrations.
    #[must_use]
    pub fn is_what_if(&self) -> bool {
        !self.with.is_empty() || !self.without.is_empty()
    }

    /// Whether the default tables answer it.
    #[must_use]
    pub fn is_of_default_tables(&self) -> bool {
        !self.is_what_if() && self.build.is_none() && self.source.is_none()
    }

    /// Reads the query pair by pair. Fails for an unknown parameter, or one that is given twice.
    pub fn read(pairs: Vec<(String, String)>) -> Result<Self, Problem> {
        let mut query = Self::default();
        for (name, value) in pairs {
            match &*name {
                "key" => once(&mut query.key, &name, value)?,
                "build" => once(&mut query.build, &name, value)?,
                "release" => once(&mut query.release, &name, value)?,
                "explain" => {
                    let value = choice(&name, &value, &[("true", true), ("false", false)])?;
                    once(&mut query.explain, &name, value)?;
                }
                "source" => {
                    let known = [("everything", Source::Everything), ("files", Source::Files)];
                    once(&mut query.source, &name, choice(&name, &value, &known)?)?;
                }
                "with" => query.with.extend(list(&value)),
                "without" => query.without.extend(list(&value)),
                _ => return Err(unknown(&name)),
            }
        }
        Ok(query)
    }
}

/// `KEY:kernel` or `KEY`.
#[must_use]
pub fn wanted(text: &str) -> Wanted<'_> {
    match text.split_once(':') {
        Some((key, kernel)) if !kernel.trim().is_empty() => Wanted {
            kernel: Some(kernel.trim()),
            ..Wanted::at(key.trim())
        },
        Some((key, _)) => Wanted::at(key.trim()),
        None => Wanted::at(text),
    }
}

/// The items of a comma-separated list.
pub fn list(value: &str) -> impl Iterator<Item = String> {
    let items = value.split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned)
}

fn once<T>(slot: &mut Option<T>, name: &str, value: T) -> Result<(), Problem> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(invalid(name, format!("duplicate `{name}`"))),
    }
}

fn choice<T: Copy>(name: &str, value: &str, known: &[(&str, T)]) -> Result<T, Problem> {
    let found = known.iter().find(|(text, _)| *text == value);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<_> = known.iter().map(|(text, _)| *text).collect();
        Problem::not_listed(name, value, &known)
    })
}

fn unknown(name: &str) -> Problem {
    let known = [
        "key", "explain", "build", "source", "with", "without", "release",
    ];
    let near = opatlas_source::suggest::nearest(name, known);
    let detail = format!("unknown parameter `{name}`");
    Problem::new(Kind::InvalidParameter, detail)
        .suggesting(near.into_iter().map(Into::into).collect())
        .about(name)
}

fn invalid(name: &str, detail: String) -> Problem {
    Problem::new(Kind::InvalidParameter, detail).about(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<TableQuery, Problem> {
        let pairs = pairs.iter();
        TableQuery::read(pairs.map(|&(k, v)| (k.to_owned(), v.to_owned())).collect())
    }

    #[test]
    fn changes_come_as_lists_or_several_times() {
        let query = read(&[
            ("with", "MPS:a, XPU"),
            ("with", "CPU:b"),
            ("without", "Meta"),
        ])
        .unwrap();
        assert_eq!(query.with, ["MPS:a", "XPU", "CPU:b"]);
        assert!(query.is_what_if());
        let wanted: Vec<_> = query.with.iter().map(|text| wanted(text)).collect();
        assert_eq!((wanted[0].key, wanted[0].kernel), ("MPS", Some("a")));
        assert_eq!((wanted[1].key, wanted[1].kernel), ("XPU", None));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for pairs in [
            &[("kei", "CPU")][..],
            &[("key", "CPU"), ("key", "CPU")],
            &[("explain", "maybe")],
            &[("source", "cloud")],
        ] {
            assert!(read(pairs).is_err(), "{pairs:?}");
        }
    }
}
