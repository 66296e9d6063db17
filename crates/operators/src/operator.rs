//! An operator: one that an entry declares, or one that `autogen` brings into being.

mod names;

use std::collections::BTreeSet;
use std::sync::Arc;

use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::name::OperatorName;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::Span;

use super::entry::{DeviceCheck, Entry, KernelEntry, Variants};
use super::tags::Tags;

/// The place of an operator in its [`super::catalogue::Catalogue`]: written ones first, in file
/// order, then generated ones in the order of their making, then those of vendors' files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorId(pub u32);

impl OperatorId {
    /// That of the operator at an index; a catalogue holds far fewer than 2^32.
    #[must_use]
    pub fn of_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// As an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An entry and its position in the file.
#[derive(Debug, Clone)]
pub struct PlacedEntry {
    /// The entry.
    pub entry: Arc<Entry>,
    /// Where its places count from.
    pub base: u32,
}

impl PlacedEntry {
    /// A place within the entry as a place in the file.
    #[must_use]
    pub fn place(&self, span: Span) -> Span {
        span.shifted(self.base)
    }
}

/// An operator that no entry declares (`docs/spec/grammar.md`, section 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Its schema. Places in it are those of the schema that it was made from.
    pub schema: FunctionSchema,
    /// The schema's canonical text.
    pub canonical: Box<str>,
    /// The canonical text of its signature.
    pub signature: Box<str>,
    /// Its one kernel, on CompositeExplicitAutograd.
    pub kernels: Vec<KernelEntry>,
    /// Taken over from the operator that it was made from.
    pub namespace: Box<str>,
    /// Taken over from the operator that it was made from.
    pub is_abstract: bool,
    /// Taken over from the operator that it was made from.
    pub use_const_ref_for_mutable_tensors: bool,
}

/// An operator that a vendor's file declares, in a namespace of its own or as an addition to
/// PyTorch's (`docs/spec/vendors.md`). Code of PyTorch is never generated for it, so its kernels are
/// those that the file registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorOperator {
    /// Its schema.
    pub schema: FunctionSchema,
    /// The schema's canonical text.
    pub canonical: Box<str>,
    /// The canonical text of its signature.
    pub signature: Box<str>,
    /// Its namespace.
    pub namespace: Box<str>,
    /// The file in the bundle.
    pub file: Box<str>,
    /// The position of the schema in the file.
    pub at: Span,
}

/// What an operator comes from.
#[derive(Debug, Clone)]
pub enum Declaration {
    /// An entry with a readable schema.
    Entry(PlacedEntry),
    /// Made by `autogen`.
    Generated {
        /// What was made.
        made: Arc<Generated>,
        /// The operator that it was made from.
        from: OperatorId,
    },
    /// A vendor's file.
    Vendor(Arc<VendorOperator>),
}

impl Declaration {
    fn schema(&self) -> &FunctionSchema {
        match self {
            Self::Entry(placed) => placed
                .entry
                .schema
                .as_ref()
                .expect("only entries with a schema become operators"),
            Self::Generated { made, .. } => &made.schema,
            Self::Vendor(vendor) => &vendor.schema,
        }
    }

    fn kernels(&self) -> &[KernelEntry] {
        match self {
            Self::Entry(placed) => &placed.entry.kernels,
            Self::Generated { made, .. } => &made.kernels,
            Self::Vendor(_) => &[],
        }
    }

    fn namespace(&self) -> &str {
        match self {
            Self::Entry(placed) => &placed.entry.namespace,
            Self::Generated { made, .. } => &made.namespace,
            Self::Vendor(vendor) => &vendor.namespace,
        }
    }

    fn signature(&self) -> &str {
        match self {
            Self::Entry(placed) => &placed.entry.signature,
            Self::Generated { made, .. } => &made.signature,
            Self::Vendor(vendor) => &vendor.signature,
        }
    }
}

/// An operator under the rules of one release.
#[derive(Debug, Clone)]
pub struct Operator {
    /// What it comes from.
    pub declaration: Declaration,
    /// Its tags, those that the release adds by itself included.
    pub tags: Tags,
    /// Whether it is a view operator (`docs/spec/grammar.md`, section 8).
    pub is_view: bool,
    /// Its kind.
    pub kind: SchemaKind,
    /// Its name, qualified unless its namespace is `aten`.
    name: Arc<str>,
}

impl Operator {
    /// The operator of a declaration.
    #[must_use]
    pub fn new(declaration: Declaration, tags: Tags, is_view: bool) -> Self {
        let schema = declaration.schema();
        let name = match declaration.namespace() {
            "aten" => schema.name.shared(),
            namespace => format!("{namespace}::{}", schema.name).into(),
        };
        Self {
            name,
            kind: schema.kind(),
            declaration,
            tags,
            is_view,
        }
    }

    /// Whether its declaration puts a kernel on `CompositeImplicitAutograd`.
    #[must_use]
    pub fn is_composite_implicit(&self) -> bool {
        self.has_kernel("CompositeImplicitAutograd")
    }

    /// Whether its declaration puts a kernel on `CompositeExplicitAutograd`.
    #[must_use]
    pub fn is_composite_explicit(&self) -> bool {
        self.has_kernel("CompositeExplicitAutograd")
    }

    /// Whether its declaration puts a kernel on `CompositeExplicitAutogradNonFunctional`.
    #[must_use]
    pub fn is_composite_non_functional(&self) -> bool {
        self.has_kernel("CompositeExplicitAutogradNonFunctional")
    }

    /// Whether its name ends as those of copies (`_copy`) and scatters (`_scatter`) of views do.
    #[must_use]
    pub fn is_named_after_view(&self) -> bool {
        let stem = self.name().stem();
        stem.ends_with("_copy") || stem.ends_with("_scatter")
    }

    /// Whether a return is a tensor, or an optional or list of them.
    #[must_use]
    pub fn returns_tensors(&self) -> bool {
        self.schema().returns.iter().any(|r| r.ty.is_tensor_like())
    }

    /// Its entry, unless it is generated.
    #[must_use]
    pub fn declared(&self) -> Option<&PlacedEntry> {
        match &self.declaration {
            Declaration::Entry(entry) => Some(entry),
            Declaration::Generated { .. } | Declaration::Vendor(_) => None,
        }
    }

    /// What a vendor's file declares, if it comes from one.
    #[must_use]
    pub fn vendor(&self) -> Option<&VendorOperator> {
        match &self.declaration {
            Declaration::Vendor(vendor) => Some(vendor),
            Declaration::Entry(_) | Declaration::Generated { .. } => None,
        }
    }

    /// The base types of its arguments and returns, each once, in order.
    pub fn used_types(&self) -> impl Iterator<Item = BaseType> + use<> {
        let schema = self.schema();
        let arguments = schema.arguments.all().iter().map(|argument| &argument.ty);
        let all = arguments.chain(schema.returns.iter().map(|one| &one.ty));
        let used: BTreeSet<BaseType> = all.filter_map(Type::innermost).collect();
        used.into_iter()
    }

    /// What it was generated as, unless it is written.
    #[must_use]
    pub fn generated(&self) -> Option<&Generated> {
        match &self.declaration {
            Declaration::Entry(_) | Declaration::Vendor(_) => None,
            Declaration::Generated { made, .. } => Some(made),
        }
    }

    /// The operator that it was generated from, unless it is written.
    #[must_use]
    pub fn generated_from(&self) -> Option<OperatorId> {
        match self.declaration {
            Declaration::Entry(_) | Declaration::Vendor(_) => None,
            Declaration::Generated { from, .. } => Some(from),
        }
    }

    /// Whether both share one parsed entry, or equal generated declarations.
    #[must_use]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (&self.declaration, &other.declaration) {
            (Declaration::Entry(a), Declaration::Entry(b)) => Arc::ptr_eq(&a.entry, &b.entry),
            (Declaration::Generated { made: a, .. }, Declaration::Generated { made: b, .. }) => {
                a == b
            }
            _ => false,
        }
    }

    /// Whether `autogen` made it.
    #[must_use]
    pub fn is_generated(&self) -> bool {
        self.generated().is_some()
    }

    /// Its schema.
    #[must_use]
    pub fn schema(&self) -> &FunctionSchema {
        self.declaration.schema()
    }

    /// The canonical text of its schema.
    #[must_use]
    pub fn canonical(&self) -> &str {
        match &self.declaration {
            Declaration::Entry(placed) => &placed.entry.canonical,
            Declaration::Generated { made, .. } => &made.canonical,
            Declaration::Vendor(vendor) => &vendor.canonical,
        }
    }

    /// The canonical text of its signature.
    #[must_use]
    pub fn signature(&self) -> &str {
        self.declaration.signature()
    }

    /// The kernels that its declaration puts on keys.
    #[must_use]
    pub fn kernels(&self) -> &[KernelEntry] {
        self.declaration.kernels()
    }

    /// Whether its declaration puts a kernel on this key.
    #[must_use]
    pub fn has_kernel(&self, key: &str) -> bool {
        self.kernels().iter().any(|k| k.key.as_str() == key)
    }

    /// Whether it carries a tag.
    #[must_use]
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.binary_search_by(|t| (**t).cmp(tag)).is_ok()
    }

    /// `variants`; generated operators are functions only.
    #[must_use]
    pub fn variants(&self) -> Variants {
        self.declared()
            .map_or_else(Variants::default, |placed| placed.entry.variants)
    }

    /// `structured: True`
    #[must_use]
    pub fn is_structured(&self) -> bool {
        self.declared()
            .is_some_and(|placed| placed.entry.structured)
    }

    /// The operator that it delegates to.
    #[must_use]
    pub fn structured_delegate(&self) -> Option<&OperatorName> {
        let delegate = self.declared()?.entry.structured_delegate.as_ref()?;
        Some(&delegate.value)
    }

    /// Whether it is structured or delegates (torchgen `part_of_structured_group`).
    #[must_use]
    pub fn is_part_of_structured_group(&self) -> bool {
        self.is_structured() || self.structured_delegate().is_some()
    }

    /// Whether it is abstract ([`Entry::is_abstract`]).
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        match &self.declaration {
            Declaration::Entry(placed) => placed.entry.is_abstract(),
            Declaration::Generated { made, .. } => made.is_abstract,
            Declaration::Vendor(_) => false,
        }
    }

    /// `manual_cpp_binding`
    #[must_use]
    pub fn has_manual_cpp_binding(&self) -> bool {
        self.declared()
            .is_some_and(|placed| placed.entry.manual_cpp_binding)
    }

    /// `use_const_ref_for_mutable_tensors`
    #[must_use]
    pub fn uses_const_ref_for_mutable_tensors(&self) -> bool {
        match &self.declaration {
            Declaration::Entry(placed) => placed.entry.use_const_ref_for_mutable_tensors,
            Declaration::Generated { made, .. } => made.use_const_ref_for_mutable_tensors,
            Declaration::Vendor(_) => false,
        }
    }

    /// `python_module`; generated operators have none.
    #[must_use]
    pub fn python_module(&self) -> Option<&str> {
        let module = self.declared()?.entry.python_module.as_ref()?;
        Some(&module.value)
    }

    /// `category_override`; generated operators have none.
    #[must_use]
    pub fn category_override(&self) -> Option<&str> {
        let category = self.declared()?.entry.category_override.as_ref()?;
        Some(&category.value)
    }

    /// `device_check`; generated operators have none.
    #[must_use]
    pub fn device_check(&self) -> DeviceCheck {
        self.declared()
            .map_or(DeviceCheck::NoCheck, |placed| placed.entry.device_check)
    }

    /// `device_guard`; generated operators have none.
    #[must_use]
    pub fn device_guard(&self) -> bool {
        self.declared()
            .is_some_and(|placed| placed.entry.device_guard)
    }
}

/// The namespace and the bare name of a qualified name; a name without a namespace is in `aten`.
#[must_use]
pub fn split_qualified(name: &str) -> (&str, &str) {
    name.rsplit_once("::").unwrap_or(("aten", name))
}
