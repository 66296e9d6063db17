//! Examples of rules as bundles, with the operators that those of other files speak of.

use super::Example;
use opatlas_source::Bundle;

/// The `native_functions.yaml` beside examples of other files.
pub const OPERATORS: &str = "\
- func: scale(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU: scale_cpu
- func: scale_(Tensor(a!) self, Tensor other) -> Tensor(a!)
  variants: method
  dispatch:
    CPU: scale_cpu_
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: scale_out_cpu
- func: pair(Tensor self) -> (Tensor, Tensor)
  dispatch:
    CPU: pair_cpu
  autogen: pair.out
- func: best(Tensor self) -> (Tensor values, Tensor indices)
  dispatch:
    CPU: best_cpu
  autogen: best.out
# opatlas: allow(argument-naming-semantic) shows what formulas make of the name
- func: masked(Tensor self, bool[2] grad_input_mask) -> Tensor
  dispatch:
    CPU: masked_cpu
  autogen: masked.out
- func: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)
  dispatch:
    CPU: clash_cpu
  autogen: clash.out
# opatlas: allow(autogen-missing) its overload leaves no name for an out variant
- func: tidy.functional(Tensor self) -> Tensor
  dispatch:
    CPU: tidy_cpu
- func: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)
  variants: method
  dispatch:
    CPU: stamp_cpu_
  autogen: stamp, stamp.out
- func: decomposed(Tensor self) -> Tensor
- func: scaled(Tensor self, Tensor other, *, Scalar factor=1) -> Tensor
  dispatch:
    CPU: scaled_cpu
- func: scaled.out(Tensor self, Tensor other, *, Scalar factor=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: scaled_out_cpu
";

impl Example {
    /// A bundle with the example, and with its operators unless it is about operators itself.
    #[must_use]
    pub fn bundle(&self) -> Bundle {
        let mut bundle = Bundle::of_native_functions(self.operators.as_bytes());
        bundle.insert(self.file, self.text.as_bytes());
        bundle
    }
}
