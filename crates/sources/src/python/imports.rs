//! Import statements.

use tree_sitter::Node;

use crate::parse::{children, text};

#[derive(Debug, Clone, Copy)]
pub(super) struct Import<'t> {
    /// `a.b`, or `..a` relative to the file.
    pub module: &'t str,
    /// The name in the module; `None` for the module itself.
    pub name: Option<&'t str>,
}

#[derive(Debug, Default)]
pub(super) struct Imports<'t> {
    /// By local name.
    pub names: Vec<(&'t str, Import<'t>)>,
    pub star: Option<&'t str>,
}

pub(super) fn of<'t>(node: Node<'t>, source: &'t str) -> Imports<'t> {
    let module = node.child_by_field_name("module_name");
    let module = module.map(|module| text(module, source));
    let mut found = Imports::default();
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let field = |field| {
            let node = name.child_by_field_name(field);
            node.map(|node| text(node, source))
        };
        let original = field("name").unwrap_or_else(|| text(name, source));
        let (local, import) = match module {
            Some(module) => {
                let name = Some(original);
                (original, Import { module, name })
            }
            // `import a.b` gives the name `a`.
            None => {
                let first = original.split('.').next().unwrap_or(original);
                let module = field("alias").map_or(first, |_| original);
                (first, Import { module, name: None })
            }
        };
        found.names.push((field("alias").unwrap_or(local), import));
    }
    let has_star = children(node)
        .iter()
        .any(|child| child.kind() == "wildcard_import");
    found.star = module.filter(|_| has_star);
    found
}

/// The parts of the path of a module: `..a.b` in `x/y/z.py` is `x/a/b`. Those of a relative import
/// are complete, and so are those of a path with `/`.
pub(super) fn parts<'t>(module: &'t str, path: &'t str) -> (Vec<&'t str>, bool) {
    if module.contains('/') {
        return (module.split('/').collect(), true);
    }
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let names = name
        .split('.')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    if dots == 0 {
        return (names.collect(), false);
    }
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.truncate(folders.len().saturating_sub(dots));
    folders.extend(names);
    (folders, true)
}
