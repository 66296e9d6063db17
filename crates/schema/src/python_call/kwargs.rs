//! Orders keyword arguments in messages like `std::unordered_map` in libstdc++.

const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
const SEED: u64 = 0xc70f_6907;
/// The sizes of the hash table as it grows.
const BUCKETS: [usize; 6] = [13, 29, 59, 127, 257, 541];

/// Returns the indices of names in the order of the map. A new name is inserted at the front of its
/// bucket.
pub(super) fn order(names: &[&str]) -> Vec<usize> {
    let mut size = 0;
    let mut order: Vec<usize> = Vec::new();
    for at in 0..names.len() {
        if order.len() == BUCKETS[size] && size + 1 < BUCKETS.len() {
            size += 1;
            for known in std::mem::take(&mut order) {
                insert(&mut order, known, names, BUCKETS[size]);
            }
        }
        insert(&mut order, at, names, BUCKETS[size]);
    }
    order
}

fn insert(order: &mut Vec<usize>, new: usize, names: &[&str], buckets: usize) {
    let bucket = |at: usize| hash(names[at].as_bytes()) % buckets as u64;
    let same = order.iter().position(|&known| bucket(known) == bucket(new));
    order.insert(same.unwrap_or(0), new);
}

fn mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

/// Hashes a string with `MurmurHash64A`.
fn hash(bytes: &[u8]) -> u64 {
    let word = |part: &[u8]| {
        let bytes = part.iter().rev();
        bytes.fold(0, |word, &byte| (word << 8) | u64::from(byte))
    };
    let mut hash = SEED ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let data = mix(word(chunk).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
        hash = (hash ^ data).wrapping_mul(MULTIPLIER);
    }
    if !chunks.remainder().is_empty() {
        hash = (hash ^ word(chunks.remainder())).wrapping_mul(MULTIPLIER);
    }
    mix(mix(hash).wrapping_mul(MULTIPLIER))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `got (foo=NoneType, keepdim=bool, dim=str)` for a call with `dim`, `keepdim` and `foo`.
    #[test]
    fn new_names_come_first() {
        assert_eq!(order(&["dim", "keepdim", "foo"]), [2, 1, 0]);
        assert_eq!(order(&[]), [0; 0]);
    }

    #[test]
    fn a_long_list_keeps_every_name() {
        let names: Vec<String> = (0..40).map(|at| format!("name_{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut order = order(&names);
        order.sort_unstable();
        assert_eq!(order, (0..40).collect::<Vec<_>>());
    }
}
