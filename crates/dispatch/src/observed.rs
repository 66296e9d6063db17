//! Registrations recorded from a process and added to a revision (`observed.json`), by operator.

use rustc_hash::FxHashMap;

/// A recorded registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedRegistration {
    /// The operator, `base_name[.overload]` with its namespace unless that is `aten`.
    pub operator: Box<str>,
    /// The runtime or alias key. Keys that the release does not know are ignored.
    pub key: Box<str>,
    /// The source file of the kernel, if recorded.
    pub file: Option<Box<str>>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// Whether the kernel is boxed. For a backend, that is PyTorch's CPU fallback.
    pub boxed: bool,
}

/// Recorded registrations by operator.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    rows: Vec<ObservedRegistration>,
    tells_boxing: bool,
    /// The range of rows of each operator.
    of: FxHashMap<Box<str>, (u32, u32)>,
}

impl Observed {
    /// Sorts registrations by operator. The last one of several on a key wins.
    #[must_use]
    pub fn new(mut rows: Vec<ObservedRegistration>) -> Self {
        rows.sort_by(|a, b| a.operator.cmp(&b.operator));
        let mut of: FxHashMap<Box<str>, (u32, u32)> = FxHashMap::default();
        for (index, row) in (0..).zip(&rows) {
            let range = of.entry(row.operator.clone()).or_insert((index, index));
            range.1 = index + 1;
        }
        let tells_boxing = rows.iter().any(|row| row.boxed);
        Self {
            rows,
            tells_boxing,
            of,
        }
    }

    /// Whether there are no registrations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether boxed kernels are recorded, which is so if there is one.
    #[must_use]
    pub fn tells_boxing(&self) -> bool {
        self.tells_boxing
    }

    /// All registrations, sorted by operator.
    #[must_use]
    pub fn rows(&self) -> &[ObservedRegistration] {
        &self.rows
    }

    /// The registrations of an operator, with their indices in [`Observed::rows`].
    pub fn of<'a>(
        &'a self,
        operator: &str,
    ) -> impl Iterator<Item = (u32, &'a ObservedRegistration)> + use<'a> {
        let (start, end) = self.of.get(operator).copied().unwrap_or_default();
        let rows = self.rows.get(start as usize..end as usize);
        (start..end).zip(rows.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_are_found_by_operator() {
        let row = |operator: &str, key: &str| ObservedRegistration {
            operator: operator.into(),
            key: key.into(),
            file: None,
            fallthrough: false,
            boxed: false,
        };
        let observed = Observed::new(vec![row("b", "CPU"), row("a", "XLA"), row("b", "Meta")]);
        let keys =
            |operator| -> Vec<&str> { observed.of(operator).map(|(_, row)| &*row.key).collect() };
        assert_eq!(keys("b"), ["CPU", "Meta"]);
        assert_eq!(keys("a"), ["XLA"]);
        assert!(keys("c").is_empty());
    }
}
