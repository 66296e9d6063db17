//! Fetches a release's YAML files from its wheel, which a package index or the disk has. The index is
//! found as pip finds it, with the user's mirrors, proxies and credentials. Only the files that
//! Opatlas reads are kept, in a cache if one is named.

mod cache;
mod candidate;
mod client;
mod configuration;
mod credentials;
mod index;
mod page;
mod settings;
mod wheel;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::read::{self, Origin};
use index::Index;
use opatlas_source::{Bundle, Stop};
use settings::Settings;

/// Why a release could not be fetched.
#[derive(Debug, Error)]
pub enum FetchError {
    /// pip's configuration cannot be used.
    #[error("pip's configuration: {reason}")]
    Settings {
        /// The fault.
        reason: String,
    },
    /// The index does not have the version.
    #[error("the index has no torch {version}; it has {known}")]
    NoRelease {
        /// The requested version.
        version: String,
        /// The newest versions that exist.
        known: String,
    },
    /// The wheel could not be downloaded.
    #[error("cannot download torch {version}: {reason}")]
    Download {
        /// The requested version.
        version: String,
        /// Why, with the address.
        reason: String,
    },
    /// No index could be read, most likely without a network.
    #[error(
        "cannot read the package index: {reason}; set PIP_INDEX_URL for a mirror, or import a \
         downloaded wheel with --wheel"
    )]
    Index {
        /// Why, with the address.
        reason: String,
    },
    /// The wheel is unusable.
    #[error("cannot read the wheel of torch {version}: {reason}")]
    Wheel {
        /// The requested version.
        version: String,
        /// The fault.
        reason: String,
    },
    /// A file is not a wheel of torch.
    #[error("{path} is not a wheel of torch: {reason}")]
    NotAWheel {
        /// The path.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The program was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Fetches releases.
#[derive(Debug, Clone)]
pub struct Fetcher {
    cache: Option<PathBuf>,
    wheels: BTreeMap<String, PathBuf>,
    /// Read once, when it is first needed.
    index: Arc<Mutex<Option<Arc<Index>>>>,
    stop: Stop,
}

/// Ends the downloads of a [`Fetcher`] when it is dropped.
#[derive(Debug)]
pub struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}

const LOOK: Duration = Duration::from_millis(20);

impl Fetcher {
    /// A fetcher that keeps what it fetches in a folder, if one is named.
    #[must_use]
    pub fn new(cache: Option<PathBuf>) -> Self {
        Self {
            cache,
            wheels: BTreeMap::new(),
            index: Arc::default(),
            stop: Stop::new(),
        }
    }

    /// Takes a release from a wheel on the disk. Returns its version.
    pub fn add_wheel(&mut self, path: &Path) -> Result<String, FetchError> {
        let version = wheel::version(path)?;
        self.wheels.insert(version.clone(), path.to_owned());
        Ok(version)
    }

    /// A guard that ends all downloads, with their temporary files, when it is dropped.
    #[must_use]
    pub fn stopping(&self) -> StopOnDrop {
        StopOnDrop(self.stop.clone())
    }

    /// The files of a release in the cache.
    pub fn cached(cache: &Path, version: &str) -> Result<Option<Bundle>, FetchError> {
        cache::bundle(cache, version)
    }

    /// The published releases with a wheel, oldest first. Fails if no index can be read.
    pub fn versions(&self) -> Result<Vec<String>, FetchError> {
        let fetcher = self.clone();
        self.unless_stopped(move || Ok(fetcher.index()?.versions()))
    }

    /// Fetches the files of a release: from its wheel on the disk, from the cache, or from an index.
    pub fn fetch(&self, version: &str) -> Result<Bundle, FetchError> {
        let wheel = self.wheels.get(version);
        if let (None, Some(cache)) = (wheel, &self.cache)
            && let Some(bundle) = Self::cached(cache, version)?
        {
            return Ok(bundle);
        }
        let bundle = match wheel {
            Some(path) => {
                let file = read::open(path, Origin::Found).map_err(|source| FetchError::File {
                    path: path.clone(),
                    source,
                })?;
                wheel::bundle(version, file)?
            }
            None => {
                let (fetcher, wanted) = (self.clone(), version.to_owned());
                let read = move || wheel::bundle(&wanted, fetcher.index()?.open(&wanted)?);
                self.unless_stopped(read)?
            }
        };
        if let Some(cache) = &self.cache {
            cache::keep(cache, version, &bundle)?;
        }
        Ok(bundle)
    }

    fn index(&self) -> Result<Arc<Index>, FetchError> {
        // Held while reading, so that concurrent downloads read the index once.
        let mut held = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*held {
            return Ok(Arc::clone(index));
        }
        let index = Arc::new(Index::read(Settings::read()?, self.stop.clone())?);
        *held = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Runs work on its own thread, and leaves it when the user asks to stop: a server that does not
    /// answer would hold it. Its temporary files have no names, so they end with the process.
    fn unless_stopped<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, FetchError> + Send + 'static,
    ) -> Result<T, FetchError> {
        let (send, receive) = mpsc::channel();
        let working = thread::spawn(move || {
            // Nobody waits for it after an interruption.
            let _ = send.send(work());
        });
        loop {
            match receive.recv_timeout(LOOK) {
                Ok(done) => return done,
                Err(mpsc::RecvTimeoutError::Timeout) if self.stop.is_requested() => {
                    return Err(FetchError::Interrupted);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => match working.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => return Err(FetchError::Interrupted),
                },
            }
        }
    }
}

/// A version as the index names it: `2.9` becomes `2.9.0` (PEP 440 pads versions with zeros).
#[must_use]
pub fn canonical(version: &str) -> String {
    let text = version.strip_prefix(['v', 'V']).unwrap_or(version);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('.') {
        Some((major, minor)) if is_number(major) && is_number(minor) => format!("{text}.0"),
        _ => text.to_owned(),
    }
}

/// Fails if the user sets a command for pip, which earlier versions ran.
pub fn refuse_pip(command: Option<&str>) -> anyhow::Result<()> {
    anyhow::ensure!(
        command.is_none(),
        "--pip and OPATLAS_PIP have no effect: Opatlas reads the package index itself, with pip's \
         configuration. If only your pip can reach the index, run `pip download --no-deps \
         torch==VERSION` and import the file with `opatlas import --wheel FILE`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_one_name() {
        for (text, name) in [
            ("2.9", "2.9.0"),
            ("v2.10", "2.10.0"),
            ("2.9.1", "2.9.1"),
            ("2.10.0rc1", "2.10.0rc1"),
            ("2.10rc1", "2.10rc1"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(canonical(text), name, "{text}");
        }
    }
}
