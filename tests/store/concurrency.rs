//! What many callers see at once.

use std::sync::Arc;

use opatlas_store::{LabelRequest, Store};

use crate::store::given::{bundle, label, new_project};

const CALLERS: i64 = 24;

pub async fn the_same_revision_from_many_is_made_once(store: &Arc<dyn Store>) {
    let project = new_project(&**store, "same").await;
    let text: String = (0..300)
        .map(|at| format!("- func: same{at}() -> ()\n"))
        .collect();
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let (store, project, files) = (Arc::clone(store), project.clone(), bundle(&text));
        callers.spawn(async move { store.ingest(&project, &files, None, 1).await.unwrap() });
    }
    let outcomes = callers.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.created).count(), 1);
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.sequence == outcomes[0].sequence)
    );
}

pub async fn many_revisions_at_once_are_all_stored(store: &Arc<dyn Store>) {
    let project = new_project(&**store, "many").await;
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let (store, project) = (Arc::clone(store), project.clone());
        callers.spawn(async move {
            // Every two callers bring the same new entry, among many that all bring.
            let new = caller / 2;
            let text: String = (0..200)
                .map(|at| format!("- func: op{}() -> ()\n", at + at / 100 * new))
                .collect();
            let files = bundle(text + &format!("# {caller}\n"));
            let request = LabelRequest::new(label("main"), None);
            store
                .ingest(&project, &files, Some(&request), caller)
                .await
                .unwrap();
            files
        });
    }
    let given = callers.join_all().await;
    for files in &given {
        assert_eq!(
            &store.bundle(&project, files.digest()).await.unwrap(),
            files
        );
    }
    let listed = store.revisions(&project, None, 1000).await.unwrap().items;
    assert_eq!(listed.len(), given.len());
    // The label was moved by each, so it names what came last.
    assert_eq!(
        store.labels(&project).await.unwrap()[0].sequence,
        listed[0].sequence
    );
}

pub async fn readers_go_on_while_others_write(store: &Arc<dyn Store>) {
    let project = new_project(&**store, "readers").await;
    let first = bundle("- func: first() -> ()\n");
    store.ingest(&project, &first, None, 0).await.unwrap();
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let (store, project, first) = (Arc::clone(store), project.clone(), first.clone());
        callers.spawn(async move {
            for round in 0..5 {
                if caller % 3 == 0 {
                    let files = bundle(format!("- func: op{caller}_{round}() -> ()\n"));
                    store.ingest(&project, &files, None, 1).await.unwrap();
                } else {
                    let read = store.bundle(&project, first.digest()).await.unwrap();
                    assert_eq!(read, first);
                    let page = store.revisions(&project, None, 5).await.unwrap();
                    assert!(page.items.iter().all(|record| record.files.len() == 1));
                }
            }
        });
    }
    callers.join_all().await;
}
