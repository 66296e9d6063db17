//! Commits in their order, and steps.

use opatlas_store::{
    CommitRecord, KnownParts, Mode, NewCommit, Prepared, ProjectName, StepKey, StepRecord, Store,
};

use crate::store::given::{bundle, new_project};

fn commit(id: &str, position: i64, text: &str) -> NewCommit {
    NewCommit {
        commit: CommitRecord {
            id: id.to_owned(),
            release: None,
            author_date: 5,
            subject: format!("commit {id}"),
        },
        position,
        files: Prepared::of(&bundle(text)),
    }
}

async fn ids(store: &dyn Store, project: &ProjectName) -> Vec<String> {
    let commits = store.commits(project, None).await.unwrap();
    commits.into_iter().map(|place| place.commit.id).collect()
}

pub async fn commits_stand_in_their_order(store: &dyn Store) {
    let project = new_project(store, "commits").await;
    assert!(store.last_commit(&project).await.unwrap().is_none());
    let before = store.stamp(&project).await.unwrap();
    // The files of the third are those of the first.
    let new = vec![
        commit("aa", 1, "- one\n"),
        commit("cc", 3, "- two\n"),
        commit("dd", 4, "- one\n"),
    ];
    let outcomes = store
        .ingest_commits(&project, &new, &mut KnownParts::default(), 7)
        .await
        .unwrap();
    assert_eq!(
        outcomes.iter().map(|o| o.created).collect::<Vec<_>>(),
        [true, true, false]
    );
    assert_eq!(outcomes[0].sequence, outcomes[2].sequence);
    assert!(store.stamp(&project).await.unwrap().now > before.now);
    let stamp = store.stamp(&project).await.unwrap();
    store
        .ingest_commits(&project, &new, &mut KnownParts::default(), 8)
        .await
        .unwrap();
    assert_eq!(store.stamp(&project).await.unwrap(), stamp);
    assert_eq!((stamp.commits, stamp.revisions), (0, 0));
    assert_eq!(ids(store, &project).await, ["aa", "cc", "dd"]);
    let after = store.commits(&project, Some(3)).await.unwrap();
    assert_eq!(after.len(), 1);
    let places = [("dd".to_owned(), 2), ("unknown".to_owned(), 9)];
    store.place_commits(&project, &places).await.unwrap();
    assert_eq!(ids(store, &project).await, ["aa", "dd", "cc"]);
    let moved = store.stamp(&project).await.unwrap();
    assert_eq!((moved.commits, moved.revisions), (moved.now, 0));
    let last = store.last_commit(&project).await.unwrap().unwrap();
    assert_eq!((last.commit.id.as_str(), last.position), ("cc", 3));
    assert_eq!(last.commit.subject, "commit cc");
    // What the timeline has is not collected.
    let collected = store.collect(Some(&project), i64::MAX, Mode::Do).await;
    assert!(collected.unwrap().revisions.is_empty());
    store.delete_revision(&project, last.digest).await.unwrap();
    assert_eq!(ids(store, &project).await, ["aa", "dd"]);
    store.delete_project(&project).await.unwrap();
}

pub async fn known_parts_hold_as_long_as_their_revision(store: &dyn Store) {
    let project = new_project(store, "known").await;
    let text = |kind: &str, changed: usize| -> String {
        let line = |at: usize| {
            let made = if at < changed { "changed" } else { "first" };
            format!(
                "- func: {kind}_{at}(Tensor self) -> Tensor  # {made}, and long enough for a chunk\n"
            )
        };
        (0..400).map(line).collect()
    };
    let texts: Vec<String> = (0..4).map(|changed| text("op", changed)).collect();
    let mut parts = KnownParts::default();
    let store_next = async |at: usize, parts: &mut KnownParts| {
        let id = format!("a{at}");
        let position = i64::try_from(at).unwrap();
        let new = [commit(&id, position, &texts[at])];
        let outcomes = store.ingest_commits(&project, &new, parts, position).await;
        outcomes.unwrap().remove(0).digest
    };
    let mut digests = Vec::new();
    for at in 0..3 {
        digests.push(store_next(at, &mut parts).await);
    }
    for (digest, text) in digests.iter().zip(&texts) {
        let stored = store.bundle(&project, *digest).await.unwrap();
        assert_eq!(stored.digest(), bundle(text).digest());
    }
    // All of it goes, others take its rows, and the last one is stored again: where ids are given twice,
    // with its former one.
    for digest in &digests {
        store.delete_revision(&project, *digest).await.unwrap();
    }
    store.collect(Some(&project), 0, Mode::Do).await.unwrap();
    for text in [text("other", 0), text("more", 0), texts[2].clone()] {
        let stored = store.ingest(&project, &bundle(&text), None, 9).await;
        assert!(stored.unwrap().created);
    }
    let last = store_next(3, &mut parts).await;
    let stored = store.bundle(&project, last).await.unwrap();
    assert_eq!(stored.digest(), bundle(&texts[3]).digest());
    store.delete_project(&project).await.unwrap();
}

pub async fn steps_are_kept_and_replaced(store: &dyn Store) {
    // No text: what steps say is bytes to the store.
    const SECOND: &[u8] = b"\xFFSecond\0";
    let project = new_project(store, "steps").await;
    let new = vec![commit("aa", 1, "- three\n"), commit("bb", 2, "- four\n")];
    let outcomes = store
        .ingest_commits(&project, &new, &mut KnownParts::default(), 7)
        .await
        .unwrap();
    let key = StepKey {
        base: outcomes[0].sequence,
        head: outcomes[1].sequence,
        base_release: "2.9".into(),
        head_release: "2.10".into(),
    };
    let step = |facts: &[u8], says: &[u8]| StepRecord {
        key: key.clone(),
        facts: facts.into(),
        operators: vec![
            ("add.Tensor".into(), says.into()),
            ("mul_100%".into(), b"{}".into()),
        ],
    };
    store
        .save_steps(&project, 1, &[step(b"one", b"first")])
        .await
        .unwrap();
    store
        .save_steps(&project, 2, &[step(b"two\xFF", SECOND)])
        .await
        .unwrap();
    assert!(store.steps(&project, 1, None).await.unwrap().is_empty());
    let steps = store.steps(&project, 2, None).await.unwrap();
    assert_eq!(steps.len(), 1);
    let heads = [outcomes[0].sequence, outcomes[1].sequence];
    let of_head = |at: usize| store.steps(&project, 2, Some(&heads[at..=at]));
    assert!(of_head(0).await.unwrap().is_empty());
    assert_eq!(of_head(1).await.unwrap(), steps);
    let (id, found) = &steps[0];
    assert_eq!(*found, key);
    let facts = store.step_facts(&[*id, id + 1000]).await.unwrap();
    assert_eq!(facts, [&b"two\xFF"[..], b""]);
    let of_operator = store
        .steps_of_operator(&project, "add.Tensor", (0, i64::MAX))
        .await
        .unwrap();
    assert_eq!(of_operator, [(*id, SECOND.to_vec())]);
    for without in ["a\0", "sub.Tensor"] {
        let none = store.steps_of_operator(&project, without, (0, i64::MAX));
        assert!(none.await.unwrap().is_empty());
    }
    // All that steps said, in pages.
    let (mut said, mut after) = (Vec::new(), (String::new(), 0));
    loop {
        let page = store.steps_said(&project, (0, *id), (&after.0, after.1), 1);
        let page = page.await.unwrap();
        assert!(page.len() <= 1);
        let Some((operator, step, _)) = page.last() else {
            break;
        };
        after = (operator.clone(), *step);
        said.extend(page);
    }
    let all = store.steps_said(&project, (0, *id), ("", 0), 100).await;
    assert_eq!(said, all.unwrap());
    assert!(said.contains(&("add.Tensor".to_owned(), *id, SECOND.to_vec())));
    for within in [(*id, *id), (0, *id - 1)] {
        let none = store
            .steps_said(&project, within, ("", 0), 100)
            .await
            .unwrap();
        assert!(none.iter().all(|(_, step, _)| step < id));
    }
    store
        .delete_revision(&project, outcomes[0].digest)
        .await
        .unwrap();
    assert!(store.steps(&project, 2, None).await.unwrap().is_empty());
    assert!(
        store
            .steps_of_operator(&project, "add.Tensor", (0, i64::MAX))
            .await
            .unwrap()
            .is_empty()
    );
    store.delete_project(&project).await.unwrap();
}
