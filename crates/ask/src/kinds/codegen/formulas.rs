//! Messages about `derivatives.yaml`, `deprecated.yaml` and files of backends.

use opatlas_source::diagnostic::RuleId::*;

use super::Table;

pub(super) const BACKENDS: Table = &[
    (
        "expected \"supported\" to be a list, but got",
        BackendSupportedList,
    ),
    (
        "expected \"symint\" to be a list, but got",
        BackendSupportedList,
    ),
    (
        "expected \"autograd\" to be a list, but got",
        BackendSupportedList,
    ),
    ("you must provide a value for \"backend\"", BackendRequired),
    (
        "you must provide a value for \"cpp_namespace\"",
        BackendRequired,
    ),
    ("you must provide either true or false for", BackendBool),
    ("expected yaml_values to be a dict", BackendRoot),
    (
        "contains unexpected keys: {word}. only the following keys are supported",
        BackendKnownKeys,
    ),
    (
        "contains unexpected keys: {text}. only the following keys are supported",
        BackendKnownKeys,
    ),
    ("found an invalid operator name: {op}", BackendOpExists),
    (
        "all variants of an op must either be registered to a backend key, or to a backend's autograd key",
        BackendNoMix,
    ),
    ("duplicate backend key: {key}", BackendDuplicateOp),
    ("duplicate autograd key: {key}", BackendDuplicateOp),
    (
        "the \"autograd\" key was specified, which indicates that you would like to override",
        BackendKey,
    ),
];

pub(super) const FORMULAS: Table = &[
    (
        "could not find aten function for schema: {schema} .",
        DerivSchemaMustMatchExactly,
    ),
    (
        "could not find aten function for schema: {schema}.",
        DerivSchemaMustMatchExactly,
    ),
    (
        "could not find aten function for legacy signature: {schema} corresponding",
        DerivCanonicalFunction,
    ),
    (
        "derivative definition of {op} in derivatives.yaml illegally mixes use of 'grad' and 'grads'",
        DerivGradAndGrads,
    ),
    (
        "derivative definition of {op} in derivatives.yaml illegally mixes use of \"grad_return_name\"",
        DerivNamedGradMix,
    ),
    (
        "derivative definition of {op} in derivatives.yaml solely refers to 'grads[0]'",
        DerivGrads0Only,
    ),
    (
        "derivative definition of {op} in derivatives.yaml defines the forward definition of gradient as element_wise",
        DerivAutoElementWise,
    ),
    (
        "derivative definition of {op} in derivatives.yaml defines the forward definition of gradient as linear",
        DerivAutoLinear,
    ),
    (
        "cannot use auto_element_wise with {op} because it is an in-place variant",
        DerivAutoElementWise,
    ),
    (
        "out of bounds grads access: derivative formula for {op} used",
        DerivGradsOob,
    ),
    (
        "derivatives definition for {op} have overlapped non_differentiable",
        DerivOverlapNondiff,
    ),
    (
        "not supported: for {schema},output_differentiability must",
        DerivOutputDifferentiability,
    ),
    (
        "does not match the number of outputs ({number})",
        DerivOutputCount,
    ),
    (
        "output_differentiability=false for inplace operation",
        DerivOutputInplace,
    ),
    (
        ".sizes() is not supported in derivative formulas",
        DerivSizesBanned,
    ),
    (
        ".size(int) is not supported in derivative formulas",
        DerivSizeBanned,
    ),
    (
        ".strides() is not supported in derivative formulas",
        DerivStridesBanned,
    ),
    (
        "replacement for \".strides()\" is currently only supported for single derivatives",
        DerivStridesSingle,
    ),
    (
        "calling '.strides()' in the 'self' derivative formula of an in-place function is not supported: {schema}",
        DerivInplaceStrides,
    ),
    (
        "schema for {op} has an argument named {word}, but this",
        DerivArgNames,
    ),
    (
        "while processing the derivative formula for '{op}' wrt",
        DerivArgReturnClash,
    ),
    (
        "invalid dispatch key {key} in derivatives.yaml for {schema}, expected",
        DerivDispatchKey,
    ),
    (
        "the forward formula for {op} is using the base name of the",
        DerivForwardAmbiguous,
    ),
    (
        "the formula for \"{op}\" is using the original value of self that is being modified inplace",
        DerivInplaceForward,
    ),
    (
        "attempted to convert a derivative formula for a mutable operator to be used automatically by its functional variant (\"{schema}\")",
        DerivGeneratedSelf,
    ),
    (
        "no matching output for forward derivative definition",
        DerivForwardTarget,
    ),
    (
        "error: derivative ignored for {op} -- specified an autograd function without derivative",
        DerivIgnoredKey,
    ),
    (
        "there's a formula for {op}(or its functional variant) in derivatives.yaml. it's required",
        DerivNeedsDispatch,
    ),
    (
        "expected the number of forward derivatives implemented ({number}) to match the number of differentiable outputs",
        DerivForwardCount,
    ),
    (
        "no differentiable input to \"{op}\" is a differentiable tensor",
        DerivForwardInputs,
    ),
    ("unsupported function schema: {schema}", DerivMalformedName),
    (
        "missing arguments for derivatives: {text} in {op}",
        DerivUnknownArg,
    ),
    (
        "while identifying overloads, we found an out schema {schema} without",
        DeprecatedOutAlone,
    ),
    (
        "no native function with name {op} matched signature",
        DeprecatedNoMatch,
    ),
    (
        "found duplicated function definition: - {schema}.",
        DeprecatedDuplicate,
    ),
    (
        "deprecation definition: unrecognized value",
        DeprecatedFields,
    ),
];
