//! A cache of what names refer to. An entry is valid as long as the database has the mark from
//! before it was read ([`opatlas_store::Store::mark`]). Without marks nothing is cached.

use moka::sync::Cache;

use opatlas_source::Digest;
use opatlas_store::{LabelRecord, Mark, ProjectName};

use super::notes::JudgedRelease;

const BUDGET: u64 = 4 << 20;
const ENTRY: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameTarget {
    Label(LabelRecord),
    /// A commit, or the last revision of a project without version labels, and its release.
    Revision(Digest, JudgedRelease),
}

pub(super) struct Names(Cache<(ProjectName, Box<str>), (Mark, NameTarget)>);

impl Default for Names {
    fn default() -> Self {
        let weight = |(project, name): &(ProjectName, Box<str>), _: &(Mark, NameTarget)| {
            u32::try_from(project.as_str().len() + 2 * name.len() + ENTRY).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().name("names").weigher(weight);
        Self(cache.max_capacity(BUDGET).build())
    }
}

impl Names {
    pub(super) fn find(&self, mark: Mark, project: &ProjectName, name: &str) -> Option<NameTarget> {
        let (known, target) = self.0.get(&(project.clone(), name.into()))?;
        (known == mark).then_some(target)
    }

    /// Caches what a name refers to. The mark must be older than the read.
    pub(super) fn keep(&self, mark: Mark, project: &ProjectName, name: &str, target: NameTarget) {
        self.0
            .insert((project.clone(), name.into()), (mark, target));
    }

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
        let target = NameTarget::Revision(Digest::of(b""), JudgedRelease::NEWEST);
        for at in 0..20_000 {
            names.keep(mark, &project, &format!("label-{at}"), target.clone());
        }
        let (entries, bytes) = names.size();
        assert!(bytes <= BUDGET && entries < 20_000, "{entries} {bytes}");
    }

    #[test]
    fn another_mark_empties_them() {
        let names = Names::default();
        let project = ProjectName::parse("p").unwrap();
        let target = NameTarget::Revision(Digest::of(b""), JudgedRelease::NEWEST);
        let [before, after] = [1, 2].map(Mark::new);
        names.keep(before, &project, "latest", target.clone());
        assert_eq!(names.find(before, &project, "latest"), Some(target));
        assert_eq!(names.find(after, &project, "latest"), None);
        assert_eq!(names.find(before, &project, "main"), None);
    }
}
