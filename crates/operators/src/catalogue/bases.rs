//! Operators by base name.

use super::Catalogue;
use crate::operator::OperatorId;

impl Catalogue {
    /// All operators of a base name, by namespace, those of one in their order.
    #[must_use]
    pub fn overloads(&self, base_name: &str) -> &[OperatorId] {
        let base = |id: OperatorId| self.operator(id).name().base();
        let ids = self.by_base();
        let from = ids.partition_point(|&id| base(id) < base_name);
        let rest = &ids[from..];
        &rest[..rest.partition_point(|&id| base(id) == base_name)]
    }

    /// Whether an operator of native functions has this namespace and base name.
    #[must_use]
    pub fn has_overload(&self, namespace: &str, base_name: &str) -> bool {
        let wanted = (base_name, namespace);
        let found = self
            .by_base()
            .binary_search_by(|&id| self.base_key(id).cmp(&wanted));
        found.is_ok()
    }

    fn by_base(&self) -> &[OperatorId] {
        self.by_base.get_or_init(|| {
            let mut ids: Vec<OperatorId> = self.native().map(|(id, _)| id).collect();
            ids.sort_unstable_by(|&a, &b| {
                let by_name = self.base_key(a).cmp(&self.base_key(b));
                by_name.then(a.cmp(&b))
            });
            ids
        })
    }

    fn base_key(&self, id: OperatorId) -> (&str, &str) {
        let operator = self.operator(id);
        (operator.name().base(), operator.namespace())
    }
}
