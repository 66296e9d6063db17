//! Revisions: stored once, found by what points at them, listed.

use std::collections::HashMap;

use opatlas_source::{Bundle, Digest, TAGS};
use opatlas_store::{LabelChange, Missing, ProjectChange, RevisionKey, Store, StoreError};

use crate::store::given::{bundle, key, missing, name, new_project, request};

pub async fn ingest_is_idempotent(store: &dyn Store) {
    let project = new_project(store, "idempotent").await;
    let mut files = bundle("- func: a() -> ()\n- func: b() -> ()\n");
    files.insert(TAGS, *b"- tag: core\n");
    let first = store.ingest(&project, &files, None, 100).await.unwrap();
    assert!(first.created);
    assert_eq!(first.digest, files.digest());
    let main = request("main", Some("2.9"));
    let second = store
        .ingest(&project, &files, Some(&main), 200)
        .await
        .unwrap();
    assert!(!second.created);
    assert_eq!(
        (second.digest, second.sequence),
        (first.digest, first.sequence)
    );
    assert_eq!(second.label.unwrap().change, LabelChange::Made);

    let record = store
        .revision(&project, &first.digest.into())
        .await
        .unwrap();
    assert_eq!((record.ingested_at, record.sequence), (100, first.sequence));
    let listed: Vec<_> = record
        .files
        .iter()
        .map(|f| (&*f.name, f.bytes, f.digest))
        .collect();
    let given = files
        .files()
        .map(|(name, b)| (name, b.len() as u64, Digest::of(b)));
    assert_eq!(listed, given.collect::<Vec<_>>());
    assert_eq!(record.labels, store.labels(&project).await.unwrap());
    assert_eq!(store.bundle(&project, first.digest).await.unwrap(), files);
    let tags = store.file(&project, first.digest, TAGS).await.unwrap();
    assert_eq!(&*tags, b"- tag: core\n");
}

pub async fn revisions_are_found_by_digest_prefix_and_label(store: &dyn Store) {
    let project = new_project(store, "found").await;
    let [one, two] = alike();
    let main = request("main", None);
    store.ingest(&project, &one, Some(&main), 1).await.unwrap();
    let hex = one.digest().to_string();
    for text in [
        "main",
        &format!("sha256:{}", &hex[..8]),
        &format!("sha256:{}", hex.to_uppercase()),
    ] {
        assert_eq!(
            store.resolve(&project, &key(text)).await.unwrap(),
            one.digest(),
            "{text}"
        );
        let record = store.revision(&project, &key(text)).await.unwrap();
        assert_eq!(record.digest, one.digest());
    }
    let unknown = RevisionKey::from(two.digest());
    let expected = Missing::Revision {
        project: project.clone(),
        key: unknown.clone(),
    };
    assert_eq!(missing(store.resolve(&project, &unknown).await), expected);
    assert_eq!(missing(store.revision(&project, &unknown).await), expected);

    store.ingest(&project, &two, None, 1).await.unwrap();
    let mut both = vec![one.digest(), two.digest()];
    both.sort();
    match store
        .resolve(&project, &key(&format!("sha256:{}", &hex[..8])))
        .await
        .unwrap_err()
    {
        StoreError::Ambiguous { prefix, matches } => {
            assert_eq!((prefix.as_str(), matches), (&hex[..8], both));
        }
        other => panic!("{other}"),
    }
    assert_eq!(
        store.resolve(&project, &unknown).await.unwrap(),
        two.digest()
    );
}

/// Two bundles whose digests begin with the same eight digits, found by trying.
fn alike() -> [Bundle; 2] {
    let mut seen = HashMap::new();
    for at in 0.. {
        let files = bundle(format!("- {at}\n"));
        let start = files.digest().as_bytes()[..4].to_vec();
        if let Some(before) = seen.insert(start, at) {
            return [bundle(format!("- {before}\n")), files];
        }
    }
    unreachable!()
}

pub async fn revisions_are_listed_newest_first(store: &dyn Store) {
    let project = new_project(store, "listed").await;
    let other = new_project(store, "listed-other").await;
    let mut digests = Vec::new();
    for at in 0..7 {
        let files = bundle(format!("- {at}\n"));
        let request = request(&format!("v{at}"), None);
        let label = (at % 2 == 0).then_some(&request);
        digests.push(
            store
                .ingest(&project, &files, label, at)
                .await
                .unwrap()
                .digest,
        );
        store.ingest(&other, &files, None, at).await.unwrap();
    }
    digests.reverse();
    let (mut before, mut found) = (None, Vec::new());
    loop {
        let page = store.revisions(&project, before, 3).await.unwrap();
        assert!(page.items.len() <= 3);
        found.extend(page.items);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(found.iter().map(|r| r.digest).collect::<Vec<_>>(), digests);
    for record in found {
        assert_eq!(record.files.len(), 1);
        let labels: Vec<_> = record.labels.iter().map(|l| l.name.to_string()).collect();
        let expected = match record.ingested_at % 2 {
            0 => vec![format!("v{}", record.ingested_at)],
            _ => vec![],
        };
        assert_eq!(labels, expected);
    }
}

pub async fn what_is_absent_is_named(store: &dyn Store) {
    let nobody = name("nobody");
    let digest = Digest::of(b"");
    let gone = Missing::Project(nobody.clone());
    assert_eq!(
        missing(store.ingest(&nobody, &bundle("x"), None, 1).await),
        gone
    );
    assert_eq!(missing(store.revisions(&nobody, None, 1).await), gone);
    assert_eq!(missing(store.resolve(&nobody, &key("main")).await), gone);
    assert_eq!(missing(store.file(&nobody, digest, TAGS).await), gone);
    assert_eq!(
        missing(store.steps_of_operator(&nobody, "add.Tensor", (0, 9)).await),
        gone
    );
    assert_eq!(
        missing(
            store
                .update_project(&nobody, ProjectChange::default())
                .await
        ),
        gone
    );
    assert_eq!(gone.to_string(), "unknown project `nobody`");

    let project = new_project(store, "absent").await;
    let error = missing(store.revision(&project, &key("main")).await);
    assert_eq!(error.to_string(), "project `absent` has no label `main`");
    let error = missing(store.revision(&project, &key("sha256:00000000")).await);
    assert_eq!(
        error.to_string(),
        "project `absent` has no revision `sha256:00000000`"
    );
    let stored = store
        .ingest(&project, &bundle("x"), None, 1)
        .await
        .unwrap()
        .digest;
    let error = missing(store.file(&project, stored, TAGS).await);
    assert_eq!(
        error.to_string(),
        format!("revision sha256:{stored} has no file `tags.yaml`")
    );
    missing(
        store
            .set_label(&project, &request("main", None), digest, 1)
            .await,
    );
}
