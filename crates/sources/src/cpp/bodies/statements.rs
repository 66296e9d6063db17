//! Statements of a body.

use tree_sitter::Node;

use super::{BodyReader, DEEPEST};
use crate::body::{Expression, Statement};
use crate::parse::children;

impl BodyReader<'_> {
    /// The statements in a node: those of a block, or the node itself.
    pub(super) fn block(&mut self, node: Node<'_>, depth: usize) -> Vec<Statement> {
        let mut found = Vec::new();
        if node.kind() == "compound_statement" {
            for child in children(node) {
                self.statement(child, depth + 1, &mut found);
            }
        } else {
            self.statement(node, depth + 1, &mut found);
        }
        found
    }

    fn statement(&mut self, node: Node<'_>, depth: usize, found: &mut Vec<Statement>) {
        self.is_broken |= node.is_error() || node.is_missing() || depth >= DEEPEST;
        if depth >= DEEPEST {
            return;
        }
        let statement = match node.kind() {
            "compound_statement" => Statement::Block(self.block(node, depth)),
            "declaration" => return self.declaration(node, depth, found),
            "if_statement" => self.branches(node, depth, found),
            "for_statement" | "while_statement" | "for_range_loop" => {
                Statement::Loop(self.turn(node, depth))
            }
            // A jump may leave it early.
            "do_statement" => Statement::Loop(self.parts(node, depth)),
            "try_statement" => self.attempt(node, depth),
            "switch_statement" => self.switch(node, depth),
            "return_statement" => {
                Statement::Return(children(node).first().map(|&n| self.expression(n, depth)))
            }
            "throw_statement" => Statement::Throw,
            "break_statement" | "continue_statement" => Statement::Jump,
            "goto_statement" => {
                self.is_broken = true;
                Statement::Jump
            }
            "labeled_statement" => Statement::Block(self.parts(node, depth)),
            "preproc_if" | "preproc_ifdef" | "preproc_elif" => self.conditional(node, depth),
            "expression_statement" => match children(node).first() {
                Some(&inner) => Statement::Expression(self.expression(inner, depth)),
                None => return,
            },
            kind if kind.starts_with("preproc") => return,
            "using_declaration"
            | "alias_declaration"
            | "type_definition"
            | "type_identifier"
            | "static_assert_declaration"
            | "statement_identifier"
            | "namespace_alias_definition"
            | "struct_specifier"
            | "class_specifier"
            | "enum_specifier"
            | "attribute_declaration" => {
                return;
            }
            _ => Statement::Expression(self.expression(node, depth)),
        };
        found.push(statement);
    }

    /// The statements and expressions directly in a node.
    fn parts(&mut self, node: Node<'_>, depth: usize) -> Vec<Statement> {
        let mut found = Vec::new();
        for child in children(node) {
            match child.kind() {
                "compound_statement" => found.extend(self.block(child, depth)),
                _ => self.statement(child, depth + 1, &mut found),
            }
        }
        found
    }

    /// `int a = f(), b = g();`, `auto [a, b] = f();`
    fn declaration(&mut self, node: Node<'_>, depth: usize, found: &mut Vec<Statement>) {
        let ty = node.child_by_field_name("type");
        let ty = ty.map_or("", |ty| self.text(ty));
        let mut cursor = node.walk();
        let declarators: Vec<_> = node
            .children_by_field_name("declarator", &mut cursor)
            .collect();
        for declarator in declarators {
            let value = match declarator.kind() {
                "init_declarator" => declarator.child_by_field_name("value"),
                _ => None,
            };
            found.push(Statement::Declaration {
                ty: ty.into(),
                names: self.declared(declarator),
                value: value.map(|value| self.value(value, depth)),
            });
        }
        // `if (auto x = f())` has its value beside the declarator.
        if let Some(value) = node.child_by_field_name("value")
            && let Some(Statement::Declaration { value: slot, .. }) = found.last_mut()
        {
            *slot = Some(self.value(value, depth));
        }
    }

    /// An initial value; `Tensor x(y)` has a list of arguments.
    fn value(&mut self, node: Node<'_>, depth: usize) -> Expression {
        if node.kind() != "argument_list" {
            return self.expression(node, depth);
        }
        let mut parts = self.all(node, depth);
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => Expression::Other(parts),
        }
    }

    fn branches(&mut self, node: Node<'_>, depth: usize, found: &mut Vec<Statement>) -> Statement {
        let clause = node.child_by_field_name("condition");
        let mut condition = None;
        for part in clause.map(children).unwrap_or_default() {
            match part.kind() {
                "declaration" | "init_statement" => {
                    let before = found.len();
                    for inner in match part.kind() {
                        "init_statement" => children(part),
                        _ => vec![part],
                    } {
                        self.statement(inner, depth, found);
                    }
                    // A declaration is the condition as well, unless another part follows.
                    if let Some(Statement::Declaration { names, .. }) = found.get(before) {
                        condition = names.first().cloned().map(Expression::Name);
                    }
                }
                _ => condition = Some(self.expression(part, depth)),
            }
        }
        let then = node.child_by_field_name("consequence");
        let otherwise = node.child_by_field_name("alternative");
        let otherwise = otherwise.map(|node| match node.kind() {
            "else_clause" => self.parts(node, depth),
            _ => self.block(node, depth),
        });
        Statement::If {
            condition: condition.or(Some(Expression::Other(Vec::new()))),
            then: then.map(|then| self.block(then, depth)).unwrap_or_default(),
            otherwise: otherwise.unwrap_or_default(),
        }
    }

    /// The parts of a loop. That of a range declares its variable from an element of the range.
    fn turn(&mut self, node: Node<'_>, depth: usize) -> Vec<Statement> {
        let range = node.child_by_field_name("right");
        let (Some(range), Some(declarator)) = (range, node.child_by_field_name("declarator"))
        else {
            return self.parts(node, depth);
        };
        let ty = node.child_by_field_name("type");
        let index = Box::new([self.expression(range, depth), Expression::Integer]);
        let mut turn = vec![Statement::Declaration {
            ty: ty.map_or("auto", |ty| self.text(ty)).into(),
            names: self.declared(declarator),
            value: Some(Expression::Index(index)),
        }];
        if let Some(body) = node.child_by_field_name("body") {
            turn.extend(self.block(body, depth));
        }
        turn
    }

    /// `try`, which runs its body or one of its handlers.
    fn attempt(&mut self, node: Node<'_>, depth: usize) -> Statement {
        let mut statements = Vec::new();
        let clauses = children(node);
        // More handlers would be nested too deeply.
        self.is_broken |= clauses.len() > DEEPEST - depth;
        for clause in clauses.into_iter().take(DEEPEST - depth) {
            let body = clause.child_by_field_name("body");
            let body = self.block(body.unwrap_or(clause), depth);
            statements = match clause.kind() {
                "catch_clause" => vec![Statement::If {
                    condition: None,
                    then: statements,
                    otherwise: body,
                }],
                _ => body,
            };
        }
        Statement::Block(statements)
    }

    fn switch(&mut self, node: Node<'_>, depth: usize) -> Statement {
        let value = node.child_by_field_name("condition");
        let value = value.map(|value| Expression::Other(self.all(value, depth)));
        let mut cases = Vec::new();
        let mut has_default = false;
        let body = node.child_by_field_name("body");
        for case in body.map(children).unwrap_or_default() {
            let mut cursor = case.walk();
            has_default |=
                case.kind() == "case_statement" && case.child_by_field_name("value").is_none();
            let label = case.child_by_field_name("value").map(|label| label.id());
            let parts: Vec<_> = case.named_children(&mut cursor).collect();
            let mut statements = Vec::new();
            for part in parts {
                if part.kind() != "comment" && Some(part.id()) != label {
                    self.statement(part, depth + 1, &mut statements);
                }
            }
            // A case without statements falls through to the next.
            if !statements.is_empty() {
                cases.push(statements);
            }
        }
        Statement::Switch {
            value,
            cases,
            has_default,
        }
    }

    /// `#if`, whose condition is not decided.
    fn conditional(&mut self, node: Node<'_>, depth: usize) -> Statement {
        let condition = node.child_by_field_name("condition");
        let name = node.child_by_field_name("name");
        let alternative = node.child_by_field_name("alternative");
        let apart = [condition, name, alternative].map(|part| part.map(|part| part.id()));
        let mut then = Vec::new();
        for child in children(node) {
            if !apart.contains(&Some(child.id())) {
                self.statement(child, depth + 1, &mut then);
            }
        }
        let mut otherwise = Vec::new();
        if let Some(alternative) = alternative {
            match alternative.kind() {
                "preproc_else" => otherwise = self.parts(alternative, depth),
                _ => self.statement(alternative, depth + 1, &mut otherwise),
            }
        }
        Statement::If {
            condition: None,
            then,
            otherwise,
        }
    }
}
