//! Cost of packing per item, from 10^4 to 10^7 items, beside the textbook's best-fit-decreasing
//! over a balanced tree. Throughput is in items, so that the time per item can be read off.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use opatlas_report::packing::pack;

/// The sequence length that the method was published with.
const CAPACITY: u32 = 2_048;

/// Log-normal sizes with a mean of a fifth of the capacity, none above it.
fn sizes(count: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let location = (0.2 * f64::from(CAPACITY)).ln() - 0.5;
    let size = |_| {
        let angle = std::f64::consts::TAU * uniform();
        let normal = (-2.0 * (1.0 - uniform()).ln()).sqrt() * angle.cos();
        ((location + normal).exp() as u32).min(CAPACITY)
    };
    (0..count).map(size).collect()
}

/// The textbook's way: sort, then look for the best fit in a tree of bins by free room.
fn tree(sizes: &[u32]) -> Vec<Vec<u32>> {
    let mut items: Vec<u32> = (0..sizes.len() as u32).collect();
    items.sort_by_key(|&item| std::cmp::Reverse(sizes[item as usize]));
    let mut bins: Vec<Vec<u32>> = Vec::new();
    let mut by_room: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for item in items {
        let size = sizes[item as usize];
        let (room, bin) = match by_room.range_mut(size..).next() {
            Some((&room, same)) => {
                let bin = same.pop().unwrap_or_default();
                if same.is_empty() {
                    by_room.remove(&room);
                }
                (room, bin)
            }
            None => {
                bins.push(Vec::new());
                (CAPACITY, bins.len() as u32 - 1)
            }
        };
        bins[bin as usize].push(item);
        by_room.entry(room - size).or_default().push(bin);
    }
    bins
}

fn packing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("packing");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(5));
    for count in [10_000, 100_000, 1_000_000, 10_000_000] {
        let sizes = sizes(count);
        let ours = pack(&[&sizes], CAPACITY).map(|packing| packing.bins().len());
        assert_eq!(ours, Ok(tree(&sizes).len()));
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("linear", count), |b| {
            b.iter(|| pack(&[black_box(&sizes)], CAPACITY));
        });
        group.bench_function(BenchmarkId::new("tree", count), |b| {
            b.iter_batched(|| (), |()| tree(black_box(&sizes)), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, packing);
criterion_main!(benches);
