//! Converts a YAML tree to [`Deprecated`].

use opatlas_schema::function::FunctionSchema;
use opatlas_schema::parse::{LONGEST, MOST_COMMAS, parse_schema};
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_yaml::{Item, Kind, NodeId, Root, Tree};
use rustc_hash::FxHashMap;

use super::{CONSTANT, Call, Deprecated, DeprecatedForm, Passed, Value};
use crate::slips::{head, list_fault};

const SHAPE: &str =
    "write `- name: op(Type argument, ...) -> Type`, and below it `aten: op(argument, ...)`";
const CALL: &str = "write the call as `op(argument, argument)`; every argument is one of `name` or \
                    the constant `1`";

pub(super) fn read(bytes: &[u8]) -> Deprecated {
    let (text, diagnostics) = opatlas_yaml::decode(bytes);
    let mut diagnostics = Complaints::from(diagnostics);
    let document = opatlas_yaml::parse(&text).bounded();
    let broken = !document.diagnostics.is_empty() || !diagnostics.is_empty();
    diagnostics.extend(document.diagnostics);
    let tree = document.tree.unwrap_or_default();
    if !broken {
        diagnostics.extend(root_fault(&tree, document.root));
    }
    let mut reader = Reader {
        tree: &tree,
        forms: Vec::new(),
        diagnostics,
    };
    for item in document.items {
        reader.item(item);
    }
    let Reader {
        forms, diagnostics, ..
    } = reader;
    Deprecated {
        text: text.into(),
        forms,
        diagnostics,
    }
}

fn root_fault(tree: &Tree, root: Root) -> Option<Diagnostic> {
    let (what, span) = list_fault(tree, root)?;
    let message = message!(
        "the file must be a list of deprecated signatures, but {}",
        what
    );
    let help = "start each entry with `- name: ...`; a file without entries is `[]`";
    Some(Diagnostic::new(RuleId::DeprecatedRoot, span, message).with_help(help))
}

struct Reader<'t> {
    tree: &'t Tree,
    forms: Vec<DeprecatedForm>,
    diagnostics: Complaints,
}

impl Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn item(&mut self, item: Item) {
        self.diagnostics.extend(item.diagnostics);
        let Kind::Mapping(pairs) = self.tree.kind(item.root) else {
            let at = head(self.tree, item.root);
            let message = "this entry is not a mapping";
            self.report(Diagnostic::new(RuleId::DeprecatedRoot, at, message).with_help(SHAPE));
            return;
        };
        // Reads both before returning, to report errors in both.
        let name = self.text(item.root, pairs, "name");
        let aten = self.text(item.root, pairs, "aten");
        let schema = name.and_then(|name| self.schema(name));
        let call = aten.and_then(|aten| self.call(aten));
        if let (Some((schema, name)), Some(mut call)) = (schema, call) {
            resolve(&schema, &mut call);
            self.forms.push(DeprecatedForm {
                schema,
                name_at: self.tree.span(name),
                call,
            });
        }
    }

    fn text(&mut self, entry: NodeId, pairs: &[(NodeId, NodeId)], key: &str) -> Option<NodeId> {
        let mut values = pairs.iter();
        let value = values.find(|(k, _)| self.tree.str_value(*k) == Some(key));
        let (at, message) = match value {
            None => (
                head(self.tree, entry),
                message!("this entry has no `{}`", key),
            ),
            Some(&(_, value)) if self.tree.str_value(value).is_none() => (
                self.tree.span(value),
                message!("`{}` must be a string", key),
            ),
            Some(&(_, value)) => return Some(value),
        };
        self.report(Diagnostic::new(RuleId::DeprecatedFields, at, message).with_help(SHAPE));
        None
    }

    fn schema(&mut self, name: NodeId) -> Option<(FunctionSchema, NodeId)> {
        let text = self.tree.str_value(name)?;
        let read = parse_schema(text, 0);
        for fault in read.diagnostics {
            // Maps positions in the text to the file, with any quoting.
            let range = fault.span.start as usize..fault.span.end as usize;
            let at = if range.is_empty() {
                self.tree.span(name)
            } else {
                self.tree.place(name, range)
            };
            let message = message!("`name` is not a schema: {}", fault.message);
            let mut diagnostic = Diagnostic::new(RuleId::DeprecatedName, at, message);
            diagnostic.help = fault.help.or(Some(SHAPE.into()));
            self.report(diagnostic);
        }
        read.schema.map(|schema| (schema, name))
    }

    /// PyTorch's regular expression (`split_name_params`) ignores text after the last `)`.
    fn call(&mut self, aten: NodeId) -> Option<Call> {
        let text = self.tree.str_value(aten)?;
        let at = self.tree.span(aten);
        let Some((name, open, close)) = split(text) else {
            let message = "`aten` is not a call";
            self.report(Diagnostic::new(RuleId::DeprecatedAten, at, message).with_help(CALL));
            return None;
        };
        if text.len() > LONGEST || text.matches(", ").take(MOST_COMMAS + 1).count() > MOST_COMMAS {
            let message = message!(
                "`aten` has more than {} bytes or {} commas",
                LONGEST,
                MOST_COMMAS
            );
            let help = "real files stay far below this limit, which bounds the time to read a file";
            self.report(Diagnostic::new(RuleId::YamlLimit, at, message).with_help(help));
            return None;
        }
        let mut from = open;
        let arguments = text[open..close].split(", ").map(|argument| {
            let at = self.tree.place(aten, from..from + argument.len());
            from += argument.len() + 2;
            Passed {
                text: argument.into(),
                at,
                value: Value::Unknown,
            }
        });
        let arguments = arguments.collect();
        let is_out = name.ends_with("_out");
        let name = if is_out {
            name.replace("_out", "")
        } else {
            name.to_owned()
        };
        Some(Call {
            name: name.into(),
            is_out,
            arguments,
            at,
        })
    }
}

/// Arguments come before the constant, and the last argument of a name wins, as in the generator.
fn resolve(schema: &FunctionSchema, call: &mut Call) {
    let arguments = schema.arguments.all().iter().enumerate();
    let index: FxHashMap<&str, usize> = arguments.map(|(i, one)| (&*one.name, i)).collect();
    for passed in &mut call.arguments {
        passed.value = match index.get(&*passed.text) {
            Some(&i) => Value::Argument(i),
            None if &*passed.text == CONSTANT => Value::Constant,
            None => Value::Unknown,
        };
    }
}

/// The name of a call, and the range of its arguments.
fn split(text: &str) -> Option<(&str, usize, usize)> {
    let name = crate::derivative_match::base_name(text)?;
    let open = text.find('(')? + 1;
    let line = text[open..].find('\n').map_or(text.len(), |end| open + end);
    let close = open + text[open..line].rfind(')')?;
    Some((name, open, close))
}

#[cfg(test)]
mod tests {
    use super::super::{Deprecated, Value};
    use opatlas_source::diagnostic::RuleId;

    #[test]
    fn shapes() {
        let form = "name: \"f(Tensor self) -> Tensor\"";
        for (text, expected) in [
            ("[]", &[][..]),
            ("{}", &[]),
            ("''", &[]),
            ("", &[RuleId::DeprecatedRoot]),
            ("a: b", &[RuleId::DeprecatedRoot]),
            ("- a", &[RuleId::DeprecatedRoot]),
            (
                "- {}",
                &[RuleId::DeprecatedFields, RuleId::DeprecatedFields],
            ),
            (&*format!("- {{{form}}}"), &[RuleId::DeprecatedFields]),
            (
                &format!("- {{{form}, aten: 3}}"),
                &[RuleId::DeprecatedFields],
            ),
            (&format!("- {{{form}, aten: f}}"), &[RuleId::DeprecatedAten]),
            (&format!("- {{{form}, aten: 'f(self)'}}"), &[]),
            (&format!("- {{{form}, aten: 'f(self)', other: 1}}"), &[]),
            (
                "- {name: f(Tensor self), aten: f(self)}",
                &[RuleId::DeprecatedName],
            ),
        ] {
            let read = Deprecated::read(text.as_bytes());
            let found: Vec<RuleId> = read.diagnostics.iter().map(|d| d.rule).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_call_has_its_arguments_with_their_places() {
        let text = "- name: f(Tensor self, Scalar x, *, Tensor(a!) out) -> Tensor(a!)\n  aten: f_out(out, self, 1)\n";
        let read = Deprecated::read(text.as_bytes());
        let call = &read.forms[0].call;
        assert!(call.is_out);
        assert_eq!(&*call.name, "f");
        let places: Vec<&str> = call
            .arguments
            .iter()
            .map(|passed| passed.at.slice(text))
            .collect();
        assert_eq!(places, ["out", "self", "1"]);
        let values: Vec<Value> = call.arguments.iter().map(|passed| passed.value).collect();
        assert_eq!(
            values,
            [Value::Argument(2), Value::Argument(0), Value::Constant]
        );
    }
}
