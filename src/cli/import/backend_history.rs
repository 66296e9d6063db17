//! Imports the commits of a local clone that touch a backend file, each over its revision of PyTorch.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use rustc_hash::FxHashMap;

use crate::cli::Stored;
use crate::cli::config;
use crate::cli::git::{Mode, Objects, log};
use crate::cli::target::Target;
use opatlas_pytorch::release::Version;
use opatlas_service::JudgedRelease;
use opatlas_service::backend::Vendor;
use opatlas_service::history::CommitFiles;
use opatlas_source::{Bundle, VENDOR};
use opatlas_store::{CommitRecord, Opening};

use super::Import;
use super::commits::{NewCommits, Source, WithFiles, take};

pub(super) struct BackendHistory {
    bases: Vec<Bundle>,
    paths: Vec<String>,
    base_of: FxHashMap<String, usize>,
    name: String,
}

pub(super) async fn import(
    import: &Import,
    repository: &Path,
    over: &str,
) -> anyhow::Result<ExitCode> {
    let Target::Database(database) = &import.target else {
        bail!(
            "--git needs direct access to the database: run it with --database instead of --server"
        );
    };
    let [file] = &import.backend[..] else {
        bail!("--git imports the history of one file; give one --backend");
    };
    let path = file.to_string_lossy();
    if path.contains(['\n', '\0']) {
        bail!("`{}` is not a path in the repository", path.escape_debug());
    }
    let name = file.file_name().and_then(|name| name.to_str());
    let name = Vendor::new(name.unwrap_or_default(), Vec::new())?.file;
    let paths = log::names(repository, &import.range, &path)?;
    let mut commits = log::commits(import.walk(repository), &paths)?;
    let pins = pins(repository, &commits)?;
    let stored = Stored::open(&import.target, Opening::Make).await?;
    let mut bases = Bases::new(&stored, &import.base_project, over).await?;
    let mut base_of = FxHashMap::default();
    for commit in &mut commits {
        let pin = pins.get(&commit.id).map(String::as_str);
        let base = bases.of(&stored, pin).await?;
        commit.release = Some(match &import.release {
            Some(release) => JudgedRelease::parse(release)?.stored(),
            None => bases.releases[base].clone(),
        });
        base_of.insert(commit.id.clone(), base);
    }
    stored.close().await;
    let history = BackendHistory {
        bases: bases.bundles,
        paths,
        base_of,
        name,
    };
    take(
        import,
        database,
        repository,
        commits,
        Source::Backend(history),
    )
    .await
}

impl BackendHistory {
    /// The commits with their bundles. Fails if git cannot be run.
    pub(super) fn files(self, repository: &Path, wanted: NewCommits) -> anyhow::Result<WithFiles> {
        let mut files = Objects::open(repository, Mode::Bytes)?;
        let commits = wanted.into_iter();
        Ok(Box::new(commits.map(move |(commit, position)| {
            self.commit(&mut files, commit, position)
        })))
    }

    fn commit(
        &self,
        files: &mut Objects,
        commit: CommitRecord,
        position: i64,
    ) -> anyhow::Result<Option<CommitFiles>> {
        let mut content = None;
        for path in &self.paths {
            content = files.content(&commit.id, path)?;
            if content.is_some() {
                break;
            }
        }
        let (Some(content), Some(&base)) = (content, self.base_of.get(&commit.id)) else {
            return Ok(None);
        };
        let mut bundle = self.bases[base].clone();
        bundle.insert(&self.name, content);
        Ok(Some(CommitFiles {
            commit,
            position,
            bundle,
        }))
    }
}

struct Bases<'a> {
    project: &'a str,
    profile: Option<String>,
    bundles: Vec<Bundle>,
    releases: Vec<String>,
    by_label: FxHashMap<String, usize>,
    labels: Vec<(Version, String)>,
}

impl<'a> Bases<'a> {
    async fn new(stored: &Stored, project: &'a str, over: &str) -> anyhow::Result<Self> {
        let labels = stored
            .labels(project)
            .await?
            .into_iter()
            .filter_map(|label| {
                let name = label.name.to_string();
                Some((Version::parse(&name)?, name))
            });
        let mut bases = Self {
            project,
            profile: config::vendor()?,
            bundles: Vec::new(),
            releases: Vec::new(),
            by_label: FxHashMap::default(),
            labels: labels.collect(),
        };
        bases.add(stored, over).await?;
        Ok(bases)
    }

    /// The pinned label itself, else the highest version of its minor release, else the default.
    async fn of(&mut self, stored: &Stored, pin: Option<&str>) -> anyhow::Result<usize> {
        let Some(wanted) = pin.and_then(Version::parse) else {
            return Ok(0);
        };
        let of_line = self
            .labels
            .iter()
            .filter(|(version, _)| (version.major, version.minor) == (wanted.major, wanted.minor));
        let exact = self.labels.iter().find(|(version, _)| *version == wanted);
        let best = exact.or_else(|| of_line.max_by(|(a, _), (b, _)| a.cmp(b)));
        let Some((_, label)) = best.cloned() else {
            return Ok(0);
        };
        match self.by_label.get(&label) {
            Some(&known) => Ok(known),
            None => self.add(stored, &label).await,
        }
    }

    async fn add(&mut self, stored: &Stored, label: &str) -> anyhow::Result<usize> {
        let resolved = stored.resolve(self.project, label, None).await?;
        let mut bundle = stored.bundle(&resolved).await?;
        if let Some(profile) = &self.profile {
            bundle.insert(VENDOR, Arc::<[u8]>::from(profile.as_bytes()));
        }
        self.bundles.push(bundle);
        self.releases.push(resolved.release().as_str().to_owned());
        let index = self.bundles.len() - 1;
        self.by_label.insert(label.to_owned(), index);
        Ok(index)
    }
}

/// The release that each commit pins, if the vendor profile says how to find it.
fn pins(repository: &Path, commits: &[CommitRecord]) -> anyhow::Result<FxHashMap<String, String>> {
    let mut pins = FxHashMap::default();
    let Some(pin) = config::pin()? else {
        return Ok(pins);
    };
    let mut files = Objects::open(repository, Mode::Bytes)?;
    for commit in commits {
        if let Some(file) = files.content(&commit.id, &pin.file)?
            && let Some(version) = pin.version(&String::from_utf8_lossy(file.bytes()))
        {
            pins.insert(commit.id.clone(), version);
        }
    }
    Ok(pins)
}
