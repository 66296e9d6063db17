//! What a side of a comparison is called on the command line: files, a folder, a stored revision,
//! or a commit of a repository.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};

use crate::service::{Resolved, Snapshot};
use crate::wire::comparison::SideView;
use opatlas_pytorch::release::{Release, Version};
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

use super::Stored;
use super::import::read_folder;
use super::remote;

/// Where PyTorch's repository keeps its operators.
pub(super) const NATIVE_FUNCTIONS_PATH: &str = "aten/src/ATen/native/native_functions.yaml";
/// Where it keeps its formulas, from the root of the repository.
const DERIVATIVES_PATH: &str = "tools/autograd/derivatives.yaml";

/// Where sides are looked for.
pub(super) struct Places<'a> {
    /// The project of stored revisions.
    pub project: &'a str,
    /// The release whose rules apply to files.
    pub release: Option<&'a str>,
    /// The path of the operators in a repository.
    pub path: &'a str,
    /// The repository's folder.
    pub repository: &'a Path,
}

/// A side, read.
pub(super) struct SideRead {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) view: SideView,
    /// The name of `native_functions.yaml` as the user knows it.
    pub(super) file: String,
    /// The stored revision that it is.
    pub(super) resolved: Option<Resolved>,
}

/// What the text names.
pub(super) enum Operand {
    /// `git:REV` or `git:REV:PATH`
    Commit(String, String),
    /// A file, a folder, or `-`.
    Path(PathBuf),
    /// A label, digest or `latest`, also as `label:NAME`.
    Stored(String),
}

impl Operand {
    /// Reads an operand: what is there as a path is one, unless `label:` says otherwise.
    pub(super) fn parse(text: &str, places: &Places<'_>) -> Self {
        if let Some(commit) = text.strip_prefix("git:") {
            let (revision, path) = commit.split_once(':').unwrap_or((commit, places.path));
            return Self::Commit(revision.to_owned(), path.to_owned());
        }
        if let Some(label) = text.strip_prefix("label:") {
            return Self::Stored(label.to_owned());
        }
        // What cannot be looked at may be there: reading it tells why not.
        match text == "-" || Path::new(text).try_exists().unwrap_or(true) {
            true => Self::Path(text.into()),
            false => Self::Stored(text.to_owned()),
        }
    }

    /// Whether the store is needed.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }

    /// Reads the side.
    pub(super) async fn read(
        &self,
        places: &Places<'_>,
        stored: Option<&Stored>,
    ) -> anyhow::Result<SideRead> {
        match self {
            Self::Stored(address) => {
                let stored = stored.ok_or_else(|| anyhow!("no database is open"))?;
                revision(stored, places, address).await
            }
            Self::Path(path) => {
                let (bundle, file) = files(path)?;
                let label = path.file_name().and_then(|name| name.to_str());
                let release = release(places, label.unwrap_or_default())?;
                Ok(of_bundle(bundle, release, path.display().to_string(), file))
            }
            Self::Commit(revision, path) => {
                let bundle = commit(places, revision, path)?;
                let release = release(places, revision)?;
                let title = revision.clone();
                Ok(of_bundle(bundle, release, title, path.clone()))
            }
        }
    }
}

fn of_bundle(bundle: Bundle, release: Release, title: String, file: String) -> SideRead {
    let snapshot = Arc::new(Snapshot::read(bundle, release, None));
    SideRead {
        view: SideView {
            title,
            project: None,
            revision: format!("sha256:{}", snapshot.digest),
            label: None,
            release: release.as_str(),
        },
        snapshot,
        file,
        resolved: None,
    }
}

/// The release asked for, else the one that a tag or folder is named after, else the newest.
fn release(places: &Places<'_>, name: &str) -> anyhow::Result<Release> {
    if let Some(text) = places.release {
        return Ok(Release::parse(text)?.release);
    }
    let named = Version::parse(name).and_then(|_| Release::from_label(name));
    Ok(named.map_or(Release::LATEST, |parsed| parsed.release))
}

async fn revision(stored: &Stored, places: &Places<'_>, address: &str) -> anyhow::Result<SideRead> {
    let resolved = stored.resolve(places.project, address, None).await;
    let resolved = resolved.map_err(|error| {
        let of_server = error.downcast_ref::<remote::Error>();
        match of_server.is_none_or(remote::Error::is_about_a_name) {
            true => anyhow!("{error}; `{address}` is no file or folder either, and a commit is named `git:{address}`"),
            false => error,
        }
    })?;
    let snapshot = stored.snapshot(&resolved).await?;
    Ok(SideRead {
        snapshot,
        view: view(&resolved),
        file: NATIVE_FUNCTIONS.to_owned(),
        resolved: Some(resolved),
    })
}

/// A stored revision as reports name it.
pub(super) fn view(resolved: &Resolved) -> SideView {
    SideView {
        title: resolved.title(),
        project: Some(resolved.project.to_string()),
        revision: format!("sha256:{}", resolved.digest),
        label: resolved.label.as_ref().map(|label| label.name.to_string()),
        release: resolved.release().as_str(),
    }
}

/// A file with the operators, or a folder with the files of a bundle.
fn files(path: &Path) -> anyhow::Result<(Bundle, String)> {
    if path.is_dir() {
        let bundle = read_folder(path)?;
        if bundle.file(NATIVE_FUNCTIONS).is_none() {
            bail!("{} has no {NATIVE_FUNCTIONS}", path.display());
        }
        let file = path.join(NATIVE_FUNCTIONS).display().to_string();
        return Ok((bundle, file));
    }
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        let read = std::io::stdin().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
    } else {
        bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, bytes);
    Ok((bundle, path.display().to_string()))
}

/// The operators of a commit, with its tags and formulas where PyTorch's repository has them.
fn commit(places: &Places<'_>, revision: &str, path: &str) -> anyhow::Result<Bundle> {
    let native = show(places.repository, revision, path)?;
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, native);
    for (name, path) in companions(path) {
        if has(places.repository, revision, &path)? {
            bundle.insert(name, show(places.repository, revision, &path)?);
        }
    }
    Ok(bundle)
}

/// The files that belong to the operators at a path of a repository: their names in a bundle, and
/// their paths.
pub(super) fn companions(path: &str) -> [(&'static str, String); 2] {
    let tags = Path::new(path).with_file_name(TAGS);
    [
        (TAGS, tags.to_string_lossy().into_owned()),
        (DERIVATIVES, DERIVATIVES_PATH.to_owned()),
    ]
}

/// Whether a commit has a file at a path, from the root of the repository.
fn has(repository: &Path, revision: &str, path: &str) -> anyhow::Result<bool> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["ls-tree", "--full-tree", "-z"])
        .args(["--end-of-options", revision, "--", path])
        .output()
        .context("cannot run git, which `git:REV` needs")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.lines().next().unwrap_or_default();
        bail!("git cannot look for {path} at {revision}: {message}");
    }
    // MODE TYPE ID, a tab, and the path.
    let found = String::from_utf8_lossy(&output.stdout);
    match found.split_whitespace().nth(1) {
        None => Ok(false),
        Some("blob") => Ok(true),
        Some(kind) => bail!("{path} at {revision} is not a file but a {kind}"),
    }
}

/// A file as a commit has it. The revision is one argument with the path, and no option.
fn show(repository: &Path, revision: &str, path: &str) -> anyhow::Result<Vec<u8>> {
    if revision.starts_with('-') {
        bail!("`{revision}` is no revision");
    }
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["show", "--end-of-options"])
        .arg(format!("{revision}:{path}"))
        .output()
        .context("cannot run git, which `git:REV` needs")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.lines().next().unwrap_or_default();
        bail!(
            "git has no {path} at {revision}: {message}; --path names the file, --repository the clone"
        );
    }
    Ok(output.stdout)
}
