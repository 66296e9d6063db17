//! Fetches a release's YAML files from its wheel. The user's own `pip` downloads the wheel, with
//! its mirrors, proxies and credentials. Only the files that Opatlas reads are kept, in a cache if
//! one is named.

mod wheel;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::read::{self, Origin};
use opatlas_pytorch::release::Version;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Stop};
use wheel::{MAX_MEMBER, MEMBERS, read_wheel};

/// Wheels with a Python version that every release since 2.0 supports, for the platforms with the
/// smallest wheels that contain `torchgen`. Which one exists depends on the release.
const TARGET: [&str; 8] = [
    "--disable-pip-version-check",
    "--only-binary=:all:",
    "--python-version",
    "3.11",
    "--platform",
    "macosx_11_0_arm64",
    "--platform",
    "macosx_14_0_arm64",
];
const MAX_SAID: u64 = 16 << 20;
/// Why a release could not be fetched.
#[derive(Debug, Error)]
pub enum FetchError {
    /// pip is not installed.
    #[error(
        "pip is missing (tried {tried}); install Python 3 with pip, or set the command with --pip"
    )]
    NoPip {
        /// The commands that were tried.
        tried: String,
    },
    /// The index does not have the version.
    #[error("the index has no torch {version}; it has {known}")]
    NoRelease {
        /// The requested version.
        version: String,
        /// The newest versions that exist.
        known: String,
    },
    /// pip failed, most likely without a network.
    #[error("pip could not download torch {version}: {reason}")]
    Pip {
        /// The requested version.
        version: String,
        /// The last line of pip's output.
        reason: String,
    },
    /// pip could not list the releases.
    #[error("pip could not list the published releases of torch: {reason}")]
    Index {
        /// The last line of pip's output.
        reason: String,
    },
    /// The wheel is unusable.
    #[error("cannot read the wheel of torch {version}: {reason}")]
    Wheel {
        /// The requested version.
        version: String,
        /// What is wrong.
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
    pip: Vec<String>,
    cache: Option<PathBuf>,
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
    /// Finds pip: the given command, or the first usual one that works.
    pub fn new(pip: Option<&str>, cache: Option<PathBuf>) -> Result<Self, FetchError> {
        let candidates: Vec<Vec<String>> = match pip {
            Some(command) => vec![command.split_whitespace().map(Into::into).collect()],
            None => ["python3 -m pip", "pip3", "pip", "python -m pip"]
                .iter()
                .map(|c| c.split_whitespace().map(Into::into).collect())
                .collect(),
        };
        let found = candidates.iter().find(|command| answers(command));
        match found {
            Some(pip) => Ok(Self {
                pip: pip.clone(),
                cache,
                stop: Stop::new(),
            }),
            None => Err(FetchError::NoPip {
                tried: candidates
                    .iter()
                    .map(|c| c.join(" "))
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    /// A guard that ends all downloads, with their processes and temporary files, when it is dropped.
    #[must_use]
    pub fn stopping(&self) -> StopOnDrop {
        StopOnDrop(self.stop.clone())
    }

    /// The files of a release in the cache.
    pub fn cached(cache: &Path, version: &str) -> Result<Option<Bundle>, FetchError> {
        let folder = cache.join(version);
        let mut bundle = Bundle::default();
        for (name, _) in MEMBERS {
            let path = folder.join(name);
            match read::bytes(&path, Origin::Found, MAX_MEMBER) {
                Ok(bytes) => bundle.insert(name, bytes),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(FetchError::File { path, source }),
            }
        }
        Ok(bundle.file(NATIVE_FUNCTIONS).is_some().then_some(bundle))
    }

    /// The published releases with a wheel, oldest first. Fails if pip cannot reach the index.
    pub fn versions(&self) -> Result<Vec<String>, FetchError> {
        let mut command = self.command();
        command
            .args(["index", "versions"])
            .args(TARGET)
            .arg("torch");
        let failed = |reason: String| FetchError::Index { reason };
        let work = temporary()?;
        let output = self
            .run(command, work.path())
            .map_err(|error| interrupted_or(error, |e| failed(e.to_string())))?;
        let list = output
            .said
            .lines()
            .find_map(|line| line.trim().strip_prefix("Available versions:"));
        let Some(list) = list.filter(|_| output.is_success) else {
            let said = &output.complaint;
            let mut errors = said.lines().filter(|line| line.starts_with("ERROR"));
            let last = errors.next_back().or(said.lines().last());
            let reason = last.unwrap_or("no versions");
            return Err(failed(reason.trim_start_matches("ERROR: ").into()));
        };
        let mut versions: Vec<&str> = list.split(',').map(str::trim).collect();
        versions.retain(|version| Version::parse(version).is_some());
        versions.sort_by_key(|version| Version::parse(version));
        Ok(versions.into_iter().map(Into::into).collect())
    }

    /// Fetches the files of a release, from the cache if it has them.
    pub fn fetch(&self, version: &str) -> Result<Bundle, FetchError> {
        if let Some(cache) = &self.cache
            && let Some(bundle) = Self::cached(cache, version)?
        {
            return Ok(bundle);
        }
        let work = temporary()?;
        let wheels = work.path().join("wheels");
        self.download(version, &wheels, work.path())?;
        let bundle = read_wheel(version, &wheels)?;
        if let Some(cache) = &self.cache {
            keep(cache, version, &bundle)?;
        }
        Ok(bundle)
    }

    /// Downloads the wheel of a release into a folder. pip's temporary files go to `work`.
    fn download(&self, version: &str, into: &Path, work: &Path) -> Result<(), FetchError> {
        let mut command = self.command();
        command.args(["download", "--no-deps", "--no-cache-dir"]);
        command
            .args(TARGET)
            .arg("--dest")
            .arg(into)
            .arg(format!("torch=={version}"));
        let failed = |error: io::Error| FetchError::Pip {
            version: version.into(),
            reason: error.to_string(),
        };
        let output = fs::create_dir(into)
            .and_then(|()| self.run(command, work))
            .map_err(|error| interrupted_or(error, failed))?;
        if output.is_success {
            Ok(())
        } else {
            Err(refusal(version, &output.complaint))
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the user's own pip")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.pip[0]);
        command.args(&self.pip[1..]).stdin(Stdio::null());
        command
    }

    fn run(&self, mut command: Command, work: &Path) -> io::Result<Output> {
        let (said, complaint) = (work.join("stdout"), work.join("stderr"));
        for name in ["TMPDIR", "TEMP", "TMP"] {
            command.env(name, work);
        }
        command.stdout(fs::File::create(&said)?);
        command.stderr(fs::File::create(&complaint)?);
        let mut child = command.spawn()?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if self.stop.is_requested() {
                child.kill()?;
                child.wait()?;
                return Err(ErrorKind::Interrupted.into());
            }
            thread::sleep(LOOK);
        };
        let text =
            |path: &Path| Ok::<_, io::Error>(lossy(&read::bytes(path, Origin::Found, MAX_SAID)?));
        Ok(Output {
            is_success: status.success(),
            said: text(&said)?,
            complaint: text(&complaint)?,
        })
    }
}

struct Output {
    is_success: bool,
    said: String,
    complaint: String,
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn interrupted_or(error: io::Error, other: impl FnOnce(io::Error) -> FetchError) -> FetchError {
    match error.kind() {
        ErrorKind::Interrupted => FetchError::Interrupted,
        _ => other(error),
    }
}

fn temporary() -> Result<tempfile::TempDir, FetchError> {
    tempfile::Builder::new()
        .prefix("opatlas-")
        .tempdir()
        .map_err(|source| FetchError::File {
            path: std::env::temp_dir(),
            source,
        })
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

#[expect(clippy::disallowed_methods, reason = "the user's own pip")]
fn answers(command: &[String]) -> bool {
    let Some((program, arguments)) = command.split_first() else {
        return false;
    };
    Command::new(program)
        .args(arguments)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn refusal(version: &str, said: &str) -> FetchError {
    let versions = said
        .split_once("(from versions: ")
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(list, _)| list);
    if let Some(list) = versions.filter(|list| *list != "none") {
        let mut known: Vec<&str> = list.split(", ").collect();
        known.reverse();
        let more = if known.len() > 8 { ", ..." } else { "" };
        known.truncate(8);
        return FetchError::NoRelease {
            version: version.into(),
            known: format!("{}{more}", known.join(", ")),
        };
    }
    let reason = if versions.is_some() {
        "the package index is not reachable"
    } else {
        let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.next_back().unwrap_or("pip gave no reason")
    };
    FetchError::Pip {
        version: version.into(),
        reason: reason.trim_start_matches("ERROR: ").into(),
    }
}

/// Puts the files into the cache, all or none: writes a new folder and renames it.
fn keep(cache: &Path, version: &str, bundle: &Bundle) -> Result<(), FetchError> {
    let io = |path: &Path, source| FetchError::File {
        path: path.into(),
        source,
    };
    fs::create_dir_all(cache).map_err(|e| io(cache, e))?;
    let beside = tempfile::Builder::new()
        .prefix(".fetching-")
        .tempdir_in(cache)
        .map_err(|e| io(cache, e))?;
    for (name, bytes) in bundle.files() {
        let path = beside.path().join(name);
        fs::write(&path, bytes).map_err(|e| io(&path, e))?;
    }
    let target = cache.join(version);
    match fs::rename(beside.path(), &target) {
        Ok(()) => {
            // It was renamed, so there is nothing to remove.
            let _ = beside.keep();
            Ok(())
        }
        // Another process was faster.
        Err(_) if target.is_dir() => Ok(()),
        Err(error) => Err(io(&target, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_source::TAGS;

    #[test]
    fn pip_complaints_are_understood() {
        let said = "ERROR: Could not find a version that satisfies the requirement torch==9.9 \
                    (from versions: 2.0.0, 2.0.1, 2.1.0)\nERROR: No matching distribution found";
        assert_eq!(
            refusal("9.9", said).to_string(),
            "the index has no torch 9.9; it has 2.1.0, 2.0.1, 2.0.0"
        );
        let said = "WARNING: Retrying\nERROR: Could not find a version (from versions: none)\n";
        assert!(
            refusal("2.9.0", said)
                .to_string()
                .contains("is not reachable")
        );
        assert!(refusal("2.9.0", "").to_string().contains("no reason"));
    }

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

    #[test]
    fn the_cache_holds_all_or_nothing() {
        let cache = tempfile::tempdir().unwrap();
        assert!(Fetcher::cached(cache.path(), "2.9.0").unwrap().is_none());
        let bundle = Bundle::of_native_functions(*b"[]\n");
        keep(cache.path(), "2.9.0", &bundle).unwrap();
        keep(cache.path(), "2.9.0", &bundle).unwrap();
        let found = Fetcher::cached(cache.path(), "2.9.0").unwrap();
        assert_eq!(found, Some(bundle));
        // A file that cannot be read is not one that is absent.
        fs::create_dir_all(cache.path().join("2.8.0").join(TAGS)).unwrap();
        assert!(Fetcher::cached(cache.path(), "2.8.0").is_err());
    }

    fn wheel(members: &[(&str, Vec<u8>)], change: impl Fn(&mut Vec<u8>)) -> Result<Bundle, String> {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        let packed = stored.compression_method(zip::CompressionMethod::Deflated);
        for (member, bytes) in members {
            let options = if bytes.len() > 1000 { packed } else { stored };
            archive.start_file(*member, options).unwrap();
            archive.write_all(bytes).unwrap();
        }
        let mut bytes = archive.finish().unwrap().into_inner();
        change(&mut bytes);
        fs::write(folder.path().join("torch.whl"), bytes).unwrap();
        read_wheel("2.9.0", folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_wheel_is_read_whole_or_not_at_all() {
        let native = || {
            (
                MEMBERS[0].1,
                b"- func: one(Tensor self) -> Tensor\n".to_vec(),
            )
        };
        let tags = |bytes: Vec<u8>| (MEMBERS[1].1, bytes);
        let limit = usize::try_from(MAX_MEMBER).unwrap();
        let kept = |_: &mut Vec<u8>| {};
        let found = wheel(&[native(), tags(vec![b'#'; limit])], kept).unwrap();
        assert_eq!(found.file(TAGS).unwrap().len(), limit);
        // One byte more, and the file was cut before.
        let said = wheel(&[native(), tags(vec![b'#'; limit + 1])], kept).unwrap_err();
        assert!(said.contains("tags.yaml has more than"), "{said}");
        // A method that is unknown made the file absent before.
        let text = b"- tag: core".to_vec();
        let method = |bytes: &mut Vec<u8>| {
            for (signature, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
                let found = bytes.windows(4).rposition(|window| window == signature);
                bytes[found.unwrap() + at] = 99;
            }
        };
        let said = wheel(&[native(), tags(text.clone())], method).unwrap_err();
        assert!(said.contains("tags.yaml: "), "{said}");
        let damage = |bytes: &mut Vec<u8>| {
            let found = bytes.windows(text.len()).position(|window| window == text);
            bytes[found.unwrap()] ^= 1;
        };
        let said = wheel(&[native(), tags(text.clone())], damage).unwrap_err();
        assert!(said.contains("tags.yaml: "), "{said}");
    }
}
