//! Python bindings of operators (`tools/autograd/gen_python_functions.py`).

use std::sync::OnceLock;

use opatlas_pytorch::release::PythonBindings;
use rustc_hash::FxHashMap;

use crate::operator::{Operator, OperatorId};
use crate::table::OperatorTable;

/// The Python modules that bindings are generated for; an operator of another module has none.
pub const PYTHON_MODULES: [&str; 6] = ["nn", "fft", "linalg", "sparse", "special", "nested"];

/// The Python bindings of an operator. Overloads share the first three fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bound {
    /// Whether `torch` has a function of this name.
    pub torch: bool,
    /// Whether `Tensor` has a method or attribute of this name.
    pub tensor: bool,
    /// The module with a function of this name, such as `_nn` or `_linalg` in `torch._C`.
    pub module: Option<String>,
    /// Whether a binding can call this overload.
    pub overload: bool,
}

impl Bound {
    /// Whether Python binds the name.
    #[must_use]
    pub fn anywhere(&self) -> bool {
        self.torch || self.tensor || self.module.is_some()
    }
}

#[derive(Debug, Default)]
struct Names {
    torch: bool,
    tensor: bool,
    module: bool,
}

impl Names {
    /// `reached`: whether a binding takes the overload.
    fn add(&mut self, operator: &Operator, reached: bool, lists: &PythonBindings) {
        let (name, variants) = (operator.base_name(), operator.variants());
        if operator.python_module().is_some() {
            self.module |= reached;
            return;
        }
        self.torch |= variants.function && (reached || lists.functions_by_hand.contains(name));
        self.tensor |= variants.method && (reached || lists.methods_by_hand.contains(name));
    }

    fn bound(&self, operator: &Operator, reached: bool, lists: &PythonBindings) -> Bound {
        let (module, variants) = (operator.python_module(), operator.variants());
        let module_name = module.filter(|_| self.module);
        Bound {
            torch: module.is_none() && variants.function && self.torch,
            tensor: module.is_none() && variants.method && self.tensor,
            module: module_name.map(|module| format!("_{module}")),
            overload: is_called(operator, reached, lists),
        }
    }
}

fn is_called(operator: &Operator, reached: bool, lists: &PythonBindings) -> bool {
    if operator.python_module().is_some() {
        return reached;
    }
    let (name, variants) = (operator.base_name(), operator.variants());
    (variants.function && (reached || lists.functions_by_hand.contains(name)))
        || (variants.method && (reached || lists.methods_by_hand.contains(name)))
}

#[derive(Debug)]
pub(crate) struct BoundNames {
    lists: &'static PythonBindings,
    /// By operator: whether a generated binding takes the overload.
    reached: Vec<bool>,
    /// By base name; lazy because rules do not need it.
    names: OnceLock<FxHashMap<Box<str>, Names>>,
}

impl BoundNames {
    pub(crate) fn new(table: &OperatorTable) -> Self {
        let generator = Generator::new(table);
        let operators = table.operators.iter();
        Self {
            lists: generator.lists,
            reached: operators.map(|it| generator.binds(it)).collect(),
            names: OnceLock::new(),
        }
    }

    pub(crate) fn is_reached(&self, id: OperatorId) -> bool {
        self.reached[id.index()]
    }

    pub(crate) fn bound(&self, table: &OperatorTable, id: OperatorId) -> Bound {
        let names = self.names.get_or_init(|| self.names(table));
        let operator = table.operator(id);
        match names.get(operator.base_name()) {
            Some(names) => names.bound(operator, self.reached[id.index()], self.lists),
            None => Bound::default(),
        }
    }

    fn names(&self, table: &OperatorTable) -> FxHashMap<Box<str>, Names> {
        let mut names: FxHashMap<Box<str>, Names> = FxHashMap::default();
        for (operator, &reached) in table.operators.iter().zip(&self.reached) {
            let name = operator.base_name();
            // Most operators share a name with an earlier one.
            if !names.contains_key(name) {
                names.insert(name.into(), Names::default());
            }
            if let Some(known) = names.get_mut(name) {
                known.add(operator, reached, self.lists);
            }
        }
        names
    }
}

/// The part of the generator that selects bindings.
#[derive(Debug)]
pub(crate) struct Generator {
    lists: &'static PythonBindings,
    patterns: Vec<Pattern<'static>>,
}

impl Generator {
    pub(crate) fn new(table: &OperatorTable) -> Self {
        let lists = &table.release.data().bindings;
        let is_pattern = |name: &&str| name.contains(['*', '?']);
        let patterns = lists.skipped.iter().filter(is_pattern).map(Pattern::of);
        Self {
            lists,
            patterns: patterns.collect(),
        }
    }

    /// torchgen `should_generate_py_binding`
    pub(crate) fn binds(&self, operator: &Operator) -> bool {
        let module = operator.python_module();
        if operator.namespace() != "aten"
            || module.is_some_and(|module| !PYTHON_MODULES.contains(&module))
            || (operator.has_tag("generated") && !operator.has_tag("view_copy"))
        {
            return false;
        }
        let schema = operator.schema();
        let name = schema.default_kernel();
        let is_skipped = self.lists.skipped.contains(&name)
            || self.patterns.iter().any(|pattern| pattern.fits(&name));
        !is_skipped && !self.lists.skipped_schemas.contains(operator.canonical())
    }
}

/// A pattern with wildcards `*` and `?`, and at most one `*`.
#[derive(Debug)]
struct Pattern<'p> {
    before: &'p [u8],
    /// The part after the `*`, if there is one.
    after: Option<&'p [u8]>,
}

impl<'p> Pattern<'p> {
    fn of(pattern: &'p str) -> Self {
        match pattern.split_once('*') {
            Some((before, after)) => Self {
                before: before.as_bytes(),
                after: Some(after.as_bytes()),
            },
            None => Self {
                before: pattern.as_bytes(),
                after: None,
            },
        }
    }

    fn fits(&self, name: &str) -> bool {
        let fits = |part: &[u8], text: &[u8]| {
            let same = |(p, t): (&u8, &u8)| *p == b'?' || p == t;
            part.len() == text.len() && part.iter().zip(text).all(same)
        };
        let Some(after) = self.after else {
            return fits(self.before, name.as_bytes());
        };
        let end = name.len().checked_sub(after.len());
        let Some(end) = end.filter(|&end| end >= self.before.len()) else {
            return false;
        };
        // `?` stands for a whole character.
        name.is_char_boundary(self.before.len())
            && name.is_char_boundary(end)
            && fits(after, &name.as_bytes()[end..])
            && fits(self.before, &name.as_bytes()[..self.before.len()])
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn alone_and_all_the_same_is_bound() {
        let entries = [
            (
                "add.Tensor(Tensor self, Tensor other) -> Tensor",
                "function, method",
            ),
            (
                "add.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
                "function",
            ),
            ("add(Tensor self, Tensor other) -> Tensor", "method"),
            (
                "tanh_backward(Tensor grad, Tensor self) -> Tensor",
                "function",
            ),
            (
                "stride.int(Tensor self, int dim) -> int",
                "function, method",
            ),
            ("mine::add.Scalar(Tensor self) -> Tensor", "function"),
        ];
        let entry =
            |(func, variants): &(&str, &str)| format!("- func: {func}\n  variants: {variants}\n");
        let mut text: String = entries.iter().map(entry).collect();
        text.push_str("- func: linalg_x(Tensor self) -> Tensor\n  python_module: linalg\n");
        text.push_str("- func: audio_x(Tensor self) -> Tensor\n  python_module: audio\n");
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let ids: Vec<OperatorId> = catalogue.iter().map(|(id, _)| id).collect();
        let names = BoundNames::new(&catalogue);
        let all: Vec<Bound> = ids.iter().map(|&id| names.bound(&catalogue, id)).collect();
        let bound = |name: &str| {
            let known = |id: &&OperatorId| catalogue.operator(**id).qualified_name() == name;
            ids.iter()
                .zip(&all)
                .find(|(id, _)| known(id))
                .map(|it| it.1)
        };
        // This overload is a method only; others of its name are functions.
        assert!(bound("add").is_some_and(|it| it.tensor && !it.torch && it.overload));
        assert!(bound("mine::add.Scalar").is_some_and(|it| it.torch && !it.overload));
        assert!(bound("tanh_backward").is_some_and(|it| !it.anywhere()));
        let module = bound("linalg_x").and_then(|it| it.module.as_deref());
        assert_eq!(module, Some("_linalg"));
        assert!(bound("audio_x").is_some_and(|it| !it.anywhere() && !it.overload));
    }

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("*_backward", "tanh_backward", true),
            ("*_backward", "_backward", true),
            ("*_backward", "tanh_backward_", false),
            ("range*", "range", true),
            ("range*", "range_out", true),
            ("range*", "arange", false),
            ("fill?Tensor", "fill_Tensor", true),
            ("fill?Tensor", "fill", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
        ] {
            assert_eq!(Pattern::of(pattern).fits(name), fits, "{pattern} {name}");
        }
    }
}
