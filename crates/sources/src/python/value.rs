//! What an expression may evaluate to.

use std::rc::Rc;

use tree_sitter::Node;

use super::facts::Site;

/// A scope of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ScopeId {
    pub file: u32,
    pub index: u32,
}

/// `Library("ns", "IMPL", "XLA")`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Library {
    pub namespace: Option<Box<str>>,
    /// The dispatch key as written; an error if the text does not give it.
    pub key: Option<Result<Box<str>, Box<str>>>,
}

#[derive(Debug, Clone)]
pub(super) enum Value<'t> {
    Text(Rc<str>),
    Number(Rc<str>),
    Flag(bool),
    None,
    /// A dotted name that begins with an imported module: `torch.ops.aten.add`.
    Path(Rc<str>),
    Library(Rc<Library>),
    /// An operator from `custom_op`.
    Operator(Rc<str>),
    List(Rc<List<'t>>),
    Map(Rc<Map<'t>>),
    /// The scope of its body, and its name.
    Function(ScopeId, &'t str),
    Class(ScopeId),
    /// An object of a class, with the call that makes it.
    Instance(ScopeId, Option<Rc<Site<'t>>>),
    /// `lib.impl` as a value.
    Method(Rc<Value<'t>>, &'t str),
    /// An expression that was not evaluated yet.
    Lazy(Node<'t>, ScopeId, Environment<'t>),
    /// One of several.
    Either(Rc<[Value<'t>]>),
    /// The reason, if there is more to say than that it is not a literal.
    Unknown(Option<Rc<str>>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct List<'t> {
    pub items: Vec<Value<'t>>,
    /// Whether there are items that the text does not give.
    pub has_more: bool,
    /// A condition that each item must meet.
    pub condition: Option<Rc<str>>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Map<'t> {
    pub items: Vec<(Value<'t>, Value<'t>)>,
    pub has_more: bool,
}

/// What the variables of a loop, or the parameters of a function, are.
#[derive(Debug, Clone)]
pub(super) enum Choice<'t> {
    /// Loop variables, and the condition that the item must meet.
    Items(Rc<[(&'t str, Value<'t>)]>, Option<Rc<str>>),
    /// Calls of the function, and the parameters for which all of them have the same value.
    Sites(Rc<[Caller<'t>]>, Rc<[(usize, Value<'t>)]>),
    Unknown(Rc<str>),
}

/// Whether the first parameter of a function is the object of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    Object,
    Argument,
    /// The call is of what an outer function returns; the function that it is applied to is the
    /// argument.
    Applied,
}

/// The choices for scopes around an expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment<'t> {
    choices: Option<Rc<Chosen<'t>>>,
}

#[derive(Debug)]
struct Chosen<'t> {
    scope: ScopeId,
    choice: Choice<'t>,
    /// How many choices were made up to this one.
    count: usize,
    before: Option<Rc<Chosen<'t>>>,
}

/// A call of a function, and what its first parameter is.
pub(super) type Caller<'t> = (Rc<Site<'t>>, Receiver);

/// A scope whose choice an expression depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs(pub ScopeId, pub Part);

/// What of a choice is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// One item of a loop, or one call of a function.
    One,
    /// The value of a parameter.
    Parameter(usize),
}

pub(super) type Evaluated<'t> = Result<Value<'t>, Needs>;

impl<'t> Choice<'t> {
    /// One call.
    pub(super) fn site(site: Rc<Site<'t>>, receiver: Receiver) -> Self {
        Self::Sites(Rc::new([(site, receiver)]), Rc::new([]))
    }
}

impl<'t> Environment<'t> {
    pub(super) fn with(&self, scope: ScopeId, choice: Choice<'t>) -> Self {
        let before = self.choices.clone();
        let chosen = Chosen {
            scope,
            choice,
            count: self.count() + 1,
            before,
        };
        Self {
            choices: Some(Rc::new(chosen)),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.choices.as_deref().map_or(0, |chosen| chosen.count)
    }

    /// The choice for a scope, and how many choices were made up to it.
    pub(super) fn choice(&self, scope: ScopeId) -> Option<(usize, &Choice<'t>)> {
        let mut next = self.choices.as_deref();
        while let Some(chosen) = next {
            if chosen.scope == scope {
                return Some((chosen.count, &chosen.choice));
            }
            next = chosen.before.as_deref();
        }
        None
    }

    /// The latest first.
    pub(super) fn all(&self) -> impl Iterator<Item = (ScopeId, &Choice<'t>)> {
        let mut next = self.choices.as_deref();
        std::iter::from_fn(move || {
            let chosen = next?;
            next = chosen.before.as_deref();
            Some((chosen.scope, &chosen.choice))
        })
    }
}

impl<'t> Value<'t> {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn unknown(why: &str) -> Self {
        Self::Unknown(Some(why.into()))
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(List {
            items,
            ..List::default()
        }))
    }

    /// One value if all are the same. `None` is left out beside others.
    pub(super) fn either(values: Vec<Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        let is_none = |value: &Self| matches!(value, Self::None);
        let has_more = values.iter().any(|value| !is_none(value));
        for value in values {
            let inner = match value {
                Self::Either(inner) => inner.to_vec(),
                value => vec![value],
            };
            for value in inner {
                let is_known = distinct.iter().any(|known| known.is_same(&value));
                let is_left_out = has_more && is_none(&value);
                if !(is_known || is_left_out) {
                    distinct.push(value);
                }
            }
        }
        match distinct.len() {
            0 => Self::Unknown(None),
            1 => distinct.remove(0),
            _ => Self::Either(distinct.into()),
        }
    }

    /// Whether it holds no environment.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Self::List(_) | Self::Map(_) | Self::Lazy(..) | Self::Method(..) => false,
            Self::Either(values) => values.iter().all(Self::is_plain),
            _ => true,
        }
    }

    /// Whether it is true in a condition, if that is certain.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Text(text) => Some(!text.is_empty()),
            Self::List(list) if !list.has_more && list.condition.is_none() => {
                Some(!list.items.is_empty())
            }
            Self::Flag(flag) => Some(*flag),
            Self::None => Some(false),
            Self::Library(_) | Self::Operator(_) | Self::Function(..) | Self::Class(_) => {
                Some(true)
            }
            Self::Instance(..) => Some(true),
            _ => None,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b))
            | (Self::Number(a), Self::Number(b))
            | (Self::Path(a), Self::Path(b))
            | (Self::Operator(a), Self::Operator(b)) => a == b,
            (Self::None, Self::None) => true,
            (Self::Flag(a), Self::Flag(b)) => a == b,
            (Self::Library(a), Self::Library(b)) => a == b,
            (Self::Function(a, _), Self::Function(b, _)) | (Self::Class(a), Self::Class(b)) => {
                a == b
            }
            (Self::Instance(a, x), Self::Instance(b, y)) => {
                let node = |site: &Option<Rc<Site<'t>>>| site.as_ref().map(|site| site.node);
                a == b && node(x) == node(y)
            }
            (Self::Lazy(a, x, _), Self::Lazy(b, y, _)) => a == b && x == y,
            (Self::List(a), Self::List(b)) => {
                let mut pairs = a.items.iter().zip(&b.items);
                a.items.len() == b.items.len()
                    && a.has_more == b.has_more
                    && pairs.all(|(a, b)| a.is_same(b))
            }
            (Self::Unknown(a), Self::Unknown(b)) => a == b,
            _ => false,
        }
    }
}
