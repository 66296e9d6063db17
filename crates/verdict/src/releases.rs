//! What each known patch release says, without its files (`data/works.txt`): where an operator works,
//! since when and until when.

use opatlas_pytorch::release::Release;
use opatlas_pytorch::works::{self, Operator};

use crate::ways::Way;
use crate::{Answer, Verdict};

/// Where calls of an operator may work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// The runtime key of a backend: `MPS`, `SparseCsrCPU`.
    Key(&'a str),
    /// A way to run it.
    Way(Way),
    /// Gradients, on the first backend of PyTorch's own on which the operator works. The same as
    /// [`Way::Training`].
    Training,
    /// The operator itself: the release has it.
    Exists,
}

/// Releases in a row that say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first release.
    pub first: &'static str,
    /// The last release.
    pub last: &'static str,
    /// Whether calls work. An operator with nothing to differentiate has [`Answer::Unknown`] for
    /// training; its word is `not differentiable`.
    pub works: Answer,
    /// The verdict, or the fate; `exists` of [`Place::Exists`].
    pub word: &'static str,
}

/// Since when an operator has had the answer that it has in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Since this release; the one before says otherwise, or does not have the operator.
    Release(&'static str),
    /// At least since this release; nothing is known before it.
    AtLeast(&'static str),
    /// Calls fail; this is the last release in which they worked, always or in part.
    Until(&'static str),
    /// Calls fail, as in every release before that has the operator.
    Always,
}

/// What an upgrade of PyTorch would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Upgrade {
    /// The last release in which calls are known to fail, always or in part.
    pub fails_in: Option<&'static str>,
    /// The first release from which calls work through the newest one. `None` if they do not work in
    /// the newest one, or nobody can tell.
    pub works_from: Option<&'static str>,
    /// Calls work in each known release that has the operator, and the newest one has it.
    pub always: bool,
    /// Nobody can tell for some release that has the operator, or no release has it.
    pub unknown: bool,
}

/// The known patch releases, oldest first.
#[must_use]
pub fn known() -> &'static [&'static str] {
    works::releases()
}

/// What the known releases that have an operator say of it at a place, oldest first. Empty if none has
/// it, or the way does not apply to it. A key of which no release says anything is unknown in all.
#[must_use]
pub fn spans(operator: &str, place: Place<'_>) -> Vec<Span> {
    let bare = operator.strip_prefix("aten::").unwrap_or(operator);
    let Some(operator) = works::operator(bare) else {
        return Vec::new();
    };
    match place {
        Place::Exists => alike(operator, Answer::Yes, "exists"),
        Place::Key(key) if !works::places().contains(&key) => {
            alike(operator, Answer::Unknown, "unknown")
        }
        Place::Key(key) => recorded(operator, key),
        Place::Way(way) => recorded(operator, way.as_str()),
        Place::Training => recorded(operator, Way::Training.as_str()),
    }
}

/// What an upgrade would change for an operator at a place.
#[must_use]
pub fn upgrade(operator: &str, place: Place<'_>) -> Upgrade {
    let spans = spans(operator, place);
    let fails = |span: &&Span| matches!(span.works, Answer::No | Answer::Partly);
    let works = |span: &&Span| span.works == Answer::Yes;
    let newest = known().last();
    let is_newest = spans.last().is_some_and(|last| newest == Some(&last.last));
    let working = spans.iter().rev().take_while(works).last();
    let has_gap = spans
        .windows(2)
        .any(|pair| after(pair[0].last) != Some(pair[1].first));
    Upgrade {
        fails_in: spans.iter().rev().find(fails).map(|span| span.last),
        works_from: working.filter(|_| is_newest).map(|span| span.first),
        always: is_newest && !has_gap && spans.iter().all(|span| works(&span)),
        unknown: spans.is_empty() || spans.iter().any(|span| span.works == Answer::Unknown),
    }
}

/// Since when an operator has had this verdict's answer on a key, as of a release. `None` if the
/// answer is unknown, or the release itself says another verdict: then the revision or the build
/// differs from what was released.
#[must_use]
pub fn since(operator: &str, key: &str, release: Release, verdict: Verdict) -> Option<Since> {
    let works = Answer::from(verdict);
    let patch = known()
        .iter()
        .rposition(|known| Release::parse(known).is_ok_and(|known| known.release == release))?;
    let place = |name: &str| known().iter().position(|known| *known == name);
    let mut spans = spans(operator, Place::Key(key));
    spans.retain(|span| place(span.first).is_some_and(|first| first <= patch));
    let newest = spans.last()?;
    if works == Answer::Unknown || newest.word != verdict.as_str() || place(newest.last)? < patch {
        return None;
    }
    let mut before = spans
        .iter()
        .rev()
        .skip_while(|span| span.works == works)
        .peekable();
    let nearest = before.peek().map(|span| span.works);
    if works == Answer::No {
        let worked = before.find(|span| matches!(span.works, Answer::Yes | Answer::Partly));
        return match (worked, nearest) {
            (Some(span), _) => Some(Since::Until(span.last)),
            (None, None) => Some(Since::Always),
            (None, Some(_)) => None,
        };
    }
    let first = spans
        .iter()
        .rev()
        .take_while(|span| span.works == works)
        .last()?
        .first;
    let is_edge = place(first) == Some(0) || nearest == Some(Answer::Unknown);
    Some(if is_edge {
        Since::AtLeast(first)
    } else {
        Since::Release(first)
    })
}

/// The backend of PyTorch's own on which an operator has a kernel in the newest release, while it
/// decomposes on the CPU; `None` if there are several.
#[must_use]
pub fn only_kernel(operator: &str) -> Option<&'static str> {
    let word = |key| {
        spans(operator, Place::Key(key))
            .last()
            .map(|span| span.word)
    };
    if word("CPU") != Some(Verdict::Decomposes.as_str()) {
        return None;
    }
    let mut own = ["CUDA", "MPS", "XPU"]
        .into_iter()
        .filter(|key| word(key) == Some(Verdict::Runs.as_str()));
    own.next().filter(|_| own.next().is_none())
}

fn after(release: &str) -> Option<&'static str> {
    let mut releases = known().iter().skip_while(|known| **known != release);
    releases.nth(1).copied()
}

fn alike(operator: Operator, works: Answer, word: &'static str) -> Vec<Span> {
    let parts = operator.existing(0..known().len());
    let span = |(first, last): (usize, usize)| Span {
        first: known()[first],
        last: known()[last],
        works,
        word,
    };
    parts.map(span).collect()
}

fn recorded(operator: Operator, place: &str) -> Vec<Span> {
    let span = |run: works::Run| Span {
        first: known()[run.first],
        last: known()[run.last],
        works: Answer::parse(run.works).unwrap_or(Answer::Unknown),
        word: run.word,
    };
    operator.runs(place).map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWEST: &str = "2.15.0";

    fn upgrade_of(
        operator: &str,
        place: Place<'_>,
    ) -> (Option<&'static str>, Option<&'static str>) {
        let upgrade = upgrade(operator, place);
        (upgrade.fails_in, upgrade.works_from)
    }

    #[test]
    fn an_upgrade_helps_where_a_later_release_works() {
        let mps = Place::Key("MPS");
        assert_eq!(
            upgrade_of("aten::bitwise_left_shift.Tensor", mps),
            (Some("2.4.1"), Some("2.5.0"))
        );
        assert_eq!(
            upgrade_of("_linalg_eigh.eigenvalues", mps),
            (Some("2.13.0"), Some("2.14.0"))
        );
        assert!(upgrade("add.Tensor", mps).always);
    }

    #[test]
    fn an_answer_has_a_beginning() {
        let [v2_13, v2_15] = ["2.13", "2.15"].map(|name| Release::parse(name).unwrap().release);
        let ask = |operator, key, release, verdict| since(operator, key, release, verdict);
        let (runs, fails) = (Verdict::Runs, Verdict::Fails);
        let shift = "bitwise_left_shift.Tensor";
        assert_eq!(
            ask("_linalg_eigh.eigenvalues", "MPS", v2_15, runs),
            Some(Since::Release("2.14.0"))
        );
        assert_eq!(
            ask("_linalg_eigh.eigenvalues", "MPS", v2_13, fails),
            Some(Since::Always)
        );
        assert_eq!(
            ask("add.out", "CPU", v2_15, runs),
            Some(Since::AtLeast("2.0.0"))
        );
        assert_eq!(
            ask("add.out", "XPU", v2_15, runs),
            Some(Since::AtLeast("2.14.0"))
        );
        assert_eq!(
            ask("nonzero_static", "CUDA", v2_15, runs),
            Some(Since::Release("2.6.0"))
        );
        // The release says otherwise.
        assert_eq!(ask(shift, "MPS", v2_15, fails), None);
        assert_eq!(ask(shift, "MPS", v2_15, Verdict::Unknown), None);
        assert_eq!(ask("no_such_operator", "CPU", v2_15, runs), None);
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        let xpu = upgrade("add.Tensor", Place::Key("XPU"));
        assert_eq!((xpu.fails_in, xpu.works_from), (None, Some("2.14.0")));
        assert!(xpu.unknown && !xpu.always);
        let nobody = Upgrade {
            unknown: true,
            ..Upgrade::default()
        };
        assert_eq!(upgrade("add.Tensor", Place::Key("HPU")), nobody);
        assert_eq!(upgrade("no_such_operator", Place::Key("CPU")), nobody);
        assert!(spans("no_such_operator", Place::Exists).is_empty());
        let [all] = &spans("add.Tensor", Place::Key("HPU"))[..] else {
            panic!("one span");
        };
        assert_eq!((all.first, all.last), ("2.0.0", NEWEST));
    }

    #[test]
    fn an_operator_exists_in_some_releases() {
        let [since] = &spans("hash_tensor", Place::Exists)[..] else {
            panic!("one span");
        };
        assert_eq!((since.first, since.last), ("2.9.0", NEWEST));
        let gone = upgrade("_convert_weight_to_int4pack", Place::Exists);
        assert_eq!(gone.works_from, Some("2.2.0"));
    }

    #[test]
    fn training_is_a_way() {
        let training = spans("abs", Place::Training);
        assert_eq!(training, spans("abs", Place::Way(Way::Training)));
        assert_eq!(training.last().map(|span| span.word), Some("yes"));
    }
}
