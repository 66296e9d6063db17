//! Entries for tests: nearly as most are written, and nearly not.

use proptest::prelude::*;

const ENTRIES: [&str; 3] = [
    "- func: cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: cat_out  # both\n    MPS: at::native::cat_out_mps\n\n# next\n",
    "- func: relu_(Tensor(a!) self) -> Tensor(a!)\n  variants: function, method\n  autogen: relu_.out\n  tags: [core, pointwise]  # tags\n",
    "- func: f(str s=\"a b\", float x=1e-05) -> ()\n\n  manual_cpp_binding: True\n  device_guard: False\n  dispatch:\n    CompositeExplicitAutograd: f\n  python_module: nn\n",
];

/// Real entries in which a few characters are replaced.
pub(super) fn edited() -> impl Strategy<Value = String> {
    let odd = "[-a:# \n,'\"&*!|>%@`?\\[\\]{}\t\ré\u{85}\u{feff}~<=0-9.]{0,3}";
    let edit = (any::<prop::sample::Index>(), odd, 0..4_usize);
    let edits = prop::collection::vec(edit, 0..4);
    let entry = prop::sample::select(&ENTRIES[..]);
    (entry, edits).prop_map(|(entry, edits)| {
        let mut chars: Vec<char> = entry.chars().collect();
        for (at, new, gone) in edits {
            if chars.is_empty() {
                break;
            }
            let at = at.index(chars.len());
            let end = (at + gone).min(chars.len());
            chars.splice(at..end, new.chars());
        }
        chars.into_iter().collect()
    })
}

/// Entries of lines in any order, most of them keys with values.
pub(super) fn of_lines() -> impl Strategy<Value = String> {
    let line = "( {0,5}(a|b|c_d|CPU, CUDA|on|1):( {0,2}(x|y z|T\\[\\] a, b -> c|[-0-9:._a-f]{1,6}|\\[a, b\\]|\\[on ,1 \\] ?(#c)?|\\[a b,c?\\]|'q: #'( #c|#c|')?|\"q\\\\?\"( #c|: )?|-a|\\(a\\) -b|n::m|a#b|a #b|#c|- a|k: v)?)?| {0,4}(#.{0,3})?| {0,5}- a| {0,3}[-a-c:# ]{0,6})";
    let lines = prop::collection::vec(line, 0..7);
    (lines, any::<bool>()).prop_map(|(lines, is_indented)| {
        if is_indented {
            format!("- {}\n", lines.join("\n  "))
        } else {
            format!("- func: f\n{}", lines.join("\n"))
        }
    })
}
