//! Checks the whole store against its digests, from the chunks up.

use futures_util::TryStreamExt as _;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest as _, Sha256};

use super::{content, probe, rows};
use crate::database::{Connection, query, query_scalar};
use crate::error::StoreError;
use crate::ids::decode;
use crate::maintenance::CheckReport;
use crate::names::LabelName;
use crate::sql;
use crate::vetting::unfit_in;
use opatlas_source::{Digest, revision_digest};

type Digests = FxHashMap<i64, Digest>;

/// Checks everything in one snapshot. Collects faults instead of stopping at the first one.
pub(super) async fn check(connection: &mut impl Connection) -> Result<CheckReport, StoreError> {
    let mut report = CheckReport::default();
    report.faults.extend(connection.own_faults().await?);
    let chunks = chunks(connection, &mut report).await?;
    let (groups, used_chunks) = groups(connection, &chunks, &mut report).await?;
    let (files, used_groups) = files(connection, &groups, &mut report).await?;
    let used_files = revisions(connection, &files, &mut report).await?;
    labels(connection, &mut report).await?;
    probe::check(connection, &mut report).await?;
    report.faults.extend(unfit_in(connection).await?);
    let unneeded = [
        chunks.len() - used_chunks.len(),
        groups.len() - used_groups.len(),
        files.len() - used_files.len(),
    ];
    report.unneeded = unneeded.iter().sum::<usize>() as u64;
    Ok(report)
}

async fn chunks(
    connection: &mut impl Connection,
    report: &mut CheckReport,
) -> Result<Digests, StoreError> {
    let mut known = Digests::default();
    let mut stream = connection.stream::<(i64, Vec<u8>, Vec<u8>)>(query(sql::ALL_CHUNKS));
    while let Some((id, digest, content)) = stream.try_next().await? {
        let Some(digest) = read_digest(&digest, &format!("chunk {id}"), report) else {
            continue;
        };
        if Digest::of(&content) != digest {
            report
                .faults
                .push(format!("chunk {id} has other bytes than were stored"));
        }
        known.insert(id, digest);
        report.chunks += 1;
    }
    Ok(known)
}

async fn groups(
    connection: &mut impl Connection,
    chunks: &Digests,
    report: &mut CheckReport,
) -> Result<(Digests, FxHashSet<i64>), StoreError> {
    let (mut known, mut used) = (Digests::default(), FxHashSet::default());
    let mut stream = connection.stream::<(i64, Vec<u8>, Vec<u8>)>(query(sql::ALL_GROUPS));
    while let Some((id, digest, list)) = stream.try_next().await? {
        let what = format!("group {id}");
        let Some(digest) = read_digest(&digest, &what, report) else {
            continue;
        };
        let list = read_list(&list, &what, report);
        let mut hash = Sha256::new();
        for chunk in &list {
            match chunks.get(chunk) {
                Some(chunk) => hash.update(chunk.as_bytes()),
                None => report.faults.push(format!("{what} lacks chunk {chunk}")),
            }
        }
        if Digest::from_bytes(hash.finalize().into()) != digest {
            report
                .faults
                .push(format!("{what} has other chunks than were stored"));
        }
        used.extend(list.iter().filter(|chunk| chunks.contains_key(chunk)));
        known.insert(id, digest);
        report.groups += 1;
    }
    Ok((known, used))
}

async fn files(
    connection: &mut impl Connection,
    groups: &Digests,
    report: &mut CheckReport,
) -> Result<(Digests, FxHashSet<i64>), StoreError> {
    let (mut known, mut used) = (Digests::default(), FxHashSet::default());
    let ids: Vec<i64> = query_scalar(sql::ALL_FILES)
        .fetch_all(&mut *connection)
        .await?;
    for id in ids {
        let row: (Vec<u8>, Vec<u8>) = query(sql::FILE_LISTS)
            .bind(id)
            .fetch_one(&mut *connection)
            .await?;
        let what = format!("file {id}");
        let Some(digest) = read_digest(&row.0, &what, report) else {
            continue;
        };
        let list = read_list(&row.1, &what, report);
        used.extend(list.iter().filter(|group| groups.contains_key(group)));
        // Assembling the file finds missing groups and different bytes.
        match content::of_file_row(connection, id).await {
            Ok(files) => {
                if let Err(error) = super::off_reactor(move || files.assemble()).await? {
                    report.faults.push(error.to_string());
                }
            }
            Err(error @ StoreError::Corrupt { .. }) => report.faults.push(error.to_string()),
            Err(error) => return Err(error),
        }
        known.insert(id, digest);
        report.files += 1;
    }
    Ok((known, used))
}

async fn revisions(
    connection: &mut impl Connection,
    files: &Digests,
    report: &mut CheckReport,
) -> Result<FxHashSet<i64>, StoreError> {
    let mut of_revision: FxHashMap<i64, Vec<(String, i64)>> = FxHashMap::default();
    let mut used = FxHashSet::default();
    let mut stream = connection.stream::<(i64, String, i64)>(query(sql::ALL_REVISION_FILES));
    while let Some((revision, name, file)) = stream.try_next().await? {
        if files.contains_key(&file) {
            used.insert(file)
        } else {
            report.faults.push(format!(
                "revision {revision} lacks file {file}, its `{name}`"
            ));
            continue;
        };
        of_revision.entry(revision).or_default().push((name, file));
    }
    drop(stream);
    let revisions: Vec<(i64, Vec<u8>)> = query(sql::ALL_REVISIONS).fetch_all(connection).await?;
    for (id, digest) in revisions {
        let what = format!("revision {id}");
        let Some(digest) = read_digest(&digest, &what, report) else {
            continue;
        };
        let mut list = of_revision.remove(&id).unwrap_or_default();
        list.sort();
        let found = revision_digest(list.iter().map(|(name, file)| (&**name, files[file])));
        if found != digest {
            report.faults.push(format!(
                "the files of revision sha256:{digest} differ from those stored"
            ));
        }
        report.revisions += 1;
    }
    for id in of_revision.keys() {
        report
            .faults
            .push(format!("files belong to revision {id}, which is not there"));
    }
    Ok(used)
}

async fn labels(
    connection: &mut impl Connection,
    report: &mut CheckReport,
) -> Result<(), StoreError> {
    let astray: Vec<(String, i64)> = query(sql::LABELS_ASTRAY)
        .fetch_all(&mut *connection)
        .await?;
    for (name, revision) in astray {
        report.faults.push(format!(
            "label `{name}` names revision {revision}, which its project does not have"
        ));
    }
    let mut stream = connection.stream::<(String, String)>(query(sql::ALL_LABELS));
    while let Some((project, name)) = stream.try_next().await? {
        report.labels += 1;
        if LabelName::parse(&name).is_ok_and(|label| label.looks_like_commit()) {
            report.warnings.push(format!(
                "label `{name}` of project `{project}` looks like a commit or a digest and could be \
                 taken for one; give its revision another label, then delete this one"
            ));
        }
    }
    Ok(())
}

fn read_digest(bytes: &[u8], what: &str, report: &mut CheckReport) -> Option<Digest> {
    let digest = rows::digest(bytes).ok();
    if digest.is_none() {
        report
            .faults
            .push(format!("{what} has a digest of {} bytes", bytes.len()));
    }
    digest
}

fn read_list(bytes: &[u8], what: &str, report: &mut CheckReport) -> Vec<i64> {
    decode(bytes).unwrap_or_else(|| {
        report.faults.push(format!("{what} is not a list"));
        Vec::new()
    })
}
