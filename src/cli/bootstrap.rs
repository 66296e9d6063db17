//! `opatlas serve --bootstrap`: puts a release into an empty database. Until it is downloaded, the
//! database has the sample.

use std::path::PathBuf;
use std::sync::Arc;

use opatlas_source::Bundle;

use opatlas_service::{Ingest, Precondition, Protection, Service, Strictness};

use super::fetch::{FetchError, Fetcher, canonical};
use super::import::told;
use super::{local, sample};

pub(super) const PROJECT: &str = "pytorch";

#[derive(Debug, Clone)]
pub(super) struct Bootstrap {
    pub(super) version: String,
    pub(super) cache: Option<PathBuf>,
}

impl Bootstrap {
    /// Fills an empty database. Returns the download that is left, if there is only the sample.
    pub(super) async fn begin(mut self, service: &Service) -> anyhow::Result<Option<PendingFetch>> {
        self.version = canonical(&self.version);
        let is_empty = service.projects(None, 1).await?.items.is_empty();
        if !is_empty && !has_only_the_sample(service).await? {
            return Ok(None);
        }
        let cached = match &self.cache {
            Some(cache) => Fetcher::cached(cache, &self.version)?,
            None => None,
        };
        if let Some(bundle) = cached {
            store(service, &self.version, bundle).await?;
            drop_sample(service).await;
            return Ok(None);
        }
        let version = &self.version;
        if is_empty {
            store(service, sample::LABEL, sample::bundle()).await?;
            eprintln!(
                "Serving a small sample of operators until PyTorch {version} is fetched (about \
                 100 MB, once) ..."
            );
        } else {
            eprintln!("Fetching PyTorch {version} (about 100 MB, once) ...");
        }
        Ok(Some(PendingFetch { from: self }))
    }
}

#[derive(Debug)]
pub(super) struct PendingFetch {
    from: Bootstrap,
}

impl PendingFetch {
    /// Fetches and stores the release, and reports on standard error.
    pub(super) async fn run(self, service: Arc<Service>) {
        let version = &self.from.version;
        let fetched = self.fetch().await;
        let stored = match fetched {
            Ok(bundle) => store(&service, version, bundle).await,
            Err(error) => Err(error),
        };
        match stored {
            Ok(()) => drop_sample(&service).await,
            Err(error) if matches!(error.downcast_ref(), Some(FetchError::Interrupted)) => {}
            Err(error) => eprintln!(
                "{error}.\nServing only the sample; `opatlas import torch=={version}` imports the \
                 real operators."
            ),
        }
    }

    async fn fetch(&self) -> anyhow::Result<Bundle> {
        let Bootstrap { version, cache } = self.from.clone();
        let fetcher = Fetcher::new(cache);
        let _stopping = fetcher.stopping();
        Ok(tokio::task::spawn_blocking(move || fetcher.fetch(&version)).await??)
    }
}

async fn store(service: &Service, label: &str, bundle: Bundle) -> anyhow::Result<()> {
    local::ensure_project(service, PROJECT).await?;
    let ingest = Ingest {
        project: PROJECT,
        bundle,
        label: Some(label),
        release: None,
        protection: Protection::Kept,
        strictness: Strictness::Lenient,
        caller: None,
    };
    let taken = service.ingest(ingest).await?;
    eprintln!("{}", told(PROJECT, label, &taken.into()));
    Ok(())
}

async fn has_only_the_sample(service: &Service) -> anyhow::Result<bool> {
    let projects = service.projects(None, 2).await?.items;
    let [project] = &*projects else {
        return Ok(false);
    };
    if project.name.as_str() != PROJECT {
        return Ok(false);
    }
    let labels = service.labels(PROJECT).await?;
    let revisions = service.revisions(PROJECT, None, 2).await?.items;
    Ok(match &*labels {
        [only] => only.name.as_str() == sample::LABEL && revisions.len() == 1,
        _ => false,
    })
}

/// Removes the sample once there is a release. Ignores a failure.
async fn drop_sample(service: &Service) {
    let Ok(sample) = service.resolve(PROJECT, sample::LABEL, None).await else {
        return;
    };
    let label = sample::LABEL;
    let kept = Precondition::None;
    let dropped = service.delete_label(PROJECT, label, kept, Protection::Kept);
    if dropped.await.is_ok() {
        let _ = service.delete_revision(&sample).await;
    }
}
