//! What names mean, kept in memory as long as nothing is committed.
//!
//! Every entry has the mark of the database from before it was read, so it holds exactly as long as
//! the database has an equal one ([`opatlas_store::Store::mark`]). Nothing is kept where the database
//! gives no mark; names are then looked up each time.

use moka::sync::Cache;

use opatlas_source::Digest;
use opatlas_store::{LabelRecord, Mark, ProjectName};

use super::notes::JudgedRelease;

/// How many bytes of names are kept, by estimate.
const BUDGET: u64 = 4 << 20;
/// What an entry takes besides its texts, in bytes, about.
const ENTRY: usize = 256;

/// A revision by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// By a label, to which a release may belong.
    Label(LabelRecord),
    /// By a commit, or as the last of those without a label, and the release that it belongs to.
    Revision(Digest, JudgedRelease),
}

/// The names that were looked up: those used least go first.
pub(super) struct Names(Cache<(ProjectName, Box<str>), (Mark, Meant)>);

impl Default for Names {
    fn default() -> Self {
        let weight = |(project, name): &(ProjectName, Box<str>), _: &(Mark, Meant)| {
            u32::try_from(project.as_str().len() + 2 * name.len() + ENTRY).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().name("names").weigher(weight);
        Self(cache.max_capacity(BUDGET).build())
    }
}

impl Names {
    /// What a name means while the database has this mark, if that is known.
    pub(super) fn find(&self, mark: Mark, project: &ProjectName, name: &str) -> Option<Meant> {
        let (known, meant) = self.0.get(&(project.clone(), name.into()))?;
        (known == mark).then_some(meant)
    }

    /// Keeps what a name means, read after the mark was taken.
    pub(super) fn keep(&self, mark: Mark, project: &ProjectName, name: &str, meant: Meant) {
        self.0.insert((project.clone(), name.into()), (mark, meant));
    }

    /// How many there are, and how many bytes they take by estimate.
    pub(super) fn size(&self) -> (u64, u64) {
        self.0.run_pending_tasks();
        (self.0.entry_count(), self.0.weighted_size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_bound_in_bytes() {
        let names = Names::default();
        let project = ProjectName::parse("p").unwrap();
        let mark = Mark::new(1);
        let meant = Meant::Revision(Digest::of(b""), JudgedRelease::NEWEST);
        for at in 0..20_000 {
            names.keep(mark, &project, &format!("label-{at}"), meant.clone());
        }
        let (entries, bytes) = names.size();
        assert!(bytes <= BUDGET && entries < 20_000, "{entries} {bytes}");
    }

    #[test]
    fn another_mark_empties_them() {
        let names = Names::default();
        let project = ProjectName::parse("p").unwrap();
        let meant = Meant::Revision(Digest::of(b""), JudgedRelease::NEWEST);
        let [before, after] = [1, 2].map(|number| Mark::new(number));
        names.keep(before, &project, "latest", meant.clone());
        assert_eq!(names.find(before, &project, "latest"), Some(meant));
        assert_eq!(names.find(after, &project, "latest"), None);
        assert_eq!(names.find(before, &project, "main"), None);
    }
}
