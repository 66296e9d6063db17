//! Generated operators: what `autogen` brings into being (RULES.md section 2.10, torchgen
//! `add_generated_native_functions`).

mod variants;

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::entry::{Kernel, KernelEntry, KernelSource, KeyName};
use super::group::Group;
use super::invariants::broken_invariants;
use super::name::OperatorName;
use super::operator::{Declaration, Generated, Operator, OperatorId};
use super::schema::{FunctionSchema, SchemaKind};
use super::signature::signature;
use super::tags::TagInterner;
use crate::release::Release;

use variants::{functional_schema, out_schema};

/// The key of the one kernel that a generated operator has.
const GENERATED_KEY: &str = "CompositeExplicitAutograd";

/// Why a group cannot be completed; rules report these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerationFault {
    /// Nothing tensor-like is returned, so no out variant can exist (`no-tensor-return`).
    NoTensorReturn(OperatorId),
    /// An out variant without any sibling (`out-without-other-variant`).
    OutWithoutOtherVariant(OperatorId),
    /// The generated schema would break a rule of schemas (`autogen-mixed-returns`,
    /// `autogen-schema`).
    BrokenSchema {
        /// What it would be made from.
        from: OperatorId,
        /// The schema that cannot be; the one that it would be made from where not even the parts
        /// can be made.
        schema: Box<str>,
        /// What is wrong with it, in a sentence.
        why: Cow<'static, str>,
    },
    /// An operator of the generated name has the kernel already that the generated one would
    /// bring (`autogen-name-clash`).
    NameClash {
        /// What it would be made from.
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

/// Completes the groups. New operators are appended to `operators`.
pub(super) fn generate(
    operators: &mut Vec<Operator>,
    groups: &[Group],
    release: Release,
    tags: &mut TagInterner,
) -> Vec<GenerationFault> {
    let mut generation = Generation {
        operators,
        release,
        tags,
        faults: Vec::new(),
        explicit: FxHashMap::default(),
        indexed: 0,
    };
    for group in groups {
        generation.complete(group);
    }
    generation.faults
}

struct Generation<'a> {
    operators: &'a mut Vec<Operator>,
    release: Release,
    tags: &'a mut TagInterner,
    faults: Vec<GenerationFault>,
    /// Operators with a kernel on [`GENERATED_KEY`], of the first `indexed` ones.
    explicit: FxHashMap<OperatorName, OperatorId>,
    indexed: usize,
}

impl Generation<'_> {
    fn operator(&self, id: OperatorId) -> &Operator {
        &self.operators[id.index()]
    }

    fn name_is_in(&self, id: OperatorId, list: crate::release::Names) -> bool {
        list.contains(self.operator(id).name().as_str())
    }

    /// Whether a group is left alone: it bypasses the dispatcher, is about views, or decomposes.
    fn is_skipped(&self, group: &Group) -> bool {
        let lists = &self.release.data().name_lists;
        let mut members = group.members().map(|id| self.operator(id));
        let all =
            |test: &dyn Fn(&Operator) -> bool| group.members().all(|id| test(self.operator(id)));
        let is_core = members.any(|op| op.has_tag("core"));
        let forced = is_core && self.release.data().core_tag_forces_generation;
        all(&Operator::has_manual_cpp_binding)
            || group.members().any(|id| {
                let op = self.operator(id);
                op.is_view
                    && !lists
                        .view_in_group_ignored_base_names
                        .contains(op.name().base())
            })
            || (all(&|op| op.has_kernel("CompositeImplicitAutograd")) && !forced)
    }

    fn complete(&mut self, group: &Group) {
        let Some(base) = self.base(group) else { return };
        if self.is_skipped(group) {
            return;
        }
        let lists = &self.release.data().name_lists;
        if let Some(out) = group.out
            && group.members().count() == 1
        {
            if !self.name_is_in(out, lists.out_ops_that_dont_get_grouped_properly) {
                self.faults
                    .push(GenerationFault::OutWithoutOtherVariant(out));
            }
            return;
        }
        if let Some(inplace) = group.inplace
            && self.name_is_in(inplace, lists.inplace_ops_that_dont_get_grouped_properly)
        {
            return;
        }
        let operator = self.operator(base);
        let valid = operator.kind == SchemaKind::Inplace
            || operator
                .schema()
                .returns
                .iter()
                .any(|r| r.ty.is_tensor_like());
        let wanted = operator.written().is_some_and(|placed| {
            let names = &placed.entry.autogen;
            names.iter().any(|name| name.value.as_str().contains("out"))
        });
        let mut has_out = group.out.is_some();
        if !has_out && !valid {
            let allowed = self.name_is_in(base, lists.mutable_ops_that_cannot_get_an_out_variant)
                || self.name_is_in(base, lists.functional_ops_that_cannot_get_an_out_variant);
            if !allowed {
                self.faults.push(GenerationFault::NoTensorReturn(base));
            }
        }
        if !has_out && valid && wanted {
            let schema = out_schema(self.operator(base).schema());
            has_out = self.add(base, schema);
        }
        if group.functional.is_none() && has_out {
            let schema = functional_schema(self.operator(base).schema());
            self.add(base, Ok(schema));
        }
    }

    /// The member that the others are made from; none in a group of scratch operators alone.
    fn base(&self, group: &Group) -> Option<OperatorId> {
        let order = self.release.data().generation_base_order.iter();
        order
            .filter_map(|kind| match kind {
                "functional" => group.functional,
                "inplace" => group.inplace,
                "out" => group.out,
                "mutable" => group.mutable,
                _ => None,
            })
            .next()
    }

    /// The operator of this name that has a kernel on the key of generated operators. torchgen
    /// indexes kernels by name (`BackendIndex.grow_index`).
    fn clash(&mut self, name: &OperatorName) -> Option<OperatorId> {
        for (i, operator) in self.operators.iter().enumerate().skip(self.indexed) {
            if operator.has_kernel(GENERATED_KEY) {
                let id = OperatorId(u32::try_from(i).unwrap_or(u32::MAX));
                self.explicit.entry(operator.name().clone()).or_insert(id);
            }
        }
        self.indexed = self.operators.len();
        self.explicit.get(name).copied()
    }

    /// Adds an operator unless its schema could not be or its name is taken.
    fn add(&mut self, from: OperatorId, schema: Result<FunctionSchema, &'static str>) -> bool {
        let broken = |text: String, why: Cow<'static, str>| GenerationFault::BrokenSchema {
            from,
            schema: text.into(),
            why,
        };
        let schema = match schema {
            Ok(schema) => schema,
            Err(why) => {
                let text = self.operator(from).canonical().to_owned();
                self.faults.push(broken(text, why.into()));
                return false;
            }
        };
        if let Some(invariant) = broken_invariants(&schema).into_iter().next() {
            self.faults
                .push(broken(schema.to_string(), invariant.message));
            return false;
        }
        if let Some(with) = self.clash(&schema.name) {
            let name = schema.name;
            self.faults
                .push(GenerationFault::NameClash { from, name, with });
            return false;
        }
        let base = &self.operators[from.index()];
        let kind = schema.kind();
        let operator = Operator {
            tags: generated_tags(self.release, base, &schema, self.tags),
            is_view: false,
            kind,
            declaration: Declaration::Generated(Arc::new(generated(from, base, schema))),
        };
        self.operators.push(operator);
        true
    }
}

fn generated(from: OperatorId, base: &Operator, schema: FunctionSchema) -> Generated {
    let mut kernel = if schema.kind() == SchemaKind::Out {
        schema.name.unambiguous()
    } else {
        schema.default_kernel()
    };
    if base.schema().has_symint() {
        kernel.push_str("_symint");
    }
    let at = base
        .written()
        .and_then(|placed| placed.entry.autogen.first())
        .map_or(schema.name_at.0, |name| name.at);
    Generated {
        canonical: schema.to_string().into(),
        signature: signature(&schema).into(),
        from,
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
            .written()
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
