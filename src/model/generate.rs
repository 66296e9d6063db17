//! Generated operators: what `autogen` brings into being (RULES.md section 2.10, torchgen
//! `add_generated_native_functions`).

use std::sync::Arc;

use super::annotation::Annotation;
use super::entry::{Kernel, KernelEntry, KernelSource, KeyName};
use super::group::Group;
use super::invariants::broken_invariants;
use super::name::{NameForm, OperatorName};
use super::operator::{Declaration, Generated, Operator, OperatorId};
use super::schema::{Argument, Arguments, FunctionSchema, Return, SchemaKind};
use super::signature::{signature, unreturned_writes};
use super::tags::TagInterner;
use crate::release::Release;

/// Why a group cannot be completed; rules report these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerationFault {
    /// Nothing tensor-like is returned, so no out variant can exist (`no-tensor-return`).
    NoTensorReturn(OperatorId),
    /// An out variant without any sibling (`out-without-other-variant`).
    OutWithoutOtherVariant(OperatorId),
    /// The generated schema would break a rule of schemas (`autogen-mixed-returns`).
    BrokenSchema {
        /// What it would be made from.
        from: OperatorId,
        /// The schema that cannot be.
        schema: Box<str>,
    },
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
            self.add(base, Some(schema));
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

    /// Adds an operator unless its schema could not be.
    fn add(&mut self, from: OperatorId, schema: Option<FunctionSchema>) -> bool {
        let broken = |text: String| GenerationFault::BrokenSchema {
            from,
            schema: text.into(),
        };
        let Some(schema) = schema else {
            let text = self.operator(from).canonical().to_owned();
            self.faults.push(broken(text));
            return false;
        };
        if !broken_invariants(&schema).is_empty() {
            self.faults.push(broken(schema.to_string()));
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
            key: KeyName::Known("CompositeExplicitAutograd"),
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

/// The arguments of a signature: annotations, out arguments and TensorOptions gone.
fn signature_arguments(schema: &FunctionSchema, outs: Vec<Argument>) -> Arguments {
    let plain = |argument: &Argument| Argument {
        annotation: None,
        ..argument.clone()
    };
    let arguments = &schema.arguments;
    let mut list: Vec<Argument> = arguments.positional().iter().map(plain).collect();
    let positional = list.len();
    list.extend(arguments.keyword_only_without_options().map(plain));
    let out = list.len();
    list.extend(outs);
    Arguments::new(list, positional, out)
}

fn out_overload(overload: &str) -> String {
    if overload.is_empty() {
        "out".to_owned()
    } else {
        format!("{overload}_out")
    }
}

fn plain_form(name: &OperatorName) -> NameForm {
    if name.is_dunder() {
        NameForm::Dunder
    } else {
        NameForm::Plain
    }
}

/// The out variant of an in-place, mutable or functional schema; `None` where the letters do not
/// suffice for its returns.
fn out_schema(base: &FunctionSchema) -> Option<FunctionSchema> {
    let name = OperatorName::from_parts(
        base.name.stem(),
        plain_form(&base.name),
        &out_overload(base.name.overload()),
    );
    let kind = base.kind();
    let (arguments, returns) = if kind == SchemaKind::Inplace {
        let this = base.arguments.self_index()?;
        let mut list = base.arguments.all().to_vec();
        let mut out = list[this].clone();
        list[this].annotation = None;
        out.name = "out".into();
        out.default = None;
        let positional = base.arguments.positional().len();
        let at = list.len();
        list.push(out);
        (Arguments::new(list, positional, at), base.returns.clone())
    } else {
        let (returns, outs) = outs_of_returns(base)?;
        let arguments = if kind == SchemaKind::Mutable {
            let mut list = base.arguments.all().to_vec();
            let (positional, at) = (base.arguments.positional().len(), list.len());
            list.extend(outs);
            Arguments::new(list, positional, at)
        } else {
            signature_arguments(base, outs)
        };
        (arguments, returns)
    };
    Some(FunctionSchema {
        name,
        arguments,
        returns,
        name_at: base.name_at,
        returns_at: base.returns_at,
    })
}

/// One out argument for each tensor-like return, and the returns that remain.
fn outs_of_returns(base: &FunctionSchema) -> Option<(Vec<Return>, Vec<Argument>)> {
    let used: Vec<u8> = base
        .arguments
        .all()
        .iter()
        .filter_map(|a| a.annotation.as_ref())
        .flat_map(|a| a.before.iter().copied())
        .collect();
    let free: Vec<u8> = (b'a'..=b'z').filter(|l| !used.contains(l)).collect();
    let all_plain = base.returns.iter().all(|r| r.ty.is_tensor());
    let mut returns = Vec::new();
    let mut outs = Vec::new();
    for (i, ret) in base.returns.iter().enumerate() {
        if !ret.ty.is_tensor_like() {
            returns.push(ret.clone());
            continue;
        }
        let annotation = Annotation::written(*free.get(i)?);
        if all_plain {
            returns.push(Return {
                name: None,
                ty: ret.ty.clone(),
                annotation: Some(annotation.clone()),
                at: ret.at,
            });
        }
        let name = if base.returns.len() == 1 {
            "out".into()
        } else {
            format!("out{i}").into()
        };
        outs.push(Argument {
            name,
            ty: ret.ty.clone(),
            default: None,
            annotation: Some(annotation),
            at: ret.at,
            type_at: ret.at,
            name_at: ret.at,
            default_at: ret.at,
        });
    }
    Some((returns, outs))
}

/// The functional variant of an in-place, mutable or out schema.
fn functional_schema(base: &FunctionSchema) -> FunctionSchema {
    let form = match base.kind() {
        SchemaKind::Mutable if !base.name.is_dunder() => NameForm::Functional,
        _ => plain_form(&base.name),
    };
    let kept = base.returns.iter().map(|r| Return {
        annotation: None,
        ..r.clone()
    });
    let written = unreturned_writes(base).map(|a| Return {
        name: Some(format!("{}_out", a.name).into()),
        ty: a.ty.clone(),
        annotation: None,
        at: a.at,
    });
    FunctionSchema {
        name: OperatorName::from_parts(base.name.stem(), form, base.name.overload()),
        arguments: signature_arguments(base, Vec::new()),
        returns: kept.chain(written).collect(),
        name_at: base.name_at,
        returns_at: base.returns_at,
    }
}
