//! Ingest of bundles.

use opatlas_source::suggest::nearest;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Stop};
use opatlas_store::{
    Conflict, Expected, IngestOutcome, LabelName, LabelRequest, Missing, OnOtherRelease,
    ProjectName, StoreError,
};
use std::sync::Arc;
use std::time::Instant;

use super::address::release_of;
use super::error::{Refusal, ServiceError};
use super::labels::{Protection, expected};
use super::notes::JudgedRelease;
use super::snapshot::Snapshot;
use super::{Limits, Service};

/// A bundle to store.
#[derive(Debug, Clone)]
pub struct Ingest<'a> {
    /// The project.
    pub project: &'a str,
    /// The files.
    pub bundle: Bundle,
    /// The label to set.
    pub label: Option<&'a str>,
    /// The release of the label.
    pub release: Option<&'a str>,
    /// Whether a protected label may be moved.
    pub protection: Protection,
    /// How to treat files with errors.
    pub strictness: Strictness,
    /// The id of the token that ingests.
    pub caller: Option<&'a str>,
}

/// The treatment of files with errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Store them with their findings.
    #[default]
    Lenient,
    /// Store nothing.
    Strict,
}

/// The outcome of an ingest.
#[derive(Debug)]
pub struct Ingested {
    /// The outcome of the store.
    pub outcome: IngestOutcome,
    /// The release whose rules were applied.
    pub judged: JudgedRelease,
    /// The revision, with the rules run.
    pub snapshot: Arc<Snapshot>,
}

impl Limits {
    /// Checks the names, number and sizes of the files, not their content. Fails with [`Refusal`].
    pub(super) fn admit(&self, bundle: &Bundle) -> Result<(), Refusal> {
        if bundle.files().count() > self.files {
            return Err(Refusal::Files { limit: self.files });
        }
        for (name, bytes) in bundle.files() {
            if !Bundle::is_file_name(name) {
                return Err(Refusal::of_name(name));
            }
            if bytes.len() > self.file_bytes {
                return Err(Refusal::FileSize {
                    name: name.to_owned(),
                    limit: self.file_bytes,
                });
            }
        }
        if bundle.total_bytes() > self.bundle_bytes {
            return Err(Refusal::BundleSize {
                limit: self.bundle_bytes,
            });
        }
        match bundle.file(NATIVE_FUNCTIONS) {
            Some(_) => Ok(()),
            None => Err(Refusal::Incomplete),
        }
    }
}

impl Service {
    /// Checks the names, number and sizes of the files, not their content. Fails with [`Refusal`].
    pub fn admit(&self, bundle: &Bundle) -> Result<(), Refusal> {
        self.limits.admit(bundle)
    }

    /// Checks a bundle, stores it and sets a label. Fails with [`ServiceError::Refused`] if it is
    /// not a list of entries, [`ServiceError::Protected`] if the label cannot move,
    /// [`ServiceError::SameVersion`] if it is another spelling of a label, [`ServiceError::KeepsRelease`]
    /// if it belongs to another release, and with errors of the store.
    pub async fn ingest(&self, ingest: Ingest<'_>) -> Result<Ingested, ServiceError> {
        let begun = Instant::now();
        let ingested = self.take_in(ingest).await;
        let outcome = match &ingested {
            Ok(ingested) if ingested.outcome.created => "created",
            Ok(_) => "existing",
            Err(
                ServiceError::Busy
                | ServiceError::Unread
                | ServiceError::Stopped(_)
                | ServiceError::Failed(_),
            ) => "failed",
            Err(ServiceError::Store(error)) if !error.is_about_the_request() => "failed",
            Err(_) => "refused",
        };
        metrics::counter!("opatlas_ingests_total", "outcome" => outcome).increment(1);
        metrics::histogram!("opatlas_ingest_seconds").record(begun.elapsed().as_secs_f64());
        ingested
    }

    async fn take_in(&self, ingest: Ingest<'_>) -> Result<Ingested, ServiceError> {
        let project = ProjectName::parse(ingest.project)?;
        let label = ingest.label.map(LabelName::parse_new).transpose()?;
        let given = ingest.release.map(JudgedRelease::parse).transpose()?;
        self.admit(&ingest.bundle)?;
        // Find out first whether the project exists.
        self.store.project(&project).await?;
        if let Some(label) = &label {
            self.expect_own_version(&project, label, ingest.protection)
                .await?;
        }
        let (label_release, correction) = match &label {
            Some(label) => (
                self.label_release(&project, label, given).await?,
                self.correction(&project, label, ingest.caller).await?,
            ),
            None => (LabelRelease::unlabelled(given), None),
        };
        let judged = label_release.judged;
        let (reader, bundle, release) = (self.reader(), ingest.bundle, judged.release);
        let work = move |stop: &Stop| Ok(reader.judge(bundle, release, stop));
        let turn = self.turn().await?;
        let snapshot = turn.run(work).await??;
        let snapshot = keepable(snapshot, self.limits.operators)?;
        let snapshot = admissible(snapshot, ingest.strictness)?;
        let room = self.workers.unstored(snapshot.weight()).await?;
        drop(turn);
        let request = label.map(|name| LabelRequest {
            expected: expected(ingest.protection, &name, correction.as_ref()),
            release: label_release.stored,
            on_other_release: match (ingest.protection, correction) {
                (Protection::Kept, None) => OnOtherRelease::Refuse,
                _ => OnOtherRelease::Replace,
            },
            creator: ingest.caller.map(str::to_owned),
            name,
        });
        let (store, bundle) = (&self.store, &snapshot.bundle);
        let stored = store.ingest(&project, bundle, request.as_ref(), self.now());
        let outcome = stored.await.map_err(of_label)?;
        drop(room);
        self.keep(&snapshot).await;
        Ok(Ingested {
            outcome,
            judged,
            snapshot,
        })
    }

    /// The given release, else the stored one, else the one that the label's name says, else the
    /// newest.
    pub(super) async fn label_release(
        &self,
        project: &ProjectName,
        label: &LabelName,
        given: Option<JudgedRelease>,
    ) -> Result<LabelRelease, ServiceError> {
        if let Some(given) = given {
            return Ok(LabelRelease {
                stored: Some(given.stored()),
                judged: given,
            });
        }
        let own = match self.store.label(project, label).await {
            Ok(record) if record.release.is_some() => {
                return Ok(LabelRelease {
                    judged: release_of(&record).unwrap_or(JudgedRelease::NEWEST),
                    stored: None,
                });
            }
            Ok(_) | Err(StoreError::NotFound(Missing::Label { .. })) => {
                JudgedRelease::parse(label.as_str()).ok()
            }
            Err(error) => return Err(error.into()),
        };
        Ok(LabelRelease {
            stored: own.as_ref().map(JudgedRelease::stored),
            judged: own.unwrap_or(JudgedRelease::NEWEST),
        })
    }
}

/// Checks that a revision can be stored. Fails with [`Refusal::NoList`] and [`Refusal::Operators`].
pub(super) fn keepable(
    snapshot: Arc<Snapshot>,
    most_operators: usize,
) -> Result<Arc<Snapshot>, Refusal> {
    let count = snapshot.catalogue.operators.len();
    match snapshot.catalogue.native_functions.is_list {
        false => Err(Refusal::NoList(snapshot)),
        true if count > most_operators => Err(Refusal::Operators {
            count,
            limit: most_operators,
        }),
        true => Ok(snapshot),
    }
}

pub(super) struct LabelRelease {
    judged: JudgedRelease,
    pub(super) stored: Option<String>,
}

impl LabelRelease {
    fn unlabelled(given: Option<JudgedRelease>) -> Self {
        Self {
            judged: given.unwrap_or(JudgedRelease::NEWEST),
            stored: None,
        }
    }
}

/// Rejects files with errors if they must have none.
fn admissible(snapshot: Arc<Snapshot>, strictness: Strictness) -> Result<Arc<Snapshot>, Refusal> {
    match strictness {
        Strictness::Strict if snapshot.summary().errors > 0 => Err(Refusal::Errors(snapshot)),
        _ => Ok(snapshot),
    }
}

pub(super) fn of_label(error: StoreError) -> ServiceError {
    match error {
        StoreError::Conflict(Conflict::Label {
            label,
            expected: Expected::Unmoved,
            ..
        }) => ServiceError::Protected(label),
        StoreError::Conflict(Conflict::Label { label, .. }) => ServiceError::Precondition(label),
        StoreError::Conflict(Conflict::Release {
            label,
            stored,
            given,
        }) => ServiceError::KeepsRelease {
            label,
            stored,
            given,
        },
        other => other.into(),
    }
}

impl Refusal {
    #[must_use]
    /// The error for an invalid file name.
    pub fn of_name(name: &str) -> Self {
        let known = [
            NATIVE_FUNCTIONS,
            opatlas_source::TAGS,
            opatlas_source::DERIVATIVES,
            opatlas_source::DEPRECATED,
            opatlas_source::FALLBACK_OPS,
            opatlas_source::OBSERVED,
            opatlas_source::VENDOR,
        ];
        Self::FileName {
            name: name.chars().take(128).collect(),
            suggestion: nearest(name, known),
        }
    }
}
