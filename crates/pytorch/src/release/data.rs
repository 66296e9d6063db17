//! The tables of each release, decoded from `data/` at build time. Names are spelled as in PyTorch.
//! A list that a release lacks is empty.

use std::ops::Range;

/// A fixed list of names in declared order, with indices sorted by length for lookup. The names are
/// one text because the loader relocates each pointer in a table when a process starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    text: &'static str,
    /// The boundaries of the names.
    bounds: &'static [u32],
    sorted: &'static [u16],
}

impl Names {
    const fn new(text: &'static str, bounds: &'static [u32], sorted: &'static [u16]) -> Self {
        Self {
            text,
            bounds,
            sorted,
        }
    }

    /// Whether the list contains the name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The list's own copy of the name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static str> {
        let bytes = self.text.as_bytes();
        let order = |place: &u16| {
            let known = self.range(usize::from(*place));
            let length = known.len().cmp(&name.len());
            length.then_with(|| bytes[known].cmp(name.as_bytes()))
        };
        let at = self.sorted.binary_search_by(order).ok()?;
        Some(self.name(usize::from(self.sorted[at])))
    }

    fn range(&self, place: usize) -> Range<usize> {
        self.bounds[place] as usize..self.bounds[place + 1] as usize
    }

    fn name(&self, place: usize) -> &'static str {
        &self.text[self.range(place)]
    }

    /// The names in declared order.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = &'static str> + DoubleEndedIterator + use<> {
        let names = *self;
        (0..self.len()).map(move |place| names.name(place))
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

/// The data of a minor release: its generator (`torchgen`), and its runtime in [`RuntimeLists`].
#[derive(Debug)]
pub struct ReleaseData {
    /// `2.9`.
    pub name: &'static str,
    /// The patch releases whose `native_functions.yaml` matches this data.
    pub patches: &'static [&'static str],
    /// The releases with a recorded dispatcher.
    pub measured: &'static [&'static str],
    /// SHA-256 of the `native_functions.yaml` of each measured release, in hexadecimal.
    pub native_functions: &'static [(&'static str, &'static str)],
    /// Base types of schemas (`torchgen.model.BaseTy`).
    pub base_types: Names,
    /// Keys allowed in `dispatch:` (`torchgen.model.dispatch_keys`).
    pub dispatch_keys_allowed: Names,
    /// All members of `torchgen.model.DispatchKey`, in order.
    pub dispatch_keys_known: Names,
    /// Other spellings that `DispatchKey.parse` accepts, with their members.
    pub dispatch_key_aliases: &'static [(&'static str, &'static [&'static str])],
    /// Keys of structured kernels (`STRUCTURED_DISPATCH_KEYS`).
    pub structured_keys: Names,
    /// Keys for which ufuncs generate kernels (`UFUNC_DISPATCH_KEYS`).
    pub ufunc_keys: Names,
    /// Keys of `ufunc_inner_loop:` (`UfuncKey`).
    pub ufunc_loop_keys: Names,
    /// Element types in `ufunc_inner_loop:` (`ScalarType`).
    pub scalar_types: Names,
    /// Composite keys, which serve all backends (`is_generic_dispatch_key`).
    pub generic_keys: Names,
    /// Backends of the generator's enum (`BACKEND_COMPONENTS`); the runtime has more.
    pub backend_components: Names,
    /// Prefixes of the generator's keys that exist once per backend (`FUNCTIONALITY_KEYS`).
    pub functionality_keys: Names,
    /// Fields of an entry of `native_functions.yaml`.
    pub yaml_fields: Names,
    /// Operations with an in-place dunder method: `add` for `__iadd__`.
    pub dunder_inplace_names: Names,
    /// Values of `device_check:`.
    pub device_check_values: Names,
    /// Values of `variants:`.
    pub variant_values: Names,
    /// Keys that the error about a backend file lists.
    pub backend_yaml_keys_named: Names,
    /// Keys of a backend file.
    pub backend_yaml_keys_taken: Names,
    /// Tags in the release's `tags.yaml`.
    pub tags: Names,
    /// Tags that a generated operator inherits.
    pub tags_kept_on_generated: Names,
    /// Tags of generated operators: `generated` always, `out` and `inplace` by kind.
    pub tags_forced_on_generated: Names,
    /// Tags added to declared operators when `tags.yaml` has them: `pt2_compliant_tag` in namespace
    /// `aten`, `out` with out arguments, `inplace` with an in-place name.
    pub tags_added_automatically: Names,
    /// The preferred schema kinds for the base of generation, best first.
    pub generation_base_order: Names,
    /// Whether the tag `core` makes a group of composite operators generate variants.
    pub core_tag_forces_generation: bool,
    /// Whether `CompositeImplicitAutograd` reaches the key `Functionalize`.
    pub functionalize_in_composite_implicit: bool,
    /// Keys that need a generator flag (`--mps`): flag name, keys.
    pub keys_dropped_without_flag: &'static [(&'static str, &'static [&'static str])],
    /// Arguments that may be Python keywords: operator, arguments. The rule exists since 2.6.
    pub python_keyword_argument_exemptions: &'static [(&'static str, &'static [&'static str])],
    /// `dispatch:` keys in the derivatives of 2.0, whose wheel lacks the file.
    pub derivatives_with_dispatch: &'static [(&'static str, &'static [&'static str])],
    /// Exceptions from checks, by name.
    pub name_lists: NameLists,
    /// Exceptions from registrations, by name.
    pub codegen: CodegenLists,
    /// Operators that Python binds.
    pub bindings: PythonBindings,
    /// The runtime's data.
    pub runtime: RuntimeLists,
}

/// Exceptions in the generator's checks (`torchgen/native_function_generation.py`,
/// `torchgen/model.py`, `torchgen/gen.py`).
#[derive(Debug)]
pub struct NameLists {
    /// Functional operators that do not get a generated out variant.
    pub functional_ops_that_cannot_get_an_out_variant: Names,
    /// Out operators in a group of their own.
    pub out_ops_that_dont_get_grouped_properly: Names,
    /// In-place operators in a group of their own.
    pub inplace_ops_that_dont_get_grouped_properly: Names,
    /// Mutable operators without an out variant.
    pub mutable_ops_that_cannot_get_an_out_variant: Names,
    /// All mutable operators that need no functional variant, including the three lists above.
    pub mutable_ops_not_using_functionalization: Names,
    /// Base names that may contain `dropout` without the tag `nondeterministic_seeded`.
    pub dropout_rule_exempt_base_names: Names,
    /// Full names that may have the tag `inplace_view` without an in-place name.
    pub inplace_view_naming_exempt_full_names: Names,
    /// Base names exempt from the naming rule of `inplace_view`.
    pub inplace_view_naming_exempt_base_names: Names,
    /// Full names with the tag `inplace_view` that do not count as views.
    pub inplace_view_not_view_full_names: Names,
    /// Base names of views that do not stop their group from generating.
    pub view_in_group_ignored_base_names: Names,
    /// Parts of names that may contain `rand` without the tag `nondeterministic_seeded`.
    pub random_rule_exempt_name_parts: Names,
    /// Suffixes of views that need no copy variant.
    pub view_without_copy_base_suffixes: Names,
    /// Suffixes of copy variants of views.
    pub view_copy_base_suffixes: Names,
    /// Operators with a gradient for complex tensors (since 2.1).
    pub autograd_gradient_implemented_for_complex: Names,
    /// Operators with handwritten autograd, according to the check of derivatives (since 2.1).
    pub autograd_manual_backend: Names,
    /// Views with several outputs that can be replayed one output at a time (since 2.15).
    pub single_output_view_replay: Names,
    /// CUDA kernels defined in the CPU library (since 2.15).
    pub cuda_kernels_defined_in_cpu_library: Names,
}

/// Exceptions in generated registrations (`tools/autograd/gen_*.py`,
/// `torchgen/gen_functionalization_type.py`; `docs/spec/dispatch.md`, section 6).
#[derive(Debug)]
pub struct CodegenLists {
    /// View operators by base name: `VIEW_FUNCTIONS_WITH_METADATA_CHANGE`.
    pub view_functions_with_metadata_change: Names,
    /// View operators by base name: `VIEW_FUNCTIONS`.
    pub view_functions: Names,
    /// View operators by base name: `RETURNS_VIEWS_OF_INPUT` without those above.
    pub returns_views_of_input: Names,
    /// C++ names without generated autograd and tracing: `MANUAL_BACKEND`.
    pub manual_backend: Names,
    /// C++ names with handwritten autograd and tracing: `MANUAL_AUTOGRAD_AND_TRACER`.
    pub manual_autograd_and_tracer: Names,
    /// C++ names that pass autograd through: `DONT_REQUIRE_DERIVATIVE`.
    pub dont_require_derivative: Names,
    /// `_foreach_` operators that may use the formula of an in-place operator.
    pub foreach_with_inplace_ref: Names,
    /// `_foreach_` operators that use the formula of the tensor overload.
    pub foreach_with_tensor_overload: Names,
    /// `_foreach_` operators whose argument count is not compared (since 2.4).
    pub foreach_skip_argument_len_check: Names,
    /// Mutable operators without variants that are not registered to `Functionalize`.
    pub functionalization_exempt_lone: Names,
    /// Operators in the handwritten `BackendSelect` template (up to 2.4).
    pub backend_select_template: Names,
    /// Operators whose whole group lacks a generated `Functionalize` kernel.
    pub functionalize_named_exceptions: Names,
}

/// Python bindings (`tools/autograd/gen_python_functions.py` and type stubs;
/// `docs/spec/signatures.md`, section 3).
#[derive(Debug)]
pub struct PythonBindings {
    /// C++ names without a generated binding; `*` and `?` are wildcards.
    pub skipped: Names,
    /// Schemas without a generated binding.
    pub skipped_schemas: Names,
    /// Functions of `torch` with handwritten bindings.
    pub functions_by_hand: Names,
    /// Methods and attributes of `Tensor` with handwritten bindings.
    pub methods_by_hand: Names,
}

/// The runtime's keys and fallbacks (`c10/core/DispatchKey.h`, checked against recorded tables;
/// `docs/spec/dispatch.md`, sections 1, 4 and 8.2). See [`crate::keys`] for key sets.
#[derive(Debug)]
pub struct RuntimeLists {
    /// Backends, in order.
    pub backends: Names,
    /// The runtime keys in table order, `Undefined` first.
    pub keys: &'static [RuntimeKey],
    /// Runtime keys with a slot that registrations cannot name.
    pub unparseable: Names,
    /// Backend fallbacks.
    pub fallbacks: &'static [BackendFallback],
}

/// A key with a slot in every dispatch table of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeKey {
    /// `SparseCPU`, `Tracer`.
    pub name: &'static str,
    /// `Sparse`, `Tracer`; `CPU` has `Dense` and `AutogradCPU` has `AutogradFunctionality`.
    pub functionality: &'static str,
    /// `CPU`; `None` for a single key.
    pub backend: Option<&'static str>,
}

/// A kernel that serves a key for all operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackendFallback {
    /// The dispatch key.
    pub key: &'static str,
    /// The source file that registers it.
    pub file: &'static str,
    /// Whether it is a fallthrough.
    pub fallthrough: bool,
}

include!(concat!(env!("OUT_DIR"), "/releases.rs"));

/// The newest, if `minor` is beyond the table.
pub(super) fn of(minor: u8) -> &'static ReleaseData {
    let newest = RELEASES.len() - 1;
    &RELEASES[usize::from(minor).min(newest)]
}

pub(super) const COUNT: usize = RELEASES.len();
