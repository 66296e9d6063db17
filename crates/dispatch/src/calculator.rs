//! Computes the dispatch table of a hypothetical list of registrations, and whether other tools would
//! accept the list.

use std::fmt;

use rustc_hash::FxHashMap;

use super::refusals::{self, CATCH_ALL, PythonDispatcherRefusal, YamlRefusal};
use super::resolve::{Precedence, Registered, Table, resolve};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys, NotRegistrable};
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest_few;

/// A registration to compute with.
#[derive(Clone, Copy, Eq, PartialEq, Debug)]
pub struct Wanted<'a> {
    /// A runtime or alias key, or [`CATCH_ALL`].
    pub key: &'a str,
    /// The kernel's name; by default `fn_` and the key, like in `PythonDispatcher`.
    pub kernel: Option<&'a str>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
}

impl<'a> Wanted<'a> {
    /// A registration of an unnamed ordinary kernel.
    #[must_use]
    pub fn at(key: &'a str) -> Self {
        Self {
            key,
            kernel: None,
            fallthrough: false,
        }
    }
}

/// An accepted registration.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Given {
    /// The key as given.
    pub written: Box<str>,
    /// The key.
    pub key: Key,
    /// The kernel's name.
    pub kernel: Box<str>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// Whether a later registration on the same key replaced it.
    pub overridden: bool,
}

/// A registration that the dispatcher rejects.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Refused {
    /// Its list.
    pub list: List,
    /// Its index in the list, from 0.
    pub index: usize,
    /// The key as given.
    pub written: Box<str>,
    /// The reason.
    pub fault: Fault,
    /// Similar keys that accept registrations, most similar first.
    pub suggestions: Vec<&'static str>,
}

/// The lists of a request.
#[derive(Clone, Copy, Eq, PartialEq, Hash, Debug)]
pub enum List {
    /// `registrations`.
    Registrations,
    /// `fallbacks`.
    Fallbacks,
    /// Registrations of a stored operator to remove.
    Removals,
}

/// Why the dispatcher rejects a registration.
#[derive(Clone, Copy, Eq, PartialEq, Hash, Debug)]
pub enum Fault {
    /// The name of its key.
    Name(NotRegistrable),
    /// A second fallback for one key.
    SecondFallback,
}

/// A note on an accepted list.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Note {
    /// A later registration replaces this one: the last one on a key wins.
    Overridden {
        /// The index of the replaced registration, from 0.
        index: usize,
        /// The index of the later one.
        by: usize,
    },
    /// A registration without a key counts as `CompositeImplicitAutograd`.
    CatchAll {
        /// Its index, from 0.
        index: usize,
    },
    /// `native_functions.yaml` cannot express the list.
    Yaml(YamlRefusal),
    /// `PythonDispatcher` would reject the list.
    PythonDispatcher(PythonDispatcherRefusal),
}

/// A computed table.
#[derive(Clone, Debug)]
pub struct Calculation {
    /// The keys of the release.
    pub keys: &'static Keys,
    /// The registrations, in the given order.
    pub registrations: Vec<Given>,
    /// The requested fallbacks; `None` for those of the release.
    pub fallbacks: Option<Vec<Given>>,
    /// The rule for every runtime key.
    pub table: Table,
    /// Notes on the registrations.
    pub notes: Vec<Note>,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The runtime key.
    pub slot: Slot,
    /// The rule that serves it.
    pub rule: Precedence,
    /// The registration that serves it, or the requested fallback.
    pub given: Option<&'a Given>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// The source file of the release's fallback, if that serves the key.
    pub file: Option<&'static str>,
}

/// Computes the table. By default, `fallbacks` are those of the release. A fallback on an alias applies to
/// all of its keys.
///
/// # Errors
/// All rejected registrations.
pub fn calculate(
    release: Release,
    registrations: &[Wanted<'_>],
    fallbacks: Option<&[Wanted<'_>]>,
) -> Result<Calculation, Vec<Refused>> {
    let keys = Keys::of(release);
    let (mut given, mut refused) = read(keys, List::Registrations, registrations);
    let fallbacks = fallbacks.map(|wanted| {
        let (given, more) = read(keys, List::Fallbacks, wanted);
        refused.extend(more);
        refused.extend(second_fallbacks(keys, &given));
        given
            .into_iter()
            .map(|(_, given)| given)
            .collect::<Vec<_>>()
    });
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut notes = overrides(&mut given);
    notes.extend(remarks(release, registrations, &given));
    let registrations: Vec<_> = given.into_iter().map(|(_, given)| given).collect();
    let registered: Registered = registrations.iter().map(|given| given.key).collect();
    let table = resolve(keys, &registered, fallback_keys(keys, fallbacks.as_deref()));
    Ok(Calculation {
        keys,
        registrations,
        fallbacks,
        table,
        notes,
    })
}

impl Calculation {
    /// The rows of the table in table order, including `Undefined` and missing kernels.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let effective = self.registrations.iter().filter(|given| !given.overridden);
        let by_key: FxHashMap<Key, &Given> = effective.map(|given| (given.key, given)).collect();
        let rules = self.table.cells(self.keys);
        self.keys
            .slots()
            .zip(rules)
            .map(move |(slot, rule)| match rule.source(slot) {
                Some(source) => cell(slot, rule, by_key.get(&source).copied()),
                None if rule == Precedence::Fallback => self.fallback(slot),
                None => cell(slot, rule, None),
            })
    }

    fn fallback(&self, slot: Slot) -> Cell<'_> {
        let Some(list) = &self.fallbacks else {
            let fallthrough = self.keys.fallthrough_fallbacks().contains(slot);
            let file = self.keys.fallback_file(slot);
            return Cell {
                fallthrough,
                file,
                ..cell(slot, Precedence::Fallback, None)
            };
        };
        let reaches = |given: &&Given| self.keys.reach_of(given.key).contains(slot);
        cell(slot, Precedence::Fallback, list.iter().find(reaches))
    }
}

fn cell(slot: Slot, rule: Precedence, given: Option<&Given>) -> Cell<'_> {
    let fallthrough = given.is_some_and(|given| given.fallthrough);
    Cell {
        slot,
        rule,
        given,
        fallthrough,
        file: None,
    }
}

/// The maximum number of rejected registrations with suggestions. Longer lists are not typos.
const MOST_SUGGESTIONS: usize = 50;

/// Registrations with their indices in the list.
pub(super) type Numbered = Vec<(usize, Given)>;

pub(super) fn read(
    keys: &'static Keys,
    list: List,
    wanted: &[Wanted<'_>],
) -> (Numbered, Vec<Refused>) {
    let mut given = Vec::with_capacity(wanted.len());
    let mut refused = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        match registrable(keys, list, wanted.key) {
            Ok(key) => given.push((index, take(wanted, key))),
            Err(fault) => refused.push(Refused {
                list,
                index,
                written: wanted.key.into(),
                fault: Fault::Name(fault),
                suggestions: if refused.len() < MOST_SUGGESTIONS {
                    suggestions(keys, wanted.key)
                } else {
                    Vec::new()
                },
            }),
        }
    }
    (given, refused)
}

fn registrable(keys: &Keys, list: List, name: &str) -> Result<Key, NotRegistrable> {
    match (list, name) {
        (List::Registrations | List::Removals, CATCH_ALL) => {
            Ok(Key::Alias(Alias::CompositeImplicitAutograd))
        }
        _ => keys.registrable(name),
    }
}

fn take(wanted: &Wanted<'_>, key: Key) -> Given {
    let kernel = match (wanted.kernel, wanted.key) {
        (Some(kernel), _) => kernel.into(),
        (None, CATCH_ALL) => "fn_catch_all".into(),
        (None, name) => format!("fn_{name}").into(),
    };
    let fallthrough = wanted.fallthrough;
    Given {
        written: wanted.key.into(),
        key,
        kernel,
        fallthrough,
        overridden: false,
    }
}

fn suggestions(keys: &'static Keys, written: &str) -> Vec<&'static str> {
    let known = keys.names().filter(|name| keys.registrable(name).is_ok());
    nearest_few(written, known, 3)
}

/// Marks overridden registrations.
pub(super) fn overrides(given: &mut Numbered) -> Vec<Note> {
    let last: FxHashMap<Key, usize> = given
        .iter()
        .map(|(index, given)| (given.key, *index))
        .collect();
    let mut notes = Vec::new();
    for (index, given) in given {
        if let Some(&by) = last.get(&given.key)
            && by != *index
        {
            given.overridden = true;
            notes.push(Note::Overridden { index: *index, by });
        }
    }
    notes
}

/// Fallbacks are never replaced, so a second one is an error.
fn second_fallbacks(keys: &Keys, given: &Numbered) -> Vec<Refused> {
    let mut taken = KeySet::EMPTY;
    let mut refused = Vec::new();
    for (index, fallback) in given {
        let reach = keys.reach_of(fallback.key);
        if reach.meets(&taken) {
            refused.push(Refused {
                list: List::Fallbacks,
                index: *index,
                written: fallback.written.clone(),
                fault: Fault::SecondFallback,
                suggestions: Vec::new(),
            });
        }
        taken = taken | reach;
    }
    refused
}

fn fallback_keys(keys: &Keys, fallbacks: Option<&[Given]>) -> KeySet {
    let Some(list) = fallbacks else {
        return keys.fallbacks();
    };
    let mut set = list
        .iter()
        .fold(KeySet::EMPTY, |set, given| set | keys.reach_of(given.key));
    set.remove(Slot::UNDEFINED);
    set
}

fn remarks(release: Release, wanted: &[Wanted<'_>], given: &Numbered) -> Vec<Note> {
    let mut notes = Vec::new();
    let catch_all = given
        .iter()
        .filter(|(_, given)| &*given.written == CATCH_ALL);
    notes.extend(catch_all.map(|&(index, _)| Note::CatchAll { index }));
    let lines: Vec<_> = given
        .iter()
        .map(|(_, given)| (&*given.written, &*given.kernel))
        .collect();
    notes.extend(refusals::yaml(release, &lines).err().map(Note::Yaml));
    let names: Vec<_> = wanted.iter().map(|wanted| wanted.key).collect();
    notes.extend(
        refusals::python_dispatcher(&names)
            .err()
            .map(Note::PythonDispatcher),
    );
    notes
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Name(fault) => write!(f, "`{}`: {fault}", self.written)?,
            Fault::SecondFallback => write!(f, "`{}`: a key has one fallback", self.written)?,
        }
        match self.suggestions.first() {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}
