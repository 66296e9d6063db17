//! Messages about the fields of an entry of `native_functions.yaml`.

use opatlas_source::diagnostic::RuleId::*;

use super::Table;

pub(super) const ENTRIES: Table = &[
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
    ("assertionerror: unknown dtype {text}", Ufunc),
    ("ufunc must be structured", UfuncStructured),
    ("r.to_list() != src", Precomputed),
    (
        "assertionerror: unknown dispatch key {text}",
        DispatchKeyKnown,
    ),
    (
        "dispatch key {key} of kernel {word} is not a supported dispatch key",
        DispatchKeySupported,
    ),
    ("illegal dispatch key '{text}' in", DispatchKeyType),
    ("illegal dispatch value '{text}' in", DispatchValueType),
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
    ("assertionerror: illegal variant {text}", Variants),
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
    ("assertionerror: leftover entries: {text}", UnknownKey),
    ("assertionerror: missed 'func' in", MissingFunc),
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
    (
        "assertionerror: expected to be dict: {text}",
        YamlEntryMapping,
    ),
    (
        "found a duplicate key in the yaml. key={word}",
        YamlDuplicateKey,
    ),
    ("assertionerror: illegal tag {word}", Tags),
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
        "while parsing {text} in \"{path}native_functions.yaml\"",
        YamlSyntax,
    ),
    (
        "while scanning {text} in \"{path}native_functions.yaml\"",
        YamlSyntax,
    ),
    (
        "while constructing {text} in \"{path}native_functions.yaml\"",
        YamlSyntax,
    ),
    (
        "expected a single document in the stream",
        YamlSingleDocument,
    ),
];
