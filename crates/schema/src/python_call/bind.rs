//! Binds arguments to the parameters of one signature (`FunctionSignature::parse`).

use super::CallError;
use super::arguments::Arguments;
use super::check::{self, Check};
use super::signature::{Kind, Parameter, Signature};
use super::value::{Scalar, Value};

/// The values of a signature's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound<'s> {
    signature: &'s Signature,
    /// The value of each parameter. `None` for a default, and for Python's `None` if the parameter
    /// accepts it.
    values: Vec<Option<Value>>,
}

/// The reason why arguments do not fit a signature.
pub(super) struct Misfit {
    /// The error that the parser raises if this is the only signature.
    pub(super) error: CallError,
    /// `true` if the parser raises it even if other signatures remain.
    pub(super) is_final: bool,
}

impl From<String> for Misfit {
    fn from(message: String) -> Self {
        Self {
            error: CallError::of_type(message),
            is_final: false,
        }
    }
}

impl Bound<'_> {
    /// `true` if the parameter has a value other than its default, `None` or `False`.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.value(name).is_some_and(Value::is_set)
    }

    /// Returns the value of a parameter, or `None` if it has its default.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        let mut parameters = self.signature.parameters.iter().zip(&self.values);
        let found = parameters.find(|(parameter, _)| parameter.name == name);
        found.and_then(|(_, value)| value.as_ref())
    }

    /// Converts the elements of lists, which the parser does not check. The binding raises the
    /// error.
    pub(super) fn conversion(&self) -> Result<(), CallError> {
        let name = &self.signature.name;
        for (parameter, value) in self.signature.parameters.iter().zip(&self.values) {
            if let Some(value) = value {
                convert(name, parameter, value)?;
            }
        }
        Ok(())
    }
}

fn convert(function: &str, parameter: &Parameter, value: &Value) -> Result<(), CallError> {
    let Some(elements) = value.elements() else {
        return Ok(());
    };
    let Parameter {
        name, kind, size, ..
    } = parameter;
    let is_right = |each: &Value| match kind {
        Kind::IntList => check::is_index(each) || matches!(each, Value::Scalar(Scalar::Bool(_))),
        Kind::DimnameList => check::is_name(each),
        Kind::FloatList => check::is_real(each) || matches!(each, Value::Tensor(_)),
        _ => true,
    };
    if *kind == Kind::TensorList && *size > 0 && *size != elements.len() {
        let got = elements.len();
        let message = format!("expected tuple of {size} elements but got {got}");
        return Err(CallError::of_type(message));
    }
    let mut wrong = elements
        .iter()
        .enumerate()
        .filter(|(_, each)| !is_right(each));
    let Some((index, wrong)) = wrong.next() else {
        return Ok(());
    };
    let (position, class, expected) = (index + 1, wrong.class(), kind.type_name());
    Err(CallError::of_type(match kind {
        Kind::IntList => format!(
            "{function}(): argument '{name}' failed to unpack the object at pos {position} with \
             error \"type must be {expected},but got {class}\""
        ),
        Kind::DimnameList => format!("expected None or string for Dimname but got {class}"),
        _ => format!(
            "{function}(): argument '{name}' must be {expected}, but found element of type {class} \
             at pos {position}"
        ),
    }))
}

struct Binder<'s> {
    signature: &'s Signature,
    arguments: &'s Arguments,
    values: Vec<Option<Value>>,
    /// The number of positional arguments that are bound.
    bound: usize,
    keywords: usize,
}

/// Binds arguments to a signature.
pub(super) fn bind<'s>(
    signature: &'s Signature,
    arguments: &'s Arguments,
) -> Result<Bound<'s>, Misfit> {
    let mut binder = Binder {
        signature,
        arguments,
        values: Vec::new(),
        bound: 0,
        keywords: 0,
    };
    if arguments.positional.len() > signature.positional() && !binder.takes_loose_integers() {
        return Err(binder.too_many().into());
    }
    for parameter in &signature.parameters {
        binder.parameter(parameter)?;
    }
    if binder.keywords < arguments.keywords.len() {
        return Err(binder.unexpected_keyword().into());
    }
    Ok(Bound {
        signature,
        values: binder.values,
    })
}

impl<'s> Binder<'s> {
    /// `true` if the only positional parameter is a list of integers: `view(2, 3)` is `view((2,
    /// 3))`.
    fn takes_loose_integers(&self) -> bool {
        let first = self.signature.parameters.first();
        self.signature.positional() == 1 && first.is_some_and(|p| p.kind == Kind::IntList)
    }

    fn parameter(&mut self, parameter: &Parameter) -> Result<(), Misfit> {
        let position = self.values.len();
        let next = self.arguments.positional.get(self.bound);
        if next.is_some() && parameter.is_keyword_only {
            return Err(self.too_many().into());
        }
        let value = next.or_else(|| self.keyword(parameter));
        let is_default = match value {
            None => parameter.default.is_some(),
            Some(value) => *value == Value::None && parameter.takes_none,
        };
        if is_default {
            self.push(None, next.is_some(), value.is_some());
            return Ok(());
        }
        let Some(value) = value else {
            return Err(self.missing(position).into());
        };
        let numbers = self.signature.takes_numbers_as_tensors();
        match check::check(parameter, value, numbers, position) {
            Check::Takes => {
                self.push(Some(value.clone()), next.is_some(), true);
                Ok(())
            }
            Check::Raises(error) => Err(Misfit {
                error,
                is_final: true,
            }),
            Check::Refuses(at) => self.loose_integers(parameter, value, at, next.is_some()),
        }
    }

    fn push(&mut self, value: Option<Value>, is_positional: bool, is_given: bool) {
        self.values.push(value);
        if is_positional {
            self.bound += 1;
        } else if is_given {
            self.keywords += 1;
        }
    }

    fn keyword(&self, parameter: &Parameter) -> Option<&'s Value> {
        let given = |name: &str| {
            let mut keywords = self.arguments.keywords.iter();
            keywords
                .find(|(key, _)| key == name)
                .map(|(_, value)| value)
        };
        let mut numpy = parameter.numpy_names().iter();
        given(&parameter.name).or_else(|| numpy.find_map(|name| given(name)))
    }

    /// Takes all positional arguments as the first parameter, or explains why the value does not fit.
    fn loose_integers(
        &mut self,
        parameter: &Parameter,
        value: &Value,
        at: Option<usize>,
        is_positional: bool,
    ) -> Result<(), Misfit> {
        let mut failed = at;
        let whole = Value::Tuple(self.arguments.positional.clone());
        let is_loose = self.takes_loose_integers() && self.bound == 0 && is_positional;
        if is_loose {
            match check::integers(&whole, parameter.size) {
                Check::Takes => {
                    self.bound = self.arguments.positional.len();
                    self.values.push(Some(whole));
                    return Ok(());
                }
                Check::Refuses(at) => failed = at.or(failed),
                Check::Raises(_) => {}
            }
        }
        let list = if value.elements().is_some() {
            value
        } else {
            &whole
        };
        Err(self
            .refused(parameter, value, list, failed, is_positional)
            .into())
    }

    fn refused(
        &self,
        parameter: &Parameter,
        value: &Value,
        list: &Value,
        failed: Option<usize>,
        is_positional: bool,
    ) -> String {
        let function = &self.signature.name;
        let (name, expected) = (&parameter.name, parameter.kind.type_name());
        if !is_positional {
            let class = value.class();
            return format!("{function}(): argument '{name}' must be {expected}, not {class}");
        }
        let position = self.bound + 1;
        let element = failed.and_then(|at| Some((at, list.elements()?.get(at)?)));
        match element {
            Some((at, element)) => format!(
                "{function}(): argument '{name}' (position {position}) must be {expected}, but \
                 found element of type {} at pos {at}",
                element.class()
            ),
            None => format!(
                "{function}(): argument '{name}' (position {position}) must be {expected}, not {}",
                value.class()
            ),
        }
    }

    fn too_many(&self) -> String {
        let name = &self.signature.name;
        let (least, most) = (self.signature.least(), self.signature.positional());
        let given = self.arguments.positional.len();
        if least != most {
            return format!(
                "{name}() takes from {least} to {most} positional arguments but {given} were given"
            );
        }
        let plural = if most == 1 { "" } else { "s" };
        let were = if given == 1 { "was" } else { "were" };
        format!("{name}() takes {most} positional argument{plural} but {given} {were} given")
    }

    /// PyTorch also has the plural the wrong way round.
    fn missing(&self, from: usize) -> String {
        let behind = self.signature.parameters.iter().skip(from);
        let required = behind.filter(|p| p.default.is_none());
        let names: Vec<String> = required.map(|p| format!("\"{}\"", p.name)).collect();
        let (count, plural) = (names.len(), if names.len() == 1 { "s" } else { "" });
        format!(
            "{}() missing {count} required positional argument{plural}: {}",
            self.signature.name,
            names.join(", ")
        )
    }

    fn unexpected_keyword(&self) -> String {
        let function = &self.signature.name;
        for (key, _) in &self.arguments.keywords {
            let mut parameters = self.signature.parameters.iter();
            match parameters.position(|p| p.name == *key) {
                None => return format!("{function}() got an unexpected keyword argument '{key}'"),
                Some(at) if at < self.arguments.positional.len() => {
                    return format!("{function}() got multiple values for argument '{key}'");
                }
                Some(_) => {}
            }
        }
        "invalid keyword arguments".to_owned()
    }
}
