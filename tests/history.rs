//! Histories of operators: agreement with direct comparisons and tables of real releases, and
//! histories of commits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use opatlas_diff::history::by_operator;
use opatlas_diff::rules::Level;
use opatlas_pytorch::keys::Keys;
use opatlas_service::compare::Compared;
use opatlas_service::history::{CommitFiles, Item, Line, NamedBy, STEP_FORMAT, Timeline};
use opatlas_service::{Ingest, Limits, Protection, Service, Snapshot, Strictness};
use opatlas_source::{Bundle, Stop};
use opatlas_store::{CommitRecord, ProjectName, SqliteStore, StepKey, StepRecord, Store as _};
use opatlas_verdict::{Because, Verdict};

async fn service() -> Service {
    with_store().await.0
}

async fn with_store() -> (Service, Arc<SqliteStore>) {
    let store = Arc::new(SqliteStore::open("sqlite::memory:").await.unwrap());
    let limits = Limits {
        snapshot_bytes: 1 << 30,
        ..Limits::default()
    };
    let clock = Arc::new(|| 1_700_000_000_000_000);
    let service = Service::new(Arc::clone(&store) as _, clock, limits);
    service.create_project("p", None, None).await.unwrap();
    (service, store)
}

async fn ingest(service: &Service, label: &str, bundle: Bundle) {
    let ingest = Ingest {
        project: "p",
        bundle,
        label: Some(label),
        release: None,
        protection: Protection::Kept,
        strictness: Strictness::Lenient,
        caller: None,
    };
    service.ingest(ingest).await.unwrap();
}

/// All releases, ingested out of order.
async fn releases() -> Option<(Service, Arc<Timeline>)> {
    let service = service().await;
    let mut versions = opatlas_conformance::versions();
    versions.sort_by_key(|version| version.bytes().rev().collect::<Vec<_>>());
    for version in versions {
        ingest(&service, version, opatlas_conformance::release(version)?).await;
    }
    let timeline = service.timeline("p", None).await.unwrap();
    let titles: Vec<String> = timeline.items.iter().map(|item| item.title()).collect();
    assert_eq!(titles, opatlas_conformance::versions());
    Some((service, timeline))
}

/// How many snapshots are in memory, and how many bytes they take by estimate.
async fn snapshots_in_memory(service: &Service) -> (u64, u64) {
    let sizes = service.cache_sizes().await;
    let (_, count, bytes) = sizes.iter().find(|size| size.0 == "snapshots").unwrap();
    (*count, *bytes)
}

/// A service that starts reads the newest releases and leaves room for others; all releases fit.
#[tokio::test(flavor = "multi_thread")]
async fn the_newest_releases_are_read_at_start() {
    let (service, store) = with_store().await;
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        ingest(&service, version, bundle).await;
    }
    let timeline = service.timeline("p", None).await.unwrap();
    let clock = Arc::new(|| 1_700_000_000_000_000);
    let start = |snapshot_bytes| {
        let limits = Limits {
            snapshot_bytes,
            ..Limits::default()
        };
        Service::new(Arc::clone(&store) as _, clock.clone(), limits)
    };
    let budget = Limits::default().snapshot_bytes;
    let started = start(budget);
    started.warm().await.unwrap();
    let (warmed, bytes) = snapshots_in_memory(&started).await;
    // Some patch releases have the files of the one before.
    let distinct: BTreeSet<_> = timeline.items.iter().map(|item| item.digest).collect();
    assert!(warmed >= 12 && bytes <= budget, "{warmed} {bytes}");
    // What was read is what is asked for: nothing is added.
    for place in timeline.items.len() - 12..timeline.items.len() {
        started.snapshot(&timeline.resolved(place)).await.unwrap();
    }
    assert_eq!(snapshots_in_memory(&started).await.0, warmed);
    for place in 0..timeline.items.len() {
        started.snapshot(&timeline.resolved(place)).await.unwrap();
    }
    let (count, bytes) = snapshots_in_memory(&started).await;
    assert_eq!(count, distinct.len() as u64, "all fit, in {bytes}");
    // All are read, also where another one than the newest was asked for first: then they share less.
    let asked = start(budget);
    let middle = timeline.resolved(timeline.items.len() * 2 / 3);
    asked.snapshot(&middle).await.unwrap();
    asked.warm().await.unwrap();
    assert_eq!(snapshots_in_memory(&asked).await.0, distinct.len() as u64);
    // A small budget holds.
    let small = start(24 << 20);
    small.warm().await.unwrap();
    let (count, bytes) = snapshots_in_memory(&small).await;
    assert!(
        (1..warmed).contains(&count) && bytes <= 24 << 20,
        "{count} {bytes}"
    );
}

/// Where and how often a rule was reported of an operator.
type ReportedEvent = BTreeMap<(String, usize, String), usize>;

/// What the histories of all operators say is what comparisons of consecutive releases say, and
/// what served a key is what the tables of each release say.
#[tokio::test(flavor = "multi_thread")]
async fn histories_agree_with_comparisons_and_tables() {
    let Some((service, timeline)) = releases().await else {
        return;
    };
    let mut snapshots: Vec<Arc<Snapshot>> = Vec::new();
    for place in 0..timeline.items.len() {
        snapshots.push(service.snapshot(&timeline.resolved(place)).await.unwrap());
    }
    let mut direct = ReportedEvent::new();
    let mut breaking = vec![None];
    for place in 1..snapshots.len() {
        let sides = (snapshots[place - 1].clone(), snapshots[place].clone());
        let compared = Compared::new(sides.0, sides.1, &Stop::never()).unwrap();
        let changes = compared.comparison.changes.iter();
        let breaks = changes.filter(|c| c.is_counted() && c.level == Level::Breaking);
        breaking.push(u32::try_from(breaks.count()).ok());
        for (operator, step) in by_operator(&compared.comparison) {
            for event in step.events {
                let key = (
                    operator.to_owned(),
                    place,
                    event.change.rule.id.as_str().to_owned(),
                );
                *direct.entry(key).or_default() += 1;
            }
        }
    }
    let mut names: Vec<String> = snapshots
        .iter()
        .flat_map(|snapshot| &snapshot.catalogue.operators)
        .map(|operator| operator.qualified_name().to_owned())
        .collect();
    names.sort();
    names.dedup();
    let all = 0..=timeline.last();
    let mut stored = ReportedEvent::new();
    for (i, name) in names.iter().enumerate() {
        let key = ["MPS", "XPU", "SparseCPU", "AutogradMPS", "MTIA"][i % 5];
        let whole = service
            .history(&timeline, name, all.clone(), None)
            .await
            .unwrap();
        for event in &whole.events {
            let key = (name.clone(), event.place, event.rule.clone());
            *stored.entry(key).or_default() += 1;
        }
        let is_there = |place: usize| whole.present.iter().any(|range| range.contains(&place));
        if i % 7 != 0 {
            continue;
        }
        let at_key = service
            .history(&timeline, name, all.clone(), Some(key))
            .await
            .unwrap();
        for (place, snapshot) in snapshots.iter().enumerate() {
            let id = snapshot.catalogue.find_qualified(name);
            assert_eq!(id.is_some(), is_there(place), "{name} in {place}");
            let slot = Keys::of(snapshot.release()).slot(key);
            let expected = id
                .zip(slot)
                .and_then(|(id, slot)| snapshot.view().entry(id, slot));
            let range = at_key
                .ranges
                .iter()
                .find(|range| range.range.contains(&place));
            assert_eq!(
                range.map(|range| range.reason),
                expected.map(|entry| entry.reason),
                "{name} on {key} in {}",
                timeline.items[place].title()
            );
            if let Some(range) = range {
                let is_unknown = range.verdict == Some(Verdict::Unknown);
                let settled_by = range.because.and_then(Because::settled_by);
                assert_eq!(settled_by.is_some(), is_unknown, "{name}: {range:?}");
            }
        }
    }
    assert_eq!(stored, direct);
    let places: Vec<usize> = (0..snapshots.len()).collect();
    let facts = service.facts(&timeline, &places).await.unwrap();
    let steps = facts
        .iter()
        .map(|facts| facts.step.map(|step| step.breaking));
    assert_eq!(steps.collect::<Vec<_>>(), breaking);
    let total = |rules: &[&str]| -> usize {
        let told = stored
            .iter()
            .filter(|((_, _, rule), _)| rules.contains(&&**rule));
        told.map(|(_, count)| count).sum()
    };
    assert_eq!(total(&["operator-removed", "overload-removed"]), 117);
    // 209 entries are new; five of them were generated before.
    assert_eq!(total(&["operator-added", "overload-added"]), 204);
    assert_eq!(
        (total(&["tag-core-added"]), total(&["tag-core-removed"])),
        (60, 3)
    );
}

/// A release that comes later takes its place, and what was computed of others stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_release_in_between_takes_its_place() {
    let service = service().await;
    let text = |body: &str| Bundle::of_native_functions(body.as_bytes());
    let one = "- func: one(Tensor self) -> Tensor\n";
    let two = "- func: one(Tensor self, int n=0) -> Tensor\n";
    let three = "- func: one(Tensor self, int n=0, int m=0) -> Tensor\n";
    ingest(&service, "2.1.0", text(one)).await;
    ingest(&service, "2.9.0", text(three)).await;
    let history = |timeline: Arc<Timeline>| {
        let service = &service;
        async move {
            let all = 0..=timeline.last();
            let history = service.history(&timeline, "one", all, None).await.unwrap();
            let schema = history
                .events
                .iter()
                .filter(|e| e.kind.as_str() == "schema");
            schema
                .map(|event| {
                    format!(
                        "{} {}",
                        timeline.items[event.place].title(),
                        event.names.join(",")
                    )
                })
                .collect::<Vec<_>>()
        }
    };
    let timeline = service.timeline("p", None).await.unwrap();
    assert_eq!(history(timeline).await, ["2.9.0 m", "2.9.0 n"]);
    ingest(&service, "2.5.0", text(two)).await;
    let timeline = service.timeline("p", None).await.unwrap();
    assert_eq!(history(timeline.clone()).await, ["2.5.0 n", "2.9.0 m"]);
    assert!(timeline.range(Some("2.9"), Some("2.1")).is_err());
    assert!(timeline.place("2.6.0").is_err());
    assert_eq!(timeline.range(Some("2.5"), None).unwrap(), 1..=2);
}

fn commit(id: usize, position: i64, text: &str) -> CommitFiles {
    CommitFiles {
        commit: CommitRecord {
            id: format!("{id:040x}"),
            release: None,
            author_date: id as i64 * 1_000_000,
            subject: format!("Change {id}"),
        },
        position,
        bundle: Bundle::of_native_functions(text.as_bytes()),
    }
}

/// Commits keep their order, reverts included; what is imported in two goes is as in one.
#[tokio::test(flavor = "multi_thread")]
async fn commits_make_a_timeline() {
    let texts = [
        "- func: one(Tensor self) -> Tensor\n",
        "- func: one(Tensor self) -> Tensor\n- func: two(Tensor self) -> Tensor\n",
        // A revert, the same again, and what is no list.
        "- func: one(Tensor self) -> Tensor\n",
        "- func: one(Tensor self) -> Tensor\n- func: two(Tensor self) -> Tensor\n",
        "nonsense",
        "- func: two(Tensor self) -> Tensor\n",
    ];
    let mut told = Vec::new();
    let whole: &[(usize, usize)] = &[(0, 6)];
    for goes in [whole, &[(0, 2), (2, 6)], &[(3, 6), (0, 6)]] {
        let service = service().await;
        for &(from, to) in goes {
            let order: Vec<String> = (from..to).map(|i| format!("{:040x}", i + 1)).collect();
            let placed = service.place_commits("p", &order).await.unwrap();
            let commits = placed.new.iter().map(|(id, position)| {
                let number = usize::from_str_radix(id, 16).unwrap();
                commit(number, *position, texts[number - 1])
            });
            let commits: Vec<_> = commits.collect();
            let read = service
                .read_commits(commits.into_iter(), None)
                .await
                .unwrap();
            let taken = service.store_commits("p", read, None).await.unwrap();
            assert!(taken.refused.len() <= 1);
        }
        let timeline = service.timeline("p", Some(Line::Commits)).await.unwrap();
        assert_eq!(timeline.line, Line::Commits);
        let latest = service.resolve("p", "latest", None).await.unwrap();
        assert_eq!(latest.digest, timeline.items[timeline.last()].digest);
        // A commit is an address; digits that begin several are none.
        for item in &timeline.items {
            let id = &item.commit.as_ref().unwrap().id;
            let found = service.resolve("p", id, None).await.unwrap();
            assert_eq!((found.digest, found.label), (item.digest, None));
        }
        let several = service.resolve("p", "00000000", None).await.unwrap_err();
        assert!(several.to_string().contains("use more digits"), "{several}");
        assert!(service.resolve("p", "badc0de", None).await.is_err());
        let listing = service.listing("p").await.unwrap();
        let digests = |items: &mut dyn Iterator<Item = &Arc<Item>>| -> Vec<_> {
            items.map(|item| item.digest).collect()
        };
        assert_eq!(
            digests(
                &mut listing
                    .find("change", Some(NamedBy::Commit))
                    .map(|n| &n.item)
            ),
            digests(&mut timeline.items.iter().rev()),
        );
        let mut lines = Vec::new();
        for operator in ["one", "two"] {
            let all = 0..=timeline.last();
            let history = service
                .history(&timeline, operator, all, None)
                .await
                .unwrap();
            for event in &history.events {
                let commit = timeline.items[event.place].commit.as_ref().unwrap();
                lines.push(format!(
                    "{operator} {} {}",
                    event.kind.as_str(),
                    commit.subject
                ));
            }
        }
        told.push(lines);
    }
    let expected = [
        "one removed Change 6",
        "two introduced Change 2",
        "two removed Change 3",
        "two introduced Change 4",
    ];
    for told in told {
        assert_eq!(told, expected);
    }
}

/// What an older program stored is computed anew; what nobody can read is an error and never a
/// history that was not.
#[tokio::test(flavor = "multi_thread")]
async fn steps_of_another_program() {
    const OLD: (&[u8], &[u8]) = (
        b"{\"o\":1,\"g\":0,\"i\":0,\"e\":0,\"s\":0,\"c\":0,\"k\":[]}",
        b"{\"e\":[[2,\"argument-added-required\",5,{\"n\":[\"x\"]},null,\"int x\",\"old words\"]]}",
    );
    // After the byte that says that what follows is not compressed, and what nothing was compressed to.
    let damaged: [&[u8]; 3] = [
        b"\xFF{\"events\":[{\"kind\":\"born\",\"rule\":\"operator-added\",\"level\":\"safe\"}]}",
        b"\xFFnot JSON",
        b"not packed",
    ];
    for (format, says) in [
        (3, OLD.1),
        (STEP_FORMAT, damaged[0]),
        (STEP_FORMAT, damaged[1]),
        (STEP_FORMAT, damaged[2]),
    ] {
        let (service, store) = with_store().await;
        let bundle = |text: &str| Bundle::of_native_functions(text.as_bytes());
        ingest(
            &service,
            "2.8.0",
            bundle("- func: one(Tensor self) -> Tensor\n"),
        )
        .await;
        let new = "- func: one(Tensor self, int n=0) -> Tensor\n";
        ingest(&service, "2.9.0", bundle(new)).await;
        let project = ProjectName::parse("p").unwrap();
        let labels = store.labels(&project).await.unwrap();
        let sequence = |name: &str| {
            let label = labels.iter().find(|label| label.name.as_str() == name);
            label.unwrap().sequence
        };
        let step = |base: i64, base_release: &str, head: &str, head_release: &str| StepRecord {
            key: StepKey {
                base,
                head: sequence(head),
                base_release: base_release.to_owned(),
                head_release: head_release.to_owned(),
            },
            facts: OLD.0.to_owned(),
            operators: vec![("one".to_owned(), says.to_owned())],
        };
        let steps = [
            step(0, "", "2.8.0", "2.8"),
            step(sequence("2.8.0"), "2.8", "2.9.0", "2.9"),
        ];
        store.save_steps(&project, format, &steps).await.unwrap();
        let timeline = service.timeline("p", None).await.unwrap();
        let history = service.history(&timeline, "one", 0..=1, None).await;
        if format == 3 {
            let events = history.unwrap().events;
            let told: Vec<_> = events.iter().map(|e| (&*e.rule, &*e.message)).collect();
            let added = (
                "argument-added-with-default",
                "new argument `n` of type `int` with default `0`",
            );
            assert!(told.contains(&added), "{told:?}");
            assert!(service.facts(&timeline, &[0, 1]).await.is_ok());
        } else {
            let error = history.unwrap_err().to_string();
            assert!(
                error.contains("a stored step of the history is invalid"),
                "{error}"
            );
        }
    }
}
