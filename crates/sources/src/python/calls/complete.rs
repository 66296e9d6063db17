//! Turns drafts into registrations.

use tree_sitter::Node;

use super::super::span;
use super::super::syntax::shortened;
use super::super::value::{Choice, Value};
use super::{Call, Draft};
use crate::{Registration, RegistrationKind};

impl<'t> Call<'_, 't> {
    fn kernel(&self, draft: &Draft) -> Option<Node<'t>> {
        let given = match (&*draft.through, draft.kind) {
            ("Library.impl" | "Library._register_fake", _) => self.argument(1, "fn"),
            ("Library.fallback", _) => self.argument(0, "fn"),
            ("Library._impl_with_aoti_compile", _) => None,
            ("torch.library.impl" | "torch.library.register_kernel", _) => self.argument(2, "func"),
            ("torch.library.custom_op" | "torch.library.triton_op", _) => self.argument(1, "fn"),
            ("torch.library.register_autocast", _) => None,
            (through, RegistrationKind::Impl) if through.starts_with("torch.library.") => {
                self.argument(1, "func")
            }
            (through, _) if through.starts_with("CustomOpDef.") => {
                self.arguments.positional.last().copied()
            }
            _ => None,
        };
        // The third argument of `impl(lib, "name", "CPU")` is a key.
        let may_be_key = &*draft.through == "torch.library.impl";
        let is_function =
            |node: &Node<'t>| !(may_be_key && matches!(self.evaluated(*node), Ok(Value::Text(_))));
        self.applied.or(given.filter(is_function))
    }

    pub(super) fn complete(&self, draft: Draft) -> Registration {
        let kernel = self
            .kernel(&draft)
            .filter(|_| draft.kind != RegistrationKind::Def || draft.key.is_some());
        let shown = kernel.map(|node| {
            let (node, file) = self.world.source_of(node, self.at, &self.environment);
            match node.kind() {
                "lambda" => "lambda".to_owned(),
                _ => shortened(self.world.text(node, file)),
            }
        });
        let fallthrough = shown
            .as_deref()
            .is_some_and(|name| name.rsplit('.').next() == Some("fallthrough_kernel"));
        let (key, why) = match draft.key {
            Some(Ok(key)) => (Some(key), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        let is_fallback = draft.kind == RegistrationKind::Fallback;
        let mut unresolved = draft.operator.unresolved.or(why);
        if unresolved.is_none() && draft.operator.namespace.is_none() {
            let what = if draft.through.starts_with("Library.") {
                "the library's namespace"
            } else {
                "the operator's namespace"
            };
            unresolved = Some(format!("{what} is not a literal").into());
        }
        if unresolved.is_none() && is_fallback && key.is_none() {
            unresolved = Some("the library has no dispatch key".into());
        }
        Registration {
            boxed: false,
            cpu_fallback: None,
            kind: draft.kind,
            namespace: draft.operator.namespace,
            library: draft.library,
            operator: draft.operator.name,
            key,
            kernel: shown.filter(|_| !fallthrough).map(Into::into),
            fallthrough,
            schema: draft.schema,
            file: self.at.file,
            at: span(self.node),
            block: span(self.node),
            condition: self.condition(),
            through: draft.through.into(),
            unresolved,
        }
    }

    fn condition(&self) -> Option<Box<str>> {
        let mut conditions: Vec<String> = Vec::new();
        let mut is_else = false;
        for node in self.path.iter().rev() {
            is_else |= matches!(node.kind(), "else_clause" | "elif_clause");
            if node.kind() == "function_definition" && conditions.len() < 4 {
                let name = node.child_by_field_name("name");
                let name = name.map_or("", |node| self.text(node));
                conditions.push(format!("in function {}", shortened(name)));
            }
            if node.kind() == "if_statement" && conditions.len() < 4 {
                let condition = node.child_by_field_name("condition");
                let shown = condition.map_or("", |node| self.text(node));
                let prefix = if is_else { "else of if" } else { "if" };
                conditions.push(format!("{prefix} {}", shortened(shown)));
                is_else = false;
            }
        }
        let choices = self.environment.all();
        let filters = choices.filter_map(|(_, choice)| match choice {
            Choice::Items(_, condition) => condition.as_deref(),
            _ => None,
        });
        conditions.extend(filters.map(ToOwned::to_owned));
        (!conditions.is_empty()).then(|| conditions.join(", within ").into())
    }
}
