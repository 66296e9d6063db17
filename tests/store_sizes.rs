//! What real releases cost in the store: bytes on disk and time. Sizes are held to the contract;
//! times are printed only, since they depend on the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use opatlas_service::history::STEP_FORMAT;
use opatlas_service::{Ingest, Limits, Protection, Service, Strictness};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};
use opatlas_store::{
    LabelName, LabelRequest, NewProject, ProjectName, RevisionKey, SqliteStore, Store,
};

/// A store in a folder of its own, with a project.
struct Place {
    folder: tempfile::TempDir,
    store: SqliteStore,
    project: ProjectName,
}

impl Place {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
        let store = SqliteStore::open(&url).await.unwrap();
        let project = ProjectName::parse("pytorch").unwrap();
        let new = NewProject {
            name: project.clone(),
            description: None,
            policy: None,
        };
        store.create_project(&new, 1).await.unwrap();
        Self {
            folder,
            store,
            project,
        }
    }

    async fn ingest(&self, bundle: &Bundle, label: &str) -> Duration {
        let label = LabelRequest::new(LabelName::parse(label).unwrap(), None);
        let start = Instant::now();
        let ingest = self.store.ingest(&self.project, bundle, Some(&label), 2);
        let outcome = ingest.await.unwrap();
        let took = start.elapsed();
        assert_eq!(outcome.digest, bundle.digest());
        took
    }

    /// Bytes of all files of the database, its log included; the index of the log, which is of
    /// fixed size and gone when the store is closed, is not.
    fn bytes_on_disk(&self) -> u64 {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let entries = entries.map(Result::unwrap);
        let kept = entries.filter(|entry| !entry.file_name().to_string_lossy().ends_with("-shm"));
        kept.map(|entry| entry.metadata().unwrap().len()).sum()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_releases_fit_in_six_megabytes_and_come_back() {
    let Some(releases) = releases() else { return };
    let place = Place::new().await;
    for (version, bundle) in &releases {
        let before = place.bytes_on_disk();
        let took = place.ingest(bundle, version).await;
        println!(
            "{version}: {took:.1?}, {before} -> {} bytes",
            place.bytes_on_disk()
        );
    }
    for (version, bundle) in &releases {
        let key = RevisionKey::parse(version).unwrap();
        let digest = place.store.resolve(&place.project, &key).await.unwrap();
        let start = Instant::now();
        let loaded = place.store.bundle(&place.project, digest).await.unwrap();
        println!("{version}: loaded in {:.1?}", start.elapsed());
        assert_eq!(&loaded, bundle, "{version}");
    }
    assert!(place.bytes_on_disk() <= 6_000_000);
    place.store.close().await;
    println!(
        "{} releases: {} bytes when closed",
        releases.len(),
        place.bytes_on_disk()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn five_changed_entries_cost_at_most_twenty_kilobytes() {
    let Some(releases) = releases() else { return };
    let Some((_, bundle)) = releases.last() else {
        return;
    };
    let place = Place::new().await;
    println!("a release: {:.1?}", place.ingest(bundle, "base").await);
    println!("the same again: {:.1?}", place.ingest(bundle, "base").await);
    let before = place.bytes_on_disk();
    let mut times = Vec::new();
    for round in 0..200 {
        times.push(place.ingest(&changed(bundle, round, 5), "main").await);
    }
    let each = place.bytes_on_disk().saturating_sub(before) / 200;
    times.sort_unstable();
    println!(
        "five entries: median {:.1?}, slowest {:.1?}",
        times[100], times[199]
    );
    println!("five entries: {each} bytes on average");
    assert!(each <= 20_000);
}

/// A history in which each revision builds on the one before; the store that 10,000 such revisions
/// make must fit in 120 MB, so each may add 12 KB.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_grows_by_at_most_twelve_kilobytes_a_revision() {
    const REVISIONS: usize = 300;
    let Some(releases) = releases() else { return };
    let Some((_, bundle)) = releases.last() else {
        return;
    };
    let place = Place::new().await;
    place.ingest(bundle, "main").await;
    let before = place.bytes_on_disk();
    let mut bundle = bundle.clone();
    let mut times = Vec::new();
    for round in 0..REVISIONS {
        bundle = changed(&bundle, round, round % 10 + 1);
        times.push(place.ingest(&bundle, "main").await);
    }
    times.sort_unstable();
    let each = place.bytes_on_disk().saturating_sub(before) / REVISIONS as u64;
    println!(
        "one revision: {each} bytes, median {:.1?}",
        times[REVISIONS / 2]
    );
    assert!(each <= 12_000);
    let digest = bundle.digest();
    let loaded = place.store.bundle(&place.project, digest).await.unwrap();
    assert_eq!(loaded, bundle);
}

/// What steps between releases say of an operator is 440 bytes of JSON.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_step_says_takes_few_bytes() {
    let Some(mut releases) = releases() else {
        return;
    };
    let store = Arc::new(SqliteStore::open("sqlite::memory:").await.unwrap());
    let service = Service::new(Arc::clone(&store) as _, Arc::new(|| 1), Limits::default());
    service.create_project("p", None, None).await.unwrap();
    for (version, bundle) in releases.split_off(releases.len() - 8) {
        let ingest = Ingest {
            project: "p",
            bundle,
            label: Some(&version),
            release: None,
            protection: Protection::Kept,
            strictness: Strictness::Lenient,
            caller: None,
        };
        service.ingest(ingest).await.unwrap();
    }
    service.timeline("p", None).await.unwrap();
    let project = ProjectName::parse("p").unwrap();
    let said = store.steps_said(&project, (0, i64::MAX), ("", 0), u32::MAX);
    let said: Vec<usize> = said.await.unwrap().iter().map(|row| row.2.len()).collect();
    let steps = store.steps(&project, STEP_FORMAT, None).await.unwrap();
    let ids: Vec<i64> = steps.iter().map(|(id, _)| *id).collect();
    let facts = store.step_facts(&ids).await.unwrap();
    let (rows, each) = (said.len(), said.iter().sum::<usize>() / said.len());
    println!("{rows} rows of {each} bytes");
    assert!(rows > 100 && each <= 60);
    let longest = facts.iter().map(Vec::len).max().unwrap();
    assert!(longest <= 100, "{longest}");
}

/// `bundle` with the first lines of some entries changed, other entries in each round.
fn changed(bundle: &Bundle, round: usize, entries: usize) -> Bundle {
    let text = String::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap().to_vec()).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let starts: Vec<_> = (0..lines.len())
        .filter(|&at| lines[at].starts_with("- func"))
        .collect();
    for entry in 0..entries {
        let line = &mut lines[starts[(round * 977 + entry * 509) % starts.len()]];
        line.truncate(line.find("  # round").unwrap_or(line.len()));
        *line += &format!("  # round {round}");
    }
    let mut bundle = bundle.clone();
    bundle.insert(NATIVE_FUNCTIONS, (lines.join("\n") + "\n").into_bytes());
    bundle
}

/// All releases, oldest first.
fn releases() -> Option<Vec<(String, Bundle)>> {
    opatlas_conformance::versions()
        .iter()
        .map(|version| {
            Some((
                (*version).to_owned(),
                opatlas_conformance::release(version)?,
            ))
        })
        .collect()
}
