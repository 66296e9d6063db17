//! The types of expressions, and the calls in them.

use opatlas_schema::faces::Call;
use opatlas_sources::body::Expression;

use super::constants::{constant, of_method};
use super::cpp_type::{CppType, UNLIKELY};
use super::flow::Flow;
use super::overloads::Resolved;

/// Macros that evaluate their first argument, and raise if it is false.
const CHECKS: [&str; 3] = ["TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_ASSERT"];

/// Functions that C++ or PyTorch define without calling an operator.
const PLAIN: [&str; 12] = [
    "TensorArg",
    "TensorGeometry",
    "TensorGeometryArg",
    "dynamic_cast",
    "get_origin",
    "isIntegralType",
    "static_cast",
    "toString",
    "unsafeGetTensorImpl",
    "GetTensorImpl",
    "swap",
    "ref",
];

/// Methods of containers, which tensors of an unknown type may be.
const OF_CONTAINERS: [&str; 24] = [
    "at",
    "back",
    "begin",
    "clear",
    "count",
    "data",
    "emplace_back",
    "empty",
    "end",
    "equal",
    "erase",
    "find",
    "front",
    "get",
    "index",
    "insert",
    "item",
    "push_back",
    "reserve",
    "resize",
    "size",
    "to",
    "type",
    "value",
];

impl Flow<'_, '_> {
    /// The type of an expression. Adds the calls that it makes.
    pub(super) fn value(&mut self, expression: &Expression) -> CppType {
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

    fn values(&mut self, expressions: &[Expression]) -> Vec<CppType> {
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

    /// A call of an operator whose arguments have these types.
    fn operator(&mut self, name: &str, call: Call, arguments: &[CppType]) -> CppType {
        match self.reader.overloads.resolve(name, call, arguments) {
            Resolved::Nothing => {
                self.unresolved(&format!("which overload of {name}"));
                CppType::Unknown
            }
            Resolved::One(id, returns) => {
                self.call(id);
                returns
            }
            Resolved::OneOf(ids, returns) => {
                self.one_of(&ids, name);
                returns
            }
        }
    }

    fn method(&mut self, object: &Expression, name: &str, arguments: &[Expression]) -> CppType {
        let ty = self.value(object);
        let types = self.values(arguments);
        let name = name.split('<').next().unwrap_or(name);
        let is_tensor = match &ty {
            CppType::Tensor => true,
            CppType::Optional(inner) => **inner == CppType::Tensor && is_arrow(name),
            CppType::Unknown => !OF_CONTAINERS.contains(&name),
            _ => false,
        };
        if !is_tensor {
            return of_method(&ty, name);
        }
        match name {
            // Some tensors are what is asked for already.
            "contiguous" | "conj" => {
                let called = if name == "conj" { "_conj" } else { name };
                if let Some((id, _)) = self.reader.overloads.named(called) {
                    self.perhaps(|flow| flow.call(id));
                }
                CppType::Tensor
            }
            // `TensorBody.h` passes these on.
            "cpu" | "cuda" | "hip" | "toType" | "meta" | "vulkan" | "metal" => self.operator(
                "to",
                Call::Method,
                &[CppType::Options, CppType::Bool, CppType::Bool],
            ),
            _ if is_bound_by_hand(name) => of_method(&CppType::Tensor, name),
            _ if self.reader.overloads.has(name, Call::Method) => {
                self.operator(name, Call::Method, &types)
            }
            _ => of_method(&ty, name),
        }
    }

    fn function(&mut self, path: &str, arguments: &[Expression]) -> CppType {
        let bare = path.split('<').next().unwrap_or(path);
        let name = bare.rsplit("::").next().unwrap_or(bare);
        if let Some(ty) = self.macro_call(name, arguments) {
            return ty;
        }
        let types = self.values(arguments);
        if let Some(ty) = of_standard(path, bare, &types) {
            return ty;
        }
        if self.names.contains_key(bare) {
            return CppType::Unknown;
        }
        let built = CppType::parse(path);
        if !built.is_unknown() {
            return built;
        }
        if let Some(operator) = bare.split("_ops::").nth(1)
            && let Some((id, returns)) = self.named(operator)
        {
            self.call(id);
            return returns;
        }
        self.by_path(bare, name, &types)
    }

    fn named(&self, operator: &str) -> Option<(opatlas_operators::operator::OperatorId, CppType)> {
        let (variable, _) = operator.split_once("::")?;
        self.reader.overloads.named(variable)
    }

    /// A call of an operator or a function, by the namespace that it names.
    fn by_path(&mut self, path: &str, name: &str, types: &[CppType]) -> CppType {
        // `at::symint::f<T>` is a function or method, `f` or `f_symint`.
        if path.starts_with("at::symint::") {
            return match types.split_first() {
                _ if self.reader.overloads.has(name, Call::Function) => {
                    self.operator(name, Call::Function, types)
                }
                Some((object, _)) if is_bound_by_hand(name) => of_method(object, name),
                Some((_, rest)) if self.reader.overloads.has(name, Call::Method) => {
                    self.operator(name, Call::Method, rest)
                }
                Some((object, _)) => of_method(object, name),
                None => CppType::Unknown,
            };
        }
        let qualifiers = path.strip_suffix(name).unwrap_or_default();
        let is_operator = matches!(qualifiers, "" | "at::" | "torch::")
            && self.reader.overloads.has(name, Call::Function);
        let (cost, functions) = self.reader.meant((path, types), self.function);
        let is_near = cost < UNLIKELY
            && functions.iter().any(|&index| {
                let function = &self.reader.functions.all[index];
                let file = self.reader.files.get(function.file as usize);
                let is_header = file.is_some_and(|file| file.path.ends_with(".h"));
                function.file == self.function.file || is_header
            });
        if is_operator && (qualifiers != "" || !is_near) {
            let resolved = self.reader.overloads.resolve(name, Call::Function, types);
            if resolved != Resolved::Nothing || functions.is_empty() {
                return self.operator(name, Call::Function, types);
            }
        }
        if let Some(&first) = functions.first() {
            let returns = CppType::parse(&self.reader.functions.all[first].returns);
            self.follow(&functions);
            return returns;
        }
        let takes_tensor = types.iter().any(CppType::has_tensor);
        if takes_tensor && !path.starts_with("std::") && !PLAIN.contains(&name) && !is_macro(name) {
            self.unresolved(path);
        }
        CppType::Unknown
    }

    /// A macro that evaluates its arguments in another way than a function.
    fn macro_call(&mut self, name: &str, arguments: &[Expression]) -> Option<CppType> {
        if !is_macro(name) {
            return None;
        }
        if CHECKS.iter().any(|check| name.starts_with(check)) {
            let first = arguments.first()?;
            self.value(first);
            if *first == Expression::Bool(false) {
                self.always = None;
            }
        } else if name == "AT_ERROR" {
            self.always = None;
        } else if name.starts_with("AT_DISPATCH") {
            for argument in arguments {
                match argument {
                    Expression::Lambda(statements) => self.lambda(statements),
                    _ => _ = self.value(argument),
                }
            }
        } else if !name.starts_with("TORCH_WARN") {
            self.values(arguments);
        }
        Some(CppType::Unknown)
    }
}

fn is_macro(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Methods of the tensor in an optional value, reached by `->`.
fn is_arrow(name: &str) -> bool {
    !matches!(
        name,
        "value" | "value_or" | "has_value" | "emplace" | "reset"
    )
}

/// Methods that `TensorBase` defines without the dispatcher (`manual_cpp_binding`).
fn is_bound_by_hand(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "stride"
            | "sym_size"
            | "sym_stride"
            | "sym_numel"
            | "sym_storage_offset"
            | "is_floating_point"
            | "is_complex"
            | "is_signed"
            | "is_conj"
            | "is_neg"
            | "is_inference"
            | "_is_zerotensor"
            | "is_leaf"
            | "output_nr"
            | "_version"
            | "data"
            | "requires_grad_"
            | "retain_grad"
            | "is_same"
            | "names"
            | "numel"
            | "dim"
    )
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

/// What functions and casts of the language return.
fn of_standard(path: &str, bare: &str, types: &[CppType]) -> Option<CppType> {
    let first = || types.first().cloned().unwrap_or(CppType::Unknown);
    let template = || {
        let inner = path.split_once('<')?.1;
        inner.strip_suffix('>')
    };
    Some(match bare {
        "std::move" | "std::forward" | "move" | "c10::value_or_else" => first(),
        "std::get" => match (
            first(),
            template().and_then(|index| index.parse::<usize>().ok()),
        ) {
            (CppType::Tuple(parts), Some(index)) => {
                parts.get(index).cloned().unwrap_or(CppType::Unknown)
            }
            _ => CppType::Unknown,
        },
        "std::make_tuple" | "std::tie" | "std::make_pair" | "std::tuple" => {
            CppType::Tuple(types.to_vec())
        }
        "static_cast" => template().map_or(CppType::Unknown, CppType::parse),
        "std::max" | "std::min" | "std::abs" => first(),
        "c10::make_optional" | "std::make_optional" | "std::optional" | "c10::optional"
            if path == bare =>
        {
            CppType::optional(first())
        }
        _ => return None,
    })
}
