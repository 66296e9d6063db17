//! A side of a comparison: files, a folder, a stored revision, or a commit of a repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};

use opatlas_pytorch::release::{Release, Version};
use opatlas_service::companions::{complete, unread_lists};
use opatlas_service::{Resolved, Snapshot};
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, FALLBACK_OPS, NATIVE_FUNCTIONS, TAGS};
use opatlas_store::{LabelName, Opening};
use opatlas_wire::judged_comparison::{ComparedSide, note_of_release};

use super::folder::Folder;
use super::git::{Fault, Git};
use super::kernel_sources::KernelSources;
use super::{Stored, Target};
use super::{merge_base, read, remote};

pub(super) const NATIVE_FUNCTIONS_PATH: &str = "aten/src/ATen/native/native_functions.yaml";
const DERIVATIVES_PATH: &str = "tools/autograd/derivatives.yaml";
const DEPRECATED_PATH: &str = "tools/autograd/deprecated.yaml";
const FALLBACK_OPS_PATH: &str = "torchgen/aoti/fallback_ops.py";
const SHORT_ID: usize = 9;

pub(super) struct Places<'a> {
    /// The project of stored revisions.
    pub project: &'a str,
    /// The release whose rules apply to files.
    pub release: Option<&'a str>,
    /// The path of the operators in a repository.
    pub path: &'a str,
    /// The repository's folder.
    pub repository: &'a Path,
    /// The C++ sources of files and commits.
    pub sources: &'a KernelSources,
}

pub(super) enum Operand {
    /// `git:REV` or `git:REV:PATH`; `A...B` is the merge base of two revisions.
    Commit(String, String),
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
        // A path without access may exist. Reading it reports the reason.
        if text == "-" || Path::new(text).try_exists().unwrap_or(true) {
            Self::Path(text.into())
        } else {
            Self::Stored(text.to_owned())
        }
    }

    /// A note if what only the base's branch changed would count as changes of the head.
    pub(super) fn note_of_merge_base(&self, head: &Self, places: &Places<'_>) -> Option<String> {
        let (Self::Commit(base, of_base), Self::Commit(revision, path)) = (self, head) else {
            return None;
        };
        let git = Git::at(places.repository);
        let id = merge_base::apart(&git, base, revision)?;
        let end = |path: &str| match path == places.path {
            true => String::new(),
            false => format!(":{path}"),
        };
        Some(format!(
            "{base} has commits that {revision} lacks, so what they changed counts as changes of \
             {revision}, too; to compare with the merge base {}, run `opatlas compare \
             git:{base}...{revision}{} git:{revision}{}`",
            short(&id),
            end(of_base),
            end(path)
        ))
    }

    /// The release that its name or the options say; `None` if nothing does.
    async fn release(
        &self,
        places: &Places<'_>,
        stored: Option<&Stored>,
    ) -> anyhow::Result<Option<Release>> {
        match self {
            Self::Stored(address) => {
                let stored = stored.ok_or_else(|| anyhow!("no database is open"))?;
                let resolved = resolve(stored, places, address).await?;
                Ok(Some(resolved.release()))
            }
            Self::Path(path) => own_release(places, name_of(path)),
            Self::Commit(revision, _) => own_release(places, revision),
        }
    }

    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }

    /// The commit that it names: the whole id of one in the repository, or the id of a stored one
    /// as given. Fails if the repository does not have it.
    pub(super) fn commit(&self, places: &Places<'_>) -> anyhow::Result<Option<String>> {
        match self {
            Self::Commit(revision, _) => {
                let git = Git::at(places.repository);
                let revision = merge_base::resolved(&git, revision)?;
                match git.commit(&revision) {
                    Ok(id) => Ok(Some(id)),
                    Err(fault) => bail!("cannot find the commit of {revision}: {fault}"),
                }
            }
            Self::Stored(address) => {
                let name = LabelName::parse(address).ok();
                let is_commit = name.is_some_and(|name| name.looks_like_commit());
                Ok(is_commit.then(|| address.clone()))
            }
            Self::Path(_) => Ok(None),
        }
    }

    /// Reads the side without another one. Opens the database or asks the server only if it needs it.
    pub(super) async fn read_alone(
        &self,
        places: &Places<'_>,
        target: &Target,
    ) -> anyhow::Result<ComparedSide> {
        let stored = match self.is_stored() {
            true => Some(Stored::open(target, Opening::Read).await?),
            false => None,
        };
        let read = self.read(places, stored.as_ref(), None, None).await;
        if let Some(stored) = stored {
            stored.close().await;
        }
        read
    }

    /// Reads the base and the head. One without a release takes that of the other.
    pub(super) async fn read_both(
        [base, head]: [Self; 2],
        places: &Places<'_>,
        stored: Option<&Stored>,
    ) -> anyhow::Result<(ComparedSide, ComparedSide)> {
        let own = (
            base.release(places, stored).await?,
            head.release(places, stored).await?,
        );
        let before = base.read(places, stored, None, own.1).await?;
        let mut after = head.read(places, stored, Some(&before), own.0).await?;
        let lent = match own {
            (None, Some(release)) => note_of_release(&before.view.title, release),
            (Some(release), None) => note_of_release(&after.view.title, release),
            _ => None,
        };
        after.notes.extend(lent);
        Ok((before, after))
    }

    /// Reads the side. A head is read with its base, which supplies local files that the head lacks.
    /// `other` is the release of the other side, which applies if this one says none.
    async fn read(
        &self,
        places: &Places<'_>,
        stored: Option<&Stored>,
        base: Option<&ComparedSide>,
        other: Option<Release>,
    ) -> anyhow::Result<ComparedSide> {
        let mut side = match self {
            Self::Stored(address) => {
                let stored = stored.ok_or_else(|| anyhow!("no database is open"))?;
                let resolved = resolve(stored, places, address).await?;
                let snapshot = stored.snapshot(&resolved).await?;
                ComparedSide::stored(resolved, snapshot)
            }
            Self::Path(path) => {
                let lender = base.map(|base| &base.snapshot.bundle);
                let own = own_release(places, name_of(path))?;
                of_path(path, places, own.or(other), lender)?
            }
            Self::Commit(revision, path) => {
                let own = own_release(places, revision)?;
                of_commit((revision, path), places, own.or(other), base)?
            }
        };
        side.notes.extend(unread_lists(&side.snapshot.catalogue));
        if let Some(base) = base {
            side.compare_files(base);
        }
        Ok(side)
    }
}

fn of_path(
    path: &Path,
    places: &Places<'_>,
    release: Option<Release>,
    base: Option<&Bundle>,
) -> anyhow::Result<ComparedSide> {
    let mut read = files(path)?;
    let release = release.unwrap_or(Release::LATEST);
    let lent = base
        .filter(|_| !read.is_complete)
        .map(|base| complete(base, &mut read.bundle));
    let snapshot = Snapshot::read(read.bundle, release, None);
    let snapshot = places.sources.add_to(snapshot)?;
    let shown = |path: &Path| path.display().to_string();
    let paths = read.paths.iter();
    let paths = paths.map(|(name, path)| (name.to_string(), shown(path)));
    Ok(ComparedSide {
        paths: paths.collect(),
        notes: lent.unwrap_or_default(),
        is_complete: read.is_complete,
        ..ComparedSide::files(Arc::new(snapshot), shown(path))
    })
}

fn of_commit(
    (revision, path): (&str, &str),
    places: &Places<'_>,
    release: Option<Release>,
    base: Option<&ComparedSide>,
) -> anyhow::Result<ComparedSide> {
    let may_lack = base.is_some_and(|base| base.is_commit);
    let revision = &*merge_base::resolved(&Git::at(places.repository), revision)?;
    let bundle = commit(places, (revision, path), may_lack)?;
    let release = release.unwrap_or(Release::LATEST);
    let mut paths = BTreeMap::from(companions(path).map(|(name, path)| (name.to_owned(), path)));
    paths.insert(NATIVE_FUNCTIONS.to_owned(), path.to_owned());
    let snapshot = Snapshot::read(bundle, release, None);
    let sources = places.sources;
    let snapshot = sources.add_to_commit(snapshot, places.repository, revision);
    Ok(ComparedSide {
        paths,
        is_commit: true,
        is_complete: root(path).is_some(),
        ..ComparedSide::files(Arc::new(snapshot), short(revision))
    })
}

fn short(revision: &str) -> String {
    let is_id = revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id {
        revision[..SHORT_ID].to_owned()
    } else {
        revision.to_owned()
    }
}

/// The requested release, else the one in the name of the tag or folder.
fn own_release(places: &Places<'_>, name: &str) -> anyhow::Result<Option<Release>> {
    if let Some(text) = places.release {
        return Ok(Some(Release::parse(text)?.release));
    }
    let named = Version::parse(name).and_then(|_| Release::from_label(name));
    Ok(named.map(|parsed| parsed.release))
}

fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

/// The address of a stored revision in an argument, which may say `label:` before it.
pub(super) fn stored_address(text: &str) -> Result<String, String> {
    match text.strip_prefix("label:").unwrap_or(text) {
        "" => Err("name a revision: a label, a commit or sha256:DIGITS".to_owned()),
        address => Ok(address.to_owned()),
    }
}

async fn resolve(stored: &Stored, places: &Places<'_>, address: &str) -> anyhow::Result<Resolved> {
    let resolved = stored.resolve(places.project, address, None).await;
    resolved.map_err(|error| {
        let of_server = error.downcast_ref::<remote::Error>();
        if of_server.is_none_or(remote::Error::is_about_a_name) {
            let error = error.to_string();
            let end = if error.ends_with('?') { "" } else { ";" };
            anyhow!(
                "{error}{end} `{address}` is not a file or folder either; write a commit as \
                     `git:{address}`"
            )
        } else {
            error
        }
    })
}

fn files(path: &Path) -> anyhow::Result<Folder> {
    if path.is_dir() {
        return Folder::read(path);
    }
    let bytes = if path.as_os_str() == "-" {
        read::standard_input()?
    } else {
        read::given(path)?
    };
    Folder::of_file(path, bytes)
}

/// The files of a commit. One that `may_lack` the operators deletes them.
fn commit(
    places: &Places<'_>,
    (revision, path): (&str, &str),
    may_lack: bool,
) -> anyhow::Result<Bundle> {
    let git = Git::at(places.repository);
    let mut bundle = Bundle::default();
    match show(&git, revision, path) {
        Ok(native) => bundle.insert(NATIVE_FUNCTIONS, native),
        Err(_) if may_lack && git.has(revision, path).is_ok_and(|has| !has) => {}
        Err(error) => return Err(error),
    }
    let others = [
        (DEPRECATED, DEPRECATED_PATH),
        (FALLBACK_OPS, FALLBACK_OPS_PATH),
    ];
    let others = others.map(|(name, place)| (name, elsewhere(path, name, place)));
    for (name, path) in companions(path).into_iter().chain(others) {
        if git.has(revision, &path)? {
            bundle.insert(name, show(&git, revision, &path)?);
        }
    }
    Ok(bundle)
}

/// The companions of the operators at a path in a repository: their names in a bundle, and their paths.
pub(super) fn companions(path: &str) -> [(&'static str, String); 2] {
    let tags = Path::new(path).with_file_name(TAGS);
    [
        (TAGS, tags.to_string_lossy().into_owned()),
        (DERIVATIVES, elsewhere(path, DERIVATIVES, DERIVATIVES_PATH)),
    ]
}

/// The path of a file that PyTorch has in another folder. If the operators are not where PyTorch
/// has them, it is beside them.
fn elsewhere(operators: &str, name: &str, place: &str) -> String {
    match root(operators) {
        Some(root) => format!("{root}{place}"),
        None => {
            let beside = Path::new(operators).with_file_name(name);
            beside.to_string_lossy().into_owned()
        }
    }
}

/// The folder of PyTorch's files, empty or with a `/` at its end, if the operators are where PyTorch
/// has them.
fn root(operators: &str) -> Option<&str> {
    let root = operators.strip_suffix(NATIVE_FUNCTIONS_PATH)?;
    (root.is_empty() || root.ends_with('/')).then_some(root)
}

/// Rejects a revision that git would read as an option.
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
