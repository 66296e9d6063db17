//! The request and the answer of the dispatch calculator.

use std::fmt;

use opatlas_dispatch::calculator::{List, Note};
use opatlas_dispatch::refusals::CATCH_ALL;
use opatlas_dispatch::{Calculation, Cell, Origin, Precedence, Refused, Wanted, calculator};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_verdict::{Answer, KnownFrom, of_cell};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::entry::Entry;
use crate::problem::{Fault, Kind, Problem};
use crate::verdict::Support;

pub(crate) const FAULTS: usize = 100;

/// The registrations of a table.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"registrations": ["CPU", "XLA", "AutogradCPU", "CompositeImplicitAutograd"]}))]
pub struct Question {
    /// The registrations of the operator in order: the last registration for a key wins. At most
    /// 2,000.
    #[serde(deserialize_with = "few")]
    #[schema(max_items = 2000)]
    pub registrations: Vec<Item>,
    /// The backend fallbacks; by default those of the release. At most 2,000.
    #[serde(default, deserialize_with = "few_or_none")]
    #[schema(max_items = 2000)]
    pub fallbacks: Option<Vec<Item>>,
}

/// The maximum number of registrations in a list: many times the number of keys of a release.
pub(crate) const MOST: usize = 2_000;

/// A list with a limited length, which is checked while parsing.
pub(crate) fn few<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Item>, D::Error> {
    struct Few;
    impl<'de> Visitor<'de> for Few {
        type Value = Vec<Item>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST} registrations")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Item>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = list.next_element()? {
                if items.len() == MOST {
                    let why = format!("a list has at most {MOST} registrations");
                    return Err(A::Error::custom(why));
                }
                items.push(item);
            }
            Ok(items)
        }
    }
    deserializer.deserialize_seq(Few)
}

pub(crate) fn few_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<Item>>, D::Error> {
    #[derive(Deserialize)]
    struct List(#[serde(deserialize_with = "few")] Vec<Item>);
    let list: Option<List> = Option::deserialize(deserializer)?;
    Ok(list.map(|list| list.0))
}

/// A registration: a key, or a key with further members.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Item {
    /// A runtime or alias key; `(catch-all)` serves as `CompositeImplicitAutograd`.
    Key(String),
    /// A key with further members.
    Registration(ItemDetail),
}

/// A registration with its kernel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemDetail {
    /// A runtime or alias key, or `(catch-all)`.
    #[schema(example = "CPU")]
    pub key: String,
    /// The kernel's name; by default `fn_` and the key.
    #[schema(example = "my_kernel")]
    pub kernel: Option<String>,
    /// Whether it is a fallthrough.
    #[serde(default)]
    pub fallthrough: bool,
}

/// The table that results from registrations.
#[derive(Debug, Serialize, ToSchema)]
pub struct CalculationView<'a> {
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The registrations, as given.
    pub registrations: Vec<GivenView>,
    /// The backend fallbacks, if given.
    pub fallbacks: Option<Vec<GivenView>>,
    /// Every runtime key of the release in table order, including `Undefined` and missing ones.
    pub table: Vec<Entry<'a>>,
    /// Notes: replaced registrations, and other tools that would reject the list.
    pub notes: Vec<String>,
}

/// A registration that the dispatcher accepts.
#[derive(Debug, Serialize, ToSchema)]
pub struct GivenView {
    /// The key as written.
    #[schema(example = "(catch-all)")]
    pub key: String,
    /// The key of the registration.
    #[schema(example = "CompositeImplicitAutograd")]
    pub registered_key: &'static str,
    /// The kernel.
    #[schema(example = "my_kernel")]
    pub kernel: String,
    /// Whether it is a fallthrough.
    pub fallthrough: bool,
    /// Whether a later registration replaces it.
    pub overridden: bool,
}

impl Item {
    /// The registrations that the calculator computes a table from.
    pub fn wanted(&self) -> Wanted<'_> {
        match self {
            Self::Key(key) => Wanted::at(key),
            Self::Registration(detail) => Wanted {
                key: &detail.key,
                kernel: detail.kernel.as_deref(),
                fallthrough: detail.fallthrough,
            },
        }
    }
}

impl GivenView {
    /// The wire form.
    #[must_use]
    pub fn of(keys: &'static Keys, given: &calculator::Given) -> Self {
        Self {
            key: given.written.to_string(),
            registered_key: keys.name(given.key),
            kernel: given.kernel.to_string(),
            fallthrough: given.fallthrough,
            overridden: given.overridden,
        }
    }
}

/// The table that the calculator found.
pub fn calculation(answer: &Calculation, mut notes: Vec<String>) -> CalculationView<'_> {
    let keys = answer.keys;
    let given = |given: &[calculator::Given]| {
        let views = given.iter().map(|given| GivenView::of(keys, given));
        views.collect()
    };
    notes.extend(answer.notes.iter().map(note));
    CalculationView {
        release: keys.release().as_str(),
        registrations: given(&answer.registrations),
        fallbacks: answer.fallbacks.as_deref().map(given),
        table: answer.cells().map(|cell| line(keys, cell)).collect(),
        notes,
    }
}

pub(crate) fn line<'a>(keys: &'static Keys, cell: Cell<'a>) -> Entry<'a> {
    let is_fallback = cell.rule == Precedence::Fallback;
    let given = cell.given;
    let found = of_cell(keys, &cell);
    let is_known = Answer::from(found.verdict) != Answer::Unknown;
    let support = Support::alone(&found, is_known.then_some(KnownFrom::Inferred));
    Entry {
        key: keys.name(Key::Runtime(cell.slot)),
        functionality: keys.functionality(cell.slot),
        backend: keys.backend(cell.slot),
        kernel: given.map(|given| (&*given.kernel).into()),
        source_key: given
            .filter(|_| !is_fallback)
            .map(|given| (&*given.written).into()),
        reason: cell.rule.reason().as_str(),
        origin: is_fallback.then_some(Origin::Fallback.as_str()),
        fallthrough: cell.fallthrough,
        derivable: true,
        cause: None,
        file: cell.file,
        span: None,
        support,
        explanation: None,
    }
}

/// A note in words.
#[must_use]
pub fn note(note: &opatlas_dispatch::calculator::Note) -> String {
    match note {
        Note::Overridden { index, by } => format!(
            "registrations[{index}] is replaced by registrations[{by}]: the last registration for \
             a key wins"
        ),
        Note::CatchAll { index } => {
            format!("registrations[{index}], `{CATCH_ALL}`, acts as CompositeImplicitAutograd")
        }
        Note::Yaml(refusal) => format!("native_functions.yaml cannot express this: {refusal}"),
        Note::PythonDispatcher(refusal) => {
            format!("PythonDispatcher would reject this: {refusal}")
        }
    }
}

/// The problem for registrations that the dispatcher rejects.
#[must_use]
pub fn refused(faults: &[Refused]) -> Problem {
    let parameter = |fault: &Refused| match fault.list {
        List::Registrations => format!("registrations[{}]", fault.index),
        List::Fallbacks => format!("fallbacks[{}]", fault.index),
        List::Removals => format!("without[{}]", fault.index),
    };
    let detail = match faults {
        [one] => format!("the dispatcher rejects {one}"),
        [first, others @ ..] => {
            format!("the dispatcher rejects {first} (and {} more)", others.len())
        }
        [] => String::new(),
    };
    let mut problem = Problem::new(Kind::RefusedRegistration, detail);
    let listed = faults.iter().take(FAULTS);
    problem.errors = listed
        .map(|fault| Fault::of(&parameter(fault), fault.to_string()))
        .collect();
    for name in faults.iter().flat_map(|fault| &fault.suggestions) {
        if !problem.suggestions.iter().any(|known| known == name) {
            problem.suggestions.push((*name).to_owned());
        }
    }
    problem
}
