//! Messages about the schema of an entry.

use opatlas_source::diagnostic::RuleId::*;

use super::Table;

pub(super) const SCHEMAS: Table = &[
    ("invalid function schema: {schema}", SchemaShape),
    (
        "runtimeerror: unrecognized type tensor!",
        AnnotationShorthandTensorBang,
    ),
    ("runtimeerror: unrecognized type {text}", TypeUnknown),
    (
        "assertionerror: illegal argument with default value: '{text}'",
        DefaultOneEquals,
    ),
    (
        "assertionerror: illegal argument '{text}'",
        ArgumentNameMissing,
    ),
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
    ("assertionerror: operator name cannot be empty", OpNameEmpty),
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
    ("assertionerror: not a str: {text}", FieldTypeStr),
    ("assertionerror: not a bool: {text}", FieldTypeBool),
];
