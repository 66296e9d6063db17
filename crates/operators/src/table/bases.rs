//! Operators by base name.

use opatlas_schema::name::{NameForm, OperatorName};
use rustc_hash::FxHashMap;

use super::OperatorTable;
use crate::operator::OperatorId;

impl OperatorTable {
    /// All operators of a base name, sorted by namespace.
    #[must_use]
    pub fn overloads(&self, base_name: &str) -> &[OperatorId] {
        self.by_base().get(base_name).map_or(&[], Vec::as_slice)
    }

    /// Operators with this stem, in any form.
    pub fn of_stem(&self, stem: &str) -> impl Iterator<Item = OperatorId> {
        let name = |form| OperatorName::from_parts(stem, form, "");
        let found = NameForm::ALL.map(|form| self.overloads(name(form).base()));
        // `__iadd__` is `add` in place, not `iadd`.
        let is_of_stem = move |id: &OperatorId| self.operator(*id).name().stem() == stem;
        found.into_iter().flatten().copied().filter(is_of_stem)
    }

    fn by_base(&self) -> &FxHashMap<Box<str>, Vec<OperatorId>> {
        self.by_base.get_or_init(|| {
            let mut by_base: FxHashMap<Box<str>, Vec<OperatorId>> = FxHashMap::default();
            for (id, operator) in self.native() {
                by_base
                    .entry(operator.base_name().into())
                    .or_default()
                    .push(id);
            }
            for ids in by_base.values_mut() {
                ids.sort_by_key(|&id| self.operator(id).namespace());
            }
            by_base
        })
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn overloads_are_all_operators_of_a_base_name_by_namespace() {
        let names = [
            "mul.out", "x::add.B", "add.A", "a::add", "add", "added", "x::add.A", "mul",
        ];
        let entry = |name: &&str| format!("- func: {name}(Tensor self) -> Tensor\n");
        let text: String = names.iter().map(entry).collect();
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let overloads = |base: &str| -> Vec<String> {
            let ids = catalogue.overloads(base).iter();
            ids.map(|&id| catalogue.operator(id).qualified_name().to_owned())
                .collect()
        };
        assert_eq!(
            overloads("add"),
            ["a::add", "add.A", "add", "x::add.B", "x::add.A"]
        );
        assert_eq!(overloads("mul"), ["mul.out", "mul"]);
        assert_eq!(overloads("ad"), [""; 0]);
    }

    #[test]
    fn of_a_stem_are_the_forms_of_its_name() {
        let names = [
            "add.A",
            "add_",
            "__add__",
            "__iadd__",
            "iadd",
            "__iadd_",
            "add_functional",
            "add_copy",
            "x::add",
        ];
        let entry = |name: &&str| format!("- func: {name}(Tensor self) -> Tensor\n");
        let text: String = names.iter().map(entry).collect();
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        for stem in ["add", "iadd", "add_copy", "sub", ""] {
            let all = catalogue.native().map(|(id, _)| id);
            let is_of_stem = |id: &OperatorId| catalogue.operator(*id).name().stem() == stem;
            let expected: Vec<OperatorId> = all.filter(is_of_stem).collect();
            let mut found: Vec<OperatorId> = catalogue.of_stem(stem).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{stem}");
        }
        assert_eq!(catalogue.of_stem("add").count(), 6);
    }
}
