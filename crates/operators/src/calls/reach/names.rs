//! What a line calls: names as people abbreviate them, methods, and the methods behind operators.

use opatlas_schema::python_call::{Argument, Expression};

use super::{FunctionCall, Reach, builtins};

/// What a line calls.
#[derive(Debug)]
pub(super) enum Target<'e> {
    Function(FunctionCall),
    /// What is known already, such as of functions of Python.
    Reach(Box<Reach>),
    /// A tensor and its index: `x[0, 1:]`.
    Index(&'e Expression, &'e [Expression]),
    /// An operator by its name.
    Operator(String),
    Unknown(String),
}

/// Modules as they are imported, each with its full name. `nn.functional` comes before `nn`.
const MODULES: [(&str, &str); 14] = [
    ("torch.nn.functional.", "torch.nn.functional."),
    ("torch.functional.", "torch."),
    ("torch.", "torch."),
    ("nn.functional.", "torch.nn.functional."),
    ("nn.init.", "torch.nn.init."),
    ("nn.", "torch.nn."),
    ("F.", "torch.nn.functional."),
    ("functional.", "torch.nn.functional."),
    ("init.", "torch.nn.init."),
    ("Tensor.", "torch.Tensor."),
    ("linalg.", "torch.linalg."),
    ("special.", "torch.special."),
    ("fft.", "torch.fft."),
    ("sparse.", "torch.sparse."),
];

/// Names that are no tensors.
const OTHERS: [&str; 7] = ["np", "numpy", "math", "tf", "jax", "jnp", "os"];

/// The methods of binary operators, each with the one of the right operand.
const BINARY: [(&str, &str, &str); 19] = [
    ("+", "__add__", "__radd__"),
    ("-", "__sub__", "__rsub__"),
    ("*", "__mul__", "__rmul__"),
    ("/", "__truediv__", "__rtruediv__"),
    ("//", "__floordiv__", "__rfloordiv__"),
    ("%", "__mod__", "__rmod__"),
    ("@", "__matmul__", "__rmatmul__"),
    ("**", "__pow__", "__rpow__"),
    ("&", "__and__", "__rand__"),
    ("|", "__or__", "__ror__"),
    ("^", "__xor__", "__rxor__"),
    ("<<", "__lshift__", "__rlshift__"),
    (">>", "__rshift__", "__rrshift__"),
    ("==", "__eq__", "__eq__"),
    ("!=", "__ne__", "__ne__"),
    ("<", "__lt__", "__gt__"),
    (">", "__gt__", "__lt__"),
    ("<=", "__le__", "__ge__"),
    (">=", "__ge__", "__le__"),
];

const METHOD: &str = "torch.Tensor.";

/// What an expression calls.
pub(super) fn target(expression: &Expression) -> Target<'_> {
    match expression {
        Expression::Call(function, arguments) => called(function, arguments),
        Expression::Name(_) | Expression::Attribute(..) => named(expression),
        Expression::Index(of, _) if of.value().is_some() => {
            Target::Unknown("this is a value, not a call".to_owned())
        }
        Expression::Index(of, _) if root(of).is_some_and(is_other) => {
            Target::Unknown("this is not a tensor of PyTorch".to_owned())
        }
        Expression::Index(of, index) => Target::Index(of, index),
        Expression::Unary(op, of) => match *op {
            "-" => method("__neg__", of, Vec::new()),
            "~" => method("bitwise_not", of, Vec::new()),
            "+" => method("__pos__", of, Vec::new()),
            _ => known(builtins::truth(op, of)),
        },
        Expression::Binary(op, left, right) => binary(op, left, right),
        _ => Target::Unknown("this is a value, not a call".to_owned()),
    }
}

/// `x += y`.
pub(super) fn in_place(op: &str, left: &Expression, right: &Expression) -> Target<'static> {
    let known = BINARY.iter().find(|(known, ..)| *known == op);
    let Some((_, name, _)) = known else {
        return Target::Unknown(format!("`{op}=` is not known"));
    };
    match op {
        // Tensors have no `__imatmul__`.
        "@" => binary(op, left, right),
        _ => method(&name.replacen("__", "__i", 1), left, vec![right.clone()]),
    }
}

fn binary(op: &str, left: &Expression, right: &Expression) -> Target<'static> {
    let Some((_, name, reflected)) = BINARY.iter().find(|(known, ..)| *known == op) else {
        return known(match op {
            "in" => builtins::contains(left, right),
            _ => builtins::truth(op, left),
        });
    };
    if compares(op) && matches!(left, Expression::Binary(before, ..) if compares(before)) {
        return Target::Unknown("a chain of comparisons reads the values of tensors".to_owned());
    }
    match (left.value(), right.value()) {
        (Some(_), Some(_)) => Target::Unknown("this is a value, not a call".to_owned()),
        (Some(_), None) => method(reflected, right, vec![left.clone()]),
        (None, _) => method(name, left, vec![right.clone()]),
    }
}

/// True if an operator compares.
fn compares(op: &str) -> bool {
    matches!(op, "==" | "!=" | "<" | ">" | "<=" | ">=" | "in")
}

fn known(reach: Reach) -> Target<'static> {
    Target::Reach(Box::new(reach))
}

fn method(name: &str, of: &Expression, mut arguments: Vec<Expression>) -> Target<'static> {
    arguments.insert(0, of.clone());
    Target::Function(FunctionCall::of(format!("{METHOD}{name}"), arguments))
}

/// A name without arguments.
fn named(expression: &Expression) -> Target<'static> {
    let Some(dotted) = expression.dotted() else {
        return match expression {
            Expression::Attribute(of, name) => property(name, of),
            _ => Target::Unknown("this is a value, not a call".to_owned()),
        };
    };
    if let Some(operator) = operator(&dotted) {
        return Target::Operator(operator);
    }
    if let Some(why) = other(&dotted) {
        return Target::Unknown(why);
    }
    match (full(&dotted), expression) {
        (Some(name), _) => Target::Function(FunctionCall {
            name,
            ..FunctionCall::default()
        }),
        (None, Expression::Attribute(of, name)) => property(name, of),
        (None, _) => Target::Function(FunctionCall {
            name: dotted,
            ..FunctionCall::default()
        }),
    }
}

/// `x.T`, or the name of a method.
fn property(name: &str, of: &Expression) -> Target<'static> {
    let mut call = FunctionCall::of(format!("{METHOD}{name}"), vec![of.clone()]);
    call.arguments = None;
    Target::Function(call)
}

fn called(function: &Expression, arguments: &[Argument]) -> Target<'static> {
    let dotted = function.dotted();
    if let Some(target) = dotted.and_then(|dotted| of_name(&dotted, arguments)) {
        return target;
    }
    match function {
        Expression::Attribute(of, name) => {
            if let Some(reach) = builtins::method(name, of, arguments) {
                return known(reach);
            }
            let tensor = Argument {
                name: None,
                value: (**of).clone(),
                is_unpacked: false,
            };
            let arguments = [&[tensor], arguments].concat();
            Target::Function(call(format!("{METHOD}{name}"), &arguments))
        }
        // `nn.Linear(3, 4)(x)`.
        Expression::Call(class, made_with) => match class.dotted().and_then(|name| full(&name)) {
            Some(name) if is_module(&name) => Target::Function(FunctionCall {
                made_with: Some(made_with.clone()),
                ..call(name, arguments)
            }),
            _ => Target::Unknown("it calls the result of a call".to_owned()),
        },
        _ => Target::Unknown("it calls what only a program knows".to_owned()),
    }
}

fn call(name: String, arguments: &[Argument]) -> FunctionCall {
    FunctionCall {
        name,
        arguments: Some(arguments.to_vec()),
        made_with: None,
    }
}

/// A call of a name; `None` if it is a method of a variable.
fn of_name(dotted: &str, arguments: &[Argument]) -> Option<Target<'static>> {
    if let Some(operator) = operator(dotted) {
        return Some(Target::Operator(operator));
    }
    if let Some(why) = other(dotted) {
        return Some(Target::Unknown(why));
    }
    Some(match full(dotted) {
        // The arguments make the module; they are not those of its call.
        Some(name) if is_module(&name) => Target::Function(FunctionCall {
            name,
            arguments: None,
            made_with: Some(arguments.to_vec()),
        }),
        Some(name) => Target::Function(call(name, arguments)),
        None if dotted == "abs" => Target::Function(call(format!("{METHOD}__abs__"), arguments)),
        None if dotted.contains('.') => return None,
        None if dotted == "pow" => power(arguments),
        None => match builtins::reach(dotted, arguments) {
            Some(reach) => known(reach),
            None => Target::Function(call(dotted.to_owned(), arguments)),
        },
    })
}

/// `pow(x, 2)` is `x ** 2`; tensors have no third argument.
fn power(arguments: &[Argument]) -> Target<'static> {
    match arguments {
        [base, exponent] => binary("**", &base.value, &exponent.value),
        _ => Target::Unknown("`pow` takes two arguments for tensors".to_owned()),
    }
}

/// The name of an operator: `add.Tensor` of `torch.ops.aten.add.Tensor`.
fn operator(dotted: &str) -> Option<String> {
    let ops = dotted.strip_prefix("torch.").unwrap_or(dotted);
    let name = ops
        .strip_prefix("ops.aten.")
        .or_else(|| dotted.strip_prefix("aten."))?;
    Some(name.to_owned())
}

/// The full name of a function in a module of PyTorch.
fn full(dotted: &str) -> Option<String> {
    let (short, full) = MODULES
        .iter()
        .find(|(short, _)| dotted.starts_with(short))?;
    let name = format!("{full}{}", &dotted[short.len()..]);
    // `torch.nn.modules.activation.ReLU` is `torch.nn.ReLU`.
    Some(match name.strip_prefix("torch.nn.modules.") {
        Some(path) => format!("torch.nn.{}", path.rsplit('.').next().unwrap_or(path)),
        None => name,
    })
}

/// Whether a full name is that of a class: `torch.nn.Linear`.
fn is_module(name: &str) -> bool {
    let class = name.strip_prefix("torch.nn.");
    class.is_some_and(|class| class.starts_with(char::is_uppercase))
}

/// The name that an expression begins with: `np` of `np.zeros(3)`.
fn root(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Name(name) => Some(name),
        Expression::Attribute(of, _) | Expression::Call(of, _) | Expression::Index(of, _) => {
            root(of)
        }
        _ => None,
    }
}

fn other(dotted: &str) -> Option<String> {
    let (first, rest) = dotted.split_once('.')?;
    let is_own = matches!(first, "self" | "cls") && !rest.contains('.');
    (is_own || is_other(first)).then(|| format!("`{dotted}` is not part of PyTorch"))
}

/// True if a name is that of another library.
fn is_other(name: &str) -> bool {
    OTHERS.contains(&name)
}
