//! Shapes, values and gradients of a program, in which no operator is at fault.

use crate::kind::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "wrong-shapes",
        titles: &["The shapes of the tensors do not fit together"],
        patterns: &[
            "mat1 and mat2 shapes cannot be multiplied ({text})",
            "size mismatch, m1: {text}",
            "the size of tensor a ({number}) must match the size of tensor b",
            "sizes of tensors must match except in dimension",
            "is invalid for input of size",
            "the expanded size of the tensor ({number}) must match",
            "expected input[{text}] to have {number} channels",
            "given groups={number}, weight of size",
            "expected {text} to be a {number}d tensor",
            "expected {text} (unbatched) or {text2} (batched) input",
            "dimension out of range (expected to be in range of",
            "shape mismatch: {text}",
            "the shape of the mask {text} does not match",
            "inconsistent tensor size",
            "expected size for first two dimensions of batch2 tensor",
            "batch1 and batch2 must be",
            "view size is not compatible with input tensor's size and stride",
            "kernel size can't be greater than actual input size",
            "number of dimensions of tensors must match",
            "expected input batch_size ({number}) to match target batch_size",
            "using a target size ({text}) that is different to the input size",
            "trying to create tensor with negative dimension",
            "einsum(): {text}",
            "tensors must have same number of dimensions",
        ],
        causes: &["Sizes of the input differ from what the layer or the call expects."],
        advice: &[
            "Print the shapes before the call. Compare the `in_features` or channels of the layer with the \
             input.",
            "For `view size is not compatible`: use `.reshape(...)`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "wrong-shapes",
        titles: &["The tensors of a stack, or the samples of a batch, have different shapes"],
        patterns: &[
            "stack expects each tensor to be equal size, but got {text}",
            "stack expects each tensor to be equal size",
        ],
        causes: &[
            "They have {text}",
            "`torch.stack` makes one tensor, so all must have one shape.",
        ],
        advice: &[
            "In a data loader: bring the samples to one size (resize, crop, pad), or pass a `collate_fn` \
             that pads, such as with `torch.nn.utils.rnn.pad_sequence`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "linear-algebra",
        titles: &["A matrix has no such factorization, or the algorithm did not converge"],
        patterns: &[
            "the factorization could not be completed because the input is not positive-definite",
            "the algorithm failed to converge",
            "because the input is singular",
            "the diagonal element {text} is zero",
            "because the input matrix is ill-conditioned",
        ],
        causes: &["The matrix is singular, not positive-definite, or contains NaN."],
        advice: &[
            "Check the matrix for NaN; add a small multiple of the identity; compute in float64.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "index-range",
        titles: &["An index is out of range"],
        patterns: &[
            "index out of range in self",
            "index {text} is out of bounds for dimension",
            "target {number} is out of bounds",
            "index {text} is out of bounds: {text2}",
        ],
        causes: &["A token id, label or index is not below the size of the dimension."],
        advice: &[
            "Compare the largest index with the size of the vocabulary, of the classes or of the tensor.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "no-grad-path",
        titles: &["The loss does not depend on anything that requires a gradient"],
        patterns: &[
            "does not require grad and does not have a grad_fn",
            "one of the differentiated tensors does not require grad",
        ],
        causes: &[
            "The parameters are frozen, the value was detached, or it was computed under `torch.no_grad()`.",
        ],
        advice: &[
            "Check `requires_grad` of the parameters and of each step up to the loss.",
            "Do not set `loss.requires_grad`: that only hides it.",
        ],
        misleads: &[
            "It reads like a missing derivative. Such a message says `derivative for ... is not implemented`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "no-grad-path",
        titles: &["The output does not depend on one of the tensors that a gradient is asked for"],
        patterns: &["one of the differentiated tensors appears to not have been used in the graph"],
        causes: &[
            "A tensor of the `inputs` of `torch.autograd.grad` was not used to compute the outputs, or \
             only through a copy.",
        ],
        advice: &[
            "Pass `allow_unused=True`, which returns `None` for it, or `materialize_grads=True` for zeros.",
            "If it should be used: pass the tensor that the computation reads, not a later copy or view.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "backward-twice",
        titles: &["`backward()` runs twice through the same computation"],
        patterns: &["trying to backward through the graph a second time"],
        causes: &[
            "The first run frees what the second one needs. Often a state of an earlier step is reused.",
        ],
        advice: &[
            "Detach the state between steps (`h = h.detach()`), or pass `retain_graph=True`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "inference-tensor",
        titles: &[
            "A tensor made under `torch.inference_mode()` is used where gradients are recorded",
        ],
        patterns: &[
            "inplace update to inference tensor outside inferencemode",
            "inference tensors cannot be saved for backward",
            "inference tensors do not track version counter",
        ],
        way: crate::Way::Training,
        causes: &["Such tensors carry nothing that gradients need, so PyTorch refuses them there."],
        advice: &[
            "Use `torch.no_grad()` in place of `torch.inference_mode()`.",
            "Or clone the tensor outside inference mode before you use it.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "modified-inplace",
        titles: &["A tensor that the gradient needs was changed in place"],
        patterns: &[
            "one of the variables needed for gradient computation has been modified by an inplace operation",
        ],
        causes: &[
            "An in-place call (`x += 1`, `relu_`, `x[i] = ...`) overwrote a value that backward reads.",
        ],
        advice: &[
            "Use the form that is not in place. `torch.autograd.set_detect_anomaly(True)` shows the call \
             whose gradient needs the value.",
            "To change parameters: do it under `torch.no_grad()`, before the forward pass or after \
             `backward()`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "modified-inplace",
        titles: &["A parameter, or another leaf that requires a gradient, is changed in place"],
        patterns: &[
            "a leaf variable that requires grad is being used in an in-place operation",
            "a view of a leaf variable that requires grad is being used in an in-place operation",
        ],
        causes: &["Gradients end at a leaf, so PyTorch cannot record that it changes."],
        advice: &[
            "To set or initialize it: do it under `torch.no_grad()`.",
            "To compute with it: use the form that is not in place, or a `.clone()`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "modified-inplace",
        titles: &["A view is changed in place, and gradients do not allow that for this view"],
        patterns: &[
            "is a view and is being modified inplace",
            "cannot change requires_grad of views",
        ],
        causes: &[
            "The view comes from a function that returns several (`split`, `unbind`), or it was made under \
             `torch.no_grad()` or in a custom function.",
        ],
        advice: &["Use the form that is not in place, or change a `.clone()` of the view."],
        ..Kind::OTHER
    },
    Kind {
        id: "scalar-loss",
        titles: &["`backward()` was called on a tensor with more than one element"],
        patterns: &["grad can be implicitly created only for scalar outputs"],
        causes: &["A gradient needs one number to begin with."],
        advice: &["Call `loss.mean().backward()` or `loss.sum().backward()`, or pass `gradient=`."],
        ..Kind::OTHER
    },
    Kind {
        id: "nan-values",
        titles: &["NaN arose in the computation"],
        patterns: &[
            "function '{word}' returned nan values in its",
            "input contains nan",
            "probability tensor contains either 'inf', 'nan' or element < 0",
            "loss is nan",
        ],
        causes: &[
            "An overflow, a logarithm of zero, a division by zero or a too high learning rate. Anomaly mode names the step where backward met NaN first.",
        ],
        advice: &[
            "Look for the first NaN or infinity in the forward pass; lower the learning rate; clip gradients.",
            "With `GradScaler`, some steps with infinity are normal.",
        ],
        misleads: &["The name in the message is a node of the graph. Its formula works."],
        ..Kind::OTHER
    },
    Kind {
        id: "half-parameters",
        titles: &["`GradScaler` got gradients in half precision"],
        patterns: &["attempting to unscale fp16 gradients"],
        causes: &[
            "The model's parameters are float16. `GradScaler` expects float32 parameters and lets autocast \
             choose which operations run in half precision.",
        ],
        advice: &[
            "Keep the model in float32: without `.half()`, or loaded with `torch_dtype=torch.float32`. Run \
             the forward pass under `torch.autocast`.",
            "If only a part is trained (LoRA): convert the parameters that require a gradient to float32.",
            "With bfloat16, leave `GradScaler` out.",
        ],
        misleads: &["No value is infinite or NaN."],
        ..Kind::OTHER
    },
    Kind {
        id: "numpy-conversion",
        titles: &["The tensor cannot be converted to NumPy or to a number as it is"],
        patterns: &[
            "can't convert cuda:0 device type tensor to numpy",
            "can't convert {text} device type tensor to numpy",
            "can't call numpy() on tensor that requires grad",
            "only one element tensors can be converted to python scalars",
            "a tensor with {number} elements cannot be converted to scalar",
            "boolean value of tensor with more than one value is ambiguous",
        ],
        causes: &["It is on a GPU, requires a gradient, or has more than one element."],
        advice: &[
            "Write `x.detach().cpu().numpy()`; for one number `x.item()`; for a condition `.any()` or `.all()`.",
        ],
        ..Kind::OTHER
    },
];
