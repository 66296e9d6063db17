//! What real releases cost in the store: bytes on disk and time. Sizes are held to the contract;
//! times are printed only, since they depend on the machine.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use opatlas::source::{Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas::store::{
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

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn ten_thousand_revisions_fit_in_120_megabytes() {
    let Some(releases) = releases() else { return };
    let Some((_, bundle)) = releases.last() else {
        return;
    };
    let place = Place::new().await;
    let mut bundle = bundle.clone();
    let mut times = Vec::new();
    for round in 0..10_000 {
        bundle = changed(&bundle, round, round % 10 + 1);
        times.push(place.ingest(&bundle, "main").await);
    }
    let total = times.iter().sum::<Duration>();
    times.sort_unstable();
    println!(
        "10000 revisions: {} bytes, {total:.1?}",
        place.bytes_on_disk()
    );
    println!(
        "one: median {:.1?}, 99 of 100 within {:.1?}",
        times[5000], times[9900]
    );
    assert!(place.bytes_on_disk() <= 120_000_000);
    let start = Instant::now();
    assert_eq!(
        place
            .store
            .bundle(&place.project, bundle.digest())
            .await
            .unwrap(),
        bundle
    );
    println!("the last loaded in {:.1?}", start.elapsed());
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

/// The releases in `OPATLAS_RELEASES_DIR`, oldest first.
fn releases() -> Option<Vec<(String, Bundle)>> {
    let folder = std::env::var_os("OPATLAS_RELEASES_DIR")
        .map_or_else(|| PathBuf::from(".cache/releases"), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no releases in {}", folder.display());
        return None;
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut releases: Vec<_> = names
        .map(|name| (bundle(&folder.join(&name)), name))
        .collect();
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    releases.sort_by_key(|(_, name)| name.split('.').map(number).collect::<Vec<_>>());
    Some(
        releases
            .into_iter()
            .map(|(bundle, name)| (name, bundle))
            .collect(),
    )
}

fn bundle(folder: &Path) -> Bundle {
    let mut bundle = Bundle::default();
    for name in [NATIVE_FUNCTIONS, TAGS, DERIVATIVES, DEPRECATED] {
        if let Ok(bytes) = std::fs::read(folder.join(name)) {
            bundle.insert(name, bytes);
        }
    }
    bundle
}
