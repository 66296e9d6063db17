//! Where an operator works and since when, in words.

use opatlas_verdict::releases::Since;
use opatlas_verdict::{Answer, Verdict};

/// A backend, with the verdict on an operator.
#[derive(Debug, Clone, Copy)]
pub struct Answered {
    /// The runtime key.
    pub key: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Since when its answer holds, if known.
    pub since: Option<Since>,
}

impl Answered {
    fn words(&self) -> &'static str {
        match Answer::from(self.verdict) {
            Answer::Yes if self.verdict.falls_back() => "falls back on",
            Answer::Yes => "works on",
            Answer::Partly => "works in part on",
            Answer::No => "fails on",
            Answer::Unknown => "unknown on",
        }
    }
}

/// Where an operator works: `Works on CPU, CUDA and HIP (since 2.0.0 or earlier), MPS (since 2.14.1);
/// fails on XPU (in no release).`
#[must_use]
pub fn summary(answers: &[Answered]) -> String {
    let parts = groups(answers, Answered::words).into_iter();
    let parts = parts.map(|(words, of)| {
        let since = groups(&of, |answer| {
            answer.since.map_or_else(String::new, since_words)
        });
        let keys = since.iter().map(|(since, of)| {
            let keys: Vec<&str> = of.iter().map(|answer| answer.key).collect();
            let keys = and(&keys);
            if since.is_empty() {
                keys
            } else {
                format!("{keys} ({since})")
            }
        });
        format!("{words} {}", keys.collect::<Vec<_>>().join(", "))
    });
    let text = parts.collect::<Vec<_>>().join("; ");
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        None => "Nothing is known about any backend.".to_owned(),
    }
}

/// The answers by what `of` says, in the order of the first of each.
fn groups<T: PartialEq>(
    answers: &[Answered],
    of: impl Fn(&Answered) -> T,
) -> Vec<(T, Vec<Answered>)> {
    let mut groups: Vec<(T, Vec<Answered>)> = Vec::new();
    for answer in answers {
        let value = of(answer);
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, group)) => group.push(*answer),
            None => groups.push((value, vec![*answer])),
        }
    }
    groups
}

fn and(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Since when an answer holds: `since 2.14.1`, `since 2.0.0 or earlier`, `until 2.12.1`, `in no release`.
#[must_use]
pub fn since_words(since: Since) -> String {
    match since {
        Since::Release(first) => format!("since {first}"),
        Since::AtLeast(first) => format!("since {first} or earlier"),
        Since::Until(last) => format!("until {last}"),
        Since::Always => "in no release".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(key: &'static str, verdict: &str, since: Option<Since>) -> Answered {
        let verdict = Verdict::parse(verdict).unwrap();
        Answered {
            key,
            verdict,
            since,
        }
    }

    #[test]
    fn the_summary_names_every_backend_once() {
        let old = Some(Since::AtLeast("2.0.0"));
        let answers = [
            answered("CPU", "runs", old),
            answered("CUDA", "decomposes", old),
            answered("MPS", "runs", Some(Since::Release("2.14.1"))),
            answered("XPU", "fails", Some(Since::Until("2.12.1"))),
            answered("Meta", "fails", Some(Since::Always)),
            answered("MTIA", "unknown", None),
            answered("XLA", "falls-back", None),
            answered("HPU", "partly", None),
        ];
        assert_eq!(
            summary(&answers),
            "Works on CPU and CUDA (since 2.0.0 or earlier), MPS (since 2.14.1); fails on XPU (until \
             2.12.1), Meta (in no release); unknown on MTIA; falls back on XLA; works in part on HPU."
        );
        assert_eq!(summary(&[]), "Nothing is known about any backend.");
    }
}
