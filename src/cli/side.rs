//! A side of a comparison on the command line: files, a folder, a stored revision, or a commit of a
//! repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};

use opatlas_pytorch::release::{Release, Version};
use opatlas_report::findings::SourceText;
use opatlas_service::companions::{complete, missing};
use opatlas_service::{Resolved, Snapshot};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas_wire::comparison::SideView;

use super::Stored;
use super::git::{Fault, Git};
use super::import::read_folder;
use super::{read, remote};

/// The path of the operators in PyTorch's repository.
pub(super) const NATIVE_FUNCTIONS_PATH: &str = "aten/src/ATen/native/native_functions.yaml";
/// Where it keeps its formulas, from the root of the repository.
const DERIVATIVES_PATH: &str = "tools/autograd/derivatives.yaml";
/// The digits of a commit in titles.
const SHORT_ID: usize = 9;

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
    /// The folder or path that the other files are in, as the user knows it.
    beside: Beside,
    /// Notes about files that it or the base lacks.
    pub(super) notes: Vec<String>,
    /// The stored revision that it is.
    pub(super) resolved: Option<Resolved>,
}

/// Where the files beside `native_functions.yaml` are.
enum Beside {
    /// In a folder.
    Folder(PathBuf),
    /// In a repository, with `native_functions.yaml` at this path.
    Repository(String),
    /// Nowhere that the user knows.
    Unknown,
}

impl SideRead {
    /// The files of the side that have findings, under the names that the user knows.
    pub(super) fn sources(&self, findings: &[Finding]) -> BTreeMap<Box<str>, SourceText> {
        let mut sources = self.snapshot.sources(findings);
        for (name, source) in &mut sources {
            source.path = self.path(name).into();
        }
        sources
    }

    /// The path of a file of the bundle as the user knows it.
    pub(super) fn path(&self, name: &str) -> String {
        if name == NATIVE_FUNCTIONS {
            return self.file.clone();
        }
        match &self.beside {
            Beside::Folder(folder) => folder.join(name).display().to_string(),
            Beside::Repository(native) => {
                let known = companions(native)
                    .into_iter()
                    .find(|(known, _)| *known == name);
                known.map_or_else(|| name.to_owned(), |(_, path)| path)
            }
            Beside::Unknown => name.to_owned(),
        }
    }
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
    /// Parses an operand: an existing path is a path, unless the text starts with `label:`.
    pub(super) fn parse(text: &str, places: &Places<'_>) -> Self {
        if let Some(commit) = text.strip_prefix("git:") {
            let (revision, path) = commit.split_once(':').unwrap_or((commit, places.path));
            return Self::Commit(revision.to_owned(), path.to_owned());
        }
        if let Some(label) = text.strip_prefix("label:") {
            return Self::Stored(label.to_owned());
        }
        // A path without access may exist: reading it reports the reason.
        match text == "-" || Path::new(text).try_exists().unwrap_or(true) {
            true => Self::Path(text.into()),
            false => Self::Stored(text.to_owned()),
        }
    }

    /// Whether the store is needed.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }

    /// Reads the side. A head is read with its base: local files that it lacks are those of the
    /// base.
    pub(super) async fn read(
        &self,
        places: &Places<'_>,
        stored: Option<&Stored>,
        base: Option<&Bundle>,
    ) -> anyhow::Result<SideRead> {
        let mut side = match self {
            Self::Stored(address) => {
                let stored = stored.ok_or_else(|| anyhow!("no database is open"))?;
                let resolved = resolve(stored, places, address).await?;
                let snapshot = stored.snapshot(&resolved).await?;
                of_stored(resolved, snapshot)
            }
            Self::Path(path) => {
                let (mut bundle, file, beside) = files(path)?;
                let label = path.file_name().and_then(|name| name.to_str());
                let release = release(places, label.unwrap_or_default())?;
                let lent = base.map(|base| complete(base, &mut bundle));
                let mut side = of_bundle(bundle, release, path.display().to_string(), file);
                side.beside = beside;
                side.notes = lent.unwrap_or_default();
                side
            }
            Self::Commit(revision, path) => {
                let bundle = commit(places, revision, path)?;
                let release = release(places, revision)?;
                let mut side = of_bundle(bundle, release, short(revision), path.clone());
                side.beside = Beside::Repository(path.clone());
                side
            }
        };
        if let Some(base) = base {
            side.notes.extend(missing(base, &side.snapshot.bundle));
        }
        Ok(side)
    }
}

/// A commit as reports name it: a full id by its first digits.
fn short(revision: &str) -> String {
    let is_id = revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit());
    match is_id {
        true => revision[..SHORT_ID].to_owned(),
        false => revision.to_owned(),
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
        beside: Beside::Unknown,
        notes: Vec::new(),
        resolved: None,
    }
}

/// The requested release, else the one in the name of the tag or folder, else the newest.
fn release(places: &Places<'_>, name: &str) -> anyhow::Result<Release> {
    if let Some(text) = places.release {
        return Ok(Release::parse(text)?.release);
    }
    let named = Version::parse(name).and_then(|_| Release::from_label(name));
    Ok(named.map_or(Release::LATEST, |parsed| parsed.release))
}

/// Reads two stored sides, together.
pub(super) async fn both(
    stored: &Stored,
    places: &Places<'_>,
    [base, head]: [&str; 2],
) -> anyhow::Result<(SideRead, SideRead)> {
    let base = resolve(stored, places, base).await?;
    let head = resolve(stored, places, head).await?;
    let old = stored.snapshot(&base).await?;
    let new = stored.snapshot(&head).await?;
    let notes = missing(&old.bundle, &new.bundle);
    let mut head = of_stored(head, new);
    head.notes.extend(notes);
    Ok((of_stored(base, old), head))
}

async fn resolve(stored: &Stored, places: &Places<'_>, address: &str) -> anyhow::Result<Resolved> {
    let resolved = stored.resolve(places.project, address, None).await;
    resolved.map_err(|error| {
        let of_server = error.downcast_ref::<remote::Error>();
        match of_server.is_none_or(remote::Error::is_about_a_name) {
            true => {
                let error = error.to_string();
                let end = if error.ends_with('?') { "" } else { ";" };
                anyhow!(
                    "{error}{end} `{address}` is not a file or folder either; write a commit as \
                     `git:{address}`"
                )
            }
            false => error,
        }
    })
}

fn of_stored(resolved: Resolved, snapshot: Arc<Snapshot>) -> SideRead {
    SideRead {
        snapshot,
        view: view(&resolved),
        file: NATIVE_FUNCTIONS.to_owned(),
        beside: Beside::Unknown,
        notes: Vec::new(),
        resolved: Some(resolved),
    }
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
fn files(path: &Path) -> anyhow::Result<(Bundle, String, Beside)> {
    if path.is_dir() {
        let bundle = read_folder(path)?;
        if bundle.file(NATIVE_FUNCTIONS).is_none() {
            bail!("{} has no {NATIVE_FUNCTIONS}", path.display());
        }
        let file = path.join(NATIVE_FUNCTIONS).display().to_string();
        return Ok((bundle, file, Beside::Folder(path.to_owned())));
    }
    let bytes = match path.as_os_str() == "-" {
        true => read::standard_input()?,
        false => read::given(path)?,
    };
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, bytes);
    Ok((bundle, path.display().to_string(), Beside::Unknown))
}

/// The operators of a commit, with the tags and formulas from their paths in PyTorch's repository.
fn commit(places: &Places<'_>, revision: &str, path: &str) -> anyhow::Result<Bundle> {
    let git = Git::at(places.repository);
    let native = show(&git, revision, path)?;
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, native);
    for (name, path) in companions(path) {
        if git.has(revision, &path)? {
            bundle.insert(name, show(&git, revision, &path)?);
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

/// A file as a commit has it. The revision is one argument with the path, and no option.
fn show(git: &Git, revision: &str, path: &str) -> anyhow::Result<Vec<u8>> {
    if revision.starts_with('-') {
        bail!("`{revision}` is not a revision");
    }
    git.file(revision, path).map_err(|fault| match fault {
        Fault::Refused(why) => anyhow!(
            "git has no {path} at {revision}: {why}; set the path with --path and the clone with --repository"
        ),
        fault => anyhow!("cannot read {path} at {revision}: {fault}"),
    })
}
