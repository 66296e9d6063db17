//! The kernels that make a model run.

use rustc_hash::FxHashMap;

use super::Judged;

/// A kernel to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The operator that lacks it.
    pub operator: String,
    /// The operators of the model that need it, in their order.
    pub needed_by: Vec<String>,
    /// Their calls.
    pub calls: u64,
}

/// All kernels that operators of a model need on a backend: those that most calls need first, and of
/// equals the one that the model needs first.
pub(super) fn of(operators: &[Judged], at: usize) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    for operator in operators {
        let Some(cell) = operator.cells.get(at).filter(|cell| cell.lacks()) else {
            continue;
        };
        for need in &cell.needs {
            let place = *known.entry(need).or_insert_with(|| {
                kernels.push(Kernel {
                    operator: need.clone(),
                    needed_by: Vec::new(),
                    calls: 0,
                });
                kernels.len() - 1
            });
            if let Some(kernel) = kernels.get_mut(place) {
                kernel.needed_by.push(operator.operator.clone());
                kernel.calls = kernel.calls.saturating_add(operator.count);
            }
        }
    }
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.calls));
    kernels
}
