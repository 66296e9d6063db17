//! Projects, and what belongs to them.

use opatlas_store::{Conflict, Edit, Missing, NewProject, ProjectChange, Store};

use crate::store::given::{bundle, conflict, key, missing, name, new_project, request};

pub async fn projects_are_made_changed_and_deleted(store: &dyn Store) {
    let new = NewProject {
        name: name("made"),
        description: Some("A back end".to_owned()),
        policy: None,
    };
    let made = store.create_project(&new, 7).await.unwrap();
    assert!(made.created);
    assert_eq!(made.project.created_at, 7);
    let again = store.create_project(&new, 8).await.unwrap();
    assert!(!again.created);
    assert_eq!(again.project, made.project);
    let other = NewProject {
        description: None,
        ..new.clone()
    };
    let refused = conflict(store.create_project(&other, 9).await);
    assert_eq!(refused, Conflict::Project(name("made")));

    let change = ProjectChange {
        description: Edit::Keep,
        policy: Edit::Set(Some("{}".to_owned())),
    };
    let changed = store.update_project(&new.name, change).await.unwrap();
    assert_eq!(changed.policy.as_deref(), Some("{}"));
    assert_eq!(changed.description, new.description);
    assert_eq!(store.project(&new.name).await.unwrap(), changed);

    let ingest = request("main", None);
    store
        .ingest(&new.name, &bundle("- a\n"), Some(&ingest), 1)
        .await
        .unwrap();
    assert_eq!((made.project.revisions, changed.revisions), (0, 0));
    assert_eq!(store.project(&new.name).await.unwrap().revisions, 1);
    let before = name("mad");
    let listed = store.projects(Some(&before), 1).await.unwrap();
    assert_eq!(listed.items[0].revisions, 1);
    store.delete_project(&new.name).await.unwrap();
    let gone = Missing::Project(new.name.clone());
    assert_eq!(missing(store.project(&new.name).await), gone);
    assert_eq!(missing(store.delete_project(&new.name).await), gone);
    assert_eq!(missing(store.labels(&new.name).await), gone);
    let anew = new_project(store, "made").await;
    assert_eq!(store.labels(&anew).await.unwrap(), []);
    assert_eq!(store.revisions(&anew, None, 10).await.unwrap().items, []);
}

pub async fn projects_are_listed_in_parts(store: &dyn Store) {
    for at in 0..5 {
        new_project(store, &format!("zz-list-{at}")).await;
    }
    let (mut after, mut found) = (Some(name("zz-list")), Vec::new());
    while let Some(start) = after {
        let page = store.projects(Some(&start), 2).await.unwrap();
        assert!((1..=2).contains(&page.items.len()));
        found.extend(
            page.items
                .into_iter()
                .map(|project| project.name.to_string()),
        );
        after = page.next;
    }
    assert_eq!(
        found,
        [
            "zz-list-0",
            "zz-list-1",
            "zz-list-2",
            "zz-list-3",
            "zz-list-4"
        ]
    );
    let all = store.projects(None, 1000).await.unwrap();
    assert!(all.next.is_none() && all.items.len() >= 5);
}

pub async fn projects_share_bytes_and_nothing_else(store: &dyn Store) {
    let [one, two] = [
        new_project(store, "share-1").await,
        new_project(store, "share-2").await,
    ];
    let files = bundle("- func: shared() -> ()\n");
    assert!(
        store
            .ingest(&one, &files, Some(&request("main", None)), 1)
            .await
            .unwrap()
            .created
    );
    missing(store.resolve(&two, &key("main")).await);
    missing(store.bundle(&two, files.digest()).await);
    assert!(store.ingest(&two, &files, None, 1).await.unwrap().created);
    store.delete_project(&one).await.unwrap();
    assert_eq!(store.bundle(&two, files.digest()).await.unwrap(), files);
}
