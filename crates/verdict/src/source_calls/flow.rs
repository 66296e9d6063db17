//! The paths through a function: what every path calls, and what some call.

use opatlas_operators::operator::OperatorId;
use opatlas_sources::Function;
use opatlas_sources::body::{Body, Expression, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::truth;
use super::cpp_type::CppType;
use super::{FunctionReader, MOST_NESTED, Summary};

/// What the paths to one place call, each of them; `None` if no path leads there.
pub(super) type Always = Option<FxHashSet<OperatorId>>;

/// Reads a body statement by statement.
pub(super) struct Flow<'f, 'a> {
    pub(super) reader: &'f mut FunctionReader<'a>,
    pub(super) function: &'f Function,
    pub(super) depth: usize,
    /// The types of variables.
    pub(super) names: FxHashMap<Box<str>, CppType>,
    pub(super) always: Always,
    /// What the paths that have returned call.
    exits: Always,
    /// What the paths call that have left a `switch`.
    jumps: Always,
    pub(super) found: Summary,
}

impl<'f, 'a> Flow<'f, 'a> {
    pub(super) fn of(
        reader: &'f mut FunctionReader<'a>,
        function: &'f Function,
        depth: usize,
    ) -> Self {
        Self {
            reader,
            function,
            depth,
            names: FxHashMap::default(),
            always: Some(FxHashSet::default()),
            exits: None,
            jumps: None,
            found: Summary::default(),
        }
    }

    pub(super) fn read(mut self, body: &Body) -> Summary {
        for parameter in &body.parameters {
            let ty = CppType::parse(&parameter.ty);
            self.names.insert(parameter.name.clone(), ty);
        }
        self.statements(&body.statements);
        if body.is_broken {
            self.unresolved(&format!("the body of {}", self.function.name));
        }
        let exits = join(self.exits.take(), self.always.take());
        self.found.raises = exits.is_none();
        self.found.always = exits.unwrap_or_default();
        self.found
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            if self.always.is_none() {
                return;
            }
            self.nested((), |flow| flow.statement(statement));
        }
    }

    /// Reads a part of a body, unless too many parts are in each other.
    pub(super) fn nested<T>(&mut self, otherwise: T, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.reader.nested == MOST_NESTED {
            self.unresolved(&format!("the body of {}", self.function.name));
            return otherwise;
        }
        self.reader.nested += 1;
        let found = read(self);
        self.reader.nested -= 1;
        found
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declaration { ty, names, value } => self.declare(ty, names, value.as_ref()),
            Statement::Expression(expression) => {
                self.value(expression);
            }
            Statement::If {
                condition,
                then,
                otherwise,
            } => {
                let known = condition
                    .as_ref()
                    .and_then(|condition| self.decide(condition));
                if let Some(condition) = condition {
                    self.value(condition);
                }
                self.either(
                    known,
                    |flow| flow.statements(then),
                    |flow| flow.statements(otherwise),
                );
            }
            Statement::Loop(parts) => {
                let outer = self.jumps.take();
                self.perhaps(|flow| flow.statements(parts));
                self.jumps = outer;
            }
            Statement::Switch {
                value,
                cases,
                has_default,
            } => self.switch(value.as_ref(), cases, *has_default),
            Statement::Block(parts) => self.statements(parts),
            Statement::Return(value) => {
                if let Some(value) = value {
                    self.value(value);
                }
                self.exits = join(self.exits.take(), self.always.take());
            }
            Statement::Throw => self.always = None,
            Statement::Jump => self.jumps = join(self.jumps.take(), self.always.take()),
        }
    }

    fn declare(&mut self, ty: &str, names: &[Box<str>], value: Option<&Expression>) {
        let of_value = value.map(|value| self.value(value));
        let declared = CppType::parse(ty);
        if let [name] = names {
            let ty = match declared {
                CppType::Unknown => of_value.unwrap_or(CppType::Unknown),
                declared => declared,
            };
            self.names.insert(name.clone(), ty);
            return;
        }
        for (index, name) in names.iter().enumerate() {
            let part = match &of_value {
                Some(CppType::Tuple(parts) | CppType::List(parts)) => parts.get(index).cloned(),
                _ => None,
            };
            self.names
                .insert(name.clone(), part.unwrap_or(CppType::Unknown));
        }
    }

    /// Whether a condition holds on a device without kernels of its own.
    pub(super) fn decide(&mut self, condition: &Expression) -> Option<bool> {
        let known = truth(condition);
        self.found.asks_device |= known.is_some() && !matches!(condition, Expression::Bool(_));
        known
    }

    /// Runs one of two branches, both if it is not known which.
    pub(super) fn either<T>(
        &mut self,
        known: Option<bool>,
        then: impl FnOnce(&mut Self) -> T,
        otherwise: impl FnOnce(&mut Self) -> T,
    ) -> T {
        match known {
            Some(true) => return then(self),
            Some(false) => return otherwise(self),
            None => {}
        }
        let before = self.always.clone();
        let first = then(self);
        let after = std::mem::replace(&mut self.always, before);
        if after.is_none() {
            otherwise(self);
            return first;
        }
        otherwise(self);
        self.always = join(self.always.take(), after);
        first
    }

    /// Runs what may not run, or run many times.
    pub(super) fn perhaps<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.always.clone();
        let result = run(self);
        self.always = before;
        result
    }

    /// Runs the body of a function without a name, whose `return` leaves only that.
    pub(super) fn lambda(&mut self, statements: &[Statement]) {
        let exits = self.exits.take();
        self.statements(statements);
        self.always = join(self.exits.take(), self.always.take());
        self.exits = exits;
    }

    fn switch(&mut self, value: Option<&Expression>, cases: &[Vec<Statement>], has_default: bool) {
        if let Some(value) = value {
            self.value(value);
        }
        let before = self.always.clone();
        let outer = self.jumps.take();
        let mut after = if has_default { None } else { before.clone() };
        for case in cases {
            self.always.clone_from(&before);
            self.statements(case);
            after = join(after, self.always.take());
        }
        self.always = join(after, self.jumps.take());
        self.jumps = outer;
    }

    /// Adds a call of an operator.
    pub(super) fn call(&mut self, id: OperatorId) {
        if let Some(always) = &mut self.always {
            always.insert(id);
            self.found.seen.insert(id);
        }
    }

    /// Adds a call of one of several operators.
    pub(super) fn one_of(&mut self, ids: &[OperatorId], path: &str) {
        self.found.seen.extend(ids);
        self.unresolved(&format!("which overload of {path}"));
    }

    /// Adds a call of a function, or of one of several.
    pub(super) fn follow(&mut self, functions: &[usize]) {
        let before = self.always.clone();
        let mut after: Always = None;
        for &index in functions {
            let called = self.reader.summary(index, self.depth + 1);
            self.found.seen.extend(&called.seen);
            self.found.unresolved.extend(called.unresolved);
            self.found.files.extend(called.files);
            self.found.asks_device |= called.asks_device;
            if called.raises {
                continue;
            }
            let mut calls = before.clone().unwrap_or_default();
            calls.extend(called.always);
            after = join(after, Some(calls));
        }
        self.always = before.and(after);
    }

    pub(super) fn unresolved(&mut self, what: &str) {
        self.found.unresolved.insert(what.into());
    }
}

/// What the paths of both sides call.
fn join(one: Always, other: Always) -> Always {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.retain(|id| other.contains(id));
            Some(one)
        }
        (one, other) => one.or(other),
    }
}
