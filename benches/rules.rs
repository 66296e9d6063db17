//! All rules over a parsed release, and over files of many entries, beside two peers in the same
//! run: walking over all operators, and reading the file.
//!
//! Reads the release that `make releases` fetches.

use std::fmt::Write as _;
use std::path::PathBuf;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, TAGS};

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn release() -> Option<Bundle> {
    let folder = std::env::var_os("OPATLAS_RELEASES_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cache/releases"),
        PathBuf::from,
    );
    let mut bundle = Bundle::default();
    for name in [NATIVE_FUNCTIONS, TAGS] {
        bundle.insert(name, std::fs::read(folder.join("2.9.0").join(name)).ok()?);
    }
    Some(bundle)
}

fn of_release(c: &mut Criterion) {
    let Some(bundle) = release() else {
        println!("skipped: release 2.9.0 has not been fetched (make releases)");
        return;
    };
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let mut group = c.benchmark_group("rules over 2.9.0");
    group.sample_size(40);
    group.bench_function("peer: walk over all operators", |b| {
        b.iter(|| {
            let arguments =
                |op: &opatlas_operators::operator::Operator| op.schema().arguments.all().len();
            catalogue.operators.iter().map(arguments).sum::<usize>()
        });
    });
    group.bench_function("peer: read the file", |b| {
        b.iter(|| Catalogue::read(&bundle, Release::V2_9, None));
    });
    group.bench_function("check", |b| b.iter(|| opatlas_rules::check(&catalogue)));
    group.finish();
}

/// Entries of three kinds: sound ones, ones with a convention broken, ones that are refused and
/// allowed in a comment.
fn many(entries: usize) -> Bundle {
    let mut text = String::new();
    for i in 0..entries {
        let written = match i % 3 {
            0 => writeln!(
                text,
                "- func: scale_{i}(Tensor self, float factor) -> Tensor"
            ),
            1 => writeln!(text, "- func: scale_{i}(Tensor(a!) self) -> Tensor(a!)"),
            _ => writeln!(
                text,
                "- func: scale_{i}_(Tensor self) -> Tensor # opatlas: allow(inplace-self) a test"
            ),
        };
        written.expect("writing to a string does not fail");
    }
    Bundle::of_native_functions(text.into_bytes())
}

fn of_many_entries(c: &mut Criterion) {
    let mut group = c.benchmark_group("rules over many entries");
    group.sample_size(10);
    for entries in [1_000, 10_000, 100_000] {
        let catalogue = Catalogue::read(&many(entries), Release::V2_9, None);
        group.throughput(Throughput::Elements(entries as u64));
        group.bench_with_input(
            BenchmarkId::from_parameter(entries),
            &catalogue,
            |b, catalogue| {
                b.iter(|| opatlas_rules::check(catalogue));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, of_release, of_many_entries);
criterion_main!(benches);
