//! Taking a bundle in.

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
use super::labels::Protection;
use super::notes::JudgedRelease;
use super::snapshot::Snapshot;
use super::{Limits, Service};

/// A bundle to be stored.
#[derive(Debug, Clone)]
pub struct Ingest<'a> {
    /// The project.
    pub project: &'a str,
    /// The files.
    pub bundle: Bundle,
    /// The label that is to name it.
    pub label: Option<&'a str>,
    /// The release of the label.
    pub release: Option<&'a str>,
    /// What protects a label that looks like a version and names something else.
    pub protection: Protection,
}

/// What came of it.
#[derive(Debug)]
pub struct Ingested {
    /// What the store says.
    pub outcome: IngestOutcome,
    /// The release that the revision was judged as.
    pub judged: JudgedRelease,
    /// The revision, with the rules run.
    pub snapshot: Arc<Snapshot>,
}

impl Limits {
    /// Whether the files make a bundle that is within the limits. What is in them is not looked at.
    ///
    /// # Errors
    /// [`Refusal`].
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
    /// Whether the files make a bundle that is within the limits. What is in them is not looked at.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn admit(&self, bundle: &Bundle) -> Result<(), Refusal> {
        self.limits.admit(bundle)
    }

    /// Stores a bundle and lets a label name it. Reads and checks it first: what cannot be read at
    /// all is refused, and nothing is stored then.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] with the snapshot if it is not a list of entries,
    /// [`ServiceError::Protected`] if the label cannot move, [`ServiceError::OtherRelease`] if it
    /// belongs to another release, and errors of the store.
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
        // An unknown project is found out before the work.
        self.store.project(&project).await?;
        let standing = match &label {
            Some(label) => self.standing(&project, label, given).await?,
            None => Standing::unlabelled(given),
        };
        let judged = standing.judged;
        let (reader, bundle, release) = (self.reader(), ingest.bundle, judged.release);
        let work = move |stop: &Stop| Ok(reader.judge(bundle, release, stop));
        let turn = self.turn().await?;
        let snapshot = turn.run(work).await??;
        let snapshot = keepable(snapshot, self.limits.operators)?;
        let room = self.workers.unstored(snapshot.weight()).await?;
        drop(turn);
        let request = label.map(|name| request(name, standing.stored, ingest.protection));
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

    /// The release of a label: the given one, else the stored one, else the one that it looks like,
    /// else the newest.
    pub(super) async fn standing(
        &self,
        project: &ProjectName,
        label: &LabelName,
        given: Option<JudgedRelease>,
    ) -> Result<Standing, ServiceError> {
        if let Some(given) = given {
            return Ok(Standing {
                stored: Some(given.stored()),
                judged: given,
            });
        }
        let own = match self.store.label(project, label).await {
            Ok(record) if record.release.is_some() => {
                return Ok(Standing {
                    judged: release_of(&record).unwrap_or(JudgedRelease::NEWEST),
                    stored: None,
                });
            }
            Ok(_) | Err(StoreError::NotFound(Missing::Label { .. })) => {
                JudgedRelease::parse(label.as_str()).ok()
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Standing {
            stored: own.as_ref().map(JudgedRelease::stored),
            judged: own.unwrap_or(JudgedRelease::NEWEST),
        })
    }
}

/// A revision that can be stored: it is a list of entries, and not too long.
///
/// # Errors
/// [`Refusal::NoList`] and [`Refusal::Operators`].
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

/// The future release of a label.
pub(super) struct Standing {
    /// What its revision is judged as.
    judged: JudgedRelease,
    /// The release to store with it; `None` keeps the stored one.
    pub(super) stored: Option<String>,
}

impl Standing {
    fn unlabelled(given: Option<JudgedRelease>) -> Self {
        Self {
            judged: given.unwrap_or(JudgedRelease::NEWEST),
            stored: None,
        }
    }
}

fn request(name: LabelName, release: Option<String>, protection: Protection) -> LabelRequest {
    LabelRequest {
        expected: protection.expected(&name, Expected::Anything),
        release,
        on_other_release: OnOtherRelease::Refuse,
        name,
    }
}

/// What the store's refusal to set a label means here.
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
        }) => ServiceError::OtherRelease {
            label,
            stored,
            given,
        },
        other => other.into(),
    }
}

impl Refusal {
    /// The refusal of a file name that bundles do not have.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let known = [
            NATIVE_FUNCTIONS,
            opatlas_source::TAGS,
            opatlas_source::DERIVATIVES,
            opatlas_source::DEPRECATED,
            opatlas_source::OBSERVED,
            opatlas_source::VENDOR,
        ];
        Self::FileName {
            name: name.chars().take(128).collect(),
            suggestion: nearest(name, known),
        }
    }
}
