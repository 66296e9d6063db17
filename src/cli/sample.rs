//! The sample: a few operators of our own that show every feature of the format.

use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

pub(super) const LABEL: &str = "sample";

pub(super) fn bundle() -> Bundle {
    let mut bundle = Bundle::default();
    let files: [(&str, &[u8]); 3] = [
        (
            NATIVE_FUNCTIONS,
            include_bytes!("../../sample/native_functions.yaml"),
        ),
        (TAGS, include_bytes!("../../sample/tags.yaml")),
        (DERIVATIVES, include_bytes!("../../sample/derivatives.yaml")),
    ];
    for (name, bytes) in files {
        bundle.insert(name, bytes);
    }
    bundle
}
