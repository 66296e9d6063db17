//! The old schemas for which torch has an upgrader, which rewrites saved models at load time
//! (`torch/csrc/jit/operator_upgraders/version_map.cpp`, from torch 2.9.0).

/// Old schema, without namespace, and upgrader; sorted by schema.
const UPGRADERS: [(&str, &str); 19] = [
    (
        "div.Scalar(Tensor self, Scalar other) -> Tensor",
        "div_Scalar_0_3",
    ),
    (
        "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
        "div_Scalar_mode_0_3",
    ),
    (
        "div.Tensor(Tensor self, Tensor other) -> Tensor",
        "div_Tensor_0_3",
    ),
    (
        "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
        "div_Tensor_mode_0_3",
    ),
    (
        "div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
        "div_out_0_3",
    ),
    (
        "div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)",
        "div_out_mode_0_3",
    ),
    (
        "div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
        "div__Scalar_0_3",
    ),
    (
        "div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)",
        "div__Scalar_mode_0_3",
    ),
    (
        "div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
        "div__Tensor_0_3",
    ),
    (
        "div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)",
        "div__Tensor_mode_0_3",
    ),
    (
        "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        "full_0_4",
    ),
    (
        "full.names(int[] size, Scalar fill_value, *, Dimname[]? names, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        "full_names_0_4",
    ),
    (
        "full.out(int[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)",
        "full_out_0_4",
    ),
    ("gelu(Tensor self) -> Tensor", "gelu_0_9"),
    (
        "gelu.out(Tensor self, *, Tensor(a!) out) -> Tensor",
        "gelu_out_0_9",
    ),
    (
        "linspace(Scalar start, Scalar end, int? steps=None, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        "linspace_0_7",
    ),
    (
        "linspace.out(Scalar start, Scalar end, int? steps=None, *, Tensor(a!) out) -> Tensor(a!)",
        "linspace_out_0_7",
    ),
    (
        "logspace(Scalar start, Scalar end, int? steps=None, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        "logspace_0_8",
    ),
    (
        "logspace.out(Scalar start, Scalar end, int? steps=None, float base=10.0, *, Tensor(a!) out) -> Tensor(a!)",
        "logspace_out_0_8",
    ),
];

pub(super) fn find(schema: &str) -> Option<&'static str> {
    let at = UPGRADERS
        .binary_search_by(|(old, _)| (*old).cmp(schema))
        .ok()?;
    Some(UPGRADERS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_old_schema_is_found() {
        assert!(UPGRADERS.is_sorted_by(|a, b| a.0 < b.0));
        for (schema, upgrader) in UPGRADERS {
            assert_eq!(find(schema), Some(upgrader));
            assert!(crate::official::parse(schema).is_ok(), "{schema}");
        }
        assert_eq!(find("full.out(int size) -> Tensor"), None);
    }
}
