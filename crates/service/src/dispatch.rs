//! Dispatch tables of snapshots: made when they are first asked for, and shared.

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

/// How many tables of other builds and sources a snapshot keeps besides those of the default.
const KEPT: usize = 4;
/// How many names a refusal gives.
const SUGGESTIONS: usize = 3;

/// Which registrations tables are made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// What a build has kernels for.
    pub build: Build,
    /// All registrations that are known, or those that follow from the files.
    pub source: Source,
}

/// The tables of a snapshot, and what they are made from besides its files.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    observed: OnceLock<Observed>,
    provenance: OnceLock<Provenance>,
    default: OnceLock<Arc<Tables>>,
    /// Those used last stand last.
    others: Mutex<Vec<Arc<Tables>>>,
}

impl Profile {
    /// Reads a build by its name or the backends that it leaves out; without one it is the build
    /// with everything that is declared.
    ///
    /// # Errors
    /// [`ServiceError::UnknownBuild`] with near names.
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
    /// Takes recorded registrations that were read already.
    pub(super) fn remember(&self, observed: Observed) {
        // Where they are known, they are the same.
        let _ = self.observed.set(observed);
    }
}

impl Snapshot {
    /// What tables are made from.
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

    /// The tables of everything that is known and declared.
    pub fn view(&self) -> View<'_> {
        let inputs = self.inputs();
        let tables = self.dispatch.default.get_or_init(|| {
            let profile = Profile::default();
            Arc::new(Tables::new(inputs, &profile.build, profile.source))
        });
        View::new(inputs, tables)
    }

    /// Whether the tables of [`Snapshot::view`] are made.
    #[must_use]
    pub(super) fn is_tabulated(&self) -> bool {
        self.dispatch.default.get().is_some()
    }

    /// Makes the tables of [`Snapshot::view`], unless they are made, or it is stopped.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn tabulate(&self, stop: &Stop) -> Result<(), Stopped> {
        if self.dispatch.default.get().is_none() {
            let Profile { build, source } = Profile::default();
            let tables = Tables::new_until(self.inputs(), &build, source, stop)?;
            // Where another thread was quicker, its tables are the same.
            let _ = self.dispatch.default.set(Arc::new(tables));
        }
        Ok(())
    }

    /// Makes the tables of [`Snapshot::view`] and finds all verdicts.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn settle(&self, stop: &Stop) -> Result<(), Stopped> {
        self.tabulate(stop)?;
        self.view().settle(stop)
    }

    /// [`Snapshot::tabulate`] with the help of a former revision whose tables are made.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn tabulate_after(&self, former: &Self, stop: &Stop) -> Result<(), Stopped> {
        if !former.is_tabulated() {
            return self.tabulate(stop);
        }
        if !self.is_tabulated() {
            let tables = Tables::after(former.view(), self.inputs(), stop)?;
            let _ = self.dispatch.default.set(Arc::new(tables));
        }
        Ok(())
    }

    /// The tables of a profile; [`View::new`] with [`Snapshot::inputs`] answers questions about
    /// them. Requests for the same ones wait for one making (about 2 ms).
    pub fn tables(&self, profile: &Profile) -> Arc<Tables> {
        Stop::unstopped(|stop| self.tables_until(profile, stop))
    }

    /// The same, unless it is stopped.
    ///
    /// # Errors
    /// [`Stopped`].
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

    /// Bundles that do not read are not admitted, so nothing is lost silently.
    fn read_observed(&self) -> Observed {
        let bytes = self.bundle.file(OBSERVED);
        bytes
            .and_then(|bytes| observed::read(bytes).ok())
            .unwrap_or_default()
    }
}

/// The runtime key of a name.
///
/// # Errors
/// [`ServiceError::UnknownKey`] with near names, [`ServiceError::AliasKey`] with keys that the
/// alias reaches.
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

/// The keys of the functionality that is named, else those with a similar name.
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
