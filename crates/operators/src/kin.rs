//! Which operators may have to do with one another by their names: the variants of one operator, a view and
//! its copies, an operator and the one that applies it to lists.

use std::borrow::Cow;

use opatlas_schema::name::OperatorName;

/// What the names of kindred operators have in common. Operators that are in one group or one view group, that
/// share formulas, or of which one was generated from the other, have the same; most that have the same are
/// strangers nonetheless.
///
/// Takes a base name, `add_` or `_foreach_add`. A group is known by its stem (torchgen
/// `FunctionSchema.signature`), a view group by what is left of the stem without `_copy`, or with `inverse`
/// for `scatter` (`FunctionSchema.view_signature`), and a `_foreach_` operator has the formulas of the stem
/// behind that (`gen_foreach_derivativeinfo`).
#[must_use]
pub fn kin(base: &str) -> Cow<'_, str> {
    let mut kin = Cow::Borrowed(OperatorName::stem_of(base));
    while let Some(shorter) = without_ending(&kin) {
        kin = Cow::Owned(shorter);
    }
    kin
}

/// The stem of the operator that one of this stem may go back to.
fn without_ending(stem: &str) -> Option<String> {
    if stem.ends_with("_copy") {
        Some(stem.replace("_copy", ""))
    } else if stem.ends_with("_scatter") {
        Some(stem.replace("scatter", "inverse"))
    } else {
        let (_, repeated) = stem.rsplit_once("_foreach_")?;
        Some(repeated.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::kin;

    #[test]
    fn kindred_names() {
        for (kindred, expected) in [
            (
                &[
                    "add",
                    "add_",
                    "__add__",
                    "__iadd__",
                    "_foreach_add",
                    "_foreach_add_",
                ][..],
                "add",
            ),
            (
                &["slice_scatter", "slice_inverse", "slice_inverse_copy"],
                "slice_inverse",
            ),
            (
                &["native_batch_norm", "native_batch_norm_functional"],
                "native_batch_norm",
            ),
            (&["view_copy", "view", "view_copy_"], "view"),
            (&["_copy_copy", "_copy_", "_copy"], ""),
            (&["copy", "copy_"], "copy"),
        ] {
            for base in kindred {
                assert_eq!(kin(base), expected, "{base}");
            }
        }
    }

    #[test]
    fn what_is_left_is_its_own_kin() {
        for base in [
            "x_copy_scatter",
            "_foreach__foreach_a_copy",
            "_foreach_",
            "a_copy_functional",
        ] {
            let once = kin(base).into_owned();
            assert!(super::without_ending(&once).is_none(), "{base}");
        }
    }
}
