//! Generated operators (`docs/spec/grammar.md`, section 10, torchgen
//! `add_generated_native_functions`).

pub(crate) mod variants;

use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::name::OperatorName;
use opatlas_schema::signature::signature;
use opatlas_source::Message;
use rustc_hash::FxHashMap;

use super::entry::{Kernel, KernelEntry, KernelSource, KeyName};
use super::group::Group;
use super::operator::{Declaration, Generated, Operator, OperatorId};
use super::tags::TagInterner;
use variants::{functional_schema, out_schema};

/// The key of a generated operator's kernel.
const GENERATED_KEY: &str = "CompositeExplicitAutograd";

/// Why a group cannot be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerationFault {
    /// No return is tensor-like, so no out variant is possible (`no-tensor-return`).
    NoTensorReturn(OperatorId),
    /// An out variant without any sibling (`out-without-other-variant`).
    OutWithoutOtherVariant(OperatorId),
    /// The generated schema breaks an invariant (`autogen-mixed-returns`, `autogen-schema`).
    BrokenSchema {
        /// The base.
        from: OperatorId,
        /// The invalid schema, or that of the base.
        schema: Box<str>,
        /// The reason.
        why: Message,
    },
    /// Another operator has this name and a kernel for the same key (`autogen-name-clash`).
    NameClash {
        /// The base.
        from: OperatorId,
        /// The generated name.
        name: OperatorName,
        /// The operator that has it.
        with: OperatorId,
    },
}

impl GenerationFault {
    /// The operator that the fault is about.
    #[must_use]
    pub fn operator(&self) -> OperatorId {
        match *self {
            Self::NoTensorReturn(id) | Self::OutWithoutOtherVariant(id) => id,
            Self::BrokenSchema { from, .. } | Self::NameClash { from, .. } => from,
        }
    }
}

/// Why a group generates nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftAlone {
    /// All members bypass the dispatcher (`manual_cpp_binding`).
    Manual,
    /// A member is a view.
    View,
    /// All members decompose, and none has a `core` tag that matters.
    Composite,
}

/// Why a group generates nothing, if so.
#[must_use]
pub fn left_alone(operators: &[Operator], group: &Group, release: Release) -> Option<LeftAlone> {
    let data = release.data();
    let members = || group.members().map(|id| &operators[id.index()]);
    let ignored = data.name_lists.view_in_group_ignored_base_names;
    let is_forced = || data.core_tag_forces_generation && members().any(|op| op.has_tag("core"));
    if members().all(Operator::has_manual_cpp_binding) {
        Some(LeftAlone::Manual)
    } else if members().any(|op| op.is_view && !ignored.contains(op.base_name())) {
        Some(LeftAlone::View)
    } else if members().all(Operator::is_composite_implicit) && !is_forced() {
        Some(LeftAlone::Composite)
    } else {
        None
    }
}

/// The base of a group; `None` if there are only scratch operators.
#[must_use]
pub fn base(group: &Group, release: Release) -> Option<OperatorId> {
    let mut order = release.data().generation_base_order.iter();
    order.find_map(|kind| match kind {
        "functional" => group.functional,
        "inplace" => group.inplace,
        "out" => group.out,
        "mutable" => group.mutable,
        _ => None,
    })
}

/// Whether an out variant is possible: from tensor-like returns, or from an in-place `self`.
#[must_use]
pub fn can_have_out(operator: &Operator) -> bool {
    operator.kind == SchemaKind::Inplace || operator.returns_tensors()
}

/// The names of missing variants that `autogen` could list, sorted.
#[must_use]
pub fn lacking(operators: &[Operator], group: &Group, release: Release) -> Vec<OperatorName> {
    let Some(base) = base(group, release) else {
        return Vec::new();
    };
    let schema = operators[base.index()].schema();
    let out = group.out.is_none().then(|| variants::out_name(schema));
    let functional = group
        .functional
        .is_none()
        .then(|| variants::functional_name(schema));
    let mut names: Vec<OperatorName> = out.into_iter().chain(functional).collect();
    names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    names
}

pub(super) fn generate(
    operators: &mut Vec<Operator>,
    groups: &[Group],
    release: Release,
    tags: &mut TagInterner,
) -> Vec<GenerationFault> {
    let builder = VariantBuilder { operators, release };
    let completions: Vec<Completion> = groups.iter().map(|group| builder.complete(group)).collect();
    let explicit = (0..)
        .zip(&*operators)
        .filter(|(_, operator)| operator.is_composite_explicit());
    let mut first: FxHashMap<Arc<str>, OperatorId> = FxHashMap::default();
    for (i, operator) in explicit {
        first
            .entry(operator.name().shared())
            .or_insert(OperatorId(i));
    }
    let mut generation = Generation {
        operators,
        release,
        tags,
        faults: Vec::new(),
        explicit: first,
    };
    for (group, completion) in groups.iter().zip(completions) {
        generation.complete(group, completion);
    }
    generation.faults
}

type Variant = Result<Arc<Generated>, GenerationFault>;

/// Before checking for name clashes.
#[derive(Default)]
struct Completion {
    fault: Option<GenerationFault>,
    /// Only if requested.
    out: Option<(OperatorId, Variant)>,
    /// Only with an out variant.
    functional: Option<(OperatorId, Variant)>,
}

struct VariantBuilder<'a> {
    operators: &'a [Operator],
    release: Release,
}

impl VariantBuilder<'_> {
    fn operator(&self, id: OperatorId) -> &Operator {
        &self.operators[id.index()]
    }

    fn name_is_in(&self, id: OperatorId, list: opatlas_pytorch::release::Names) -> bool {
        list.contains(self.operator(id).name_text())
    }

    fn complete(&self, group: &Group) -> Completion {
        let Some(base) = base(group, self.release) else {
            return Completion::default();
        };
        if left_alone(self.operators, group, self.release).is_some() {
            return Completion::default();
        }
        let lists = &self.release.data().name_lists;
        if let Some(out) = group.out
            && group.members().count() == 1
        {
            let is_known = self.name_is_in(out, lists.out_ops_that_dont_get_grouped_properly);
            let fault = GenerationFault::OutWithoutOtherVariant(out);
            return Completion {
                fault: (!is_known).then_some(fault),
                ..Completion::default()
            };
        }
        if let Some(inplace) = group.inplace
            && self.name_is_in(inplace, lists.inplace_ops_that_dont_get_grouped_properly)
        {
            return Completion::default();
        }
        let mut completion = match group.out {
            Some(_) => Completion::default(),
            None => self.out(base),
        };
        if group.functional.is_none() && (group.out.is_some() || completion.out.is_some()) {
            completion.functional = Some((base, self.make(base, SchemaKind::Functional)));
        }
        completion
    }

    /// If possible and requested by `autogen`.
    fn out(&self, base: OperatorId) -> Completion {
        let lists = &self.release.data().name_lists;
        let operator = self.operator(base);
        if !can_have_out(operator) {
            let allowed = self.name_is_in(base, lists.mutable_ops_that_cannot_get_an_out_variant)
                || self.name_is_in(base, lists.functional_ops_that_cannot_get_an_out_variant);
            return Completion {
                fault: (!allowed).then_some(GenerationFault::NoTensorReturn(base)),
                ..Completion::default()
            };
        }
        let is_wanted = operator.declared().is_some_and(|placed| {
            let names = &placed.entry.autogen;
            names.iter().any(|name| name.value.as_str().contains("out"))
        });
        Completion {
            out: is_wanted.then(|| (base, self.make(base, SchemaKind::Out))),
            ..Completion::default()
        }
    }

    fn make(&self, from: OperatorId, kind: SchemaKind) -> Variant {
        let base = self.operator(from);
        let broken = |text: String, why: Message| GenerationFault::BrokenSchema {
            from,
            schema: text.into(),
            why,
        };
        let schema = match kind {
            SchemaKind::Out => out_schema(base.schema()),
            _ => Ok(functional_schema(base.schema())),
        };
        let schema = schema.map_err(|why| broken(base.canonical().to_owned(), why.into()))?;
        match broken_invariants(&schema).into_iter().next() {
            Some(invariant) => Err(broken(schema.to_string(), invariant.message)),
            None => Ok(Arc::new(generated(base, schema))),
        }
    }
}

/// In order, since an earlier variant may take a name.
struct Generation<'a> {
    operators: &'a mut Vec<Operator>,
    release: Release,
    tags: &'a mut TagInterner,
    faults: Vec<GenerationFault>,
    /// The first operator of each name; torchgen indexes kernels by name
    /// (`BackendIndex.grow_index`).
    explicit: FxHashMap<Arc<str>, OperatorId>,
}

impl Generation<'_> {
    fn complete(&mut self, group: &Group, completion: Completion) {
        self.faults.extend(completion.fault);
        let mut has_out = group.out.is_some();
        if let Some((from, made)) = completion.out {
            has_out = self.add(from, made);
        }
        if let Some((from, made)) = completion.functional.filter(|_| has_out) {
            self.add(from, made);
        }
    }

    /// Unless its schema is invalid or its name is taken.
    fn add(&mut self, from: OperatorId, made: Variant) -> bool {
        let made = match made {
            Ok(made) => made,
            Err(fault) => {
                self.faults.push(fault);
                return false;
            }
        };
        let name = &made.schema.name;
        if let Some(&with) = self.explicit.get(name.as_str()) {
            let name = name.clone();
            self.faults
                .push(GenerationFault::NameClash { from, name, with });
            return false;
        }
        let id = OperatorId::of_index(self.operators.len());
        self.explicit.insert(name.shared(), id);
        let base = &self.operators[from.index()];
        let tags = generated_tags(self.release, base, &made.schema, self.tags);
        let declaration = Declaration::Generated { made, from };
        self.operators.push(Operator::new(declaration, tags, false));
        true
    }
}

fn generated(base: &Operator, schema: FunctionSchema) -> Generated {
    let mut kernel = if schema.kind() == SchemaKind::Out {
        schema.name.unambiguous()
    } else {
        schema.default_kernel()
    };
    if base.schema().has_symint() {
        kernel.push_str("_symint");
    }
    let at = base
        .declared()
        .and_then(|placed| placed.entry.autogen.first())
        .map_or(schema.name_at.0, |name| name.at);
    Generated {
        canonical: schema.to_string().into(),
        signature: signature(&schema).into(),
        kernels: vec![KernelEntry {
            key: KeyName::Known(GENERATED_KEY),
            kernel: Kernel {
                namespace: None,
                name: kernel.into(),
            },
            source: KernelSource::Generated,
            key_at: at,
            kernel_at: at,
        }],
        namespace: base.namespace().into(),
        is_abstract: base.is_abstract(),
        use_const_ref_for_mutable_tensors: base
            .declared()
            .is_some_and(|placed| placed.entry.use_const_ref_for_mutable_tensors),
        schema,
    }
}

fn generated_tags(
    release: Release,
    base: &Operator,
    schema: &FunctionSchema,
    tags: &mut TagInterner,
) -> super::tags::Tags {
    let data = release.data();
    let own = base.tags.iter().map(|tag| &**tag);
    let mut names: Vec<&str> = own
        .filter(|tag| data.tags_kept_on_generated.contains(tag))
        .collect();
    let forced = data
        .tags_forced_on_generated
        .iter()
        .filter(|&tag| match tag {
            "out" => !schema.arguments.out().is_empty(),
            "inplace" => schema.name.is_inplace(),
            _ => true,
        });
    names.extend(forced.map(|tag| -> &str { tag }));
    tags.intern(names)
}
