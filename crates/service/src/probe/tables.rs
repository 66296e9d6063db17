//! Table dumps of revisions.

use bytes::Bytes;
use opatlas_source::Digest;

use super::dump::Dump;
use super::{Json, ProbeRefusal, expect_short};
use crate::Service;
use crate::address::Resolved;
use crate::error::ServiceError;
use opatlas_store::{DumpRecord, LARGEST_DUMP, Missing, NewDump, ProjectName, StoreError};

const LONGEST: usize = 300;

struct GivenDump {
    revision: String,
    torch: String,
    device: String,
    digest: Digest,
    text: String,
}

impl Service {
    /// Adds a dump to its revision; false if the revision had it. Fails with [`ProbeRefusal`], and
    /// errors of resolving the revision.
    pub async fn add_dump(&self, project: &str, body: Bytes) -> Result<bool, ServiceError> {
        let given = self.compute(move |_| Ok(read(&body))).await??;
        let revision = self
            .measured(project, &given.revision, &given.torch)
            .await?;
        let dump = NewDump {
            revision: revision.digest,
            digest: given.digest,
            torch: given.torch,
            device: given.device,
            text: given.text,
        };
        let project = ProjectName::parse(project)?;
        Ok(self.store.add_dump(&project, &dump, self.now()).await?)
    }

    /// The dumps of a revision, the last one first.
    pub async fn dumps(&self, revision: &Resolved) -> Result<Vec<DumpRecord>, ServiceError> {
        Ok(self.store.dumps(&revision.project, revision.digest).await?)
    }

    /// The text of a dump by a prefix of its digest, or of the last one. Fails with
    /// [`Missing::Dump`] and [`Missing::Dumps`].
    pub async fn dump(
        &self,
        revision: &Resolved,
        digest: Option<&str>,
    ) -> Result<(DumpRecord, String), ServiceError> {
        let records = self.dumps(revision).await?;
        let record = match digest {
            None => records.into_iter().next().ok_or(Missing::Dumps),
            Some(digest) => {
                let wanted = digest.strip_prefix("sha256:").unwrap_or(digest);
                let is_it = |record: &DumpRecord| record.digest.to_string().starts_with(wanted);
                let missing = Missing::Dump(digest.chars().take(80).collect());
                records.into_iter().find(is_it).ok_or(missing)
            }
        };
        let record = record.map_err(StoreError::from)?;
        let (project, revision) = (&revision.project, revision.digest);
        let text = self.store.dump(project, revision, record.digest).await?;
        Ok((record, text))
    }
}

fn read(body: &[u8]) -> Result<GivenDump, ServiceError> {
    let malformed = |why: String| ProbeRefusal::Malformed(why);
    let body =
        Json::read(body).map_err(|error| malformed(format!("the body is not JSON: {error}")))?;
    let text = |name| {
        let text = body.member(name).and_then(Json::as_text);
        text.ok_or_else(|| ProbeRefusal::member(name, "text"))
    };
    let (revision, torch) = (text("revision")?, text("torch")?);
    expect_short("revision", revision, LONGEST)?;
    expect_short("torch", torch, LONGEST)?;
    let dump = body
        .member("dump")
        .filter(|dump| matches!(dump, Json::Object(_)));
    let dump = dump.ok_or_else(|| ProbeRefusal::member("dump", "an object"))?;
    let listed = format!("[{}]", dump.canonical());
    let digest = Digest::of(listed.as_bytes());
    if text("digest")? != digest.to_string() {
        let why = "the dump does not match the digest: it was cut short or changed on its way";
        return Err(ProbeRefusal::Incomplete(why.to_owned()).into());
    }
    if listed.len() > LARGEST_DUMP {
        return Err(malformed(format!("a dump has at most {LARGEST_DUMP} bytes")).into());
    }
    let read = Dump::of(dump).map_err(malformed)?;
    if read.torch != torch {
        return Err(ProbeRefusal::OtherDump {
            dump: read.torch,
            torch: torch.to_owned(),
        }
        .into());
    }
    if !read.device.is_empty() {
        expect_short("dump.device.name", &read.device, LONGEST)?;
    }
    Ok(GivenDump {
        revision: revision.to_owned(),
        torch: torch.to_owned(),
        device: read.device,
        digest,
        text: listed,
    })
}
