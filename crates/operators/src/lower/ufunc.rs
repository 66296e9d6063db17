//! `ufunc_inner_loop` (torchgen `UfuncInnerLoop.parse`).

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_yaml::{Kind, NodeId};

use super::{Lowering, pieces};
use crate::entry::{Field, Placed, UfuncLoop};

const RULE: RuleId = RuleId::Ufunc;

impl<'t> Lowering<'t> {
    pub(super) fn ufunc(&mut self, value: Option<NodeId>) {
        let Some(node) = value else { return };
        match self.tree.kind(node) {
            Kind::Mapping(pairs) => {
                for &(key, value) in pairs {
                    self.ufunc_line(key, value);
                }
            }
            Kind::Scalar(_) => match self.tree.str_value(node) {
                Some(text) => {
                    let key = Placed {
                        value: "Generic".into(),
                        at: self.tree.span(node),
                    };
                    self.inner_loop(key, node, text);
                }
                None => self.wrong_type(Field::UfuncInnerLoop, node),
            },
            _ => self.wrong_type(Field::UfuncInnerLoop, node),
        }
    }

    fn ufunc_line(&mut self, key: NodeId, value: NodeId) {
        let at = self.tree.span(key);
        let name = self.tree.str_value(key);
        if name == Some(super::LINE_KEY) {
            self.report(super::fields::line_key(at));
            return;
        }
        // The loop keys are the same in every release.
        let known = Release::LATEST.data().ufunc_loop_keys;
        let Some(name) = name.filter(|name| known.contains(name)) else {
            let known: Vec<_> = known.iter().collect();
            self.report(
                Diagnostic::new(
                    RULE,
                    at,
                    message!("unknown inner loop `{}`", at.slice(self.text)),
                )
                .with_help(message!("the loops are {}", known.join(", "))),
            );
            return;
        };
        let Some(text) = self.tree.str_value(value) else {
            self.report(
                Diagnostic::new(
                    RULE,
                    self.tree.span(value),
                    message!("the loop `{}` must be a string", name),
                )
                .with_help("write `function (dtypes)`"),
            );
            return;
        };
        let key = Placed {
            value: name.into(),
            at,
        };
        self.inner_loop(key, value, text);
    }

    fn inner_loop(&mut self, key: Placed<Box<str>>, node: NodeId, text: &'t str) {
        let dtypes = text.split_once(' ').and_then(|(name, rest)| {
            let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
            Some((name, inner))
        });
        let at = self.whole(node, text);
        let Some((name, inner)) = dtypes else {
            self.report(
                Diagnostic::new(RULE, at, message!("malformed inner loop `{}`", text)).with_help(
                    "write the function and its dtypes, for example `add (AllAndComplex, \
                     BFloat16)`",
                ),
            );
            return;
        };
        let from = name.len() + 2;
        let dtypes = pieces(inner)
            .map(|(range, dtype)| Placed {
                value: dtype.into(),
                at: self.place(node, from + range.start..from + range.end),
            })
            .collect();
        self.entry.ufunc_inner_loop.push(UfuncLoop {
            key,
            name: name.into(),
            dtypes,
            at,
        });
    }
}
