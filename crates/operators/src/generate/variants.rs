//! The schemas of generated variants (torchgen `self_to_out_signature`,
//! `functional_to_out_signature`, `mutable_to_out_signature`, `generate_function`).

use opatlas_schema::annotation::Annotation;
use opatlas_schema::function::{Argument, Arguments, FunctionSchema, Return, SchemaKind};
use opatlas_schema::name::{NameForm, OperatorName};
use opatlas_schema::signature::unreturned_writes;

/// Drops annotations, out arguments and TensorOptions.
fn signature_arguments(schema: &FunctionSchema, outs: Vec<Argument>) -> Arguments {
    let plain = |argument: &Argument| Argument {
        annotation: None,
        ..argument.clone()
    };
    let arguments = &schema.arguments;
    let mut list = Vec::with_capacity(arguments.all().len() + outs.len());
    list.extend(arguments.positional().iter().map(plain));
    let positional = list.len();
    list.extend(arguments.keyword_only_without_options().map(plain));
    let out = list.len();
    list.extend(outs);
    Arguments::new(list, positional, out)
}

fn with_room(arguments: &[Argument], more: usize) -> Vec<Argument> {
    let mut list = Vec::with_capacity(arguments.len() + more);
    list.extend_from_slice(arguments);
    list
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

pub(super) fn out_name(base: &FunctionSchema) -> OperatorName {
    OperatorName::from_parts(
        base.name.stem(),
        plain_form(&base.name),
        &out_overload(base.name.overload()),
    )
}

pub(super) fn functional_name(base: &FunctionSchema) -> OperatorName {
    let form = match base.kind() {
        SchemaKind::Mutable if !base.name.is_dunder() => NameForm::Functional,
        _ => plain_form(&base.name),
    };
    OperatorName::from_parts(base.name.stem(), form, base.name.overload())
}

/// The out variant of an in-place, mutable or functional schema, or why there is none.
pub(crate) fn out_schema(base: &FunctionSchema) -> Result<FunctionSchema, &'static str> {
    let name = out_name(base);
    let kind = base.kind();
    let (arguments, returns) = if kind == SchemaKind::Inplace {
        let this = base
            .arguments
            .self_index()
            .ok_or("it has no argument `self`")?;
        let mut list = with_room(base.arguments.all(), 1);
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
            let mut list = with_room(base.arguments.all(), outs.len());
            let (positional, at) = (base.arguments.positional().len(), list.len());
            list.extend(outs);
            Arguments::new(list, positional, at)
        } else {
            signature_arguments(base, outs)
        };
        (arguments, returns)
    };
    Ok(FunctionSchema {
        name,
        arguments,
        returns,
        name_at: base.name_at,
        returns_at: base.returns_at,
    })
}

/// One out argument for each tensor-like return, and the remaining returns.
fn outs_of_returns(base: &FunctionSchema) -> Result<(Vec<Return>, Vec<Argument>), &'static str> {
    if base.returns.iter().any(Return::is_write) {
        return Err("it returns a mutable argument, but its name is not an in-place name");
    }
    // torchgen checks each letter against a generator over the used letters, which earlier searches
    // have partly consumed. So returns may get letters of arguments.
    let arguments = base.arguments.all().iter();
    let mut used = arguments
        .filter_map(|a| a.annotation.as_ref())
        .flat_map(|a| a.before.iter().copied());
    let free: Vec<u8> = (b'a'..=b'z')
        .filter(|letter| !used.any(|used| used == *letter))
        .collect();
    let all_plain = base.returns.iter().all(|r| r.ty.is_tensor());
    let mut returns = Vec::with_capacity(base.returns.len());
    let mut outs = Vec::with_capacity(base.returns.len());
    for (i, ret) in base.returns.iter().enumerate() {
        if !ret.ty.is_tensor_like() {
            returns.push(ret.clone());
            continue;
        }
        let letter = free
            .get(i)
            .ok_or("it has more returns than free alias letters")?;
        let annotation = Box::new(Annotation::written(*letter));
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
    Ok((returns, outs))
}

/// The functional variant of an in-place, mutable or out schema.
pub(crate) fn functional_schema(base: &FunctionSchema) -> FunctionSchema {
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
        name: functional_name(base),
        arguments: signature_arguments(base, Vec::new()),
        returns: kept.chain(written).collect(),
        name_at: base.name_at,
        returns_at: base.returns_at,
    }
}
