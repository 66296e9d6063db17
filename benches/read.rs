//! Bytes to operators, cold and with a former revision at hand, beside two peers in the same run:
//! a pass over the events of a YAML library alone, and counting the lines.
//!
//! Reads the release that `make releases` fetches.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::file::NativeFunctions;
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

/// The release with a comment added to five of its entries.
fn changed(bundle: &Bundle) -> Bundle {
    let bytes = bundle.file(NATIVE_FUNCTIONS).expect("it is there");
    let text = std::str::from_utf8(bytes).expect("releases are text");
    let mut changed = bundle.clone();
    let mut edited = text.to_owned();
    let entries: Vec<usize> = text
        .match_indices("\n- func")
        .map(|(at, _)| at + 1)
        .collect();
    for entry in [100, 700, 1300, 1900, 2500].into_iter().rev() {
        let end = edited[entries[entry]..].find('\n').expect("it is a line") + entries[entry];
        edited.insert_str(end, "  # changed");
    }
    changed.insert(NATIVE_FUNCTIONS, edited.into_bytes());
    changed
}

fn read(c: &mut Criterion) {
    let Some(bundle) = release() else {
        println!("skipped: release 2.9.0 has not been fetched (make releases)");
        return;
    };
    let bytes = bundle.file(NATIVE_FUNCTIONS).expect("it is there").clone();
    let text = String::from_utf8(bytes.to_vec()).expect("releases are text");
    let next = changed(&bundle);
    let before = Catalogue::read(&bundle, Release::V2_9, None);

    let mut group = c.benchmark_group("read 2.9.0");
    group.sample_size(40);
    group.bench_function("peer: YAML events of granit-parser", |b| {
        b.iter(|| {
            granit_parser::Parser::new_from_str(&text)
                .filter(Result::is_ok)
                .count()
        });
    });
    group.bench_function("entries, cold", |b| {
        b.iter(|| NativeFunctions::read(&bytes, None));
    });
    group.bench_function("operators, generated ones included, cold", |b| {
        b.iter(|| Catalogue::read(&bundle, Release::V2_9, None));
    });
    group.bench_function("operators, five entries changed", |b| {
        b.iter(|| Catalogue::read(&next, Release::V2_9, Some(&before)));
    });
    group.bench_function("faces of all operators", |b| {
        let maker = FaceMaker::new(&before);
        b.iter(|| {
            for (id, _) in before.iter() {
                black_box(maker.faces(id));
            }
        });
    });
    let add = before.find("add.Tensor").expect("it is in every release");
    group.bench_function("faces of one operator", |b| {
        let maker = FaceMaker::new(&before);
        b.iter(|| maker.faces(add));
    });
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
