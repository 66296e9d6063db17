//! Names of operators as messages write them, made into the names of `native_functions.yaml`.

use std::sync::OnceLock;

use opatlas_pytorch::ways::{Registry, all};
use rustc_hash::FxHashSet;

/// The name of an operator: `add.out` in namespace `aten`, `torchvision::nms` in another one; `None` if
/// the text cannot be one. Reads `aten::add.out`, `aten.add.default`, `torch.ops.aten.add.out`,
/// `torch._ops.aten.add.out`, `at::_ops::add_out` and mangled symbols.
pub(crate) fn operator(text: &str) -> Option<String> {
    let text = text.trim_matches(|char: char| "'\"`<>(),; ".contains(char));
    let text = text.trim_end_matches('.');
    let text = text.strip_suffix(':').unwrap_or(text);
    if let Some(found) = mangled(text) {
        return Some(found);
    }
    if let Some(found) = cpp(text) {
        return Some(found);
    }
    let dotted = ["torch._ops.", "torch.ops.", "_ops.", "ops."];
    let prefixed = dotted.iter().find_map(|prefix| text.strip_prefix(prefix));
    let (namespace, name) = match (prefixed, text.split_once("::")) {
        (None, Some((namespace, name))) => (namespace, name),
        _ => dotted_name(prefixed.unwrap_or(text), prefixed.is_some()),
    };
    let name = name.strip_suffix(".default").unwrap_or(name);
    let name = name.strip_suffix(" (packet)").unwrap_or(name);
    (is_name(name) && is_name(namespace)).then(|| match namespace {
        "aten" => name.to_owned(),
        _ => format!("{namespace}::{name}"),
    })
}

/// The namespace and the name of `aten.add.out`; a name without a known namespace is in `aten`.
fn dotted_name(text: &str, has_namespace: bool) -> (&str, &str) {
    match text.split_once('.') {
        Some((namespace, name))
            if has_namespace || is_namespace(namespace) || name.matches('.').count() == 1 =>
        {
            (namespace, name)
        }
        _ => ("aten", text),
    }
}

fn is_namespace(text: &str) -> bool {
    const NAMESPACES: [&str; 12] = [
        "aten",
        "prims",
        "prim",
        "c10d",
        "_c10d_functional",
        "c10d_functional",
        "quantized",
        "quantized_decomposed",
        "torchvision",
        "inductor",
        "torchao",
        "mkldnn",
    ];
    NAMESPACES.contains(&text)
}

fn is_name(text: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    let starts = |char: char| char.is_alphabetic() || char == '_';
    text.starts_with(starts) && text.chars().all(is_part)
}

/// The operator of `at::_ops::add_out::call` or `at::add`.
fn cpp(text: &str) -> Option<String> {
    let rest = text.strip_prefix("at::")?;
    let rest = rest.strip_prefix("_ops::").unwrap_or(rest);
    let name = rest.split("::").next()?.split('(').next()?;
    declared(name)
}

/// The operator of a function of C++: of `at::_ops`, or a function `at::add` of all overloads.
fn declared(name: &str) -> Option<String> {
    written(name).or_else(|| is_base(name).then(|| name.to_owned()))
}

/// The operator of `_ZN2at4_ops10select_int4callERKNS_6TensorEll`; `None` if it is another symbol.
pub(crate) fn mangled(symbol: &str) -> Option<String> {
    let rest = symbol.trim_start_matches('_').strip_prefix("ZN2at")?;
    let rest = rest.strip_prefix("4_ops").unwrap_or(rest);
    let digits = rest.find(|char: char| !char.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    declared(rest.get(digits..digits.checked_add(length)?)?)
}

/// The operator of a name in which `_` is written for `.`, if a release has it: `select.int` of
/// `select_int`.
pub(crate) fn written(name: &str) -> Option<String> {
    if is_operator(name) {
        return Some(name.to_owned());
    }
    let mut places = name.match_indices('_').map(|(at, _)| at);
    let dotted = |at: usize| format!("{}.{}", &name[..at], &name[at + 1..]);
    places.find_map(|at| Some(dotted(at)).filter(|operator| is_operator(operator)))
}

/// The operator of the name behind `wrapper_KEY_`, in which the overload comes first: `addmm.out` of
/// `out_addmm_out`, `index_select` of `_index_select`.
pub(crate) fn wrapped(name: &str) -> Option<String> {
    let swapped = |(overload, base): (&str, &str)| {
        let bases = [base, base.strip_suffix("_out").unwrap_or(base)];
        let named = bases.map(|base| format!("{base}.{overload}"));
        named.into_iter().find(|operator| is_operator(operator))
    };
    let bare = name.strip_prefix('_').filter(|bare| is_operator(bare));
    let bare = bare.or_else(|| Some(name).filter(|name| is_operator(name)));
    bare.map(str::to_owned)
        .or_else(|| name.split_once('_').and_then(swapped))
}

/// The operator of a label in a kernel: `addmm` of `addmm_impl_cpu_`, `gelu` of `GeluKernelImpl`.
pub(crate) fn labelled(label: &str) -> Option<String> {
    const ADDED: [&str; 25] = [
        "",
        "cpu",
        "cuda",
        "gpu",
        "mps",
        "xpu",
        "impl",
        "kernel",
        "out",
        "frame",
        "template",
        "vml",
        "stub",
        "with",
        "gemm",
        "lastdim",
        "cub",
        "thrust",
        "last",
        "channels",
        "batch",
        "symeig",
        "scalar",
        "tensor",
        "contiguous",
    ];
    const SPECIAL: [(&str, &str); 19] = [
        ("max_unpooling2d_forward", "max_unpool2d"),
        ("max_unpooling3d_forward", "max_unpool3d"),
        ("conv_depthwise2d_forward", "_conv_depthwise2d"),
        ("slow_conv2d", "_slow_conv2d_forward"),
        ("unfolded2d_copy", "_slow_conv2d_forward"),
        ("layer_norm", "native_layer_norm"),
        ("batch_norm", "native_batch_norm"),
        ("group_norm", "native_group_norm"),
        ("softmax", "_softmax"),
        ("host_softmax", "_softmax"),
        ("log_softmax", "_log_softmax"),
        ("nll_loss", "nll_loss_forward"),
        ("nll_loss2d", "nll_loss2d_forward"),
        ("svd", "_linalg_svd"),
        ("linalg_eigh", "_linalg_eigh"),
        ("norm", "linalg_vector_norm"),
        ("cdist", "_cdist_forward"),
        ("embedding_bag", "_embedding_bag"),
        ("fft_c2c", "_fft_c2c"),
    ];
    let label = label.split([' ', '<']).next()?;
    let name = snake(label).to_ascii_lowercase();
    let mut name = name.strip_prefix("ufunc_").unwrap_or(&name);
    loop {
        if let Some((_, operator)) = SPECIAL.iter().find(|(label, _)| *label == name) {
            return Some((*operator).to_owned());
        }
        let bare = name.trim_start_matches('_');
        let spellings = [name.to_owned(), format!("_{name}"), bare.to_owned()];
        if let Some(found) = spellings.into_iter().find(|name| is_base(name)) {
            return Some(found);
        }
        let (before, last) = name.rsplit_once('_')?;
        if !ADDED.contains(&last) {
            return None;
        }
        name = before;
    }
}

/// `gelu_cuda_kernel_impl` of `GeluCUDAKernelImpl`.
fn snake(label: &str) -> String {
    if !label.starts_with(|char: char| char.is_ascii_uppercase()) {
        return label.to_owned();
    }
    let mut name = String::new();
    let mut chars = label.chars().peekable();
    let mut before = None;
    while let Some(char) = chars.next() {
        let is_upper = |char: Option<char>| char.is_some_and(|char| char.is_ascii_uppercase());
        let begins = !is_upper(before) || chars.peek().is_some_and(char::is_ascii_lowercase);
        if is_upper(Some(char)) && begins && before.is_some() {
            name.push('_');
        }
        name.push(char.to_ascii_lowercase());
        before = Some(char);
    }
    name
}

/// Whether a known release has an operator with this full name.
pub(crate) fn is_operator(name: &str) -> bool {
    all().any(|facts| facts.operator(name).is_in(Registry::Operators))
}

/// Whether a known release has an operator with this base name.
pub(crate) fn is_base(name: &str) -> bool {
    static BASES: OnceLock<FxHashSet<&str>> = OnceLock::new();
    let bases = BASES.get_or_init(|| {
        let names = all().flat_map(|facts| facts.members(Registry::Operators));
        names
            .map(|(name, _)| name.split_once('.').map_or(name, |(base, _)| base))
            .collect()
    });
    bases.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_spelling() {
        for (text, expected) in [
            ("aten::add.out", "add.out"),
            ("aten.detach_.default", "detach_"),
            ("torch._ops.aten.mm.out", "mm.out"),
            ("torch.ops.aten.addmm.default", "addmm"),
            ("<torch.ops.mylib.foo.default>", "mylib::foo"),
            ("torchvision::nms", "torchvision::nms"),
            ("mylib.foo.default", "mylib::foo"),
            ("aten::__rshift__.Tensor", "__rshift__.Tensor"),
            ("linear", "linear"),
            ("_linalg_eigh.eigenvalues", "_linalg_eigh.eigenvalues"),
            ("at::_ops::select_int::call", "select.int"),
            ("_ZN2at4_ops10select_int4callERKNS_6TensorEll", "select.int"),
            ("_ZN2at5emptyEN3c108ArrayRefIlEE", "empty"),
            ("_ZN2at4_ops10zeros_like4callERKNS_6TensorE", "zeros_like"),
            ("aten::x.", "x"),
        ] {
            assert_eq!(operator(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "1", "(3, 4)", "a b", "::", "aten::"] {
            assert_eq!(operator(text), None, "{text}");
        }
    }

    #[test]
    fn labels_name_operators_only_if_a_release_has_them() {
        for (label, expected) in [
            ("addmm_impl_cpu_", Some("addmm")),
            ("cumsum_cuda_kernel", Some("cumsum")),
            (
                "upsample_bilinear2d_backward_out_cuda",
                Some("upsample_bilinear2d_backward"),
            ),
            ("index_put_ with accumulate", Some("index_put_")),
            ("GeluKernelImpl", Some("gelu")),
            ("GeluCUDAKernelImpl", Some("gelu")),
            ("LayerNormKernelImpl", Some("native_layer_norm")),
            ("softmax_lastdim_kernel_impl", Some("_softmax")),
            ("erfinv_vml_cpu", Some("erfinv")),
            ("ufunc_add_CPU", Some("add")),
            ("_histc_cuda with floating point input", Some("histc")),
            (
                "adaptive_avg_pool2d_backward_cuda",
                Some("_adaptive_avg_pool2d_backward"),
            ),
            ("quux_cpu", None),
            ("", None),
        ] {
            assert_eq!(labelled(label).as_deref(), expected, "{label}");
        }
    }
}
