//! Searches for similar names, with bounded work.

use opatlas_source::suggest::{Budget, Letters};

/// The most letter pairs that a comparison examines (about half a second). Beyond it, names get no
/// suggestions. PyTorch 2.0 to 2.15 needs a tenth of that.
const WORK: usize = 1 << 27;
/// The most letters of a name that are examined.
const LETTERS: usize = 128;

#[derive(Debug)]
pub(super) struct Names {
    names: Vec<(String, Letters)>,
    letters: usize,
    left: usize,
}

impl FromIterator<String> for Names {
    fn from_iter<T: IntoIterator<Item = String>>(names: T) -> Self {
        let names = names.into_iter().map(|name| {
            let letters = Letters::of(&name);
            (name, letters)
        });
        let names: Vec<_> = names.collect();
        let letters = names.iter().map(|(name, _)| name.len().clamp(1, LETTERS));
        let letters = letters.sum();
        Self {
            names,
            letters,
            left: WORK,
        }
    }
}

impl Names {
    /// Up to `count` names similar to `wanted`, the most similar first; none after the work is used up.
    pub(super) fn near(&mut self, wanted: &str, count: usize) -> Vec<&str> {
        let work = wanted.len().clamp(1, LETTERS).saturating_mul(self.letters);
        let Some(left) = self.left.checked_sub(work) else {
            return Vec::new();
        };
        self.left = left;
        let names = self.names.iter().map(|(name, letters)| (&**name, *letters));
        Budget::default().nearest_few_of(wanted, names, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_bounded() {
        // Names of another length are skipped, but their work counts.
        let names = (0..20_000).map(|i| format!("{}{i}", "x".repeat(90)));
        let mut names: Names = names.chain(["wanted".to_owned()]).collect();
        let answered = (0..20_000).filter(|_| names.near("wantde", 3) == ["wanted"]);
        let answered = answered.count();
        assert!((1..1_000).contains(&answered), "{answered}");
    }
}
