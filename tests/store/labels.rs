//! Labels: how they move, and what stands against it.

use opatlas_source::Bundle;
use opatlas_store::{
    Conflict, Expected, LabelChange, LabelRequest, Missing, OnOtherRelease, Store,
};

use crate::store::given::{bundle, conflict, label, missing, new_project, request};

pub async fn labels_move_and_keep_their_release(store: &dyn Store) {
    let project = new_project(store, "labels").await;
    let [one, two] = ["- 1\n", "- 2\n"].map(bundle);
    let main = |release| request("main", release);
    let made = store
        .ingest(&project, &one, Some(&main(Some("2.9"))), 10)
        .await
        .unwrap();
    assert_eq!(made.label.unwrap().change, LabelChange::Made);
    let same = store
        .ingest(&project, &one, Some(&main(Some("2.9"))), 20)
        .await
        .unwrap();
    let same = same.label.unwrap();
    assert_eq!(
        (same.change, same.label.moved_at),
        (LabelChange::Unchanged, 10)
    );
    let moved = store
        .ingest(&project, &two, Some(&main(None)), 30)
        .await
        .unwrap();
    let moved = moved.label.unwrap();
    assert_eq!(moved.change, LabelChange::Moved { from: one.digest() });
    assert_eq!(moved.label.release.as_deref(), Some("2.9"));
    assert_eq!(
        (moved.label.moved_at, moved.label.digest),
        (30, two.digest())
    );
    assert_eq!(
        store.label(&project, &label("main")).await.unwrap(),
        moved.label
    );

    let refused = conflict(
        store
            .set_label(&project, &main(Some("2.10")), one.digest(), 40)
            .await,
    );
    let expected = Conflict::Release {
        label: label("main"),
        stored: "2.9".to_owned(),
        given: "2.10".to_owned(),
    };
    assert_eq!(refused, expected);
    let forced = LabelRequest {
        on_other_release: OnOtherRelease::Replace,
        ..main(Some("2.10"))
    };
    let released = store
        .set_label(&project, &forced, two.digest(), 50)
        .await
        .unwrap();
    assert_eq!(released.change, LabelChange::Released);
    assert_eq!(released.label.release.as_deref(), Some("2.10"));

    // A label without a release takes the first that it is given.
    let plain = store
        .set_label(&project, &request("plain", None), one.digest(), 60)
        .await;
    assert_eq!(plain.unwrap().label.release, None);
    let given = store
        .set_label(&project, &request("plain", Some("2.8")), one.digest(), 70)
        .await;
    assert_eq!(given.unwrap().change, LabelChange::Released);
    let names: Vec<_> = store.labels(&project).await.unwrap();
    let names: Vec<_> = names.iter().map(|l| (l.name.as_str(), l.digest)).collect();
    assert_eq!(names, [("main", two.digest()), ("plain", one.digest())]);
}

pub async fn labels_are_changed_under_conditions(store: &dyn Store) {
    let project = new_project(store, "conditions").await;
    let [one, two] = ["- 1\n", "- 2\n"].map(bundle);
    for files in [&one, &two] {
        store.ingest(&project, files, None, 1).await.unwrap();
    }
    let set = async |expected, target: &Bundle| {
        let request = LabelRequest {
            expected,
            ..request("main", None)
        };
        store
            .set_label(&project, &request, target.digest(), 2)
            .await
    };
    let at = |files: &Bundle| Expected::Revision(files.digest());
    conflict(set(at(&one), &one).await);
    set(Expected::Nothing, &one).await.unwrap();
    conflict(set(Expected::Nothing, &one).await);
    set(Expected::Unmoved, &one).await.unwrap();
    let refused = conflict(set(Expected::Unmoved, &two).await);
    let expected = Conflict::Label {
        label: label("main"),
        current: Some(one.digest()),
        expected: Expected::Unmoved,
    };
    assert_eq!(refused, expected);
    conflict(set(at(&two), &two).await);
    set(at(&one), &two).await.unwrap();
    set(Expected::Anything, &one).await.unwrap();

    let main = label("main");
    conflict(store.delete_label(&project, &main, at(&two)).await);
    let was = store.delete_label(&project, &main, at(&one)).await.unwrap();
    assert_eq!((was.name, was.digest), (main.clone(), one.digest()));
    let gone = missing(
        store
            .delete_label(&project, &main, Expected::Anything)
            .await,
    );
    assert!(matches!(gone, Missing::Label { .. }));
}

pub async fn a_refused_label_stores_nothing(store: &dyn Store) {
    let project = new_project(store, "refused").await;
    let first = request("main", Some("2.9"));
    store
        .ingest(&project, &bundle("- 1\n"), Some(&first), 1)
        .await
        .unwrap();
    let two = bundle("- 2\n");
    conflict(
        store
            .ingest(&project, &two, Some(&request("main", Some("2.8"))), 2)
            .await,
    );
    missing(store.revision(&project, &two.digest().into()).await);
    assert_eq!(
        store
            .revisions(&project, None, 10)
            .await
            .unwrap()
            .items
            .len(),
        1
    );
}

pub async fn a_labelled_revision_is_not_deleted(store: &dyn Store) {
    let project = new_project(store, "deleted").await;
    let files = bundle("- 1\n");
    for text in ["b", "a"] {
        store
            .ingest(&project, &files, Some(&request(text, None)), 1)
            .await
            .unwrap();
    }
    let refused = conflict(store.delete_revision(&project, files.digest()).await);
    let expected = Conflict::Labelled {
        digest: files.digest(),
        labels: vec![label("a"), label("b")],
    };
    assert_eq!(refused, expected);
    for text in ["a", "b"] {
        store
            .delete_label(&project, &label(text), Expected::Anything)
            .await
            .unwrap();
    }
    store
        .delete_revision(&project, files.digest())
        .await
        .unwrap();
    missing(store.bundle(&project, files.digest()).await);
    missing(store.delete_revision(&project, files.digest()).await);
    assert!(
        store
            .ingest(&project, &files, None, 2)
            .await
            .unwrap()
            .created
    );
    assert_eq!(store.bundle(&project, files.digest()).await.unwrap(), files);
}

pub async fn a_label_keeps_its_creator(store: &dyn Store) {
    let project = new_project(store, "creators").await;
    let [one, two] = ["- 1\n", "- 2\n"].map(bundle);
    let by = |creator: Option<&str>| LabelRequest {
        creator: creator.map(str::to_owned),
        ..request("main", None)
    };
    let made = store
        .ingest(&project, &one, Some(&by(Some("t1"))), 10)
        .await;
    let made = made.unwrap().label.unwrap().label;
    assert_eq!(
        (made.created_at, made.creator.as_deref()),
        (Some(10), Some("t1"))
    );
    store.ingest(&project, &two, None, 20).await.unwrap();
    let moved = store
        .set_label(&project, &by(Some("t2")), two.digest(), 30)
        .await;
    let moved = moved.unwrap().label;
    assert_eq!(
        (moved.created_at, moved.creator.as_deref()),
        (Some(10), Some("t1"))
    );
    assert_eq!(store.label(&project, &label("main")).await.unwrap(), moved);
    let label = label("main");
    store
        .delete_label(&project, &label, Expected::Anything)
        .await
        .unwrap();
    let again = store.set_label(&project, &by(None), one.digest(), 40).await;
    let again = again.unwrap().label;
    assert_eq!((again.created_at, again.creator), (Some(40), None));
}
