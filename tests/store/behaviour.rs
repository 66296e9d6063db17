//! What one caller sees.

use std::collections::HashMap;

use opatlas::source::{Bundle, Digest, NATIVE_FUNCTIONS, TAGS};
use opatlas::store::{
    Conflict, Edit, Expected, LabelChange, LabelName, LabelRequest, Missing, NewProject,
    OnOtherRelease, ProjectChange, ProjectName, RevisionKey, Store, StoreError,
};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

pub fn name(text: &str) -> ProjectName {
    ProjectName::parse(text).unwrap()
}

pub fn label(text: &str) -> LabelName {
    LabelName::parse(text).unwrap()
}

pub fn key(text: &str) -> RevisionKey {
    RevisionKey::parse(text).unwrap()
}

pub fn bundle(text: impl AsRef<[u8]>) -> Bundle {
    Bundle::of_native_functions(text.as_ref())
}

/// A request for a label with a release.
fn request(text: &str, release: Option<&str>) -> LabelRequest {
    LabelRequest::new(label(text), release.map(str::to_owned))
}

pub async fn new_project(store: &dyn Store, text: &str) -> ProjectName {
    let new = NewProject {
        name: name(text),
        description: None,
        policy: None,
    };
    assert!(store.create_project(&new, 1).await.unwrap().created);
    new.name
}

fn missing<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> Missing {
    match answer.unwrap_err() {
        StoreError::NotFound(missing) => missing,
        other => panic!("{other}"),
    }
}

fn conflict<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> Conflict {
    match answer.unwrap_err() {
        StoreError::Conflict(conflict) => conflict,
        other => panic!("{other}"),
    }
}

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
        missing(
            store
                .update_project(&nobody, ProjectChange::default())
                .await
        ),
        gone
    );
    assert_eq!(gone.to_string(), "there is no project `nobody`");

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

pub async fn odd_bytes_come_back(store: &dyn Store) {
    let project = new_project(store, "odd").await;
    let long = [b"- ".as_slice(), &vec![b'x'; 3_000_000], b"\n- y"].concat();
    let dashes = "- \n".repeat(20_000);
    let small: String = (0..20_000).map(|at| format!("- {at}\n")).collect();
    let odd: [&[u8]; 12] = [
        b"",
        b"\n",
        b"-",
        b"- ",
        b"- \n- \n- ",
        b"\xFF\xFE\x00- \n- \x80",
        b"a\r\n- b\r\n- c\r",
        b"no line feed",
        b"\0",
        &long,
        dashes.as_bytes(),
        small.as_bytes(),
    ];
    for bytes in odd {
        let files = bundle(bytes);
        let digest = store
            .ingest(&project, &files, None, 1)
            .await
            .unwrap()
            .digest;
        assert_eq!(store.bundle(&project, digest).await.unwrap(), files);
        let file = store
            .file(&project, digest, NATIVE_FUNCTIONS)
            .await
            .unwrap();
        assert_eq!(&*file, bytes);
    }
    let none = Bundle::default();
    store.ingest(&project, &none, None, 1).await.unwrap();
    assert_eq!(store.bundle(&project, none.digest()).await.unwrap(), none);
}

/// Bundles of random entries and random bytes, many of them alike in part.
pub async fn any_bytes_come_back(store: &dyn Store) {
    use proptest::collection::{btree_map, vec};
    let project = new_project(store, "any").await;
    let entry = "- func: [a-d](\\n  dispatch: [a-z]{0,90}){0,3}\\n".prop_map(String::into_bytes);
    let bytes = vec(proptest::arbitrary::any::<u8>(), 0..300);
    let part = proptest::prop_oneof![8 => entry, 1 => bytes];
    let file = vec(part, 0..80).prop_map(|parts| parts.concat());
    let files = btree_map("(native_functions|tags|backends/[ab]).yaml", file, 0..4);
    let mut runner = TestRunner::default();
    for _ in 0..200 {
        let mut given = Bundle::default();
        for (name, bytes) in files.new_tree(&mut runner).unwrap().current() {
            given.insert(&name, bytes);
        }
        store.ingest(&project, &given, None, 1).await.unwrap();
        assert_eq!(store.bundle(&project, given.digest()).await.unwrap(), given);
    }
}
