//! The lists of operators in `ATen/autocast_mode.h`, which backends pass to a macro of theirs:
//! `AT_FORALL_FP32(MACRO)` (`data/autocast_lists.json`).

use super::release::Release;

/// A name, and the operators since each release that changes them.
type List = (&'static str, &'static [(u8, &'static [&'static str])]);

/// The lists of a release, each with its operators; none before 2.4.
pub fn autocast_lists(
    release: Release,
) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    LISTS.iter().filter_map(move |(name, changes)| {
        let mut changes = changes.iter().rev();
        let (_, operators) = changes.find(|(minor, _)| usize::from(*minor) <= release.index())?;
        Some((*name, *operators))
    })
}

include!(concat!(env!("OUT_DIR"), "/autocast_lists.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_differ() {
        let count = |release: &str| -> usize {
            let release = Release::parse(release).unwrap().release;
            autocast_lists(release).map(|(_, list)| list.len()).sum()
        };
        // Counted by hand in the headers.
        let counts = ["2.3", "2.4", "2.11", "2.12", "2.15"].map(count);
        assert_eq!(counts, [0, 122, 122, 123, 116]);
    }
}
