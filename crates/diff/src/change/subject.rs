//! What in an operator a change is about.

use std::cmp::Ordering;
use std::sync::Arc;

use opatlas_operators::entry::KeyName;

/// What in an operator a change is about. Exceptions and fingerprints go by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The operator as a whole.
    Operator,
    /// The argument of this name; the base's name where both sides have it.
    Argument(Arc<str>),
    /// A return by its number from 0.
    Return(usize),
    /// Dispatch keys, in table order.
    Keys(Arc<[KeyName]>),
    /// Tags, generated operators, functions: whatever the rule is about, by name.
    Names(Vec<Arc<str>>),
}

impl Subject {
    /// The names that it consists of.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Operator => Vec::new(),
            Self::Argument(name) => vec![name.to_string()],
            Self::Return(index) => vec![format!("return {index}")],
            Self::Keys(keys) => keys.iter().map(|key| key.as_str().to_owned()).collect(),
            Self::Names(names) => names.iter().map(ToString::to_string).collect(),
        }
    }

    /// Calls `tell` for each of them with its number from 0, without a copy of any.
    pub(crate) fn each_name(&self, mut tell: impl FnMut(usize, &str)) {
        match self {
            Self::Operator => {}
            Self::Argument(name) => tell(0, name),
            Self::Return(index) => tell(0, &format!("return {index}")),
            Self::Keys(keys) => {
                let keys = keys.iter().map(KeyName::as_str);
                keys.enumerate().for_each(|(at, key)| tell(at, key));
            }
            Self::Names(names) => {
                let names = names.iter().enumerate();
                names.for_each(|(at, name)| tell(at, name));
            }
        }
    }

    /// Appends them with commas between them.
    pub(crate) fn push_joined(&self, text: &mut String) {
        self.each_name(|at, name| {
            text.push_str(if at > 0 { "," } else { "" });
            text.push_str(name);
        });
    }

    /// The order of two of them as [`Subject::joined`] gives them, mostly without those texts.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        fn of<'n>(
            mut ones: impl Iterator<Item = &'n str>,
            mut others: impl Iterator<Item = &'n str>,
        ) -> Option<Ordering> {
            loop {
                let (one, other) = (ones.next()?, others.next()?);
                // Where one begins with the other, the comma behind that decides.
                match one == other {
                    true => {}
                    false if one.starts_with(other) || other.starts_with(one) => return None,
                    false => return Some(one.cmp(other)),
                }
            }
        }
        let known = match (self, other) {
            (Self::Keys(ones), Self::Keys(others)) => of(
                ones.iter().map(KeyName::as_str),
                others.iter().map(KeyName::as_str),
            ),
            (Self::Names(ones), Self::Names(others)) => of(
                ones.iter().map(|name| &**name),
                others.iter().map(|name| &**name),
            ),
            (Self::Argument(one), Self::Argument(other)) => Some(one.cmp(other)),
            _ => None,
        };
        known.unwrap_or_else(|| self.joined().cmp(&other.joined()))
    }

    /// The same as a text of its own.
    pub(crate) fn joined(&self) -> String {
        let mut text = String::new();
        self.push_joined(&mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_its_names_with_commas_between_them() {
        let subjects = [
            Subject::Operator,
            Subject::Argument("self".into()),
            Subject::Return(2),
            Subject::Keys(["CPU", "CUDA", "MPS"].map(KeyName::of).into()),
            Subject::Names(vec!["core".into()]),
            Subject::Names(Vec::new()),
        ];
        for subject in &subjects {
            assert_eq!(subject.joined(), subject.names().join(","));
        }
        let keys = [
            &["CPU"][..],
            &["CPUX"],
            &["CPU", "A"],
            &["CUDA", "A"],
            &[""],
        ];
        let keys =
            keys.map(|keys| Subject::Keys(keys.iter().map(|key| KeyName::of(key)).collect()));
        let names = ["a", "a+b", "a,b", "a-b", "b"].map(|name| Subject::Names(vec![name.into()]));
        let all = [&subjects[..], &keys, &names].concat();
        for (one, other) in all
            .iter()
            .flat_map(|one| all.iter().map(move |other| (one, other)))
        {
            let order = one.joined().cmp(&other.joined());
            assert_eq!(one.order(other), order, "{one:?} {other:?}");
        }
    }
}
