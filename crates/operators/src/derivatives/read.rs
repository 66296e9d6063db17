//! Converts a YAML tree to [`Derivatives`] (torchgen `load_derivatives`).

use std::sync::Arc;

use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::{Content, Span, message};
use opatlas_yaml::{Item, Kind, NodeId, Root, ScalarType, Tree};
use rustc_hash::FxHashMap;

use crate::slips::{head, head_of, list_fault};

use super::{
    DerivativeEntry, Derivatives, Formula, FormulaSet, LONGEST_FORMULA, MOST_FORMULAS, MOST_SETS,
    OutputDifferentiability, Outputs, Scalar,
};

const SHAPE: &str = "write `- name: op(...) -> ...`, followed by one line `argument: formula` per \
                     formula";

pub(super) fn read(file: &Content) -> Derivatives {
    let (text, diagnostics) = opatlas_yaml::decode_shared(file);
    let mut diagnostics = Complaints::from(diagnostics);
    let document = opatlas_yaml::parse_shared(&text).bounded();
    let broken = !document.diagnostics.is_empty() || !diagnostics.is_empty();
    diagnostics.extend(document.diagnostics);
    let tree = document.tree.unwrap_or_default();
    if !broken {
        diagnostics.extend(root_fault(&tree, document.root));
    }
    let mut reader = Reader {
        tree: &tree,
        entries: Vec::with_capacity(document.items.len()),
        diagnostics,
        seen: FxHashMap::default(),
    };
    for item in document.items {
        reader.item(item);
    }
    let Reader {
        entries,
        diagnostics,
        ..
    } = reader;
    Derivatives {
        text,
        entries,
        diagnostics,
        tree: Arc::clone(&tree),
    }
}

fn root_fault(tree: &Tree, root: Root) -> Option<Diagnostic> {
    let (what, span) = list_fault(tree, root)?;
    let message = match root {
        Root::Empty => "`derivatives.yaml` is empty, but must be a list of entries".into(),
        _ => message!("the file must be a list of entries, but {}", what),
    };
    let help = "start each entry with `- name: ...`; a file without formulas is `[]`";
    Some(Diagnostic::new(RuleId::DerivRoot, span, message).with_help(help))
}

struct Reader<'t> {
    tree: &'t Tree,
    entries: Vec<DerivativeEntry>,
    diagnostics: Complaints,
    /// Mappings already read as entries, with their first keys.
    seen: FxHashMap<NodeId, Span>,
}

impl Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn limit(&mut self, node: NodeId, message: opatlas_source::Message) {
        let at = Span::at(self.tree.span(node).start);
        self.report(Diagnostic::new(RuleId::YamlLimit, at, message).with_help(
            "real files stay far below this limit, which bounds the time and memory to read a file",
        ));
    }

    fn item(&mut self, item: Item) {
        self.diagnostics.extend(item.diagnostics);
        let Kind::Mapping(pairs) = self.tree.kind(item.root) else {
            let at = head(self.tree, item.root);
            self.report(
                Diagnostic::new(RuleId::DerivRoot, at, "this entry is not a mapping")
                    .with_help(SHAPE),
            );
            return;
        };
        let Some(name) = self.name(item.root, pairs) else {
            return;
        };
        let (sets, ignored) = self.sets(pairs);
        let entry = DerivativeEntry {
            span: self.tree.span(item.root),
            name,
            output_differentiability: self.outputs(pairs),
            sets,
            ignored,
        };
        self.entries.push(entry);
    }

    fn value(&self, pairs: &[(NodeId, NodeId)], key: &str) -> Option<(NodeId, NodeId)> {
        let found = pairs
            .iter()
            .find(|(k, _)| self.tree.str_value(*k) == Some(key));
        found.copied()
    }

    fn name(&mut self, entry: NodeId, pairs: &[(NodeId, NodeId)]) -> Option<Scalar> {
        let at = self.tree.span(entry);
        if let Some(&(first, _)) = pairs.first()
            && let Some(earlier) = self.seen.insert(first, at)
        {
            // torchgen removes the name while reading, and an alias is the same mapping.
            self.report(
                Diagnostic::new(
                    RuleId::DerivNameMissing,
                    at,
                    "an alias cannot repeat an entry, because PyTorch removes `name` from an entry \
                     when it reads it",
                )
                .with_help("write the entry out in full")
                .with_related("the entry is here", head_of(self.tree, earlier)),
            );
            return None;
        }
        let Some((_, name)) = self.value(pairs, "name") else {
            self.report(
                Diagnostic::new(
                    RuleId::DerivNameMissing,
                    head(self.tree, entry),
                    "this entry has no `name`",
                )
                .with_help(SHAPE),
            );
            return None;
        };
        if self.tree.str_value(name).is_none() {
            self.report(
                Diagnostic::new(
                    RuleId::DerivMalformedName,
                    self.tree.span(name),
                    "`name` must be a string",
                )
                .with_help("write the operator's schema exactly as in native_functions.yaml"),
            );
            return None;
        }
        Some(Scalar(name))
    }

    fn sets(&mut self, pairs: &[(NodeId, NodeId)]) -> (Vec<FormulaSet>, Vec<Span>) {
        let rest = pairs.iter().copied().filter(|(key, _)| {
            let key = self.tree.str_value(*key);
            !matches!(key, Some("name" | "output_differentiability"))
        });
        let Some((_, dispatch)) = self.value(pairs, "dispatch") else {
            let rest: Vec<_> = rest.collect();
            let formulas = self.formulas(&rest);
            return (
                vec![FormulaSet {
                    key: None,
                    formulas,
                }],
                Vec::new(),
            );
        };
        let ignored = rest
            .filter(|(key, _)| self.tree.str_value(*key) != Some("dispatch"))
            .map(|(key, _)| self.tree.span(key))
            .collect();
        (self.dispatch(dispatch), ignored)
    }

    fn dispatch(&mut self, dispatch: NodeId) -> Vec<FormulaSet> {
        let Kind::Mapping(pairs) = self.tree.kind(dispatch) else {
            self.report(
                Diagnostic::new(
                    RuleId::DerivDispatchShape,
                    head(self.tree, dispatch),
                    "`dispatch` must be a mapping from dispatch keys to formulas",
                )
                .with_help("write `Default:` below it, and the formulas below `Default:`"),
            );
            return Vec::new();
        };
        let mut sets = Vec::with_capacity(pairs.len().min(MOST_SETS));
        if let Some(&(beyond, _)) = pairs.get(MOST_SETS) {
            let message = message!("formulas have more than {} dispatch keys", MOST_SETS);
            self.limit(beyond, message);
        }
        for &(key, value) in pairs.iter().take(MOST_SETS) {
            let at = self.tree.span(key);
            if self.tree.str_value(key).is_none() {
                self.report(
                    Diagnostic::new(
                        RuleId::DerivDispatchKey,
                        at,
                        "a dispatch key must be a string",
                    )
                    .with_help("write `Default` or the name of an autograd key"),
                );
                continue;
            }
            let Kind::Mapping(formulas) = self.tree.kind(value) else {
                let at = if self.is_null(value) {
                    at
                } else {
                    head(self.tree, value)
                };
                self.report(
                    Diagnostic::new(
                        RuleId::DerivDispatchShape,
                        at,
                        "the value of a dispatch key must be a mapping from arguments to formulas",
                    )
                    .with_help("write one line `argument: formula` per formula"),
                );
                continue;
            };
            let formulas = self.formulas(formulas);
            sets.push(FormulaSet {
                key: Some(Scalar(key)),
                formulas,
            });
        }
        sets
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.tree.kind(node), Kind::Scalar(s) if s.ty == ScalarType::Null)
    }

    fn formulas(&mut self, pairs: &[(NodeId, NodeId)]) -> Vec<Formula> {
        let mut formulas = Vec::with_capacity(pairs.len().min(MOST_FORMULAS));
        if let Some(&(beyond, _)) = pairs.get(MOST_FORMULAS) {
            let message = message!("more than {} formulas", MOST_FORMULAS);
            self.limit(beyond, message);
        }
        for &(names, value) in pairs.iter().take(MOST_FORMULAS) {
            let text = [names, value].map(|node| self.tree.str_value(node));
            if text
                .into_iter()
                .flatten()
                .any(|text| text.len() > LONGEST_FORMULA)
            {
                let message = message!("this formula is longer than {} bytes", LONGEST_FORMULA);
                self.limit(names, message);
                continue;
            }
            if self.tree.str_value(names).is_none() {
                let at = self.tree.span(names);
                self.report(
                    Diagnostic::new(
                        RuleId::DerivKeyType,
                        at,
                        "the key of a formula must be a string",
                    )
                    .with_help("write arguments (`self, weight`) or an output (`result`)"),
                );
                continue;
            }
            formulas.push(Formula {
                names: Scalar(names),
                formula: self.tree.str_value(value).map(|_| Scalar(value)),
                value_at: head(self.tree, value),
            });
        }
        let text = |formula: &Formula| self.tree.str_value(formula.names.0);
        formulas.sort_by(|a, b| text(a).cmp(&text(b)));
        formulas
    }

    fn outputs(&mut self, pairs: &[(NodeId, NodeId)]) -> Option<OutputDifferentiability> {
        let (_, value) = self.value(pairs, "output_differentiability")?;
        if !self.is_true(value) {
            return None;
        }
        let at = self.tree.span(value);
        let fault = |message: &'static str| {
            Diagnostic::new(RuleId::DerivOutputDifferentiability, at, message).with_help(
                "write one boolean per output, for example `[True, False]`, or one condition for a \
                 single output",
            )
        };
        let items: Vec<NodeId> = match self.tree.kind(value) {
            Kind::Sequence(items) => items.to_vec(),
            Kind::Mapping(pairs) => pairs.iter().map(|(key, _)| *key).collect(),
            // Python iterates over the letters of a string.
            Kind::Scalar(s) if s.ty == ScalarType::Str && s.value.chars().count() == 1 => {
                vec![value]
            }
            Kind::Scalar(s) if s.ty == ScalarType::Binary => Vec::new(),
            Kind::Scalar(_) | Kind::Recursive => {
                self.report(fault("`output_differentiability` must be a list"));
                return None;
            }
        };
        let conditional = items
            .iter()
            .any(|item| self.tree.str_value(*item).is_some());
        if conditional && items.len() != 1 {
            self.report(fault(
                "a condition must be the only item of `output_differentiability`",
            ));
            return None;
        }
        let outputs = if conditional {
            Outputs::Condition
        } else {
            Outputs::Flags(items.iter().map(|item| self.is_true(*item)).collect())
        };
        let condition = items.first().filter(|_| conditional);
        Some(OutputDifferentiability {
            at,
            outputs,
            condition: condition.map(|item| Scalar(*item)),
        })
    }

    /// Truth in Python.
    fn is_true(&self, node: NodeId) -> bool {
        match self.tree.kind(node) {
            Kind::Sequence(items) => !items.is_empty(),
            Kind::Mapping(pairs) => !pairs.is_empty(),
            Kind::Recursive => true,
            Kind::Scalar(scalar) => match scalar.ty {
                ScalarType::Null => false,
                ScalarType::Bool(value) => value,
                ScalarType::Int | ScalarType::Float => !is_zero(scalar.value),
                ScalarType::Str | ScalarType::Binary => !scalar.value.is_empty(),
                ScalarType::Timestamp | ScalarType::Merge | ScalarType::Value => true,
            },
        }
    }
}

/// In any YAML notation.
fn is_zero(number: &str) -> bool {
    let number = number.trim_start_matches(['-', '+']);
    let digits = match number.strip_prefix("0x").or(number.strip_prefix("0b")) {
        Some(digits) => digits,
        None => number.split(['e', 'E']).next().unwrap_or(number),
    };
    let digit = |c: char| c.is_ascii_alphanumeric();
    digits.chars().filter(|&c| digit(c)).all(|c| c == '0') && digits.contains('0')
}

#[cfg(test)]
mod tests {
    use super::super::Derivatives;
    use opatlas_source::diagnostic::RuleId;

    fn rules(text: &str) -> Vec<RuleId> {
        let read = Derivatives::read(text.as_bytes());
        read.diagnostics.iter().map(|d| d.rule).collect()
    }

    #[test]
    fn shapes_that_are_no_list_of_entries() {
        for (text, expected) in [
            ("[]", &[][..]),
            ("{}", &[]),
            ("''", &[]),
            ("", &[RuleId::DerivRoot]),
            ("a: b", &[RuleId::DerivRoot]),
            ("- a", &[RuleId::DerivRoot]),
            ("- {}", &[RuleId::DerivNameMissing]),
            ("- name: 3", &[RuleId::DerivMalformedName]),
            (
                "- name: f() -> ()\n  dispatch: x",
                &[RuleId::DerivDispatchShape],
            ),
            ("- name: f() -> ()\n  3: x", &[RuleId::DerivKeyType]),
            (
                "- &a {name: f() -> (), x: y}\n- *a",
                &[RuleId::DerivNameMissing],
            ),
        ] {
            assert_eq!(rules(text), expected, "{text}");
        }
    }

    #[test]
    fn output_differentiability_is_what_python_makes_of_it() {
        let ok = |value: &str| {
            let text = format!("- {{name: f() -> (), output_differentiability: {value}}}");
            rules(&text).is_empty()
        };
        for value in [
            "[True, False]",
            "[cond]",
            "[]",
            "x",
            "0",
            "False",
            "",
            "{a: b}",
            "0.0",
            "0x0",
        ] {
            assert!(ok(value), "{value}");
        }
        for value in [
            "[a, b]",
            "[True, a]",
            "True",
            "1",
            "cond",
            "{a: b, c: d}",
            "2001-12-14",
        ] {
            assert!(!ok(value), "{value}");
        }
    }

    #[test]
    fn names_are_cut_at_commas() {
        let read = Derivatives::read(b"- name: f() -> ()\n  'a ,  b': x\n");
        let formula = &read.entries[0].sets[0].formulas[0];
        let names: Vec<_> = read.names(formula).collect();
        assert_eq!(names, [(0..1, "a"), (5..6, "b")]);
        assert_eq!(read.place(formula.names, 5..6).slice(&read.text), "b");
    }
}
