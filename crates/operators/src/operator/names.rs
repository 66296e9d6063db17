//! The names of an operator.

use std::sync::Arc;

use opatlas_schema::name::OperatorName;

use super::Operator;

impl Operator {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &OperatorName {
        &self.schema().name
    }

    /// The text of its name.
    #[must_use]
    pub fn name_text(&self) -> &str {
        self.name().as_str()
    }

    /// Its base name.
    #[must_use]
    pub fn base_name(&self) -> &str {
        self.name().base()
    }

    /// Its namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.declaration.namespace()
    }

    /// Its name, qualified unless the namespace is `aten`.
    #[must_use]
    pub fn qualified_name(&self) -> &str {
        &self.name
    }

    /// [`Self::qualified_name`], shared.
    #[must_use]
    pub fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use crate::catalogue::Catalogue;

    #[test]
    fn the_parts_of_a_name_are_those_of_its_schema() {
        let names = [
            "add",
            "add.Tensor",
            "x::__iadd__.a_b",
            "aten::mul.out",
            "y::mul",
        ];
        let entry =
            |name: &&str| format!("- func: {name}(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n");
        let text: String = names.iter().map(entry).collect();
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let parts: Vec<_> = catalogue
            .iter()
            .map(|(_, it)| {
                (
                    it.qualified_name(),
                    it.namespace(),
                    it.name_text(),
                    it.base_name(),
                )
            })
            .collect();
        let expected = [
            ("add", "aten", "add", "add"),
            ("add.Tensor", "aten", "add.Tensor", "add"),
            ("x::__iadd__.a_b", "x", "__iadd__.a_b", "__iadd__"),
            ("mul.out", "aten", "mul.out", "mul"),
            ("y::mul", "y", "mul", "mul"),
        ];
        assert_eq!(parts, expected);
        for (_, one) in catalogue.iter() {
            assert_eq!(one.name_text(), one.name().as_str());
            assert_eq!(one.base_name(), one.name().base());
        }
    }
}
