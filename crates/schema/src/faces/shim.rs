//! The C shim of AOTInductor: the functions that compiled packages call (torchgen
//! `gen_aoti_c_shim.py`).

use super::context::Refused;
use crate::function::{Argument, FunctionSchema, Return};
use crate::types::{BaseType, Type};

/// A version of a shim function after the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShimVersion {
    /// Its number, from 2 on.
    pub number: u32,
    /// The arguments that the version before it lacks.
    pub new_arguments: Vec<Box<str>>,
}

/// The declarations of an operator's functions for a device, the newest version first. `device` is the
/// word in their names, such as `cpu`; `versions` are in ascending order.
///
/// # Errors
/// [`Refused`] if an argument or a return has no C type: torchgen then generates no function.
pub fn shim_declarations(
    schema: &FunctionSchema,
    device: &str,
    versions: &[ShimVersion],
) -> Result<Vec<String>, Refused> {
    let base = schema.name.unambiguous();
    let mut skipped: Vec<&str> = Vec::new();
    let mut declarations = Vec::with_capacity(versions.len() + 1);
    for version in versions.iter().rev() {
        let name = format!("{base}_v{}", version.number);
        declarations.push(declaration(schema, device, &name, &skipped)?);
        skipped.extend(version.new_arguments.iter().map(|name| &**name));
    }
    declarations.push(declaration(schema, device, &base, &skipped)?);
    Ok(declarations)
}

/// Out arguments come first. Calls of in-place and out operators return no tensors.
fn declaration(
    schema: &FunctionSchema,
    device: &str,
    name: &str,
    skipped: &[&str],
) -> Result<String, Refused> {
    let arguments = &schema.arguments;
    let all = arguments.out().iter().chain(arguments.non_out());
    let mut parameters = Vec::new();
    for argument in all.filter(|argument| !skipped.contains(&&*argument.name)) {
        parameters.extend(parameters_of(argument)?);
    }
    if arguments.out().is_empty() && !schema.name.is_inplace() {
        for (i, one) in schema.returns.iter().enumerate() {
            parameters.push(result(i, one)?);
        }
    }
    let parameters = parameters.join(", ");
    Ok(format!(
        "AOTI_TORCH_EXPORT AOTITorchError aoti_torch_{device}_{name}({parameters});"
    ))
}

fn parameters_of(argument: &Argument) -> Result<Vec<String>, Refused> {
    let name = &argument.name;
    let types = c_types(&argument.ty)?;
    let mut parameters = vec![format!("{} {name}", types.value)];
    if let Some((ty, suffix)) = types.second {
        parameters.push(format!("{ty} {name}{suffix}"));
    }
    Ok(parameters)
}

fn result(index: usize, one: &Return) -> Result<String, Refused> {
    let Type::Base(base) = one.ty else {
        return Err(Refused);
    };
    Ok(format!("{}* ret{index}", c_type(base).ok_or(Refused)?))
}

/// The parameters of an argument: lists have a length besides, and devices an index.
struct CTypes {
    value: String,
    second: Option<(&'static str, &'static str)>,
}

fn c_types(ty: &Type) -> Result<CTypes, Refused> {
    match ty {
        Type::Base(BaseType::Device) => Ok(CTypes {
            value: "int32_t".into(),
            second: Some(("int32_t", "_index_")),
        }),
        Type::Base(base) => Ok(CTypes {
            value: c_type(*base).ok_or(Refused)?.into(),
            second: None,
        }),
        Type::Optional(inner) => {
            let mut types = c_types(inner)?;
            types.value.push('*');
            Ok(types)
        }
        Type::List(element, _) => {
            let element = c_types(element)?;
            if element.second.is_some() {
                return Err(Refused);
            }
            Ok(CTypes {
                value: format!("const {}*", element.value),
                second: Some(("int64_t", "_len_")),
            })
        }
        Type::Custom(_) | Type::Runtime(_) => Err(Refused),
    }
}

fn c_type(base: BaseType) -> Option<&'static str> {
    Some(match base {
        BaseType::Tensor => "AtenTensorHandle",
        BaseType::Generator => "AtenGeneratorHandle",
        BaseType::Int | BaseType::SymInt => "int64_t",
        BaseType::Float | BaseType::Scalar => "double",
        BaseType::Str => "const char*",
        BaseType::Bool
        | BaseType::DeviceIndex
        | BaseType::Layout
        | BaseType::MemoryFormat
        | BaseType::ScalarType => "int32_t",
        BaseType::ConstQuantizerPtr
        | BaseType::Device
        | BaseType::DimVector
        | BaseType::Dimname
        | BaseType::GraphModule
        | BaseType::QScheme
        | BaseType::Storage
        | BaseType::Stream
        | BaseType::SymBool => return None,
    })
}
