use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::cli::causes::Causes;
use crate::cli::fetch::{Fetcher, canonical, refuse_pip};
use crate::cli::output;
use crate::cli::stored::Stored;
use opatlas_pytorch::release;
use opatlas_service::history::Line;
use opatlas_service::{Ingest, ServiceError};
use opatlas_source::Bundle;
use opatlas_store::Opening;

use super::{Import, progress, told};

#[derive(Debug, PartialEq, Eq)]
enum ReleaseRange<'a> {
    One(&'a str),
    Stretch(&'a str, Option<&'a str>),
}

#[derive(Debug)]
struct Version {
    name: String,
    is_named: bool,
}

pub(super) async fn import(import: &Import) -> anyhow::Result<ExitCode> {
    refuse_pip(import.pip.as_deref())?;
    let mut fetcher = Fetcher::new(import.cache.clone());
    let wheels = import.wheel.iter().map(|path| fetcher.add_wheel(path));
    let wheels = wheels.collect::<Result<Vec<_>, _>>()?;
    let fetcher = Arc::new(fetcher);
    // Dropped however the import ends.
    let _stopping = fetcher.stopping();
    let published = published(import, &fetcher).await?;
    let versions = versions(import, wheels, &published)?;
    let stored = if import.download_only {
        None
    } else {
        Some(Stored::open(&import.target, Opening::Make).await?)
    };
    let missing = match &stored {
        Some(stored) => {
            stored.ensure_project(&import.project).await?;
            let protection = import.protection();
            let first = versions.first().map(|version| version.name.as_str());
            let label = import.label.as_deref().or(first);
            stored
                .expect_ingest(&import.project, label, protection)
                .await?;
            missing(import, stored, &versions).await?
        }
        None => versions
            .iter()
            .map(|version| version.name.clone())
            .collect(),
    };
    if missing.len() < versions.len() {
        let there = versions.len() - missing.len();
        eprintln!("{there} of {} releases already stored", versions.len());
    }
    let failed = fetch(import, &fetcher, stored.as_ref(), missing).await?;
    if let Some(stored) = stored {
        if failed < versions.len() {
            compute_changes(import, &stored).await;
        }
        stored.close().await;
    }
    if failed > 0 {
        bail!(
            "{failed} of {} releases failed; run the same command again to retry them",
            versions.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Computes the changes of each release now instead of on first use, as a server does.
async fn compute_changes(import: &Import, stored: &Stored) {
    let Stored::Database(service) = stored else {
        return;
    };
    let computed = service.timeline(&import.project, Some(Line::Releases));
    match computed.await {
        // Other labels are not on the line of releases.
        Ok(_) | Err(ServiceError::NoRevisions(_)) => {}
        Err(error) => eprintln!(
            "note: computing the changes of each release failed, and will be retried on demand: \
             {error}"
        ),
    }
}

async fn published(import: &Import, fetcher: &Arc<Fetcher>) -> anyhow::Result<Vec<String>> {
    let wanted: anyhow::Result<Vec<ReleaseRange<'_>>> =
        import.releases.iter().map(|spec| wanted(spec)).collect();
    let mut wanted = wanted?.into_iter();
    if !wanted.any(|wanted| matches!(wanted, ReleaseRange::Stretch(..))) {
        return Ok(Vec::new());
    }
    let fetcher = Arc::clone(fetcher);
    Ok(tokio::task::spawn_blocking(move || fetcher.versions()).await??)
}

fn versions(
    import: &Import,
    wheels: Vec<String>,
    published: &[String],
) -> anyhow::Result<Vec<Version>> {
    let is_named = true;
    let of_wheel = |name| Version { name, is_named };
    let mut versions: Vec<Version> = wheels.into_iter().map(of_wheel).collect();
    for spec in &import.releases {
        let wanted = wanted(spec)?;
        let is_named = matches!(wanted, ReleaseRange::One(_));
        let found = match wanted {
            ReleaseRange::One(version) => vec![canonical(version)],
            ReleaseRange::Stretch(from, to) => {
                let found = stretch(published, from, to)?;
                if import.label.is_some() && found.len() > 1 {
                    bail!(
                        "--label needs a single release, but there are {}",
                        found.len()
                    );
                }
                found
            }
        };
        let found = found.into_iter();
        versions.extend(found.map(|name| Version { name, is_named }));
    }
    let mut seen = BTreeSet::new();
    versions.retain(|version| seen.insert(version.name.clone()));
    Ok(versions)
}

/// The releases that the project does not have, and those requested by name, which are compared
/// with the stored ones.
async fn missing(
    import: &Import,
    stored: &Stored,
    versions: &[Version],
) -> anyhow::Result<Vec<String>> {
    let labels = stored.labels(&import.project).await?;
    let is_there = |name: &str| labels.iter().any(|label| label.name.as_str() == name);
    let missing = versions.iter().filter(|version| {
        let is_kept = version.is_named || import.force || import.label.is_some();
        is_kept || !is_there(&version.name)
    });
    Ok(missing.map(|version| version.name.clone()).collect())
}

/// Fetches and stores releases. Returns the number of failures. Fails if standard output is closed.
async fn fetch(
    import: &Import,
    fetcher: &Arc<Fetcher>,
    stored: Option<&Stored>,
    versions: Vec<String>,
) -> anyhow::Result<usize> {
    let bar = progress(versions.len());
    bar.set_message("fetching torch");
    let jobs = Arc::new(Semaphore::new(usize::from(import.jobs)));
    let mut running = JoinSet::new();
    for version in versions {
        let (fetcher, jobs, bar) = (Arc::clone(fetcher), Arc::clone(&jobs), bar.clone());
        running.spawn(async move {
            let permit = jobs.acquire_owned().await;
            let fetched = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                bar.set_message(format!("fetching torch {version}"));
                let fetched = fetcher.fetch(&version);
                (version, fetched)
            });
            fetched.await
        });
    }
    let mut failed = 0;
    while let Some(done) = running.join_next().await {
        let line = match done {
            Ok(Ok((version, Ok(bundle)))) => store(import, stored, &version, bundle).await,
            Ok(Ok((_, Err(error)))) => Err(error.into()),
            Ok(Err(error)) | Err(error) => Err(error.into()),
        };
        bar.inc(1);
        match line {
            Ok(Some(line)) => bar.suspend(|| output::line(&line))?,
            Ok(None) => {}
            Err(error) => {
                failed += 1;
                bar.suspend(|| eprintln!("error: {}", Causes(&error)));
            }
        }
    }
    bar.finish_and_clear();
    Ok(failed)
}

async fn store(
    import: &Import,
    stored: Option<&Stored>,
    version: &str,
    bundle: Bundle,
) -> anyhow::Result<Option<String>> {
    let Some(stored) = stored else {
        return Ok(None);
    };
    let label = import.label.as_deref().unwrap_or(version);
    let ingest = Ingest {
        project: &import.project,
        bundle,
        label: Some(label),
        release: import.release.as_deref(),
        protection: import.protection(),
        strictness: import.strictness(),
        caller: None,
    };
    let taken = stored
        .ingest(ingest)
        .await
        .map_err(|error| anyhow::anyhow!("torch {version}: {error}"))?;
    Ok(Some(told(&import.project, label, &taken)))
}

fn wanted(spec: &str) -> anyhow::Result<ReleaseRange<'_>> {
    let Some(text) = spec.strip_prefix("torch==").filter(|text| !text.is_empty()) else {
        bail!(
            "`{spec}` is not a release; write torch==VERSION, such as torch==2.9.0, or \
             torch==FROM..TO, such as torch==2.0.0..latest"
        );
    };
    match text.split_once("..") {
        None => Ok(ReleaseRange::One(text)),
        Some((from, to)) => {
            let to = (to != "latest" && !to.is_empty()).then_some(to);
            for end in [Some(from), to].into_iter().flatten() {
                if release::Version::parse(end).is_none() {
                    bail!("`{end}` in `{spec}` is not a version");
                }
            }
            Ok(ReleaseRange::Stretch(from, to))
        }
    }
}

fn stretch(published: &[String], from: &str, to: Option<&str>) -> anyhow::Result<Vec<String>> {
    let at = |text: &str| {
        let wanted = release::Version::parse(text);
        let found = published
            .iter()
            .position(|v| release::Version::parse(v) == wanted);
        found.ok_or_else(|| {
            let few: Vec<&str> = published.iter().rev().take(8).map(|v| &**v).collect();
            anyhow::anyhow!(
                "the index has no torch {text}; it has {}, ...",
                few.join(", ")
            )
        })
    };
    let start = at(from)?;
    let end = to.map_or(Ok(published.len().saturating_sub(1)), at)?;
    if end < start {
        bail!("{} is older than {from}", published[end]);
    }
    Ok(published[start..=end].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_releases() {
        assert_eq!(wanted("torch==2.9.0").unwrap(), ReleaseRange::One("2.9.0"));
        let all = ReleaseRange::Stretch("2.0.0", None);
        assert_eq!(wanted("torch==2.0.0..latest").unwrap(), all);
        for bad in ["torch", "torch==", "numpy==1.0", "torch==a..b"] {
            assert!(wanted(bad).is_err(), "{bad}");
        }
        let published: Vec<String> = ["2.0.0", "2.0.1", "2.9.0", "2.10.0"].map(Into::into).into();
        let check = |from, to| stretch(&published, from, to).map(|found| found.join(" "));
        assert_eq!(check("2.0.1", None).unwrap(), "2.0.1 2.9.0 2.10.0");
        assert_eq!(check("2.0", Some("2.9")).unwrap(), "2.0.0 2.0.1 2.9.0");
        let error = check("2.0.0", Some("2.99.0")).unwrap_err().to_string();
        assert!(error.contains("no torch 2.99.0") && error.contains("2.10.0, 2.9.0"));
        assert!(check("2.9.0", Some("2.0.0")).is_err());
    }
}
