//! Operators with symbolic sizes for which PyTorch's own C++ registers a kernel with `int64_t`, such as
//! a batching rule (`data/int_kernels.json`; `docs/spec/sources.md`, section 8).
//!
//! The list omits structured operators, because their kernels always take `int64_t`.

use super::release::Release;

/// `true` if a release registers such a kernel for an operator of `aten`.
#[must_use]
pub fn has_int_kernel(operator: &str, release: Release) -> bool {
    let applies = |(minor, _): &&(u8, &[&str])| usize::from(*minor) <= release.index();
    let list = LISTS.iter().rev().find(applies);
    list.is_some_and(|(_, names)| names.binary_search(&operator).is_ok())
}

include!(concat!(env!("OUT_DIR"), "/int_kernels.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_differ() {
        assert!(has_int_kernel("expand", Release::V2_9));
        assert!(has_int_kernel("rand.names", Release::V2_9));
        assert!(!has_int_kernel("rand.names", Release::V2_15));
        assert!(!has_int_kernel("embedding", Release::V2_15));
    }
}
