//! Comparing releases: the largest difference between two (2.12.1 to 2.13.0), everything and
//! schemas alone, with the findings that the change introduces, beside two peers in the same run:
//! reading one of the files, and making one side's tables.
//!
//! Reads the releases that `make releases` fetches.

use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use opatlas_diff::{Revision, compare, official};
use opatlas_dispatch::{Build, Source};
use opatlas_pytorch::release::Release;
use opatlas_rules::{check, introduced};
use opatlas_service::Snapshot;
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas_verdict::Tables;

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn bundle(version: &str) -> Option<Bundle> {
    let folder = std::env::var_os("OPATLAS_RELEASES_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cache/releases"),
        PathBuf::from,
    );
    let mut bundle = Bundle::default();
    for name in [NATIVE_FUNCTIONS, TAGS, DERIVATIVES] {
        bundle.insert(name, std::fs::read(folder.join(version).join(name)).ok()?);
    }
    Some(bundle)
}

fn revision(snapshot: &Snapshot, with_tables: bool) -> Revision<'_> {
    Revision {
        catalogue: &snapshot.catalogue,
        view: with_tables.then(|| snapshot.view()),
    }
}

fn of_releases(c: &mut Criterion) {
    let (Some(old), Some(new)) = (bundle("2.12.1"), bundle("2.13.0")) else {
        println!("skipped: 2.12.1 and 2.13.0 have not been fetched (make releases)");
        return;
    };
    let base = Snapshot::read(old, Release::V2_12, None);
    let head = Snapshot::read(new.clone(), Release::V2_13, Some(&base));
    let (whole, schemas) = ((true, true), (false, false));
    let mut group = c.benchmark_group("2.12.1 to 2.13.0");
    group.sample_size(40);
    group.bench_function("peer: read the head", |b| {
        b.iter(|| Snapshot::read(new.clone(), Release::V2_13, None));
    });
    group.bench_function("peer: make the tables of one side", |b| {
        b.iter(|| Tables::new(head.inputs(), &Build::ALL, Source::Everything));
    });
    for (name, with) in [("with dispatch", whole), ("without dispatch", schemas)] {
        group.bench_function(name, |b| {
            b.iter(|| compare(revision(&base, with.0), revision(&head, with.1)));
        });
    }
    group.bench_function("with dispatch and findings that are known", |b| {
        b.iter(|| {
            let comparison = compare(revision(&base, true), revision(&head, true));
            (comparison, introduced(base.findings(), head.findings()))
        });
    });
    // As `Compared::introduced` does when nobody asked for the findings before.
    group.bench_function("with dispatch and rules run over both sides", |b| {
        b.iter(|| {
            let comparison = compare(revision(&base, true), revision(&head, true));
            let (old, new) = (check(&base.catalogue), check(&head.catalogue));
            (comparison, introduced(&old, &new))
        });
    });
    // The official verdict on every schema of the base, as the official job computes it.
    let schemas: Vec<&str> = base
        .catalogue
        .operators
        .iter()
        .map(|o| o.canonical())
        .collect();
    group.bench_function("official verdicts on all schemas alone", |b| {
        b.iter(|| {
            let judged = schemas.iter().filter(|text| {
                let schema = official::parse(text);
                schema.is_ok_and(|schema| official::compare(&schema, &schema).backward)
            });
            judged.count()
        });
    });
    group.finish();
}

criterion_group!(benches, of_releases);
criterion_main!(benches);
