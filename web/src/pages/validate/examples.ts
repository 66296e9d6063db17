/** A text to begin with. */
export interface Sample {
	id: string;
	title: string;
	text: string;
}

/** Operators of our own: some in order, some with the faults that are made most often. */
export const SAMPLES: readonly Sample[] = [
	{
		id: "structured",
		title: "A structured operator, in order",
		text: `# One kernel, written for the out variant, serves all three.
- func: blend.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: blend.Tensor_out
  variants: function, method
  tags: [core, pointwise]

- func: blend_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  structured_delegate: blend.Tensor_out
  variants: method
  tags: pointwise

- func: blend.Tensor_out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  structured: True
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU, CUDA: blend_out
    MPS: blend_out_mps
  tags: pointwise
`,
	},
	{
		id: "composite",
		title: "A composite and a view, in order",
		text: `# No dispatch section: an implicit composite, differentiable through what it calls.
- func: center(Tensor self, int dim=-1) -> Tensor
  variants: function, method

# A view: the result aliases the argument.
- func: window(Tensor(a) self, SymInt start, SymInt length) -> Tensor(a)
  variants: function, method
  dispatch:
    CompositeExplicitAutograd: window
  device_check: NoCheck
  device_guard: False

# Backends without aliasing run the copy in its place.
- func: window_copy(Tensor self, SymInt start, SymInt length) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutogradNonFunctional: window_copy
  tags: view_copy
  autogen: window_copy.out

# A factory that only some backends have.
- func: checker(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CPU: checker_cpu
    CUDA: checker_cuda
  autogen: checker.out
`,
	},
	{
		id: "faults",
		title: "Typical faults",
		text: `# The return does not say that it is the out argument.
- func: shade.out(Tensor self, *, Tensor(a!) out) -> Tensor
  dispatch:
    CPU: shade_out

# \`true\` is not a default of the schema language, and \`Double\` is not a type.
- func: tint(Tensor self, Double strength=0.5, bool exact=true) -> Tensor
  variants: function, method

# A key that does not exist, and a field that nobody reads.
- func: gloss(Tensor self) -> Tensor
  dispatch:
    CPU, CUDAA: gloss
  variant: function

# In place, but nothing says that \`self\` is written.
- func: fade_(Tensor self, float by) -> Tensor
  variants: method

# Declared twice.
- func: buff(Tensor self) -> Tensor

- func: buff(Tensor self) -> Tensor
`,
	},
	{
		id: "groups",
		title: "Variants that do not fit together",
		text: `# The in-place variant has another signature than its functional one.
- func: sway(Tensor self, Tensor weight, *, float by=1.0) -> Tensor
  variants: function, method
  dispatch:
    CompositeExplicitAutograd: sway

- func: sway_(Tensor(a!) self, Tensor weight, float by=1.0) -> Tensor(a!)
  variants: method
  dispatch:
    CompositeExplicitAutograd: sway_

# It delegates to an operator that is not there.
- func: drift(Tensor self) -> Tensor
  structured_delegate: drift.out
  variants: function, method
`,
	},
	{
		id: "broken",
		title: "Not quite YAML",
		text: `- func: murmur(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CPU: murmur_cpu
   CUDA: murmur_cuda

- func: hush(Tensor self, int[2 kernel) -> Tensor
`,
	},
];
