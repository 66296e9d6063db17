//! Calls of torch 2.9.0 on CPU and on Meta, made one by one: whether they return, and whether their backward does.

use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_verdict::{View, Works};

use super::release_view::with_view;

/// Their backward returns on CPU.
const TRAIN: &str = "\
    _pad_packed_sequence _sparse_mm _weight_norm batch_norm cartesian_prod combinations contiguous corrcoef \
    cosine_embedding_loss cosine_similarity cov ctc_loss.IntList ctc_loss.Tensor diag diagflat dropout embedding_bag \
    hinge_embedding_loss instance_norm istft linalg_eigvals linalg_pinv linalg_pinv.atol_rtol_float \
    linalg_pinv.rcond_tensor linalg_tensorsolve logdet matrix_power nanquantile.scalar pad_sequence pinverse \
    poisson_nll_loss quantile.scalar repeat_interleave.self_Tensor repeat_interleave.self_int \
    scaled_dot_product_attention where.ScalarOther where.ScalarSelf";
/// Their backward raises on CPU, because the derivative is not implemented.
const RAISE: &str =
    "dequantize.self set_ set_.source_Tensor _embedding_bag_forward_only nonzero_static";
/// No result requires a gradient on CPU.
const NO_GRADIENT: &str = "\
    argwhere greater.Tensor is_complex is_floating_point item not_equal.Scalar output_nr size.int stride.int";
/// Their backward returns on Meta.
const TRAIN_ON_META: &str = "masked_fill.Tensor max median min nanmedian";

/// Keys, with operators whose calls return there.
const RETURN: [(&str, &str); 3] = [
    ("Meta", "ctc_loss.IntList linear max"),
    ("QuantizedCPU", "max_pool1d max_pool2d max_pool3d"),
    ("SparseCPU", "select.int"),
];
/// Every call raises on Meta.
const RAISE_ON_META: &str = "_to_cpu ctc_loss.Tensor nonzero nonzero.out sparse_coo_tensor.indices";

#[test]
fn calls_and_gradients() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_view(&bundle, Release::V2_9, &Observed::default(), |view| {
        for (names, key, expected) in [
            (TRAIN, "CPU", Works::Yes),
            (RAISE, "CPU", Works::No),
            (NO_GRADIENT, "CPU", Works::NotDifferentiable),
            (TRAIN_ON_META, "Meta", Works::Yes),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(trains(view, name, key), expected, "{name} on {key}");
            }
        }
        for (key, names) in RETURN {
            for name in names.split_whitespace() {
                assert!(works(view, name, key), "{name} on {key}");
            }
        }
        for name in RAISE_ON_META.split_whitespace() {
            assert!(!works(view, name, "Meta"), "{name} on Meta");
        }
    });
}

fn trains(view: View<'_>, name: &str, key: &str) -> Works {
    let id = view.inputs.catalogue.find(name).unwrap();
    let slot = view.keys().slot(key).unwrap();
    view.trains(id, slot).unwrap().works
}

fn works(view: View<'_>, name: &str, key: &str) -> bool {
    let id = view.inputs.catalogue.find(name).unwrap();
    let verdict = view.verdict(id, view.keys().slot(key).unwrap());
    assert!(
        verdict.works() || verdict.fails(),
        "{name} on {key}: {verdict:?}"
    );
    verdict.works()
}
