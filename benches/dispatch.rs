//! Dispatch tables of a real release: all of them from the model, one operator's, one key's across
//! all operators, coverage, verdicts of what really runs. Reads the release from the cache that the tests use; without it there
//! is nothing to measure.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, Provenance, Source, coverage, resolve};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_pytorch::release::Release;
use opatlas_source::DERIVATIVES;
use opatlas_verdict::{Tables, View};

fn dispatch(criterion: &mut Criterion) {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let derivatives = bundle
        .file(DERIVATIVES)
        .map(|bytes| Derivatives::read(bytes));
    let matches = DerivativeMatches::new(&catalogue, derivatives.as_ref());
    let observed = Observed::default();
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: derivatives.as_ref(),
        matches: &matches,
        backends: &[],
        observed: &observed,
        provenance: Provenance::Recorded,
    };
    let build = Build::parse("linux-cuda", Release::V2_9).unwrap();
    let all = || Tables::new(black_box(inputs), &build, Source::Everything);
    let tables = all();
    let view = View::new(inputs, &tables);
    let add = catalogue.find("add.Tensor").unwrap();
    let (keys, meta) = (view.keys(), view.keys().slot("Meta").unwrap());
    let registered = tables.pattern(add).unwrap().registered;

    criterion.bench_function("tables of a release", |b| b.iter(all));
    criterion.bench_function("table of an operator, computed", |b| {
        b.iter(|| resolve(keys, black_box(&registered), keys.fallbacks()));
    });
    criterion.bench_function("table of an operator, as entries", |b| {
        b.iter(|| view.table(black_box(add)).count());
    });
    criterion.bench_function("one key across all operators", |b| {
        let ids = || catalogue.iter().map(|(id, _)| id);
        b.iter(|| {
            ids()
                .filter_map(|id| view.entry(id, black_box(meta)))
                .count()
        });
    });
    criterion.bench_function("coverage of a release", |b| {
        b.iter(|| coverage(*black_box(view), |_, _| true));
    });
    let fresh = || tables.clone();
    let ask = |tables: &mut Tables| {
        let view = View::new(inputs, tables);
        view.bare_support(add).needs.len()
    };
    criterion.bench_function("what kernels call", |b| {
        b.iter_batched_ref(fresh, ask, BatchSize::LargeInput);
    });
    // Knows what kernels call, and no verdict of a key yet.
    let mut known = fresh();
    ask(&mut known);
    criterion.bench_function("verdicts of one key", |b| {
        let verdicts = |tables: &mut Tables| View::new(inputs, tables).verdicts(meta);
        b.iter_batched_ref(|| known.clone(), verdicts, BatchSize::LargeInput);
    });
    criterion.bench_function("verdicts of all keys", |b| {
        let verdicts = |tables: &mut Tables| {
            let view = View::new(inputs, tables);
            for slot in keys.slots() {
                black_box(view.verdicts(slot));
            }
        };
        b.iter_batched_ref(|| known.clone(), verdicts, BatchSize::LargeInput);
    });
    let slot = keys.slot("PrivateUse1").unwrap();
    criterion.bench_function("leverage of a bare backend", |b| {
        b.iter(|| view.leverage(black_box(slot), 10, |_| 1));
    });
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
