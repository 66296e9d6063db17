//! The values of loop variables and parameters.

use std::rc::Rc;

use tree_sitter::Node;

use super::facts::{Parameter, ScopeKind, Site};
use super::syntax::{Arguments, shortened};
use super::value::{Caller, Choice, Environment, Evaluated, Needs, Part, Receiver, ScopeId, Value};
use super::world::World;

impl<'t> World<'t> {
    /// A loop variable.
    pub(super) fn chosen(
        &self,
        id: ScopeId,
        name: &str,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        match self.choice(environment, id) {
            Some(Choice::Items(items, _)) => {
                let found = items.iter().find(|(of, _)| *of == name);
                self.forced(found.map_or(Value::Unknown(None), |(_, value)| value.clone()))
            }
            Some(Choice::Unknown(why)) => Ok(Value::Unknown(Some(why.clone()))),
            _ => Err(Needs(id, Part::One)),
        }
    }

    pub(super) fn parameter(
        &self,
        id: ScopeId,
        index: usize,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let Some(scope) = self.scope(id) else {
            return Ok(Value::Unknown(None));
        };
        let ScopeKind::Function(parameters) = &scope.kind else {
            return Ok(Value::Unknown(None));
        };
        if parameters.get(index).is_none() {
            return Ok(Value::Unknown(None));
        }
        if self.is_torch_library(id.file) {
            return Ok(Value::unknown("it is a parameter in torch.library itself"));
        }
        if index == 0
            && let Some(class) = self.class_of_method(id)
        {
            return Ok(Value::Instance(class, None));
        }
        match self.choice(environment, id) {
            Some(Choice::Sites(sites, known)) => {
                let known = known.iter().find(|(of, _)| *of == index);
                match (known, &sites[..]) {
                    (Some((_, value)), _) => Ok(value.clone()),
                    (None, [caller]) => self.passed(id, index, caller, environment),
                    _ => Err(Needs(id, Part::Parameter(index))),
                }
            }
            Some(Choice::Unknown(why)) => Ok(Value::Unknown(Some(why.clone()))),
            _ => Err(Needs(id, Part::Parameter(index))),
        }
    }

    /// The value that a call passes for a parameter.
    pub(super) fn passed(
        &self,
        id: ScopeId,
        index: usize,
        (site, receiver): &Caller<'t>,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let Some(scope) = self.scope(id) else {
            return Ok(Value::Unknown(None));
        };
        let ScopeKind::Function(parameters) = &scope.kind else {
            return Ok(Value::Unknown(None));
        };
        let Some(parameter) = parameters.get(index) else {
            return Ok(Value::Unknown(None));
        };
        let at = ScopeId {
            index: scope.parent,
            ..id
        };
        self.argument(site, *receiver, (index, parameter, at), environment)
    }

    /// The class of a method that takes the object first.
    pub(super) fn class_of_method(&self, id: ScopeId) -> Option<ScopeId> {
        let index = self.scope(id)?.parent;
        let class = ScopeId { index, ..id };
        let is_class = matches!(self.scope(class)?.kind, ScopeKind::Class);
        let decorators = self.decorators(id).iter();
        let mut names = decorators.map(|node| self.text(*node, id.file));
        (is_class && !names.any(|name| name == "staticmethod")).then_some(class)
    }

    pub(super) fn argument(
        &self,
        site: &Rc<Site<'t>>,
        receiver: Receiver,
        (index, parameter, around): (usize, &Parameter<'t>, ScopeId),
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let at = ScopeId {
            file: site.file,
            index: site.scope,
        };
        let evaluated = |node| self.evaluate(node, at, environment);
        if receiver == Receiver::Applied {
            let applied = site.applied.filter(|_| index == 0);
            return applied.map_or(Ok(Value::Unknown(None)), evaluated);
        }
        let arguments = Arguments::of(site.node);
        let shift = usize::from(receiver == Receiver::Object);
        let positional = index.checked_sub(shift);
        if parameter.is_rest {
            let rest = positional.and_then(|from| arguments.positional.get(from..));
            let lazy = |node: &Node<'t>| Value::Lazy(*node, at, environment.clone());
            let items = rest.unwrap_or_default().iter().map(lazy).collect();
            return Ok(Value::list(items));
        }
        let given = self.given(site, receiver, (index, parameter));
        match (given, parameter.default) {
            (Some(node), _) => evaluated(node),
            (None, _) if arguments.has_rest => Ok(Value::unknown(&format!(
                "a call passes `{}` with `*` or `**`",
                parameter.name
            ))),
            (None, Some(default)) => self.evaluate(default, around, environment),
            (None, None) => Ok(Value::Unknown(None)),
        }
    }

    /// The expression that a call passes for a parameter.
    pub(super) fn given(
        &self,
        site: &Site<'t>,
        receiver: Receiver,
        (index, parameter): (usize, &Parameter<'t>),
    ) -> Option<Node<'t>> {
        if receiver == Receiver::Applied {
            return site.applied.filter(|_| index == 0);
        }
        let arguments = Arguments::of(site.node);
        let shift = usize::from(receiver == Receiver::Object);
        let positional = index.checked_sub(shift);
        positional
            .filter(|_| !parameter.is_keyword_only)
            .and_then(|index| arguments.positional.get(index).copied())
            .or_else(|| arguments.keyword(parameter.name, self.source(site.file)))
    }

    /// The expression that a loop variable or a parameter stands for, and its file.
    pub(super) fn source_of(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> (Node<'t>, u32) {
        let (mut node, mut at) = (node, at);
        for _ in 0..DEEPEST_SOURCE {
            if node.kind() != "identifier" {
                break;
            }
            let Some((next, place)) = self.stands_for(node, at, environment) else {
                break;
            };
            (node, at) = (next, place);
        }
        (node, at.file)
    }

    pub(super) fn stands_for(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Option<(Node<'t>, ScopeId)> {
        let name = self.text(node, at.file);
        let mut id = at;
        while id.index > 0 {
            let scope = self.scope(id)?;
            if self.facts(id.file)?.bound.contains_key(&(id.index, name)) {
                return None;
            }
            match (self.choice(environment, id), &scope.kind) {
                (Some(Choice::Items(items, _)), _) => {
                    let found = items.iter().find(|(of, _)| *of == name);
                    if let Some((_, value)) = found {
                        return match value {
                            Value::Lazy(node, at, _) => Some((*node, *at)),
                            _ => None,
                        };
                    }
                }
                (Some(Choice::Sites(sites, _)), ScopeKind::Function(parameters)) => {
                    let (site, receiver) = sites.first()?;
                    let index = parameters.iter().position(|p| p.name == name);
                    if let Some(index) = index {
                        let parameter = parameters.get(index)?;
                        let given = self.given(site, *receiver, (index, parameter))?;
                        let at = ScopeId {
                            file: site.file,
                            index: site.scope,
                        };
                        return Some((given, at));
                    }
                }
                _ => {}
            }
            id.index = scope.parent;
        }
        None
    }

    /// Why a parameter has no value.
    pub(super) fn uncalled(&self, id: ScopeId) -> Rc<str> {
        let class = self.class_of_method(id).map(|class| self.name(class));
        let name = match (self.name(id), class) {
            ("", _) => "a lambda".to_owned(),
            ("__init__", Some(class)) => format!("`{}`", shortened(class)),
            (name, _) => format!("`{}`", shortened(name)),
        };
        format!("it depends on the arguments of {name}, whose calls are not in the scanned files")
            .into()
    }
}

/// How many variables a kernel is followed through.
const DEEPEST_SOURCE: usize = 8;
