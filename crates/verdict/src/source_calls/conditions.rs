//! Conditions that a dense tensor on a device without kernels of its own decides, as calls are
//! recorded on such a device.

use opatlas_sources::body::Expression;

/// Methods that are false for such a tensor.
const FALSE: [&str; 24] = [
    "has_names",
    "is_cpu",
    "is_cuda",
    "is_hip",
    "is_hpu",
    "is_inference",
    "is_ipu",
    "is_lazy",
    "is_maia",
    "is_meta",
    "is_metal",
    "is_mkldnn",
    "is_mps",
    "is_mtia",
    "is_nested",
    "is_ort",
    "is_quantized",
    "is_sparse",
    "is_sparse_csr",
    "is_ve",
    "is_vulkan",
    "is_xla",
    "is_xpu",
    "_is_zerotensor",
];

/// Functions that are false for it.
const FALSE_FUNCTIONS: [&str; 8] = [
    "areAnyOptionalTensorSubclassLike",
    "areAnyTensorSubclassLike",
    "isTensorSubclassLike",
    "has_names",
    "is_sparse_compressed",
    "use_miopen",
    "use_cudnn",
    "use_mkldnn",
];

/// Constants that do not describe it, without `k`.
const OTHERS: [&str; 19] = [
    "CPU",
    "CUDA",
    "HIP",
    "HPU",
    "IPU",
    "MAIA",
    "MPS",
    "MTIA",
    "Meta",
    "Metal",
    "Vulkan",
    "XLA",
    "XPU",
    "Sparse",
    "SparseCsr",
    "SparseCsc",
    "SparseBsr",
    "SparseBsc",
    "Mkldnn",
];

/// Whether a condition holds; `None` if that is not known.
pub(super) fn truth(condition: &Expression) -> Option<bool> {
    match condition {
        Expression::Bool(value) => Some(*value),
        Expression::Unary(operator, inner) if &**operator == "!" => truth(inner).map(|is| !is),
        Expression::Binary(operator, sides) => {
            let [left, right] = &**sides;
            match (&**operator, truth(left), truth(right)) {
                ("&&", Some(false), _) | ("&&", _, Some(false)) => Some(false),
                ("||", Some(true), _) | ("||", _, Some(true)) => Some(true),
                ("&&" | "||", Some(left), Some(_)) => Some(left),
                ("==", ..) => describes(right).or_else(|| describes(left)),
                ("!=", ..) => describes(right).or_else(|| describes(left)).map(|is| !is),
                _ => None,
            }
        }
        Expression::Method { name, .. } => FALSE.contains(&&**name).then_some(false),
        Expression::Call { path, .. } => {
            let name = path.rsplit("::").next().unwrap_or(path);
            FALSE_FUNCTIONS.contains(&name).then_some(false)
        }
        _ => None,
    }
}

/// Whether a constant is the device or layout of such a tensor.
fn describes(side: &Expression) -> Option<bool> {
    let Expression::Name(path) = side else {
        return None;
    };
    let name = path.rsplit("::").next().unwrap_or(path);
    let is_enum = path.contains("DeviceType::") || path.contains("Layout::");
    let bare = name.strip_prefix('k').or(is_enum.then_some(name))?;
    match bare {
        "Strided" => Some(true),
        _ => OTHERS.contains(&bare).then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Expression {
        Expression::Name(text.into())
    }

    #[test]
    fn devices_and_layouts_decide() {
        let equal =
            |right| Expression::Binary("==".into(), Box::new([name("layout"), name(right)]));
        assert_eq!(truth(&equal("kStrided")), Some(true));
        assert_eq!(truth(&equal("at::kSparseCsr")), Some(false));
        assert_eq!(truth(&equal("c10::DeviceType::CUDA")), Some(false));
        assert_eq!(truth(&equal("kFloat")), None);
        let not = Expression::Unary("!".into(), Box::new(equal("kStrided")));
        assert_eq!(truth(&not), Some(false));
    }
}
