//! The tables of facts of each release, decoded from `data/` when the crate is built.
//!
//! Names are spelled as PyTorch spells them. Where a release has no such list, it is empty.

use std::ops::Range;

/// A fixed list of names: in the order in which PyTorch declares them, and for look-up sorted by length
/// first: operators are looked up in dozens of such lists, and two lengths are compared at once. The names are
/// one text, and only their places are sorted, since the loader writes the address of each text in a table
/// when a process starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    text: &'static str,
    /// The start of each name, and the end of the last.
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

    /// Whether the name is in the list (binary search).
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The list's own copy of the name, which lives as long as the program.
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

/// What a minor release of PyTorch knows: of its generator (`torchgen`) first, of its runtime in
/// [`RuntimeLists`].
#[derive(Debug)]
pub struct ReleaseData {
    /// `2.9`.
    pub name: &'static str,
    /// The patch releases whose `native_functions.yaml` these facts were checked against.
    pub patches: &'static [&'static str],
    /// The releases whose real dispatcher was recorded (registrations that no YAML holds).
    pub measured: &'static [&'static str],
    /// SHA-256 of the `native_functions.yaml` of each measured release, in hexadecimal digits.
    pub native_functions: &'static [(&'static str, &'static str)],
    /// Names of `torchgen.model.BaseTy`: the base types that a schema may use.
    pub base_types: Names,
    /// Keys allowed in `dispatch:` (`torchgen.model.dispatch_keys`).
    pub dispatch_keys_allowed: Names,
    /// All members of `torchgen.model.DispatchKey`, in order. A name outside is an unknown key;
    /// one inside but not allowed is refused with other words.
    pub dispatch_keys_known: Names,
    /// Other spellings that `DispatchKey.parse` accepts, with the member that they mean.
    pub dispatch_key_aliases: &'static [(&'static str, &'static [&'static str])],
    /// Keys of structured kernels (`STRUCTURED_DISPATCH_KEYS`).
    pub structured_keys: Names,
    /// Keys that a ufunc makes kernels for (`UFUNC_DISPATCH_KEYS`).
    pub ufunc_keys: Names,
    /// Keys of `ufunc_inner_loop:` (`UfuncKey`).
    pub ufunc_loop_keys: Names,
    /// Element types that `ufunc_inner_loop:` may name (`ScalarType`).
    pub scalar_types: Names,
    /// The keys that serve all backends: composite ones (`is_generic_dispatch_key`).
    pub generic_keys: Names,
    /// Backends of the generator's enum (`BACKEND_COMPONENTS`); the runtime has more.
    pub backend_components: Names,
    /// Prefixes of the generator's keys that exist once per backend (`FUNCTIONALITY_KEYS`).
    pub functionality_keys: Names,
    /// Fields that an entry of `native_functions.yaml` may have.
    pub yaml_fields: Names,
    /// Operations that have an in-place dunder method: `add` for `__iadd__`.
    pub dunder_inplace_names: Names,
    /// Values of `device_check:`.
    pub device_check_values: Names,
    /// Values of `variants:`.
    pub variant_values: Names,
    /// Keys that the refusal of a backend file names as known.
    pub backend_yaml_keys_named: Names,
    /// Keys that a backend file may have.
    pub backend_yaml_keys_taken: Names,
    /// Tags of the release's own `tags.yaml`.
    pub tags: Names,
    /// Tags that a generated operator takes over from its base.
    pub tags_kept_on_generated: Names,
    /// Tags put on generated operators: `generated` always; `out` and `inplace` when it is one.
    pub tags_forced_on_generated: Names,
    /// Tags put on written operators when `tags.yaml` has them: `pt2_compliant_tag` in namespace
    /// `aten`, `out` with out arguments, `inplace` with an in-place name.
    pub tags_added_automatically: Names,
    /// Which member of a group is the base of generation, by schema kind, best first.
    pub generation_base_order: Names,
    /// Whether a group of composite operators generates when a member is tagged `core`.
    pub core_tag_forces_generation: bool,
    /// Whether alias `CompositeImplicitAutograd` reaches the key `Functionalize`.
    pub functionalize_in_composite_implicit: bool,
    /// Keys that the generator drops unless it gets the flag (`--mps`): flag name, keys.
    pub keys_dropped_without_flag: &'static [(&'static str, &'static [&'static str])],
    /// Operators that may keep an argument named as a Python keyword: operator, arguments. The
    /// rule exists since 2.6.
    pub python_keyword_argument_exemptions: &'static [(&'static str, &'static [&'static str])],
    /// What the derivatives of 2.0 change in dispatch tables (its wheel lacks the file): entry, its
    /// `dispatch:` keys. Empty for all other releases, whose files contain this.
    pub derivatives_with_dispatch: &'static [(&'static str, &'static [&'static str])],
    /// The fixed lists of names that checks make exceptions for.
    pub name_lists: NameLists,
    /// The fixed lists of names that registrations depend on.
    pub codegen: CodegenLists,
    /// Which operators Python binds.
    pub bindings: PythonBindings,
    /// What the runtime knows.
    pub runtime: RuntimeLists,
}

/// Names that the generator's checks treat apart (`torchgen/native_function_generation.py`,
/// `torchgen/model.py`, `torchgen/gen.py`).
#[derive(Debug)]
pub struct NameLists {
    /// Functional operators without an out variant although one could be made.
    pub functional_ops_that_cannot_get_an_out_variant: Names,
    /// Out operators that form a group of their own.
    pub out_ops_that_dont_get_grouped_properly: Names,
    /// In-place operators that form a group of their own.
    pub inplace_ops_that_dont_get_grouped_properly: Names,
    /// Mutable operators without an out variant.
    pub mutable_ops_that_cannot_get_an_out_variant: Names,
    /// All operators that may write without a functional twin; the three lists above included.
    pub mutable_ops_not_using_functionalization: Names,
    /// Base names that may speak of `dropout` without the tag `nondeterministic_seeded`.
    pub dropout_rule_exempt_base_names: Names,
    /// Full names tagged `inplace_view` without being named as in-place operators.
    pub inplace_view_naming_exempt_full_names: Names,
    /// Base names tagged `inplace_view` without the naming rule.
    pub inplace_view_naming_exempt_base_names: Names,
    /// Full names tagged `inplace_view` that do not count as views.
    pub inplace_view_not_view_full_names: Names,
    /// Base names of views that do not keep their group from generating.
    pub view_in_group_ignored_base_names: Names,
    /// Parts of names that excuse `rand` from needing the tag `nondeterministic_seeded`.
    pub random_rule_exempt_name_parts: Names,
    /// Endings of base names of views that need no copying twin.
    pub view_without_copy_base_suffixes: Names,
    /// Endings of base names of copying twins of views.
    pub view_copy_base_suffixes: Names,
    /// Operators with a gradient for complex tensors (since 2.1).
    pub autograd_gradient_implemented_for_complex: Names,
    /// Operators with hand-written autograd, as the check of derivatives has them (since 2.1).
    pub autograd_manual_backend: Names,
    /// Views with several outputs that can be replayed one output at a time (since 2.15).
    pub single_output_view_replay: Names,
    /// CUDA kernels defined in the CPU library (since 2.15).
    pub cuda_kernels_defined_in_cpu_library: Names,
}

/// Names that decide which registrations generated code makes (`tools/autograd/gen_*.py`,
/// `torchgen/gen_functionalization_type.py`; `docs/spec/dispatch.md`, section 6).
#[derive(Debug)]
pub struct CodegenLists {
    /// View operators by base name: `VIEW_FUNCTIONS_WITH_METADATA_CHANGE`.
    pub view_functions_with_metadata_change: Names,
    /// View operators by base name: `VIEW_FUNCTIONS`.
    pub view_functions: Names,
    /// View operators by base name: `RETURNS_VIEWS_OF_INPUT` without those above.
    pub returns_views_of_input: Names,
    /// C++ names without any generated autograd or tracing: `MANUAL_BACKEND`.
    pub manual_backend: Names,
    /// C++ names whose autograd and tracing are written by hand: `MANUAL_AUTOGRAD_AND_TRACER`.
    pub manual_autograd_and_tracer: Names,
    /// C++ names that pass autograd through: `DONT_REQUIRE_DERIVATIVE`.
    pub dont_require_derivative: Names,
    /// `RESET_GRAD_ACCUMULATOR`.
    pub reset_grad_accumulator: Names,
    /// `DONT_ENFORCE_SAME_TENSOR_IMPL_OR_STORAGE`.
    pub dont_enforce_same_tensor_impl_or_storage: Names,
    /// `DONT_ENFORCE_TENSOR_IMPL_USE_COUNT`.
    pub dont_enforce_tensor_impl_use_count: Names,
    /// `DONT_ENFORCE_STORAGE_IMPL_USE_COUNT`.
    pub dont_enforce_storage_impl_use_count: Names,
    /// `_foreach_` operators that may use the formula of an in-place operator.
    pub foreach_with_inplace_ref: Names,
    /// `_foreach_` operators that use the formula of the overload with a tensor.
    pub foreach_with_tensor_overload: Names,
    /// `_foreach_` operators whose number of arguments is not compared (since 2.4).
    pub foreach_skip_argument_len_check: Names,
    /// Lone operators that write an argument but are not registered to `Functionalize`.
    pub functionalization_exempt_lone: Names,
    /// Operators that the `BackendSelect` template registers by hand (up to 2.4).
    pub backend_select_template: Names,
    /// Operators whose whole triple or view has no generated `Functionalize` kernel.
    pub functionalize_named_exceptions: Names,
}

/// What decides whether Python binds an operator (`tools/autograd/gen_python_functions.py` and the
/// type stubs; `docs/spec/signatures.md`, section 3).
#[derive(Debug)]
pub struct PythonBindings {
    /// C++ names without a generated binding. `*` stands for any text, `?` for one character.
    pub skipped: Names,
    /// Schemas without a generated binding.
    pub skipped_schemas: Names,
    /// Functions of `torch` that are bound by hand.
    pub functions_by_hand: Names,
    /// Methods and attributes of `Tensor` that are bound by hand.
    pub methods_by_hand: Names,
}

/// What the runtime of a release knows (`c10/core/DispatchKey.h`, read off real tables;
/// `docs/spec/dispatch.md`, sections 1, 4 and 8.2). Key sets are computed from it in
/// [`crate::keys`].
#[derive(Debug)]
pub struct RuntimeLists {
    /// Backends, in order.
    pub backends: Names,
    /// The runtime keys in table order, `Undefined` first.
    pub keys: &'static [RuntimeKey],
    /// Runtime keys that have a slot in every table but cannot be named in a registration.
    pub unparseable: Names,
    /// Kernels that serve a key for all operators.
    pub fallbacks: &'static [BackendFallback],
}

/// A key that has a slot in every dispatch table of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeKey {
    /// `SparseCPU`, `Tracer`.
    pub name: &'static str,
    /// `Sparse`, `Tracer`; the keys `CPU` and `AutogradCPU` are of `Dense` and
    /// `AutogradFunctionality`.
    pub functionality: &'static str,
    /// `CPU`; `None` when the functionality is a single key.
    pub backend: Option<&'static str>,
}

/// A kernel that the runtime has for a key whatever the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackendFallback {
    /// The runtime key.
    pub key: &'static str,
    /// The source file that registers it.
    pub file: &'static str,
    /// Whether it only passes the call on to the next key.
    pub fallthrough: bool,
}

include!(concat!(env!("OUT_DIR"), "/releases.rs"));

/// The row of minor release 2.`minor`; beyond the table, the newest.
pub(super) fn of(minor: u8) -> &'static ReleaseData {
    let newest = RELEASES.len() - 1;
    &RELEASES[usize::from(minor).min(newest)]
}

/// The number of known releases.
pub(super) const COUNT: usize = RELEASES.len();
