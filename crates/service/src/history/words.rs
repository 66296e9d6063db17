//! Words for enums in stored steps. An unknown word is an error, never a guess.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use opatlas_diff::history::EventKind;
use opatlas_diff::rules::{ChangeRule, Level, find};
use opatlas_dispatch::Reason;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_verdict::{Because, Verdict};

pub(super) trait StoredWord: Copy {
    const WHAT: &'static str;

    fn word(self) -> &'static str;

    fn of_word(word: &str) -> Option<Self>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<T>(pub(super) T);

impl<T: StoredWord> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: StoredWord> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfWord<T>(PhantomData<T>);
        impl<T: StoredWord> Visitor<'_> for OfWord<T> {
            type Value = Word<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "the word of a {}", T::WHAT)
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Word<T>, E> {
                let found = T::of_word(word).map(Word);
                found.ok_or_else(|| E::custom(format!("unknown {} `{word}`", T::WHAT)))
            }
        }
        deserializer.deserialize_str(OfWord(PhantomData))
    }
}

macro_rules! stored_words {
    ($($type:ty, $what:literal, $word:expr, $parse:expr;)*) => {$(
        impl StoredWord for $type {
            const WHAT: &'static str = $what;

            fn word(self) -> &'static str {
                $word(self)
            }

            fn of_word(word: &str) -> Option<Self> {
                $parse(word)
            }
        }
    )*};
}

stored_words! {
    EventKind, "kind of event", EventKind::as_str, Self::parse;
    Level, "level", Level::as_str, Self::parse;
    Reason, "reason", Reason::as_str, Self::parse;
    Because, "reason of a verdict", Because::as_str, Self::parse;
    Verdict, "verdict", Verdict::as_str, Self::parse;
    &'static ChangeRule, "change rule", |rule: Self| rule.id.as_str(), find;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Composite(pub(super) &'static str);

impl StoredWord for Composite {
    const WHAT: &'static str = "composite key";

    fn word(self) -> &'static str {
        self.0
    }

    fn of_word(word: &str) -> Option<Self> {
        match Keys::of(Release::LATEST).lookup(word) {
            Some(Key::Alias(alias)) => Some(Self(alias.name())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_nobody_knows_is_an_error() {
        let read = serde_json::from_str::<Word<Reason>>;
        assert_eq!(read(r#""math kernel""#).unwrap().0, Reason::MathKernel);
        for text in [r#""magic""#, "3", r#""""#] {
            assert!(read(text).is_err(), "{text}");
        }
        for level in Level::ALL {
            let text = serde_json::to_string(&Word(level)).unwrap();
            let back: Word<Level> = serde_json::from_str(&text).unwrap();
            assert_eq!(back.0, level);
        }
        assert!(serde_json::from_str::<Word<Composite>>(r#""CPU""#).is_err());
    }
}
