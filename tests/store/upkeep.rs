//! Looking after a store: checks, collection, and copies into another.

use opatlas_store::{Conflict, Expected, Mode, SqliteStore, Store, StoreError};

use crate::store::given::{bundle, conflict, key, label, missing, name, new_project, request};

pub async fn what_no_label_names_is_collected_by_age(store: &dyn Store) {
    let project = new_project(store, "collected").await;
    let text = |own: usize| -> String {
        (0..200)
            .map(|at| {
                format!(
                    "- func: gc{}(Tensor self, int n) -> Tensor\n",
                    at + at / 150 * own * 1000
                )
            })
            .collect()
    };
    let [kept, old, new] = [1, 2, 3].map(|own| bundle(text(own)));
    store
        .ingest(&project, &kept, Some(&request("main", None)), 100)
        .await
        .unwrap();
    store
        .ingest(&project, &old, Some(&request("pr-1", None)), 100)
        .await
        .unwrap();
    store.ingest(&project, &new, None, 200).await.unwrap();
    let collect = async |mode| store.collect(Some(&project), 150, mode).await.unwrap();
    assert_eq!(collect(Mode::Do).await.revisions, []);
    store
        .delete_label(&project, &label("pr-1"), Expected::Anything)
        .await
        .unwrap();
    let counted = collect(Mode::Count).await;
    assert_eq!(counted.revisions, [("collected".to_owned(), old.digest())]);
    assert_eq!(store.bundle(&project, old.digest()).await.unwrap(), old);
    let collected = collect(Mode::Do).await;
    assert_eq!(collected, counted);
    assert!(collected.files == 1 && collected.groups > 0 && collected.chunks > 0);
    missing(store.bundle(&project, old.digest()).await);
    for files in [&kept, &new] {
        assert_eq!(
            &store.bundle(&project, files.digest()).await.unwrap(),
            files
        );
    }
    let nothing = collect(Mode::Do).await;
    assert_eq!((nothing.files, nothing.groups, nothing.chunks), (0, 0, 0));
    let report = store.check().await.unwrap();
    assert_eq!((report.faults, report.unneeded), (vec![], 0));
    // What was collected comes back when it is brought again.
    assert!(
        store
            .ingest(&project, &old, None, 300)
            .await
            .unwrap()
            .created
    );
    assert_eq!(store.bundle(&project, old.digest()).await.unwrap(), old);
    let other = name("never-made");
    missing(store.collect(Some(&other), 150, Mode::Do).await);
}

/// All that the behaviours before left behind, into another database and back.
pub async fn all_of_it_can_be_copied(store: &dyn Store, empty: &dyn Store) {
    let before = store.check().await.unwrap();
    assert_eq!(before.faults, Vec::<String>::new());
    assert!(before.revisions > 50 && before.labels > 5 && before.chunks > 1000);
    opatlas_store::copy(store, empty).await.unwrap();
    assert_eq!(empty.check().await.unwrap(), before);
    assert_eq!(empty.tokens().await.unwrap(), store.tokens().await.unwrap());
    let projects = store.projects(None, 100).await.unwrap();
    assert_eq!(empty.projects(None, 100).await.unwrap(), projects);
    for project in &projects.items {
        let name = &project.name;
        assert_eq!(
            empty.revisions(name, None, 1000).await.unwrap(),
            store.revisions(name, None, 1000).await.unwrap()
        );
    }
    // It can be gone on with: ids follow those that were copied.
    let project = new_project(empty, "after-the-copy").await;
    let files = bundle("- func: after() -> ()\n");
    empty
        .ingest(&project, &files, Some(&request("main", None)), 1)
        .await
        .unwrap();
    let found = empty.revision(&project, &key("main")).await.unwrap();
    assert_eq!(found.digest, files.digest());
    let refused = opatlas_store::copy(store, empty).await;
    assert_eq!(conflict(refused), Conflict::NotEmpty);
}

#[tokio::test]
async fn a_copy_that_ends_early_leaves_nothing() {
    let store = SqliteStore::open("sqlite::memory:").await.unwrap();
    let (sink, source) = tokio::sync::mpsc::channel(1);
    drop(sink);
    let error = store.import(source).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("too early"), "{error}");
}
