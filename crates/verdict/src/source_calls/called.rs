//! Calls of operators, methods, functions and macros.

use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Call;
use opatlas_sources::body::Expression;

use super::constants::{is_bound_by_hand, of_method, of_standard};
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
    /// A call of an operator whose arguments have these types.
    pub(super) fn operator(&mut self, name: &str, call: Call, arguments: &[CppType]) -> CppType {
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

    pub(super) fn method(
        &mut self,
        object: &Expression,
        name: &str,
        arguments: &[Expression],
    ) -> CppType {
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

    pub(super) fn function(&mut self, path: &str, arguments: &[Expression]) -> CppType {
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

    fn named(&self, operator: &str) -> Option<(OperatorId, CppType)> {
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
        if is_operator && (!qualifiers.is_empty() || !is_near) {
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
