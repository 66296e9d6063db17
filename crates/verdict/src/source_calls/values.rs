//! The types of expressions, and the calls in them.

use opatlas_schema::faces::Call;
use opatlas_sources::body::Expression;

use super::constants::constant;
use super::cpp_type::CppType;
use super::flow::Flow;

impl Flow<'_, '_> {
    /// The type of an expression. Adds the calls that it makes.
    pub(super) fn value(&mut self, expression: &Expression) -> CppType {
        self.nested(CppType::Unknown, |flow| flow.nested_value(expression))
    }

    fn nested_value(&mut self, expression: &Expression) -> CppType {
        match expression {
            Expression::Name(path) => self.name(path),
            Expression::Integer => CppType::Integer,
            Expression::Float => CppType::Float,
            Expression::Bool(_) => CppType::Bool,
            Expression::Text => CppType::Text,
            Expression::List(items) => CppType::List(self.values(items)),
            Expression::Call { path, arguments } => self.function(path, arguments),
            Expression::Method {
                object,
                name,
                arguments,
            } => self.method(object, name, arguments),
            Expression::Field(object, _) => {
                self.value(object);
                CppType::Unknown
            }
            Expression::Binary(operator, sides) => self.binary(operator, sides),
            Expression::Unary(operator, inner) => self.unary(operator, inner),
            Expression::Index(parts) => self.index(parts),
            Expression::Choice(parts) => {
                let [condition, one, other] = &**parts;
                let known = self.decide(condition);
                self.value(condition);
                self.either(known, |flow| flow.value(one), |flow| flow.value(other))
            }
            Expression::Lambda(statements) => {
                self.perhaps(|flow| flow.lambda(statements));
                CppType::Other
            }
            Expression::Other(parts) => {
                let mut types = self.values(parts);
                types
                    .pop()
                    .filter(|_| parts.len() == 1)
                    .unwrap_or(CppType::Unknown)
            }
        }
    }

    pub(super) fn values(&mut self, expressions: &[Expression]) -> Vec<CppType> {
        expressions.iter().map(|part| self.value(part)).collect()
    }

    fn name(&mut self, path: &str) -> CppType {
        if let Some(function) = path.strip_prefix("at::") {
            self.handed_over(function);
        }
        let known = self.names.get(path).cloned();
        known.or_else(|| constant(path)).unwrap_or(CppType::Unknown)
    }

    /// An operator's function as an argument, which whoever gets it may call.
    fn handed_over(&mut self, function: &str) {
        match self.reader.overloads.all(function)[..] {
            [] => {}
            [id] => self.perhaps(|flow| flow.call(id)),
            ref ids => self.one_of(ids, function),
        }
    }

    fn index(&mut self, parts: &[Expression; 2]) -> CppType {
        let [object, index] = parts;
        let object = self.value(object);
        let index = self.value(index);
        if object == CppType::Tensor && !index.is_unknown() {
            self.operator(
                "select",
                Call::Method,
                &[CppType::Integer, CppType::Integer],
            );
            return CppType::Tensor;
        }
        object.element()
    }

    fn unary(&mut self, operator: &str, inner: &Expression) -> CppType {
        let ty = self.value(inner);
        match operator {
            "*" => ty.held(),
            "!" => CppType::Bool,
            "-" if ty == CppType::Tensor => self.operator("neg", Call::Method, &[]),
            "~" if ty == CppType::Tensor => self.operator("bitwise_not", Call::Method, &[]),
            _ => ty,
        }
    }

    fn binary(&mut self, operator: &str, sides: &[Expression; 2]) -> CppType {
        let [left, right] = sides;
        if matches!(operator, "&&" | "||") {
            let stops = Some(operator == "||");
            let known = self.decide(left);
            self.value(left);
            if known.is_none() || known != stops {
                self.perhaps(|flow| flow.value(right));
            }
            return CppType::Bool;
        }
        let value = self.value(right);
        if operator == "=" {
            return self.assign(left, value);
        }
        let target = self.value(left);
        match (&target, &value) {
            (CppType::Tensor, _) => match of_tensor(operator) {
                Some(name) => self.operator(name, Call::Method, &[value]),
                None => CppType::Unknown,
            },
            (_, CppType::Tensor) => self.reversed(operator, target),
            _ if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=") => CppType::Bool,
            (CppType::SymInt, CppType::Integer) => CppType::SymInt,
            (CppType::Integer, CppType::Float | CppType::SymInt) => value,
            _ => target,
        }
    }

    /// An operator whose left side is a number (`ATen/TensorOperators.h`).
    fn reversed(&mut self, operator: &str, left: CppType) -> CppType {
        let name = match operator {
            "<" => Some("gt"),
            "<=" => Some("ge"),
            ">" => Some("lt"),
            ">=" => Some("le"),
            "-" | "/" | "%" => None,
            _ => of_tensor(operator),
        };
        if let Some(name) = name {
            return self.operator(name, Call::Method, &[left]);
        }
        let applied = match operator {
            "-" => "sub_",
            "/" => "div_",
            _ => "remainder_",
        };
        self.operator("empty_like", Call::Function, &[CppType::Tensor]);
        self.operator("fill_", Call::Method, &[left]);
        self.operator(applied, Call::Method, &[CppType::Tensor])
    }

    /// `x = y`. An element of a tensor is copied to.
    fn assign(&mut self, left: &Expression, value: CppType) -> CppType {
        if let Expression::Name(name) = left {
            let known = self.names.get(name).cloned();
            let ty = match known {
                Some(known) if !known.is_unknown() => known,
                _ => value,
            };
            self.names.insert(name.clone(), ty.clone());
            return ty;
        }
        let target = self.value(left);
        let is_part = matches!(left, Expression::Index(_) | Expression::Method { .. });
        if is_part && target == CppType::Tensor && value == CppType::Tensor {
            let is_element = match left {
                Expression::Index(parts) => {
                    self.perhaps(|flow| flow.value(&parts[0])) == CppType::Tensor
                }
                _ => true,
            };
            if is_element {
                return self.operator("copy_", Call::Method, &[value]);
            }
        }
        target
    }
}

fn of_tensor(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "add",
        "-" => "sub",
        "*" => "mul",
        "/" => "div",
        "%" => "remainder",
        "&" => "bitwise_and",
        "|" => "bitwise_or",
        "^" => "bitwise_xor",
        "<" => "lt",
        "<=" => "le",
        ">" => "gt",
        ">=" => "ge",
        "==" => "eq",
        "!=" => "ne",
        "+=" => "add_",
        "-=" => "sub_",
        "*=" => "mul_",
        "/=" => "div_",
        "&=" => "bitwise_and_",
        "|=" => "bitwise_or_",
        "^=" => "bitwise_xor_",
        _ => return None,
    })
}
