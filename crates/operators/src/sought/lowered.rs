//! Operators in lower case, for who searches the same ones again and again.

use memchr::memmem;
use opatlas_source::{Stop, Stopped, gallop};

use super::{Candidate, Lower, Sought, Texts};

/// The names, schemas and kernels of operators in one text. Where a word of a question is in that text is
/// found at gigabytes a second, and only operators that have all words are looked at one by one.
#[derive(Debug, Default)]
pub struct Lowered {
    /// Of each operator its name, its letters, its schema and its kernels, each with a line break behind it,
    /// which no word has.
    text: String,
    operators: Vec<Places>,
}

/// Where the texts of an operator are. Each begins behind the line break after the one before.
#[derive(Debug, Clone, Copy)]
struct Places {
    begin: u32,
    /// Ends of the name, the letters, the schema, and all kernels.
    name: u32,
    letters: u32,
    schema: u32,
    end: u32,
    base_letters: u32,
    namespace: u32,
}

/// An operator that says what is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fit {
    /// How well its name and schema fit ([`Sought::rank`]); `None` where only a kernel's name does.
    rank: Option<u32>,
    /// How long its name is, without its namespace: the shortest is the best of those of one rank.
    length: u32,
    /// Which operator it is, counted from 0.
    pub at: usize,
    /// Whether its name has all words, whatever its schema.
    pub is_named: bool,
}

impl Fit {
    /// The sort key, best first. One number is compared faster than three fields.
    fn order(&self) -> u128 {
        let rank = self.rank.unwrap_or(u32::MAX);
        u128::from(rank) << 96 | u128::from(self.length) << 64 | self.at as u128
    }
}

impl Lowered {
    /// Of operators, each with its kernels. `None` where the text is larger than `most` bytes.
    pub fn of<'a, K: Iterator<Item = &'a str>>(
        operators: impl Iterator<Item = (Candidate<'a>, K)>,
        most: u32,
    ) -> Option<Self> {
        let mut made = Self::default();
        let mut texts = Texts::default();
        for (candidate, kernels) in operators {
            texts.read(candidate);
            let lower = texts.lower();
            let begin = made.length()?;
            let [name, letters, schema] = [lower.name, lower.letters, lower.schema].map(|text| {
                made.text.push_str(text);
                let end = made.length();
                made.text.push('\n');
                end
            });
            for kernel in kernels {
                let from = made.text.len();
                made.text.push_str(kernel);
                made.text[from..].make_ascii_lowercase();
                made.text.push('\n');
            }
            made.operators.push(Places {
                begin,
                name: name?,
                letters: letters?,
                schema: schema?,
                end: made.length().filter(|length| *length <= most)?,
                base_letters: u32::try_from(lower.base_letters).ok()?,
                namespace: u32::try_from(lower.namespace).ok()?,
            });
        }
        Some(made)
    }

    fn length(&self) -> Option<u32> {
        u32::try_from(self.text.len()).ok()
    }

    /// What it takes in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.operators.capacity() * size_of::<Places>()
    }

    /// The operators whose names and schemas have all words, best first; of equal ones those with the
    /// shortest names first. Words that were loosened ([`Sought::loosened`]) are held against each operator.
    /// Empty where nothing is sought.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn fits(&self, sought: &Sought, stop: &Stop) -> Result<Vec<Fit>, Stopped> {
        let all = || vec![true; self.operators.len()];
        let mut may_fit: Option<Vec<bool>> = sought.is_loose.then(all);
        for word in sought.words.iter().filter(|_| !sought.is_loose) {
            stop.check()?;
            // A name that is this word, or has it, has its name; else it has its letters.
            let mut has = vec![false; self.operators.len()];
            self.mark(&word.name, &mut has);
            if !word.letters.is_empty() && word.letters != word.name {
                self.mark(&word.letters, &mut has);
            }
            match &mut may_fit {
                None => may_fit = Some(has),
                Some(all) => all.iter_mut().zip(has).for_each(|(all, has)| *all &= has),
            }
        }
        let mut fits = Vec::new();
        for (at, _) in may_fit
            .iter()
            .flatten()
            .enumerate()
            .filter(|(_, may)| **may)
        {
            stop.check()?;
            if let Some((rank, is_named)) = sought.fit(self.lower(at)) {
                fits.push(Fit {
                    rank: Some(rank),
                    length: self.bare_length(at),
                    at,
                    is_named,
                });
            }
        }
        fits.sort_unstable_by_key(Fit::order);
        Ok(fits)
    }

    /// The operators with a kernel whose name has this text, which is in lower case, in their order.
    #[must_use]
    pub fn with_kernel(&self, text: &str) -> Vec<Fit> {
        let mut found: Vec<Fit> = Vec::new();
        // No name has a line break.
        if text.contains('\n') {
            return found;
        }
        self.each(text, |at, from| {
            let places = self.operators[at];
            let kernels = places.schema as usize + 1;
            if from < kernels {
                return kernels;
            }
            found.push(Fit {
                rank: None,
                length: self.bare_length(at),
                at,
                is_named: false,
            });
            places.end as usize
        });
        found
    }

    fn bare_length(&self, at: usize) -> u32 {
        let places = self.operators[at];
        places.name - places.begin - places.namespace
    }

    fn lower(&self, at: usize) -> Lower<'_> {
        let places = self.operators[at];
        let text = |from: u32, to: u32| &self.text[from as usize..to as usize];
        Lower {
            name: text(places.begin, places.name),
            letters: text(places.name + 1, places.letters),
            base_letters: places.base_letters as usize,
            schema: text(places.letters + 1, places.schema),
            namespace: places.namespace as usize,
        }
    }

    fn mark(&self, word: &str, has: &mut [bool]) {
        self.each(word, |at, _| {
            has[at] = true;
            self.operators[at].end as usize
        });
    }

    /// Finds a text, which is not empty, again and again. `next` gets the operator and the position, and
    /// returns the position, behind that one, to search from.
    fn each(&self, text: &str, mut next: impl FnMut(usize, usize) -> usize) {
        let finder = memmem::Finder::new(text);
        let (mut from, mut at) = (0, 0);
        while let Some(found) = finder.find(&self.text.as_bytes()[from..]) {
            let found = from + found;
            at = gallop(&self.operators, at, |it| it.end as usize <= found);
            if at >= self.operators.len() {
                return;
            }
            from = next(at, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Operator = (String, String, String, Vec<String>);

    fn candidate((namespace, name, schema, _): &Operator) -> Candidate<'_> {
        Candidate {
            namespace,
            name,
            schema,
        }
    }

    fn lowered(operators: &[Operator], most: u32) -> Option<Lowered> {
        let each = operators.iter().map(|operator| {
            let kernels = operator.3.iter().map(|kernel| &**kernel);
            (candidate(operator), kernels)
        });
        Lowered::of(each, most)
    }

    proptest! {
        /// What is found is what the words fit when each operator is asked.
        #[test]
        fn it_finds_what_a_look_at_each_operator_finds(
            operators in prop::collection::vec(
                (
                    "(aten|ab)",
                    "_?[aB]{1,2}(_[abC]{1,2})?_?(\\.[aA]{1,2})?",
                    "[aB]{1,2}\\([abC ,()é]{0,6}\\)",
                    prop::collection::vec("[aBc_:]{0,4}", 0..3),
                ),
                0..20,
            ),
            question in "[abcABC_.:( ]{0,6}",
        ) {
            let lowered = lowered(&operators, 1 << 20).unwrap();
            let sought = Sought::parse(&question);
            let found = lowered.fits(&sought, &Stop::never()).unwrap();
            let mut texts = Texts::default();
            let mut rank = |operator: &Operator, schema| {
                let own = candidate(operator);
                let schema = if schema { own.schema } else { "" };
                sought.rank(&mut texts, Candidate { schema, ..own })
            };
            let mut expected: Vec<(u32, usize, usize, bool)> = Vec::new();
            for (at, operator) in operators.iter().enumerate().filter(|_| !sought.is_empty()) {
                if let Some(fit) = rank(operator, true) {
                    let is_named = rank(operator, false).is_some();
                    expected.push((fit, operator.1.len(), at, is_named));
                }
            }
            expected.sort();
            let found: Vec<_> = found
                .iter()
                .map(|fit| (fit.rank.unwrap(), fit.length as usize, fit.at, fit.is_named))
                .collect();
            prop_assert_eq!(found, expected);

            let text = question.trim().to_lowercase();
            let says = |operator: &&Operator| {
                operator.3.iter().any(|kernel| kernel.to_lowercase().contains(&text))
            };
            let expected = operators.iter().filter(says).count();
            if !text.is_empty() {
                prop_assert_eq!(lowered.with_kernel(&text).len(), expected);
            }
        }
    }

    #[test]
    fn it_is_not_made_of_too_much() {
        let operator = |at: usize| {
            let name = format!("op{at}");
            (
                "aten".to_owned(),
                name.clone(),
                format!("{name}() -> ()"),
                Vec::new(),
            )
        };
        let operators: Vec<Operator> = (0..100).map(operator).collect();
        let whole = lowered(&operators, 1 << 20).unwrap();
        assert!(whole.bytes() >= whole.text.len());
        let length = u32::try_from(whole.text.len()).unwrap();
        assert!(lowered(&operators, length).is_some());
        assert!(lowered(&operators, length - 1).is_none());
    }
}
