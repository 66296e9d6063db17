//! Labels that look like commits: nobody can create them any more, but they may be stored.

use opatlas_store::{LabelRequest, Store};

use crate::store::given::{bundle, label, new_project};

/// Such a label stays, also in a backup, and can be deleted. It is reported until then.
pub async fn stored_labels_that_look_like_commits_are_reported(store: &dyn Store) {
    let project = new_project(store, "commit-labels").await;
    let files = bundle("- func: named(Tensor self) -> Tensor\n");
    for name in ["c0ffee1", "20260101"] {
        let request = LabelRequest::new(label(name), None);
        store
            .ingest(&project, &files, Some(&request), 1)
            .await
            .unwrap();
    }
    let found = store.label(&project, &label("c0ffee1")).await.unwrap();
    assert_eq!(found.digest, files.digest());
    let report = store.check().await.unwrap();
    assert!(report.faults.is_empty());
    let [warning] = &*report.warnings else {
        panic!("{:?}", report.warnings);
    };
    assert!(
        warning.contains("`c0ffee1` of project `commit-labels`") && warning.contains("delete"),
        "{warning}"
    );
}
