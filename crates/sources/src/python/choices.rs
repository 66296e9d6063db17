//! The values that the variables of a loop, or the parameters of a function, take.

use std::rc::Rc;

use tree_sitter::Node;

use super::facts::ScopeKind;
use super::syntax::{Target, shortened};
use super::value::{Caller, Choice, Environment, Needs, Part, ScopeId, Value};
use super::world::World;
use crate::parse::children;

/// Whether a part of a choice was not decided yet.
fn is_open(sites: &[Caller<'_>], known: &[(usize, Value<'_>)], part: Part) -> bool {
    let is_known = known
        .iter()
        .any(|(index, _)| part == Part::Parameter(*index));
    sites.len() > 1 && !is_known
}

impl<'t> World<'t> {
    /// Environments with each choice for a scope, or for another one that decides these.
    pub(super) fn expanded(
        &self,
        needs: Needs,
        environment: &Environment<'t>,
    ) -> Vec<Environment<'t>> {
        let mut needs = needs;
        let mut seen = Vec::new();
        loop {
            let Needs(id, part) = needs;
            let unknown = |why: &str| vec![environment.with(id, Choice::Unknown(why.into()))];
            if !self.step() {
                return unknown("it takes too many steps to follow");
            }
            if seen.contains(&needs) {
                return unknown("it depends on itself");
            }
            seen.push(needs);
            let choices = match self.choice(environment, id) {
                Some(Choice::Sites(sites, known)) if is_open(&sites, &known, part) => {
                    Ok(self.split(id, part, &sites, &known, environment))
                }
                Some(_) => return unknown("it depends on itself"),
                None => self.choices(id, environment).map(|choices| {
                    let choices = choices.into_iter();
                    let choices = choices.flat_map(|choice| match choice {
                        Choice::Sites(sites, known) => {
                            self.split(id, part, &sites, &known, environment)
                        }
                        choice => vec![choice],
                    });
                    choices.collect()
                }),
            };
            match choices {
                Ok(choices) => {
                    let choices = choices.into_iter();
                    return choices.map(|choice| environment.with(id, choice)).collect();
                }
                Err(other) => needs = other,
            }
        }
    }

    /// Calls of a function, by the value of a parameter.
    fn split(
        &self,
        id: ScopeId,
        part: Part,
        sites: &Rc<[Caller<'t>]>,
        known: &Rc<[(usize, Value<'t>)]>,
        environment: &Environment<'t>,
    ) -> Vec<Choice<'t>> {
        let mut groups: Vec<(Option<Value<'t>>, Vec<Caller<'t>>)> = Vec::new();
        for caller in sites.iter() {
            let single = Choice::Sites(Rc::new([caller.clone()]), Rc::clone(known));
            let value = match part {
                Part::Parameter(index) => {
                    let inner = environment.with(id, single);
                    self.passed(id, index, caller, &inner).ok()
                }
                Part::One => None,
            };
            let same = groups.iter_mut().find(|(other, _)| match (&value, other) {
                (Some(value), Some(other)) => self.step() && value.is_same(other),
                _ => false,
            });
            match same {
                Some((_, callers)) => callers.push(caller.clone()),
                None => groups.push((value, vec![caller.clone()])),
            }
        }
        let groups = groups.into_iter().map(|(value, callers)| {
            let own = match part {
                Part::Parameter(index) => value.map(|value| (index, value)),
                Part::One => None,
            };
            let all = known.iter().cloned().chain(own);
            Choice::Sites(callers.into(), all.collect::<Vec<_>>().into())
        });
        groups.collect()
    }

    pub(super) fn choices(
        &self,
        id: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Vec<Choice<'t>>, Needs> {
        let Some(scope) = self.scope(id) else {
            return Ok(Vec::new());
        };
        match &scope.kind {
            ScopeKind::Loop(targets) => {
                let at = ScopeId {
                    index: scope.parent,
                    ..id
                };
                let right = scope.node.child_by_field_name("right");
                self.rows(targets, right, at, environment)
            }
            ScopeKind::Comprehension(clauses) => self.nested(id, clauses, environment),
            ScopeKind::Function(_) => self.calls_of(id, environment),
            ScopeKind::Module | ScopeKind::Class => Ok(Vec::new()),
        }
    }

    /// A choice for each item of a list.
    fn rows(
        &self,
        targets: &[Target<'t>],
        list: Option<Node<'t>>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Vec<Choice<'t>>, Needs> {
        let Some(node) = list else {
            return Ok(Vec::new());
        };
        let value = self.evaluate(node, at, environment)?;
        let unknown = |what: &str| {
            let shown = shortened(self.text(node, at.file));
            Choice::Unknown(format!("{what} `{shown}`").into())
        };
        let Some(list) = self.items(&value) else {
            return Ok(vec![match value {
                Value::Unknown(Some(why)) => Choice::Unknown(why),
                _ => unknown("a loop goes through"),
            }]);
        };
        let mut choices = Vec::new();
        for item in &list.items {
            if !self.step() {
                choices.push(Choice::Unknown("it takes too many steps to follow".into()));
                return Ok(choices);
            }
            let mut values = Vec::new();
            for target in targets {
                let value = match &target.path {
                    Some(path) => self.part(item.clone(), path)?,
                    None => Value::Unknown(None),
                };
                values.push((target.name, value));
            }
            choices.push(Choice::Items(values.into(), list.condition.clone()));
        }
        if list.has_more {
            choices.push(unknown("other parts of the program change"));
        }
        Ok(choices)
    }

    /// The choices for all loops of a comprehension.
    fn nested(
        &self,
        id: ScopeId,
        clauses: &[Vec<Target<'t>>],
        environment: &Environment<'t>,
    ) -> Result<Vec<Choice<'t>>, Needs> {
        let Some(scope) = self.scope(id) else {
            return Ok(Vec::new());
        };
        let around = ScopeId {
            index: scope.parent,
            ..id
        };
        let loops = children(scope.node).into_iter();
        let loops = loops.filter(|clause| clause.kind() == "for_in_clause");
        let mut open: Vec<Choice<'t>> = vec![Choice::Items([].into(), None)];
        for (clause, targets) in loops.zip(clauses) {
            let mut next = Vec::new();
            for outer in open {
                let Choice::Items(known, condition) = &outer else {
                    next.push(outer);
                    continue;
                };
                let (at, inner) = match known.is_empty() {
                    true => (around, environment.clone()),
                    false => (id, environment.with(id, outer.clone())),
                };
                let right = clause.child_by_field_name("right");
                for choice in self.rows(targets, right, at, &inner)? {
                    next.push(match choice {
                        Choice::Items(more, own) => {
                            let all = known.iter().chain(more.iter()).cloned();
                            let own = own.or_else(|| condition.clone());
                            Choice::Items(all.collect::<Vec<_>>().into(), own)
                        }
                        choice => choice,
                    });
                }
            }
            open = next;
        }
        Ok(open)
    }
}
