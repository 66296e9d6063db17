//! Values of arguments: those that a line shows, and guesses for the others.

use opatlas_schema::python_call::{Argument, Arguments, Scalar, Tensor, Value};

/// How many arguments without a known value are guessed together.
const GUESSED: u32 = 3;

/// The values of arguments, where the line shows them.
pub(super) struct Given<'a> {
    arguments: &'a [Argument],
    values: Vec<Option<Value>>,
}

impl<'a> Given<'a> {
    /// `None` if arguments are unpacked, so that their number is not known.
    pub(super) fn of(arguments: &'a [Argument]) -> Option<Self> {
        let is_known = arguments.iter().all(|argument| !argument.is_unpacked);
        is_known.then(|| Self {
            arguments,
            values: arguments
                .iter()
                .map(|argument| argument.value.value())
                .collect(),
        })
    }

    /// Arguments for the parser, the likeliest first: tensors for everything that is not known.
    pub(super) fn likely(&self) -> impl Iterator<Item = Arguments> {
        let kinds = kinds();
        let open: Vec<usize> = (0..self.values.len())
            .filter(|&at| self.values[at].is_none())
            .collect();
        let together = u32::try_from(open.len()).unwrap_or(u32::MAX).min(GUESSED);
        let mut guesses: Vec<usize> = (0..kinds.len().pow(together)).collect();
        guesses.sort_by_key(|guess| {
            digits(*guess, kinds.len())
                .filter(|digit| *digit > 0)
                .count()
        });
        guesses.into_iter().map(move |guess| {
            let mut values = self.values.clone();
            // The last ones are guessed: the first is most often a tensor.
            let chosen = digits(guess, kinds.len()).zip(open.iter().rev());
            for (kind, &at) in chosen {
                values[at] = Some(kinds[kind].clone());
            }
            self.arguments_of(values)
        })
    }

    fn arguments_of(&self, values: Vec<Option<Value>>) -> Arguments {
        let mut arguments = Arguments::default();
        for (argument, value) in self.arguments.iter().zip(values) {
            let value = value.unwrap_or(Value::Tensor(Tensor::PLAIN));
            match &argument.name {
                Some(name) => arguments.keywords.push((name.clone(), value)),
                None => arguments.positional.push(value),
            }
        }
        arguments
    }

    /// Whether anything is guessed besides the first argument.
    pub(super) fn has_guesses(&self) -> bool {
        self.values.iter().skip(1).any(Option::is_none)
    }
}

/// The digits of a guess, without end.
fn digits(guess: usize, base: usize) -> impl Iterator<Item = usize> {
    let mut rest = guess;
    std::iter::from_fn(move || {
        let digit = (rest > 0).then_some(rest % base);
        rest /= base;
        digit
    })
}

/// What a variable may be, the likeliest first.
fn kinds() -> [Value; 8] {
    let tensor = Value::Tensor(Tensor::PLAIN);
    let int = Value::Scalar(Scalar::Int);
    [
        tensor.clone(),
        int.clone(),
        Value::List(vec![tensor.clone(), tensor]),
        Value::Tuple(vec![int.clone(), int]),
        Value::Scalar(Scalar::Float),
        Value::Dtype,
        Value::Device,
        Value::Str(String::new()),
    ]
}

/// A value as conditions of recorded functions have it: `'mean'`, `None`, `number`.
pub(super) fn word(value: &Value) -> Option<String> {
    Some(match value {
        Value::None => "None".to_owned(),
        Value::Scalar(Scalar::Bool(true)) => "True".to_owned(),
        Value::Scalar(Scalar::Bool(false)) => "False".to_owned(),
        Value::Scalar(_) => "number".to_owned(),
        Value::Str(text) => format!("'{text}'"),
        Value::Dtype => "dtype".to_owned(),
        Value::List(elements) | Value::Tuple(elements) => {
            let is_tensor = |element: &Value| matches!(element, Value::Tensor(_));
            match !elements.is_empty() && elements.iter().all(is_tensor) {
                true => "tensors".to_owned(),
                false => "list".to_owned(),
            }
        }
        _ => return None,
    })
}
