//! Operators by base name.

use super::Catalogue;
use crate::operator::{OperatorId, hash};
use opatlas_schema::name::{NameForm, OperatorName};

impl Catalogue {
    /// All operators of a base name, by namespace, those of one in their order.
    #[must_use]
    pub fn overloads(&self, base_name: &str) -> &[OperatorId] {
        let (ids, wanted) = (self.by_base(), hash(base_name));
        let from = ids.partition_point(|&id| self.operator(id).base_hash() < wanted);
        let ids = &ids[from..];
        let ids = &ids[..ids.partition_point(|&id| self.operator(id).base_hash() == wanted)];
        // Other names with the same hash, which there are hardly ever.
        let base = |id: OperatorId| self.operator(id).base_name();
        let ids = &ids[ids.partition_point(|&id| base(id) < base_name)..];
        &ids[..ids.partition_point(|&id| base(id) == base_name)]
    }

    /// The operators of native functions whose name has this stem, in whatever form.
    pub fn of_stem(&self, stem: &str) -> impl Iterator<Item = OperatorId> {
        let name = |form| OperatorName::from_parts(stem, form, "");
        let found = NameForm::ALL.map(|form| self.overloads(name(form).base()));
        // `__iadd__` is `add` in place and would be `iadd` as it is.
        let is_of_stem = move |id: &OperatorId| self.operator(*id).name().stem() == stem;
        found.into_iter().flatten().copied().filter(is_of_stem)
    }

    /// Whether an operator of native functions has this namespace and base name.
    #[must_use]
    pub fn has_overload(&self, namespace: &str, base_name: &str) -> bool {
        let found = self
            .overloads(base_name)
            .binary_search_by(|&id| self.operator(id).namespace().cmp(namespace));
        found.is_ok()
    }

    /// All operators by the hash of their base name, those of one hash by name and namespace. To sort by
    /// the names themselves takes ten times as long.
    fn by_base(&self) -> &[OperatorId] {
        self.by_base.get_or_init(|| {
            let hashed = self.native().map(|(id, it)| (it.base_hash(), id));
            let mut hashed: Vec<(u64, OperatorId)> = hashed.collect();
            hashed.sort_unstable();
            let mut ids: Vec<OperatorId> = hashed.iter().map(|&(_, id)| id).collect();
            let key = |id: OperatorId| {
                let operator = self.operator(id);
                (operator.base_name(), operator.namespace())
            };
            let mut from = 0;
            for run in hashed.chunk_by(|(one, _), (other, _)| one == other) {
                let run = from..from + run.len();
                from = run.end;
                // Stable, so those of one name and namespace stay in their order.
                ids[run].sort_by(|&one, &other| key(one).cmp(&key(other)));
            }
            ids
        })
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

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
        for (namespace, base, is_there) in [
            ("aten", "add", true),
            ("x", "add", true),
            ("x", "mul", false),
            ("aten", "adde", false),
        ] {
            assert_eq!(catalogue.has_overload(namespace, base), is_there);
        }
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
