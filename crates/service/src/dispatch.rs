//! Dispatch tables of snapshots, computed on first use.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use opatlas_dispatch::{Build, Inputs, Observed, Provenance, Source, provenance};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest_few;
use opatlas_source::{OBSERVED, Stop, Stopped};
use opatlas_verdict::{Tables, View};

use super::error::ServiceError;
use super::observed;
use super::snapshot::Snapshot;

const KEPT: usize = 4;
const SUGGESTIONS: usize = 3;

/// Selects the registrations in a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// The backends that are compiled in.
    pub build: Build,
    /// All known registrations, or those that follow from the files.
    pub source: Source,
}

#[derive(Debug, Default)]
pub(super) struct Dispatch {
    observed: OnceLock<Observed>,
    provenance: OnceLock<Provenance>,
    default: OnceLock<Arc<Tables>>,
    others: Mutex<Vec<Arc<Tables>>>,
}

impl Profile {
    /// Parses a build: its name or the backends that it leaves out. `None` is a build with
    /// everything. Fails with [`ServiceError::UnknownBuild`] with similar names.
    pub fn parse(
        build: Option<&str>,
        source: Source,
        release: Release,
    ) -> Result<Self, ServiceError> {
        let build = match build {
            None => Build::ALL,
            Some(text) => {
                Build::parse(text, release).map_err(|unknown| ServiceError::UnknownBuild {
                    release,
                    name: unknown.text.into(),
                    suggestions: unknown.suggestions.into_iter().map(Into::into).collect(),
                })?
            }
        };
        Ok(Self { build, source })
    }
}

impl Dispatch {
    pub(super) fn remember(&self, observed: Observed) {
        // If they are set, they are equal.
        let _ = self.observed.set(observed);
    }
}

impl Snapshot {
    /// The inputs of the tables.
    pub fn inputs(&self) -> Inputs<'_> {
        let dispatch = &self.dispatch;
        Inputs {
            catalogue: &self.catalogue,
            derivatives: self.catalogue.derivatives.as_deref(),
            matches: &self.catalogue.derivative_matches,
            backends: &self.catalogue.backends,
            observed: dispatch.observed.get_or_init(|| self.read_observed()),
            provenance: *dispatch
                .provenance
                .get_or_init(|| provenance(&self.bundle, self.release())),
        }
    }

    /// The default tables: everything that is known and declared.
    pub fn view(&self) -> View<'_> {
        let inputs = self.inputs();
        let tables = self.dispatch.default.get_or_init(|| {
            let profile = Profile::default();
            Arc::new(Tables::new(inputs, &profile.build, profile.source))
        });
        View::new(inputs, tables)
    }

    #[must_use]
    pub(super) fn is_tabulated(&self) -> bool {
        self.dispatch.default.get().is_some()
    }

    /// Computes the default tables unless they exist.
    pub fn tabulate(&self, stop: &Stop) -> Result<(), Stopped> {
        if self.dispatch.default.get().is_none() {
            let Profile { build, source } = Profile::default();
            let tables = Tables::new_until(self.inputs(), &build, source, stop)?;
            // Another thread may have been faster; its tables are equal.
            let _ = self.dispatch.default.set(Arc::new(tables));
        }
        Ok(())
    }

    /// Computes the default tables and all verdicts.
    pub fn settle(&self, stop: &Stop) -> Result<(), Stopped> {
        self.tabulate(stop)?;
        self.view().settle(stop)
    }

    /// The tables of a profile. Concurrent requests for the same tables wait for one computation.
    pub fn tables(&self, profile: &Profile) -> Arc<Tables> {
        Stop::unstopped(|stop| self.tables_until(profile, stop))
    }

    /// Like [`Snapshot::tables`], but can be stopped.
    pub fn tables_until(&self, profile: &Profile, stop: &Stop) -> Result<Arc<Tables>, Stopped> {
        if *profile == Profile::default() {
            self.tabulate(stop)?;
            if let Some(tables) = self.dispatch.default.get() {
                return Ok(Arc::clone(tables));
            }
        }
        let others = &self.dispatch.others;
        let mut others = others.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |tables: &Arc<Tables>| {
            *tables.build() == profile.build && tables.source() == profile.source
        };
        let known = others.iter().position(is_wanted);
        let tables = match known {
            Some(at) => others.remove(at),
            None => Arc::new(Tables::new_until(
                self.inputs(),
                &profile.build,
                profile.source,
                stop,
            )?),
        };
        others.push(Arc::clone(&tables));
        if others.len() > KEPT {
            others.remove(0);
        }
        Ok(tables)
    }

    /// An invalid file is rejected at ingest, so this loses nothing.
    fn read_observed(&self) -> Observed {
        let bytes = self.bundle.file(OBSERVED);
        bytes
            .and_then(|bytes| observed::read(bytes).ok())
            .unwrap_or_default()
    }
}

/// The runtime key of a name. Fails with [`ServiceError::UnknownKey`] with similar names, or
/// [`ServiceError::AliasKey`] with keys that the alias includes.
pub fn runtime_key(release: Release, name: &str) -> Result<Slot, ServiceError> {
    let keys = Keys::of(release);
    match keys.lookup(name) {
        Some(Key::Runtime(slot)) => Ok(slot),
        Some(Key::Alias(alias)) => Err(ServiceError::AliasKey {
            release,
            name: alias.name(),
            suggestions: reached(keys, alias),
        }),
        None => Err(ServiceError::UnknownKey {
            release,
            suggestions: near(keys, name),
            name: name.chars().take(128).collect(),
        }),
    }
}

fn reached(keys: &Keys, alias: Alias) -> Vec<String> {
    let named = keys.reach(alias).iter().filter(|&s| s != Slot::UNDEFINED);
    let names = named.map(|slot| keys.name(Key::Runtime(slot)).to_owned());
    names.take(SUGGESTIONS).collect()
}

fn near(keys: &Keys, name: &str) -> Vec<String> {
    let family = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == name)
        .map(|slot| keys.name(Key::Runtime(slot)).to_owned());
    let family: Vec<_> = family.take(SUGGESTIONS).collect();
    if !family.is_empty() {
        return family;
    }
    let runtime = keys.slots().map(|slot| keys.name(Key::Runtime(slot)));
    let near = nearest_few(name, runtime, SUGGESTIONS);
    near.into_iter().map(Into::into).collect()
}
