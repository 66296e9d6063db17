//! Errors of PyTorch's code generator, each with the rule of Opatlas that finds the same fault.

use opatlas_source::diagnostic::RuleId::{self, *};

use super::Row;
use crate::kind::Kind;
use crate::name;
use crate::reading::Reading;
use crate::{Severity, Way};

const CODEGEN: Kind = Kind {
    way: Way::Codegen,
    refine: operator,
    causes: &["{rule}"],
    advice: &[
        "To see the file and the line, and often a fix: `opatlas check native_functions.yaml`.",
    ],
    ..Kind::ERROR
};

const NATIVE_BASE: Kind = Kind {
    id: "torchgen-native-functions",
    titles: &[
        "PyTorch's code generator rejects the entry of {op} in native_functions.yaml",
        "PyTorch's code generator rejects an entry of native_functions.yaml",
    ],
    misleads: &[
        "Older releases fail with a bare `AssertionError` or `KeyError`, without the line.",
    ],
    ..CODEGEN
};

static NATIVE: Kind = NATIVE_BASE;

/// An entry that torchgen names, with an error of Python that does not say what is wrong.
static ENTRY: Kind = Kind {
    severity: Severity::Wrapper,
    refine: |reading| {
        reading.severity = Severity::Error;
        operator(reading);
    },
    causes: &["Its schema or one of its fields has a form that the generator does not expect."],
    ..NATIVE_BASE
};

static DERIVATIVES: Kind = Kind {
    id: "torchgen-derivatives",
    titles: &[
        "PyTorch's code generator rejects the formula of {op} in derivatives.yaml",
        "PyTorch's code generator rejects an entry of derivatives.yaml",
    ],
    ..CODEGEN
};

static BACKEND: Kind = Kind {
    id: "backend-yaml",
    titles: &[
        "PyTorch's code generator rejects {op} in the file of a backend",
        "PyTorch's code generator rejects the file of a backend",
    ],
    advice: &["To see the line, and often a fix: `opatlas check BACKEND.yaml`."],
    ..CODEGEN
};

/// All kinds of the code generator.
pub(super) static KINDS: [&Kind; 4] = [&NATIVE, &DERIVATIVES, &BACKEND, &ENTRY];

/// Its messages, each with the rule.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    let tables = [
        (&BACKEND, BACKENDS),
        (&DERIVATIVES, FORMULAS),
        (&NATIVE, ENTRIES),
        (&NATIVE, SCHEMAS),
    ];
    let rows = tables.into_iter().flat_map(|(kind, table)| {
        table
            .iter()
            .map(move |(pattern, rule)| (kind, *pattern, Some(*rule)))
    });
    rows.chain([(&ENTRY, ".yaml:{number}: {op}(", None)])
}

type Table = &'static [(&'static str, RuleId)];

const BACKENDS: Table = &[
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

const FORMULAS: Table = &[
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

const ENTRIES: Table = &[
    (
        "{op} is marked as a structured_delegate pointing to {target}, but {target2} is missing",
        StructuredDelegateTargetMissing,
    ),
    (
        "{op} is marked as a structured_delegate pointing to {target}, but {target2} is not marked as structured",
        StructuredDelegateTargetStructured,
    ),
    (
        "keyerror: operatorname(name=baseoperatorname(base='{base}', inplace={inplace}, dunder_method={dunder}, functional_overload={functional}), overload_name='{overload}')",
        StructuredDelegateTargetMissing,
    ),
    (
        "{op} delegates to {target} but its actual delegate is",
        StructuredDelegateMismatch,
    ),
    (
        "if structured_delegate, then must not have {key} in dispatch dictionary",
        StructuredAndDelegate,
    ),
    (
        "cannot have both structured and structured_delegate on function",
        StructuredAndDelegate,
    ),
    (
        "put structured field on the out= variant of a function",
        StructuredOnOutOnly,
    ),
    (
        "structured_delegate field not allowed on out= functions",
        StructuredDelegateNotOnOut,
    ),
    (
        "device_guard: false is not respected by structured kernels",
        StructuredDeviceGuard,
    ),
    (
        "structured_inherits must also imply structured: true",
        StructuredInherits,
    ),
    (
        "namespace is not supported in structured inherits",
        StructuredInherits,
    ),
    (
        "namespace is not supported in structured delegate",
        StructuredDelegateNamespace,
    ),
    (
        "structured composite kernels are not supported",
        StructuredComposite,
    ),
    (
        "nativefunctionsgroup constructed from structured and unstructured functions",
        StructuredGroupConsistent,
    ),
    (
        "this function is structured, but there was no valid functional variant of it",
        StructuredGroupConsistent,
    ),
    (
        "this function delegates to another structured out function, but no valid function was found",
        StructuredDelegateMismatch,
    ),
    (
        "precomputed requires structured=true",
        PrecomputedNeedsStructured,
    ),
    (
        "precomputed parameters without replacement are allowed only in the last line",
        Precomputed,
    ),
    (
        "illegal kernel param name '{word}' in precomputed parameters",
        Precomputed,
    ),
    (
        "precomputed argument name must not be all uppercase",
        Precomputed,
    ),
    (
        "ufunc should not have explicit dispatch entry for {key}",
        Ufunc,
    ),
    ("unknown ufunc key", Ufunc),
    ("ufunc must be structured", UfuncStructured),
    ("unknown dispatch key {word}", DispatchKeyKnown),
    (
        "dispatch key {key} of kernel {word} is not a supported dispatch key",
        DispatchKeySupported,
    ),
    ("illegal dispatch key '{word}' in", DispatchKeyType),
    ("illegal dispatch value '{word}' in", DispatchValueType),
    (
        "cannot specify both manual_kernel_registration and dispatch",
        DispatchManualRegistration,
    ),
    (
        "unnecessary dispatch table for this function",
        DispatchRedundantImplicit,
    ),
    (
        "unexpected name for singleton compositeimplicitautograd dispatch entry: expected {word} but got",
        DispatchSingletonImplicitName,
    ),
    (
        "cannot specify more than one of compositeexplicitautograd",
        DispatchMultipleComposite,
    ),
    (
        "duplicate operator {op} for dispatch key {key}",
        DuplicateOperator,
    ),
    (
        "expected {op} to have a compositeexplicitautograd dispatch entry",
        FactoryNeedsDispatch,
    ),
    ("illegal variant {word}", Variants),
    (
        "native functions with out arguments must be declared with only function variant",
        OutFunctionOnly,
    ),
    ("functions in modules cannot be methods", ModuleNotMethod),
    ("illegal device_check: {word}", DeviceCheck),
    ("device_check not allowed to be enabled", ForeachDeviceCheck),
    (
        "see https://github.com/pytorch/pytorch/issues/145522",
        UseConstRef,
    ),
    ("invalid cpp_no_default_args: {text}", CppNoDefaultArgs),
    ("leftover entries: {text}", UnknownKey),
    ("missed 'func' in", MissingFunc),
    ("keyerror: 'func in", MissingFunc),
    ("keyerror: 'func'", MissingFunc),
    (
        "isinstance(e.get(\"__line__\"), int), e attributeerror: 'str' object has no attribute 'get'",
        YamlEntryMapping,
    ),
    ("if t in valid_tags: typeerror: unhashable type", Tags),
    ("devicechecktype[device_check_s]", DeviceCheck),
    (
        "attributeerror: 'nonetype' object has no attribute 'split' in",
        DispatchValueType,
    ),
    ("expected to be dict: {text}", YamlEntryMapping),
    (
        "found a duplicate key in the yaml. key={word}",
        YamlDuplicateKey,
    ),
    ("illegal tag {word}", Tags),
    (
        "nondeterministic_seeded tag missing for {op}",
        RandomNeedsSeededTag,
    ),
    ("inplace_view tag missing for {op}", InplaceViewTag),
    ("{op} is marked with tag: inplace_view", InplaceViewTag),
    ("tag '{word}' must have a non-empty description", TagsYaml),
    (
        "argument name '{word}' in function '{op}' is a reserved python keyword",
        ArgumentNameKeyword,
    ),
    (
        "the codegen expects to be able to generate '{text}'. in order to generate them",
        AutogenMissing,
    ),
    (
        "the codegen expects to be able to generate '{text}'. to do so, it expects a line",
        AutogenListMismatch,
    ),
    (
        "found an out= operator that we could not find any other variants of: {schema}",
        OutWithoutOtherVariant,
    ),
    (
        "found an operator that we could not generate an out= variant for: {schema}",
        NoTensorReturn,
    ),
    (
        "{op} appears to be a new operator that aliases its inputs",
        ViewCopyRequired,
    ),
    ("{op} appears to be a view_copy operator", ViewCopyTag),
    (
        "must either both have compositeimplicitautograd kernels, or both not have composite kernels",
        ViewCompositeAgree,
    ),
    (
        "codegen only supports one namespace per operator",
        GroupNamespace,
    ),
    ("it's not ending with '::native'", KernelNamespace),
    (
        "method variant must have self_arg: {schema}",
        MethodNeedsSelf,
    ),
    (
        "method variant cannot be an out function: {schema}",
        OutFunctionOnly,
    ),
    (
        "expected a single document in the stream",
        YamlSingleDocument,
    ),
];

const SCHEMAS: Table = &[
    ("invalid function schema: {schema}", SchemaShape),
    ("unrecognized type {text}", TypeUnknown),
    (
        "illegal argument with default value: '{text}'",
        DefaultOneEquals,
    ),
    ("illegal argument '{text}'", ArgumentNameMissing),
    ("unrecognized alias annotation {text}", Annotation),
    (
        "alias set larger than 1 is not mutable",
        AnnotationWriteSingleton,
    ),
    (
        "before alias set and after alias set cannot be larger than 1",
        AnnotationBeforeAfterSize,
    ),
    (
        "unrecognized alias analysis form with tensor",
        AnnotationPlacement,
    ),
    ("annotation on non-tensor type", AnnotationPlacement),
    (
        "_out suffix is reserved and not permitted for operator names",
        OpNameOutSuffix,
    ),
    ("operator name cannot be empty", OpNameEmpty),
    ("a schema cannot be both out= and inplace", InplaceAndOut),
    (
        "inplace op {op} must have a self argument with a mutable annotation",
        InplaceSelf,
    ),
    (
        "inplace op {op} with tensor self must return self",
        InplaceReturn,
    ),
    (
        "inplace op {op} with non-tensor self must have no returns",
        InplaceListSelf,
    ),
    (
        "nativefunctions must have either only mutable returns, or only immutable returns. found: {schema}",
        MixedMutableImmutableReturns,
    ),
    (
        "out arguments must have matching return tensor",
        OutReturnMatches,
    ),
    (
        "must return as many arguments as there are out arguments",
        OutReturnCount,
    ),
    (
        "out= ops that accept tensor lists as out arguments are expected to have no return type",
        OutListReturnsNothing,
    ),
    (
        "if you have a schema with mutable positional args, we expect them to not be returned. schema: {schema}",
        MutablePositionalReturned,
    ),
    (
        "all mutable returns must be aliased either to a keyword argument, or to \"self\"",
        MutableReturnMustAlias,
    ),
    (
        "mutable pre_self_positional arguments are not currently supported",
        PreSelfMutable,
    ),
    (
        "found an operator that is not functional or out variant, but has tensor options arguments",
        TensorOptionsFunctionalOnly,
    ),
    (
        "found an operator that is not functional, but its overload contains the string 'functional'",
        FunctionalOverload,
    ),
    (
        "tensor options arguments can only appear once",
        TensorOptionsTwice,
    ),
    ("cannot follow mutable out arguments", OutArgsLast),
    ("kwarg-only specifier * can only occur once", KwargMarker),
    (
        "codegen doesn't support more than {number} level(s) of custom namespace",
        Namespace,
    ),
    (
        "invariant: all scratch operators are expected to be out= operators too",
        Scratch,
    ),
    ("that aliases multiple inputs", GroupReturnAliasesTwice),
    (
        "nativefunctionsgroup constructed from two nativefunctions that don't have matching signatures",
        DuplicateSignature,
    ),
    ("functional variant is required", GroupFunctionalRequired),
    ("not a str: {text}", FieldTypeStr),
    ("not a bool: {text}", FieldTypeBool),
];

/// Takes the operator from the entry that torchgen names: a schema, or the parts of its name.
fn operator(reading: &mut Reading<'_>) {
    if let (Some(base), Some(overload)) = (reading.part("base"), reading.part("overload")) {
        let underscore = if reading.part("inplace") == Some("True") {
            "_"
        } else {
            ""
        };
        let dot = if overload.is_empty() { "" } else { "." };
        reading.operator = name::operator(&format!("{base}{underscore}{dot}{overload}"));
    }
    if reading.operator.is_none() {
        super::dispatcher::schema(reading);
    }
    if reading.operator.is_none() {
        reading.operator = within(reading);
    }
}

/// The operator of the entry that torchgen names after an error: `in native_functions.yaml:12:
/// quox(Tensor self) -> Tensor`.
fn within(reading: &Reading<'_>) -> Option<String> {
    let after = reading.after(2_000);
    let (_, entry) = after.split_once(".yaml:")?;
    let (line, schema) = entry.split_once([' ', '\n'])?;
    let is_line = line.trim_end_matches(':').parse::<u32>().is_ok();
    let name = schema.split_once('(').filter(|_| is_line)?.0;
    name::operator(name)
}
