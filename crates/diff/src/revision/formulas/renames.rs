//! The arguments and results that were renamed.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::side::Side;
use opatlas_operators::derivatives::bindings::{Binding, arguments, results};
use opatlas_operators::derivatives::text::replace_word;
use opatlas_schema::function::FunctionSchema;

/// With more renamed arguments and results than this, formulas are compared as written.
const MOST_RENAMES: usize = 16;

/// The affixes of a name in formulas: the value, its tangent and primal, and an output's gradient.
const AFFIXES: [(&str, &str); 4] = [("", ""), ("", "_t"), ("", "_p"), ("grad_", "")];

type Bindings<'a> = Vec<Binding<'a>>;

/// Old and new names.
#[derive(Debug, Default)]
pub(super) struct Renames<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Renames<'a> {
    /// Pairs names at the same position that the other side lacks.
    pub fn between(old: &Side<'a>, new: &Side<'a>) -> Self {
        let mut renames = pairs(arguments(old.schema), arguments(new.schema));
        let (before, after) = (results(old.schema), results(new.schema));
        if before.len() == after.len() {
            renames.extend(pairs(before, after));
        }
        if renames.len() > MOST_RENAMES {
            renames.clear();
        }
        Self(renames)
    }

    /// The names of all arguments and results, as the other side has them.
    pub fn names(&self, schema: &'a FunctionSchema) -> FxHashSet<String> {
        let all = arguments(schema).into_iter().chain(results(schema));
        let renamed = |name: Cow<'a, str>| {
            let renamed = self.0.iter().find(|(old, _)| *old == name);
            renamed.map_or(name, |(_, new)| new.clone()).into_owned()
        };
        all.map(|one| renamed(one.name)).collect()
    }

    pub fn of(&self, name: &'a str) -> Cow<'a, str> {
        let renamed = self.0.iter().find(|(old, _)| old == name);
        renamed.map_or(Cow::Borrowed(name), |(_, new)| new.clone())
    }

    pub fn apply(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (old, new) in &self.0 {
            for (before, behind) in AFFIXES {
                let [old, new] = [old, new].map(|name| format!("{before}{name}{behind}"));
                text = Cow::Owned(replace_word(&text, &old, &new));
            }
        }
        text
    }
}

fn pairs<'a>(old: Bindings<'a>, new: Bindings<'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let names = |side: &Bindings<'a>| -> FxHashSet<Cow<'a, str>> {
        side.iter().map(|one| one.name.clone()).collect()
    };
    let (of_old, of_new) = (names(&old), names(&new));
    let pairs = old.into_iter().zip(new).map(|(a, b)| (a.name, b.name));
    pairs
        .filter(|(a, b)| !of_new.contains(a) && !of_old.contains(b))
        .collect()
}
