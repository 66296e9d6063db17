//! The body of a C++ function as statements and expressions, as far as they matter for what it calls.

/// A function's body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Whether a part of it could not be parsed.
    pub is_broken: bool,
}

/// A parameter, or a declared variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty without one.
    pub name: Box<str>,
    /// Its type as written, without the name.
    pub ty: Box<str>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Declares variables; several names take a tuple apart.
    Declaration {
        /// The type as written.
        ty: Box<str>,
        /// The names.
        names: Vec<Box<str>>,
        /// The initial value.
        value: Option<Expression>,
    },
    /// Evaluates an expression.
    Expression(Expression),
    /// Runs one of two branches.
    If {
        /// The condition; `None` for one of the preprocessor.
        condition: Option<Expression>,
        /// The first branch.
        then: Vec<Statement>,
        /// The other branch; empty without one.
        otherwise: Vec<Statement>,
    },
    /// Runs its parts any number of times, possibly never or not to their end.
    Loop(Vec<Statement>),
    /// Runs one of several branches.
    Switch {
        /// What decides.
        value: Option<Expression>,
        /// The branches.
        cases: Vec<Vec<Statement>>,
        /// Whether one of them runs in any case.
        has_default: bool,
    },
    /// Statements in braces.
    Block(Vec<Statement>),
    /// Leaves the function.
    Return(Option<Expression>),
    /// Leaves it by an exception.
    Throw,
    /// Leaves a loop or a branch of a `switch`, or begins the next turn.
    Jump,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A variable, constant or type, with its namespaces.
    Name(Box<str>),
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Float,
    /// `true` or `false`.
    Bool(bool),
    /// A string.
    Text,
    /// Values in braces.
    List(Vec<Expression>),
    /// A call of a function by its path, or the construction of a value.
    Call {
        /// The path, with template arguments: `std::get<0>`.
        path: Box<str>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// A call of a method.
    Method {
        /// What it is called on.
        object: Box<Expression>,
        /// The name.
        name: Box<str>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// A field.
    Field(Box<Expression>, Box<str>),
    /// Two operands and their operator, also an assignment.
    Binary(Box<str>, Box<[Expression; 2]>),
    /// An operator before an operand.
    Unary(Box<str>, Box<Expression>),
    /// An element of a value.
    Index(Box<[Expression; 2]>),
    /// Condition, and the two values.
    Choice(Box<[Expression; 3]>),
    /// A function without a name.
    Lambda(Vec<Statement>),
    /// Anything else, with its parts.
    Other(Vec<Expression>),
}
