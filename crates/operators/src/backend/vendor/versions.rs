//! Release ranges in vendors' files.

use opatlas_pytorch::release::Release;
use opatlas_yaml::{Kind, NodeId, ScalarType, Tree};

/// `(2, 9)` for 2.9.
type Minor = (u32, u32);

/// The releases of an entry, as inclusive ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// `None` for every release.
    ranges: Option<Vec<(Option<Minor>, Option<Minor>)>>,
    excluded: Vec<Minor>,
}

impl Versions {
    /// The releases of several fields: `[v2.1, newest]` is a range, `v2.1, v2.2` a list;
    /// `all_version`, `True` and no fields mean every release. An item with a minus excludes one.
    #[must_use]
    pub fn of_fields(tree: &Tree, fields: &[NodeId]) -> Self {
        let excluded = fields.iter().flat_map(|&field| excluded(tree, field));
        let excluded = excluded.collect();
        let mut ranges = Vec::new();
        for &field in fields {
            match of_field(tree, field) {
                Some(of_field) => ranges.extend(of_field),
                None => {
                    let ranges = None;
                    return Self { ranges, excluded };
                }
            }
        }
        Self {
            ranges: (!fields.is_empty()).then_some(ranges),
            excluded,
        }
    }

    /// Whether they include the release.
    #[must_use]
    pub fn contain(&self, release: Release) -> bool {
        let Some(release) = minor(release.as_str()) else {
            return true;
        };
        if self.excluded.contains(&release) {
            return false;
        }
        let Some(ranges) = &self.ranges else {
            return true;
        };
        ranges.iter().any(|(from, to)| {
            from.is_none_or(|from| from <= release) && to.is_none_or(|to| release <= to)
        })
    }
}

/// `None` for every release.
fn of_field(tree: &Tree, field: NodeId) -> Option<Vec<(Option<Minor>, Option<Minor>)>> {
    match tree.kind(field) {
        Kind::Sequence(items) if is_list(tree, items) => {
            let items = items.iter().filter_map(|&item| tree.str_value(item));
            let included = items.filter(|item| !item.starts_with('-'));
            let exact: Option<Vec<_>> = included.map(minor).collect();
            let exact = exact?.into_iter();
            Some(exact.map(|minor| (Some(minor), Some(minor))).collect())
        }
        Kind::Sequence(&[from, to]) => {
            let end = |node| tree.str_value(node).and_then(minor);
            Some(vec![(end(from), end(to))])
        }
        Kind::Sequence(items) => {
            let exact = items
                .iter()
                .filter_map(|&item| minor(tree.str_value(item)?));
            Some(exact.map(|minor| (Some(minor), Some(minor))).collect())
        }
        Kind::Scalar(scalar) if scalar.ty == ScalarType::Bool(false) => Some(Vec::new()),
        Kind::Scalar(scalar) => {
            let exact: Option<Vec<_>> = scalar.value.split(',').map(minor).collect();
            let exact = exact?.into_iter();
            Some(exact.map(|minor| (Some(minor), Some(minor))).collect())
        }
        Kind::Mapping(_) | Kind::Recursive => None,
    }
}

/// Whether a list has releases as numbers (`20100`) or excludes some, so that two are not a range.
fn is_list(tree: &Tree, items: &[NodeId]) -> bool {
    let mut items = items.iter().filter_map(|&item| tree.str_value(item));
    items.any(|item| item.starts_with('-') || number(item).is_some())
}

fn excluded(tree: &Tree, field: NodeId) -> Vec<Minor> {
    let Kind::Sequence(items) = tree.kind(field) else {
        return Vec::new();
    };
    let items = items.iter().filter_map(|&item| tree.str_value(item));
    items
        .filter_map(|item| minor(item.strip_prefix('-')?))
        .collect()
}

/// `20100` for 2.1.0: the major version, and two digits each for the minor version and the patch.
fn number(text: &str) -> Option<Minor> {
    let is_number = text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = text.parse().ok().filter(|_| is_number)?;
    Some((number / 10_000, number / 100 % 100))
}

/// `v2.9`, `2.9` or `20900`; `None` for words such as `newest`.
fn minor(text: &str) -> Option<Minor> {
    let text = text.trim();
    if let Some(number) = number(text) {
        return Some(number);
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_yaml::Root;

    fn contained(text: &str) -> Vec<&'static str> {
        let document = opatlas_yaml::parse(text);
        let (Some(tree), Root::Mapping(root)) = (&document.tree, document.root) else {
            panic!("{text}")
        };
        let Kind::Mapping(pairs) = tree.kind(root) else {
            panic!("{text}")
        };
        let fields: Vec<_> = pairs.iter().map(|(_, value)| *value).collect();
        let versions = Versions::of_fields(tree, &fields);
        let releases = Release::all().filter(|release| versions.contain(*release));
        releases.map(Release::as_str).collect()
    }

    #[test]
    fn ranges_lists_and_words() {
        assert_eq!(contained("a: [v2.1, v2.3]\n"), ["2.1", "2.2", "2.3"]);
        assert_eq!(contained("a: v2.1, v2.4\nb: v2.2\n"), ["2.1", "2.2", "2.4"]);
        assert_eq!(contained("a: [v2.14, newest]\n"), ["2.14", "2.15"]);
        assert_eq!(contained("a: v2.1\nb: False\n"), ["2.1"]);
        assert_eq!(contained("a: ['20100', '20300']\n"), ["2.1", "2.3"]);
        let without = contained("a: [all, '-20000']\n");
        assert!(!without.contains(&"2.0") && without.contains(&"2.1"));
        let all = Release::all().count();
        for every in ["a: all_version\n", "a: True\nb: v2.1\n", "{}\n"] {
            assert_eq!(contained(every).len(), all, "{every}");
        }
    }
}
