//! Names similar to a removed one, within a bound on the work.

use opatlas_source::suggest::{Budget, Letters};

/// The number of letter pairs that a comparison examines to find similar names (about half a
/// second). Beyond it names get no suggestions; changes are still reported. PyTorch 2.0 to 2.15
/// needs a tenth of that.
const WORK: usize = 1 << 27;
/// Longer names count as long as this: more letters of them are not looked at.
const LETTERS: usize = 128;

/// Names among which near ones are looked for.
#[derive(Debug)]
pub(super) struct Names {
    names: Vec<(String, Letters)>,
    letters: usize,
    /// The work that is still allowed.
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
    /// Up to `count` names near this one, the nearest first; none once the work is used up.
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
        // Names of another length are left aside at once, and count all the same.
        let names = (0..20_000).map(|i| format!("{}{i}", "x".repeat(90)));
        let mut names: Names = names.chain(["wanted".to_owned()]).collect();
        let answered = (0..20_000).filter(|_| names.near("wantde", 3) == ["wanted"]);
        let answered = answered.count();
        assert!((1..1_000).contains(&answered), "{answered}");
    }
}
