//! Macros that register operators: built-in ones in `data/macros.toml`, and a project's own. Lists of
//! operators in PyTorch's headers differ between releases (`data/autocast_lists.json`).
//!
//! A macro is identified by its name and number of parameters. `{parameter}` in its texts stands
//! for an argument: an identifier or the contents of a string literal.

use std::sync::{Arc, OnceLock};

use opatlas_pytorch::Release;
use opatlas_pytorch::autocast_lists::autocast_lists;
use rustc_hash::{FxHashMap, FxHashSet};
use toml::{Table, Value};

use crate::cpp::preprocessor::definition::Definition;

/// A macro: `library` opens a block of registrations, `def` defines an operator, and `imp`
/// registers a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Macro {
    /// Its name.
    pub name: Box<str>,
    /// The names of its parameters.
    pub parameters: Vec<Box<str>>,
    /// The namespace of its block: `torch_ipex`.
    pub library: Option<Box<str>>,
    /// The library's name inside the block.
    pub variable: Option<Box<str>>,
    /// The schema or name of its operator.
    pub def: Option<Box<str>>,
    /// The operator of its kernel: `{op}.{overload}`.
    pub imp: Option<Box<str>>,
    /// The dispatch key; by default that of the block.
    pub key: Option<Box<str>>,
    /// The kernel.
    pub kernel: Option<Box<str>>,
}

const KNOWN: &str = include_str!("../../../data/macros.toml");

/// The macros that a scan recognizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macros {
    by_name: FxHashMap<Box<str>, Vec<Macro>>,
    nothing: FxHashSet<Box<str>>,
    /// Macros that are expanded.
    defines: FxHashMap<Box<str>, Arc<Definition>>,
    /// Lists of operators in PyTorch's headers.
    lists: FxHashMap<Box<str>, Arc<Definition>>,
    /// Python decorators, by name.
    decorators: FxHashMap<Box<str>, Macro>,
}

impl Default for Macros {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Macros {
    /// The built-in macros, with the lists of operators of a release of PyTorch.
    #[must_use]
    pub fn of_release(release: Release) -> Self {
        let mut macros = Self::built_in();
        macros.use_lists_of(release);
        macros
    }

    /// Takes PyTorch's lists of operators, such as `AT_FORALL_FP32`, from a release.
    pub fn use_lists_of(&mut self, release: Release) {
        let lists = autocast_lists(release).filter_map(|(name, operators)| {
            let definition = Definition::of_directive(&defined(name, operators))?;
            Some((name.into(), Arc::new(definition)))
        });
        self.lists = lists.collect();
    }

    /// The built-in macros, with the lists of operators of the newest release.
    #[must_use]
    pub fn built_in() -> Self {
        static KNOWN_MACROS: OnceLock<Macros> = OnceLock::new();
        let known = KNOWN_MACROS.get_or_init(|| {
            let mut macros = Self {
                by_name: FxHashMap::default(),
                nothing: FxHashSet::default(),
                defines: FxHashMap::default(),
                lists: FxHashMap::default(),
                decorators: FxHashMap::default(),
            };
            // A test reads the same text.
            let _ = macros.add_text(KNOWN);
            if let Some(newest) = Release::all().next_back() {
                macros.use_lists_of(newest);
            }
            macros
        });
        known.clone()
    }

    /// Adds macros described in TOML (`docs/spec/sources.md`, section 4). After an error, some of
    /// them may have been added.
    pub fn add_text(&mut self, text: &str) -> Result<(), String> {
        let table: Table = text.parse().map_err(|error| format!("{error}"))?;
        self.add_table(&table)
    }

    /// Adds macros from a TOML table; fails if it is invalid.
    pub fn add_table(&mut self, table: &Table) -> Result<(), String> {
        for (name, value) in table {
            let items = value.as_array();
            let items = items.ok_or_else(|| format!("`{name}` must be a list"))?;
            for item in items {
                match name.as_str() {
                    "nothing" => self.add_nothing(text_of(name, item)?),
                    "macro" => self.add(described(item)?),
                    "define" => self.add_define(text_of(name, item)?)?,
                    "decorator" => self.add_decorator(decorator(item)?),
                    _ => {
                        let known = "`macro`, `define`, `decorator` or `nothing`";
                        return Err(format!("unknown field `{name}`; use {known}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a macro, replacing one with the same name and number of parameters.
    pub fn add(&mut self, added: Macro) {
        let same_name = self.by_name.entry(added.name.clone()).or_default();
        same_name.retain(|known| known.parameters.len() != added.parameters.len());
        same_name.push(added);
    }

    /// Adds a macro that is expanded: `NAME value` or `NAME(a, b) value`.
    fn add_define(&mut self, text: &str) -> Result<(), String> {
        let definition = Definition::of_directive(&format!("#define {text}"));
        let definition = definition.ok_or_else(|| format!("`{text}` does not define a macro"))?;
        let name = definition.name().into();
        self.defines.insert(name, Arc::new(definition));
        Ok(())
    }

    /// Adds a macro that registers nothing.
    pub fn add_nothing(&mut self, name: &str) {
        self.nothing.insert(name.into());
    }

    /// Adds a decorator of Python functions, replacing one with the same name.
    pub fn add_decorator(&mut self, added: Macro) {
        self.decorators.insert(added.name.clone(), added);
    }

    pub(crate) fn find_decorator(&self, name: &str) -> Option<&Macro> {
        self.decorators.get(name)
    }

    /// Whether a function of this name may be a decorator: `kernel` for `ops.kernel`.
    pub(crate) fn may_decorate(&self, name: &str) -> bool {
        let mut names = self.decorators();
        names.any(|known| known.rsplit('.').next() == Some(name))
    }

    /// The names of decorators.
    pub(crate) fn decorators(&self) -> impl Iterator<Item = &str> {
        self.decorators.keys().map(|name| &**name)
    }

    pub(crate) fn find(&self, name: &str, arguments: usize) -> Option<&Macro> {
        let mut same_name = self.by_name.get(name)?.iter();
        same_name.find(|known| known.parameters.len() == arguments)
    }

    /// What a macro of PyTorch's headers stands for, if the scanned files do not define it.
    pub(crate) fn defined(&self, name: &str) -> Option<&Arc<Definition>> {
        self.lists.get(name).or_else(|| self.defines.get(name))
    }

    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(crate) fn is_nothing(&self, name: &str) -> bool {
        self.nothing.contains(name)
    }

    /// Macros that register outside blocks: they open one or name everything.
    pub(crate) fn at_file_scope(&self) -> impl Iterator<Item = &str> {
        let all = self.by_name.values().flatten();
        let outside = all.filter(|known| known.library.is_some() || known.is_complete());
        outside.map(|known| &*known.name)
    }
}

impl Macro {
    /// Why its description is invalid.
    fn fault(&self) -> Option<String> {
        let name = &self.name;
        if name.is_empty() {
            return Some("a macro has no name".to_owned());
        }
        if self.library.is_none() && self.def.is_none() && self.imp.is_none() {
            return Some(format!(
                "macro `{name}` has neither `library` nor `def` nor `impl`"
            ));
        }
        let texts = [&self.library, &self.def, &self.imp, &self.key, &self.kernel];
        let arguments = vec![Some("x".into()); self.parameters.len()];
        let mut texts = texts.into_iter().flatten();
        let wrong = texts.find(|text| self.fill(text, &arguments).is_none())?;
        Some(format!(
            "macro `{name}`: `{wrong}` names a parameter that it does not have"
        ))
    }

    /// Whether it names the namespace and the key, and so needs no block.
    pub(crate) fn is_complete(&self) -> bool {
        let is_qualified = |text: &Option<Box<str>>| text.as_deref().is_some_and(is_qualified);
        self.key.is_some() && (is_qualified(&self.imp) || is_qualified(&self.def))
    }

    /// Substitutes arguments; `None` stands for one that is not plain text.
    pub(crate) fn fill(&self, text: &str, arguments: &[Option<Box<str>>]) -> Option<Box<str>> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            let index = self.parameters.iter().position(|p| **p == *name)?;
            filled.push_str(arguments.get(index)?.as_deref()?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled.into())
    }
}

/// A list as PyTorch's header defines it. Where an item has types and a policy, placeholders stand for
/// the types.
fn defined(name: &str, operators: &[&str]) -> String {
    let mut line = format!("#define {name}(_)");
    for operator in operators {
        let (base, overload) = operator.split_once('.').unwrap_or((operator, ""));
        let item = match (name, overload) {
            ("AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE", _) => format!(
                " _(ADD_NS({base}), \"{operator}\", Registered, Redispatched, fp32_append_dtype)"
            ),
            (_, "") => format!(" _({base})"),
            _ => format!(" _({base}, {overload})"),
        };
        line.push_str(&item);
    }
    line
}

fn is_qualified(text: &str) -> bool {
    text.split('(').next().unwrap_or_default().contains("::")
}

fn text_of<'t>(name: &str, value: &'t Value) -> Result<&'t str, String> {
    value
        .as_str()
        .ok_or_else(|| format!("`{name}` must hold strings"))
}

fn described(item: &Value) -> Result<Macro, String> {
    let fields = item.as_table().ok_or("a macro must be a table")?;
    let mut made = Macro::default();
    for (name, value) in fields {
        if name == "parameters" {
            let list = value.as_array().ok_or("`parameters` must be a list")?;
            let list = list.iter().map(|name| text_of("parameters", name));
            let list: Result<Vec<_>, _> = list.collect();
            made.parameters = list?.into_iter().map(Into::into).collect();
            continue;
        }
        let text: Box<str> = text_of(name, value)?.into();
        match name.as_str() {
            "name" => made.name = text,
            "library" => made.library = Some(text),
            "variable" => made.variable = Some(text),
            "def" => made.def = Some(text),
            "impl" => made.imp = Some(text),
            "key" => made.key = Some(text),
            "kernel" => made.kernel = Some(text),
            _ => return Err(format!("unknown field `{name}` of macro `{}`", made.name)),
        }
    }
    match made.fault() {
        Some(fault) => Err(fault),
        None => Ok(made),
    }
}

/// A decorator. Without `parameters`, the placeholders of its texts are the parameters, in order.
fn decorator(item: &Value) -> Result<Macro, String> {
    let mut table = item
        .as_table()
        .ok_or("a decorator must be a table")?
        .clone();
    if !table.contains_key("parameters") {
        let texts = ["def", "impl", "key"].map(|field| table.get(field).and_then(Value::as_str));
        let names = texts.into_iter().flatten().flat_map(placeholders);
        let mut parameters: Vec<Value> = Vec::new();
        for name in names {
            let name = Value::from(name);
            if !parameters.contains(&name) {
                parameters.push(name);
            }
        }
        table.insert("parameters".to_owned(), Value::Array(parameters));
    }
    let made = described(&Value::Table(table))?;
    if made.library.is_some() || made.variable.is_some() {
        return Err(format!(
            "decorator `{}` must not have `library` or `variable`",
            made.name
        ));
    }
    Ok(made)
}

/// `op` and `overload` of `{op}.{overload}`.
fn placeholders(text: &str) -> Vec<&str> {
    let parts = text.split('{').skip(1);
    parts
        .filter_map(|part| part.split_once('}').map(|(name, _)| name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_macros_are_described_correctly() {
        let mut macros = Macros {
            by_name: FxHashMap::default(),
            nothing: FxHashSet::default(),
            defines: FxHashMap::default(),
            lists: FxHashMap::default(),
            decorators: FxHashMap::default(),
        };
        assert_eq!(macros.add_text(KNOWN), Ok(()));
        assert!(macros.find("KERNEL_PRIVATEUSEONE", 3).is_some());
        assert!(macros.is_nothing("TORCH_CHECK"));
    }

    #[test]
    fn a_wrong_description_is_refused() {
        let wrong = [
            (
                "[[macro]]\nname = \"A\"",
                "neither `library` nor `def` nor `impl`",
            ),
            (
                "[[macro]]\nname = \"A\"\nimpl = \"{op}\"",
                "a parameter that it does not have",
            ),
            ("[[macro]]\nname = \"A\"\nop = \"x\"", "unknown field `op`"),
            ("[[macros]]\nname = \"A\"", "unknown field `macros`"),
            ("define = [\"1\"]", "does not define a macro"),
            ("nothing = 1", "`nothing` must be a list"),
            ("macro = [1]", "a macro must be a table"),
            ("decorator = [1]", "a decorator must be a table"),
            (
                "[[decorator]]\nname = \"a\"\nlibrary = \"x\"",
                "must not have `library`",
            ),
            ("[[decorator]]\nname = \"a\"", "neither `library` nor"),
            ("x", "TOML"),
        ];
        for (text, why) in wrong {
            let fault = Macros::built_in().add_text(text).unwrap_err();
            assert!(fault.contains(why) || why == "TOML", "{text}: {fault}");
        }
    }
}
