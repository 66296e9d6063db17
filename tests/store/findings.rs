//! Findings are kept as they were given, and go with their revision.

use opatlas::store::{Expected, FindingsRecord, Missing, Mode, ProjectName, Store, Wanted};
use opatlas_source::Digest;

use crate::store::given::{bundle, label, missing, new_project, request};

pub fn found(release: &str, program: &str, packed: &[u8]) -> FindingsRecord {
    FindingsRecord {
        release: release.to_owned(),
        program: program.to_owned(),
        packed: packed.to_vec(),
    }
}

/// What is kept of a revision, if the revision is there.
pub async fn kept(
    store: &dyn Store,
    project: &ProjectName,
    digest: Digest,
    findings: (&str, &str),
) -> Option<Vec<u8>> {
    let wanted = [Wanted {
        digest,
        findings: Some(findings),
    }];
    let read = store.read(project, &wanted).await.ok()?;
    let files = read[0].files.clone().unpack().unwrap();
    assert_eq!(files.digest(), digest);
    read[0].findings.clone()
}

pub async fn findings_go_with_their_revision(store: &dyn Store) {
    let project = new_project(store, "findings").await;
    let other = new_project(store, "no-findings").await;
    let files = bundle("- func: found(Tensor self) -> Tensor\n");
    let digest = files.digest();
    let absent = missing(
        store
            .save_findings(&project, &files, &found("2.9", "1", b"x"))
            .await,
    );
    assert!(matches!(absent, Missing::Revision { .. }), "{absent}");
    let kept_in = async |project: &ProjectName, release, program| {
        let kept = kept(store, project, digest, (release, program));
        kept.await
    };
    let kept = async |release, program| kept_in(&project, release, program).await;

    let named = request("v1", Some("2.9"));
    let first = found("2.9", "1", b"first\0\xFF");
    let checked = store.ingest_checked(&project, &files, Some(&named), Some(&first), 1);
    checked.await.unwrap();
    assert_eq!(kept("2.9", "1").await.as_deref(), Some(&first.packed[..]));
    // They hold for this release, this program and this project.
    assert_eq!(kept("2.8", "1").await, None);
    assert_eq!(kept("2.9", "2").await, None);
    store.ingest(&other, &files, None, 1).await.unwrap();
    assert_eq!(kept_in(&other, "2.9", "1").await, None);

    // What is brought again without findings leaves them, and so do the same ones found twice.
    store
        .ingest(&project, &files, Some(&named), 2)
        .await
        .unwrap();
    let again = found("2.9", "1", b"again");
    store.save_findings(&project, &files, &again).await.unwrap();
    assert_eq!(kept("2.9", "1").await.as_deref(), Some(&first.packed[..]));
    // Another program's give way.
    let newer = found("2.9", "2", b"newer");
    store.save_findings(&project, &files, &newer).await.unwrap();
    assert_eq!(kept("2.9", "1").await, None);
    assert_eq!(kept("2.9", "2").await.as_deref(), Some(&newer.packed[..]));

    store
        .delete_label(&project, &label("v1"), Expected::Anything)
        .await
        .unwrap();
    store.collect(Some(&project), 3, Mode::Do).await.unwrap();
    assert_eq!(kept("2.9", "2").await, None);
    assert_eq!(store.check().await.unwrap().faults, Vec::<String>::new());

    // So do those of a deleted revision, and of a deleted project.
    for delete_project in [false, true] {
        let stored = store.ingest_checked(&project, &files, None, Some(&newer), 4);
        stored.await.unwrap();
        assert!(kept("2.9", "2").await.is_some());
        match delete_project {
            false => store.delete_revision(&project, digest).await.unwrap(),
            true => store.delete_project(&project).await.unwrap(),
        }
        assert_eq!(kept("2.9", "2").await, None);
    }

    // Some stay, to be copied with all the rest.
    let stored = store.ingest_checked(&other, &files, None, Some(&first), 5);
    stored.await.unwrap();
}
