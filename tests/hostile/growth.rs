//! What inputs cost grows at most as n log n: counted in instructions, which do not depend on what
//! else the machine does. The test runs itself under callgrind, which counts them.
//!
//! An input is measured at two sizes. Four times the size may cost six times as much: four, a little
//! for the logarithm, and slack for tables that grow by doubling. What costs more is measured at
//! four times that size again: work with a limit of its own stops growing there, and a square does not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::Body;
use http_body_util::BodyExt as _;
use opatlas::http::ApiConfig;
use opatlas::http::app;
use opatlas_service::{Limits, Service};
use opatlas_store::SqliteStore;
use tower::ServiceExt as _;

use crate::callgrind::{callgrind, has_valgrind};
use crate::corpus;
use crate::shape::{Asked, Shape};

/// The sizes in bytes; each is four times the one before.
const SIZES: [usize; 3] = [8 << 10, 32 << 10, 128 << 10];
/// How many times as much four times the size may cost.
const GROWTH: f64 = 6.0;
/// How many instructions are far too many at the second size: work that its own limit bounds stays
/// below.
const DEAR: f64 = 8e9;
/// How many instructions pass in any case: the frame of a request.
const FRAME: f64 = 2e6;
/// One of so many shapes is measured, since counting is slow.
const ONE_OF: usize = 6;
/// How many shapes one process measures.
const BATCH: usize = 40;

#[test]
#[ignore = "takes minutes: make test-long"]
fn no_input_costs_more_than_n_log_n() {
    if !has_valgrind() {
        return;
    }
    let shapes: Vec<usize> = chosen(&corpus::shapes());
    let small = counted(&shapes, SIZES[0]);
    let middle = counted(&shapes, SIZES[1]);
    let suspects: Vec<usize> = shapes
        .iter()
        .copied()
        .filter(|at| grows(small[at], middle[at]))
        .collect();
    // What is dear already would take hours to count at the next size.
    let (dear, suspects): (Vec<usize>, Vec<usize>) =
        suspects.into_iter().partition(|at| middle[at] > DEAR);
    let large = counted(&suspects, SIZES[2]);
    let all = corpus::shapes();
    let broken: Vec<String> = suspects
        .iter()
        .filter(|at| grows(middle[at], large[at]))
        .chain(&dear)
        .map(|at| {
            let counts = [Some(small[at]), Some(middle[at]), large.get(at).copied()];
            let millions: Vec<String> = counts
                .into_iter()
                .flatten()
                .map(|count| format!("{:.0}", count / 1e6))
                .collect();
            let name = &all[*at].name;
            format!("{name}: {} million instructions", millions.join(", "))
        })
        .collect();
    assert!(
        broken.is_empty(),
        "{} of {} inputs cost more than n log n at {SIZES:?} bytes:\n{}",
        broken.len(),
        shapes.len(),
        broken.join("\n")
    );
}

/// Whether four times the size costs too much more.
fn grows(small: f64, large: f64) -> bool {
    large > FRAME && large > GROWTH * small.max(FRAME / GROWTH)
}

/// The shapes that are measured: one of so many, all by `OPATLAS_HOSTILE=all`, without those whose
/// size does not follow what is asked for.
fn chosen(shapes: &[Shape]) -> Vec<usize> {
    let only = std::env::var("OPATLAS_HOSTILE_ONLY").unwrap_or_default();
    let all = !only.is_empty() || std::env::var("OPATLAS_HOSTILE").is_ok_and(|word| word == "all");
    let follows = |shape: &Shape| {
        let size = |size| {
            let attack = shape.of(size);
            attack
                .before
                .iter()
                .chain([&attack.asked])
                .map(|asked| asked.body.len())
                .sum::<usize>()
        };
        size(SIZES[1]) > 2 * size(SIZES[0])
    };
    let indices = (0..shapes.len()).filter(|at| shapes[*at].name.contains(&only));
    indices
        .filter(|at| all || at.is_multiple_of(ONE_OF))
        .filter(|at| follows(&shapes[*at]))
        .collect()
}

/// What requests cost, in instructions, by the number of the shape. Two processes at once.
fn counted(shapes: &[usize], size: usize) -> BTreeMap<usize, f64> {
    let batches: Vec<&[usize]> = shapes.chunks(BATCH).collect();
    let half = batches.len().div_ceil(2);
    let run = |batches: &[&[usize]]| {
        let runs = batches
            .iter()
            .flat_map(|batch| batch.iter().copied().zip(of_requests(batch, size)));
        runs.collect::<BTreeMap<_, _>>()
    };
    std::thread::scope(|scope| {
        let (first, second) = batches.split_at(half);
        let first = scope.spawn(move || run(first));
        let mut counts = run(second);
        counts.extend(first.join().unwrap());
        counts
    })
}

/// Runs [`measured`] under callgrind and reads what each request cost.
fn of_requests(batch: &[usize], size: usize) -> Vec<f64> {
    let list: Vec<String> = batch.iter().map(usize::to_string).collect();
    let environment = [
        ("OPATLAS_HOSTILE_BATCH", &*list.join(",")),
        ("OPATLAS_HOSTILE_SIZE", &*size.to_string()),
    ];
    let function = "hostile::growth::answer_measured";
    callgrind(function, "growth::measured", &environment, batch.len())
}

/// Not a test of its own: what [`callgrind`] runs, once for each batch.
#[test]
fn measured() {
    let Ok(batch) = std::env::var("OPATLAS_HOSTILE_BATCH") else {
        return;
    };
    let size: usize = std::env::var("OPATLAS_HOSTILE_SIZE")
        .unwrap()
        .parse()
        .unwrap();
    let shapes = corpus::shapes();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // One for all, since to make its database costs more than most inputs.
    let router = runtime.block_on(served());
    for at in batch.split(',') {
        let attack = shapes[at.parse::<usize>().unwrap()].of(size);
        for asked in &attack.before {
            runtime.block_on(answer(router.clone(), asked));
        }
        answer_measured(&runtime, router.clone(), &attack.asked);
    }
}

/// A server over an empty database in memory.
async fn served() -> Router {
    let store = SqliteStore::open("sqlite::memory:").await.unwrap();
    let ticks = AtomicI64::new(1_700_000_000);
    let clock = move || ticks.fetch_add(1, Ordering::Relaxed) * 1_000_000;
    let service = Service::new(Arc::new(store), Arc::new(clock), Limits::default());
    app(Arc::new(service), ApiConfig::default())
}

/// What callgrind counts, by this name.
#[inline(never)]
fn answer_measured(runtime: &tokio::runtime::Runtime, router: Router, asked: &Asked) {
    let bytes = runtime.block_on(answer(router, asked));
    std::hint::black_box(bytes);
}

async fn answer(router: Router, asked: &Asked) -> usize {
    let request = axum::http::Request::builder()
        .method(asked.method)
        .uri(&asked.path)
        .header("host", "localhost")
        .header("accept", asked.accept);
    let request = match asked.media.is_empty() {
        true => request,
        false => request.header("content-type", &asked.media),
    };
    let request = request.body(Body::from(asked.body.clone())).unwrap();
    let answer = router.oneshot(request).await.unwrap();
    answer
        .into_body()
        .collect()
        .await
        .map_or(0, |body| body.to_bytes().len())
}
