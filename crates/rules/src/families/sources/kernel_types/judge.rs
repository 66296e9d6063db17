//! Decides if a kernel compiles and loads (`OperatorEntry::registerKernel`).

use super::compiles::{Compiles, Role, compiles};
use super::expected::{Expected, SchemaTypes, Signature, is_symbolic as is_symbolic_argument};
use super::inferred::{inferred, inferred_returns};
use super::kernels::Kernel;
use opatlas_sources::CppType;

pub(super) enum Judgement {
    Fits,
    Refused(Refusal),
    Unknown(Box<str>),
}

/// The step that refuses a kernel, and the reason.
pub(super) enum Refusal {
    Compile(Box<str>),
    Load(Box<str>),
}

pub(super) fn judge(kernel: &Kernel, expected: &Expected) -> Judgement {
    match does_not_compile(kernel) {
        Some(Ok(why)) => return Judgement::Refused(Refusal::Compile(why)),
        Some(Err(unknown)) => return Judgement::Unknown(unknown),
        None => {}
    }
    let refused = |why: Box<str>| Judgement::Refused(Refusal::Load(why));
    if let Some(signature) = expected.signature(is_symbolic(&kernel.parameters)) {
        return match difference(kernel, signature) {
            Some(why) => refused(why),
            None => Judgement::Fits,
        };
    }
    let mut first = None;
    for schema in &expected.schemas {
        match fits(kernel, schema) {
            Ok(()) => return Judgement::Fits,
            Err(why) => first = first.or(Some(why)),
        }
    }
    first.map_or(Judgement::Fits, refused)
}

/// `true` if the dispatcher treats the kernel as one with symbolic sizes (`fn_has_symint`).
pub(super) fn is_symbolic(parameters: &[CppType]) -> bool {
    parameters.iter().any(|one| {
        let Some((name, arguments)) = one.parts() else {
            return false;
        };
        match arguments {
            [] => name == "c10::SymInt",
            [inner] => {
                matches!(
                    name,
                    "at::ArrayRef" | "at::OptionalArrayRef" | "std::optional"
                ) && inner.is("c10::SymInt")
            }
            _ => false,
        }
    })
}

fn does_not_compile(kernel: &Kernel) -> Option<Result<Box<str>, Box<str>>> {
    let parameters = kernel.parameters.iter().map(|one| (one, Role::Parameter));
    let returns = kernel.returns.iter().map(|one| (one, Role::Return));
    let mut unknown = None;
    for (ty, role) in parameters.chain(returns) {
        match compiles(ty, role) {
            Compiles::Yes => {}
            Compiles::No(why) => return Some(Ok(format!("`{ty}` {why}").into())),
            Compiles::Unknown(why) => unknown = unknown.or(Some(Err(why))),
        }
    }
    unknown
}

/// Describes the first difference between two C++ types.
pub(super) fn difference(kernel: &Kernel, expected: &Signature) -> Option<Box<str>> {
    let (mine, theirs) = (&kernel.parameters, &expected.parameters);
    if mine.len() != theirs.len() {
        return Some(
            format!(
                "it takes {} arguments, expected {}",
                mine.len(),
                theirs.len()
            )
            .into(),
        );
    }
    let mut pairs = (1..).zip(mine.iter().zip(theirs));
    if let Some((place, (mine, theirs))) = pairs.find(|(_, (mine, theirs))| mine != theirs) {
        return Some(format!("parameter {place} is `{mine}`, expected `{theirs}`").into());
    }
    match (&kernel.returns, &expected.returns) {
        (Some(mine), Some(theirs)) if mine != theirs => {
            Some(format!("it returns `{mine}`, expected `{theirs}`").into())
        }
        _ => None,
    }
}

/// Compares the schema that PyTorch infers with the declared one (`findSchemaDifferences`).
///
/// # Errors
/// A description of the first difference.
fn fits(kernel: &Kernel, schema: &SchemaTypes) -> Result<(), Box<str>> {
    let mine = &kernel.parameters;
    let theirs = &schema.arguments;
    if mine.len() != theirs.len() {
        let text = &schema.text;
        let (mine, theirs) = (mine.len(), theirs.len());
        return Err(format!("it takes {mine} arguments, and `{text}` has {theirs}").into());
    }
    let is_symbolic = is_symbolic(mine);
    for (place, (ty, declared)) in (1..).zip(mine.iter().zip(theirs)) {
        let declared = if is_symbolic_argument(declared) && !is_symbolic {
            declared.replacen("SymInt", "int", 1)
        } else {
            declared.clone()
        };
        let found = inferred(ty)?;
        if found != declared {
            let why =
                format!("parameter {place} is `{ty}`, which is `{found}` and not `{declared}`");
            return Err(why.into());
        }
    }
    let Some(returns) = &kernel.returns else {
        return Ok(());
    };
    let found = inferred_returns(returns)?;
    if found == schema.returns {
        return Ok(());
    }
    let (found, declared) = (shown(&found), shown(&schema.returns));
    Err(format!("it returns `{returns}`, which is `{found}` and not `{declared}`").into())
}

fn shown(types: &[String]) -> String {
    match types {
        [one] => one.clone(),
        more => format!("({})", more.join(", ")),
    }
}
