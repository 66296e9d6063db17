//! Resolves, fetches and ingests revisions of a server.

use std::sync::{Arc, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::cli::stored::IngestOutcome;
use opatlas_service::{
    Address, Holds, Ingest, JudgedRelease, Protection, Resolved, ServiceError, Snapshot,
    Strictness, Summary,
};
use opatlas_source::{Bundle, Digest, SOURCES};
use opatlas_store::{LabelName, LabelRecord, Missing, ProjectName, RevisionKey};
use opatlas_wire::drift::DumpList;
use opatlas_wire::labels::Label;
use opatlas_wire::problem::Kind;
use opatlas_wire::revisions::Revision;

use super::exceptions::micros;
use super::http::{Answer, Ask, JSON, LINES};
use super::{Error, Remote};

/// The maximum size of a revision's files, in bytes. A server accepts 16 MiB by default.
const LARGEST_BUNDLE: usize = 256 << 20;

impl Remote {
    pub(crate) async fn resolve(
        &self,
        project: &str,
        address: &str,
        release: Option<&str>,
    ) -> anyhow::Result<Resolved> {
        let name = ProjectName::parse(project).map_err(ServiceError::from)?;
        let parsed = Address::parse(address).map_err(ServiceError::from)?;
        let (answer, found) = self.revision(project, address, release).await?;
        let odd = || odd(&answer, "contains no revision");
        let digest = Digest::parse(&found.item.digest).ok_or_else(odd)?;
        let label = found.label.as_deref();
        let mut labels = found.item.labels.iter();
        let label = labels.find(|known| Some(&*known.name) == label);
        self.remember(digest, &found);
        let is_named = matches!(parsed, Address::Key(RevisionKey::Label(_)));
        Ok(Resolved {
            is_commit: is_named && label.is_none(),
            project: name,
            digest,
            judged: JudgedRelease::parse(&found.release).map_err(ServiceError::from)?,
            label: label
                .map(|label| record(label).ok_or_else(odd))
                .transpose()?,
            holds: Holds::Now,
        })
    }

    pub(crate) async fn labels(&self, project: &str) -> Result<Vec<LabelRecord>, Error> {
        let path = ["v1", "projects", project, "labels"];
        let url = self.http.base.url(&path, &[]);
        let answer = self.http.ask(Ask::get(url, LINES)).await?;
        let labels: Vec<Label> = answer.lines()?;
        let labels = labels.iter();
        labels
            .map(|label| record(label).ok_or_else(|| odd(&answer, "has an invalid label")))
            .collect()
    }

    pub(crate) async fn bundle(&self, revision: &Resolved) -> Result<Bundle, Error> {
        let (project, digest) = (revision.project.as_str(), revision.digest);
        let address = format!("sha256:{digest}");
        let known = self.known(digest);
        let names = match known {
            Some(names) => names,
            None => {
                let release = Some(revision.release().as_str());
                let (_, found) = self.revision(project, &address, release).await?;
                self.remember(digest, &found);
                found.item.files.into_iter().map(|file| file.name).collect()
            }
        };
        let base = ["v1", "projects", project, "revisions", &address, "files"];
        let mut bundle = Bundle::default();
        let (mut last, mut total) = (None, 0_usize);
        for name in names {
            let path: Vec<&str> = if name.starts_with(SOURCES) {
                base.into_iter().chain([&*name]).collect()
            } else {
                base.into_iter().chain(name.split('/')).collect()
            };
            let url = self.http.base.url(&path, &[]);
            let answer = self.http.ask(Ask::get(url, "*/*")).await?;
            // Its name may become a local file name.
            if !Bundle::is_file_name(&name) {
                return Err(odd(&answer, "is not a file of a bundle"));
            }
            total = total.saturating_add(answer.bytes.len());
            if total > LARGEST_BUNDLE {
                let most = format!("makes a revision of more than {LARGEST_BUNDLE} bytes");
                return Err(odd(&answer, &most));
            }
            bundle.insert(&name, answer.bytes.as_slice());
            last = Some(answer);
        }
        match last {
            Some(answer) if bundle.digest() != digest => Err(odd(
                &answer,
                &format!("is damaged: the files do not have the digest {address}"),
            )),
            _ => Ok(bundle),
        }
    }

    pub(crate) async fn dump(
        &self,
        revision: &Resolved,
        digest: Option<&str>,
    ) -> anyhow::Result<(String, String)> {
        let address = format!("sha256:{}", revision.digest);
        let project = revision.project.as_str();
        let base = ["v1", "projects", project, "revisions", &address, "dumps"];
        let answer = self
            .http
            .ask(Ask::get(self.http.base.url(&base, &[]), JSON));
        let list: DumpList = answer.await?.value()?;
        let wanted = digest.map(|digest| digest.strip_prefix("sha256:").unwrap_or(digest));
        let mut dumps = list.items.into_iter();
        let found = dumps.find(|dump| wanted.is_none_or(|wanted| dump.digest.starts_with(wanted)));
        let missing = match digest {
            Some(digest) => Missing::Dump(digest.to_owned()),
            None => Missing::Dumps,
        };
        let found = found.ok_or(missing)?;
        let path: Vec<&str> = base.into_iter().chain([&*found.digest]).collect();
        let answer = self
            .http
            .ask(Ask::get(self.http.base.url(&path, &[]), JSON))
            .await?;
        Ok((found.digest, String::from_utf8(answer.bytes)?))
    }

    pub(crate) async fn snapshot(&self, revision: &Resolved) -> Result<Arc<Snapshot>, Error> {
        let (bundle, release) = (self.bundle(revision).await?, revision.release());
        let last = self.last().take();
        let read = move || Arc::new(Snapshot::read(bundle, release, last.as_deref()));
        match tokio::task::spawn_blocking(read).await {
            Ok(snapshot) => {
                *self.last() = Some(Arc::clone(&snapshot));
                Ok(snapshot)
            }
            // Propagate a panic.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Checks whether the token allows [`Remote::ingest`]: the server checks the token before the
    /// body, and rejects this body for its type.
    pub(crate) async fn expect_ingest(
        &self,
        project: &str,
        label: Option<&str>,
        protection: Protection,
    ) -> Result<(), Error> {
        let path = ["v1", "projects", project, "revisions"];
        let query = [("label", label), ("force", force(protection))];
        let url = self.http.base.url(&path, &query);
        match self
            .http
            .ask(Ask::post(url, "text/plain", Vec::new()))
            .await
        {
            Err(error) if error.is(Kind::Unauthenticated) || error.is(Kind::Forbidden) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    pub(crate) async fn ingest(&self, ingest: Ingest<'_>) -> Result<IngestOutcome, Error> {
        let path = ["v1", "projects", ingest.project, "revisions"];
        let query = [
            ("label", ingest.label),
            ("release", ingest.release),
            ("force", force(ingest.protection)),
            ("strict", strict(ingest.strictness)),
        ];
        let url = self.http.base.url(&path, &query);
        let boundary = Uuid::new_v4().simple().to_string();
        let body = multipart(&ingest.bundle, &boundary);
        let media = format!("multipart/form-data; boundary={boundary}");
        let answer = self
            .http
            .ask(Ask::post(url, media, body).idempotent())
            .await?;
        let stored: Revision = answer.value()?;
        let summary = stored.summary;
        Ok(IngestOutcome {
            digest: stored.item.digest,
            is_new: answer.status == 201,
            release: stored.release,
            summary: Summary {
                operators: summary.operators,
                generated: summary.generated,
                errors: summary.errors,
                warnings: summary.warnings,
                infos: summary.infos,
            },
        })
    }

    async fn revision(
        &self,
        project: &str,
        address: &str,
        release: Option<&str>,
    ) -> Result<(Answer, Revision), Error> {
        let path = ["v1", "projects", project, "revisions", address];
        let url = self.http.base.url(&path, &[("release", release)]);
        let answer = self.http.ask(Ask::get(url, JSON)).await?;
        let found = answer.value()?;
        Ok((answer, found))
    }

    fn remember(&self, digest: Digest, found: &Revision) {
        let names = found.item.files.iter().map(|file| file.name.clone());
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(digest, names.collect());
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<Snapshot>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, digest: Digest) -> Option<Vec<String>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(&digest).cloned()
    }
}

fn record(label: &Label) -> Option<LabelRecord> {
    Some(LabelRecord {
        name: LabelName::parse(&label.name).ok()?,
        digest: Digest::parse(label.revision.strip_prefix("sha256:")?)?,
        sequence: label.sequence,
        release: label.release.clone(),
        moved_at: micros(&label.moved_at)?,
        created_at: None,
        creator: None,
    })
}

fn force(protection: Protection) -> Option<&'static str> {
    (protection == Protection::Forced).then_some("true")
}

fn strict(strictness: Strictness) -> Option<&'static str> {
    (strictness == Strictness::Strict).then_some("true")
}

pub(super) fn odd(answer: &Answer, what: &str) -> Error {
    Error::Strange {
        url: answer.url.clone(),
        what: what.to_owned(),
    }
}

/// The boundary has 122 random bits, so it does not occur in a file.
fn multipart(bundle: &Bundle, boundary: &str) -> Vec<u8> {
    let mut body = Vec::with_capacity(bundle.total_bytes() + 4096);
    for (name, bytes) in bundle.files() {
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}
