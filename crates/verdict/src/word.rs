//! A short word for how far people can count on an operator (`docs/dataset.md`).

use crate::Verdict;

opatlas_source::words! {
    /// How far people can count on an operator.
    pub enum Word {
        /// It works, and it has through at least the last [`Word::MINORS`] minor releases.
        Widely = "widely",
        /// It works, but it is not known to have worked for so long.
        Newly = "newly",
        /// Some calls fail, or only a fallback serves it.
        Limited = "limited",
        /// It fails.
        None = "none",
        /// Nobody can tell.
        Unknown = "unknown",
    }
}

impl Word {
    /// How many minor releases in a row an operator must work, about a year of releases.
    pub const MINORS: usize = 4;

    /// The word of a verdict. `minors` counts the minor releases in a row, up to this one, in which
    /// the operator works in full ([`Word::is_full`]).
    #[must_use]
    pub fn of(verdict: Verdict, minors: usize) -> Self {
        match verdict {
            _ if Self::is_full(verdict) && minors >= Self::MINORS => Self::Widely,
            Verdict::Runs | Verdict::Decomposes => Self::Newly,
            Verdict::Partly | Verdict::FallsBack => Self::Limited,
            Verdict::Fails => Self::None,
            Verdict::Unknown => Self::Unknown,
        }
    }

    /// Whether all calls work, without a fallback.
    #[must_use]
    pub fn is_full(verdict: Verdict) -> bool {
        matches!(verdict, Verdict::Runs | Verdict::Decomposes)
    }

    /// The word over several backends. It is `limited` if the operator works on some and fails on
    /// others, and otherwise `unknown` if one of them is.
    #[must_use]
    pub fn over(words: impl IntoIterator<Item = Self>) -> Self {
        let mut found = [false; Self::ALL.len()];
        for word in words {
            found[word as usize] = true;
        }
        let has = |word: Self| found[word as usize];
        let works = has(Self::Widely) || has(Self::Newly);
        let fails = has(Self::None);
        if has(Self::Limited) || works && fails {
            Self::Limited
        } else if has(Self::Unknown) || !works && !fails {
            Self::Unknown
        } else if fails {
            Self::None
        } else if has(Self::Newly) {
            Self::Newly
        } else {
            Self::Widely
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_a_word() {
        assert_eq!(Word::of(Verdict::Runs, 4), Word::Widely);
        assert_eq!(Word::of(Verdict::Decomposes, 3), Word::Newly);
        assert_eq!(Word::of(Verdict::FallsBack, 9), Word::Limited);
        assert_eq!(Word::of(Verdict::Partly, 9), Word::Limited);
        assert_eq!(Word::of(Verdict::Fails, 0), Word::None);
        assert_eq!(Word::of(Verdict::Unknown, 0), Word::Unknown);
    }

    #[test]
    fn backends_have_one_word_together() {
        use Word::{Limited, Newly, None, Unknown, Widely};
        for (words, together) in [
            (&[Widely, Widely][..], Widely),
            (&[Widely, Newly], Newly),
            (&[Widely, None], Limited),
            (&[Newly, None, Unknown], Limited),
            (&[Widely, Limited], Limited),
            (&[None, None], None),
            (&[None, Unknown], Unknown),
            (&[Widely, Unknown], Unknown),
            (&[], Unknown),
        ] {
            assert_eq!(Word::over(words.iter().copied()), together, "{words:?}");
        }
    }
}
