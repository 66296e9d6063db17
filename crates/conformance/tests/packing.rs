//! Packing against the textbook, on random and adversarial sizes.

use opatlas_report::packing::{MAX_ROOM, Packing, PackingError, pack};
use proptest::prelude::*;

/// Best-fit-decreasing as in the books: look at every open bin for every item.
fn textbook_bins(classes: &[&[u32]], room: u32) -> usize {
    let mut free: Vec<u32> = Vec::new();
    for class in classes {
        let mut sizes = class.to_vec();
        sizes.sort_by(|a, b| b.cmp(a));
        for size in sizes {
            let best = free.iter_mut().filter(|free| **free >= size).min();
            match best {
                Some(best) => *best -= size,
                None => free.push(room - size),
            }
        }
    }
    free.len()
}

/// What every packing must hold, whatever its quality.
fn check(packing: &Packing, classes: &[&[u32]], room: u32) {
    let sizes: Vec<u32> = classes.concat();
    let mut seen = vec![false; sizes.len()];
    let mut last_first = None;
    for bin in packing.bins() {
        assert!(
            last_first < Some(bin[0]),
            "bins stand in the order of their first items"
        );
        last_first = Some(bin[0]);
        assert!(bin.is_sorted());
        let filled: u64 = bin
            .iter()
            .map(|&item| u64::from(sizes[item as usize]))
            .sum();
        assert!(filled <= u64::from(room));
        for &item in bin {
            assert!(!std::mem::replace(&mut seen[item as usize], true));
        }
    }
    assert!(seen.into_iter().all(|seen| seen));
}

fn check_one(sizes: &[u32], room: u32) {
    let packing = pack(&[sizes], room).unwrap();
    check(&packing, &[sizes], room);
    assert_eq!(
        packing.bins().len(),
        textbook_bins(&[sizes], room),
        "{room}: {sizes:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn as_many_bins_as_the_textbook(
        room in 1_u32..300,
        sizes in prop::collection::vec(0_u32..400, 0..200),
    ) {
        let sizes: Vec<u32> = sizes.into_iter().filter(|&size| size <= room).collect();
        check_one(&sizes, room);
    }

    #[test]
    fn as_many_bins_as_the_textbook_with_few_sizes(
        room in 1_u32..200_000,
        palette in prop::collection::vec(0_u32..200_000, 1..6),
        picks in prop::collection::vec(0_usize..6, 0..300),
    ) {
        let palette: Vec<u32> = palette.iter().map(|size| size % (room + 1)).collect();
        let sizes: Vec<u32> = picks.iter().map(|&pick| palette[pick % palette.len()]).collect();
        check_one(&sizes, room);
    }

    #[test]
    fn classes_fill_the_room_that_earlier_ones_left(
        room in 1_u32..100,
        classes in prop::collection::vec(prop::collection::vec(0_u32..150, 0..40), 0..6),
    ) {
        let fits = |class: Vec<u32>| class.into_iter().filter(|&size| size <= room).collect();
        let classes: Vec<Vec<u32>> = classes.into_iter().map(fits).collect();
        let classes: Vec<&[u32]> = classes.iter().map(Vec::as_slice).collect();
        let packing = pack(&classes, room).unwrap();
        check(&packing, &classes, room);
        prop_assert_eq!(packing.bins().len(), textbook_bins(&classes, room));
    }
}

#[test]
fn adversarial_sizes_need_as_many_bins_as_the_textbook() {
    // The families that drive best-fit-decreasing to 11/9 of the optimum, and others where every
    // choice matters.
    let repeat = |parts: &[(u32, usize)]| -> Vec<u32> {
        parts
            .iter()
            .flat_map(|&(size, times)| vec![size; times])
            .collect()
    };
    for k in 1..20 {
        check_one(
            &repeat(&[(51, 6 * k), (27, 6 * k), (26, 6 * k), (23, 12 * k)]),
            100,
        );
        check_one(
            &repeat(&[(34, 10 * k), (33, 7 * k), (17, 13 * k), (16, k)]),
            100,
        );
        check_one(
            &repeat(&[(50, k), (51, k), (49, k), (1, 3 * k), (0, k)]),
            100,
        );
    }
    check_one(&(0..=1_000).collect::<Vec<_>>(), 1_000);
    check_one(&(1..=500).map(|i| 2 * i - 1).collect::<Vec<_>>(), 999);
    check_one(
        &(0..2_000).map(|i| i * 7_919 % 4_097).collect::<Vec<_>>(),
        4_096,
    );
}

#[test]
fn edge_cases() {
    for room in [1, 2, 64, 4_097] {
        check_one(&[], room);
        check_one(&[0], room);
        check_one(&[0, 0, 0], room);
        check_one(&[room], room);
        check_one(&[room, 0, room, 0], room);
        check_one(&[room - 1, 1, room, 1], room);
        check_one(&[1; 100], room);
    }
    check_one(&[MAX_ROOM, 1, MAX_ROOM - 1], MAX_ROOM);
    assert_eq!(pack(&[], 10).unwrap().bins().len(), 0);
    assert_eq!(pack(&[&[0, 0]], 0).unwrap().bins().len(), 1);
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let refused = |sizes: &[u32], room| pack(&[sizes], room).unwrap_err();
    assert_eq!(refused(&[1], 0), PackingError::Oversized(vec![0]));
    assert_eq!(
        refused(&[3, 11, 10, 12], 10),
        PackingError::Oversized(vec![1, 3])
    );
    assert_eq!(refused(&[], MAX_ROOM + 1), PackingError::RoomTooLarge);
}

#[test]
fn early_classes_come_in_early_bins() {
    let packing = pack(&[&[6, 6], &[9, 4, 4, 1]], 10).unwrap();
    let items: Vec<&[u32]> = packing.bins().collect();
    assert_eq!(items, [[0, 3], [1, 4], [2, 5]]);
}

/// Log-normal sizes with a mean of a fifth of the capacity waste next to nothing.
#[test]
fn a_million_documents_fill_their_windows() {
    let (capacity, mut state) = (8_192_u32, 42_u64);
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mean = 0.2 * f64::from(capacity);
    let sigma = 1.0_f64;
    let sizes: Vec<u32> = (0..1_000_000)
        .map(|_| {
            let angle = std::f64::consts::TAU * uniform();
            let normal = (-2.0 * (1.0 - uniform()).ln()).sqrt() * angle.cos();
            ((mean.ln() - sigma * sigma / 2.0 + sigma * normal).exp() as u32).min(capacity)
        })
        .collect();
    let bins = pack(&[&sizes], capacity).unwrap().bins().len();
    let total: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let least = total.div_ceil(u64::from(capacity));
    assert!(bins as f64 <= 1.001 * least as f64, "{bins} and {least}");
}
