//! Finds out whether a file is torchgen's or a vendor's, and reads it through the vendor's profile.

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use opatlas_yaml::{Kind, NodeId, Root};

use super::BackendFile;
use super::read::{Reader, root_fault};
use super::vendor::{self, Format, Profile};
use crate::entry::Placed;

impl Reader<'_> {
    pub(super) fn mapping(&mut self, node: NodeId, profile: Option<&Profile>) {
        self.file.is_mapping = true;
        let Kind::Mapping(pairs) = self.tree.kind(node) else {
            return;
        };
        match vendor::of_mapping(self.tree, pairs, profile) {
            Format::Standard => self.plain(pairs),
            Format::Mapped(profile) => self.superset(pairs, *profile),
            Format::Unknown(at) => {
                let backend = pairs
                    .iter()
                    .find(|(key, _)| self.tree.str_value(*key) == Some("backend"));
                let backend = backend.and_then(|(_, node)| self.tree.str_value(*node));
                let suggested = vendor::suggest::of_mapping(self.tree, pairs, profile);
                self.unknown(at, backend, &suggested);
            }
        }
    }

    /// Reads a list through a profile, or returns the file if it is a list over PyTorch's.
    pub(super) fn sequence(
        &mut self,
        root: Option<NodeId>,
        text: &str,
        profile: Option<&Profile>,
    ) -> Option<BackendFile> {
        let items = match root.map(|root| self.tree.kind(root)) {
            Some(Kind::Sequence(items)) => items,
            _ => &[],
        };
        match vendor::of_list(self.tree, items, profile) {
            Format::Mapped(profile) => {
                self.file.is_mapping = true;
                self.file.use_out_as_primary = true;
                self.owner(&profile, Span::at(0));
                vendor::document(self.tree, items, *profile, &mut self.file);
            }
            Format::Unknown(at) => {
                let suggested = vendor::suggest::of_list(self.tree, items, profile);
                self.unknown(at, None, &suggested);
            }
            Format::Standard => match vendor::overlay(text, profile) {
                Some(file) => return Some(file),
                None => self.report(root_fault(text, Root::Sequence)),
            },
        }
        None
    }

    /// Takes the key and the C++ namespace of a profile.
    fn owner(&mut self, profile: &Profile, at: Span) {
        self.file.backend = (!profile.key.is_empty()).then(|| Placed {
            value: profile.key.clone(),
            at,
        });
        self.file.cpp_namespace = Some(Placed {
            value: profile.cpp_namespace.clone(),
            at: Span::at(0),
        });
    }

    fn superset(&mut self, pairs: &[(NodeId, NodeId)], profile: Profile) {
        let value = |key: &str| {
            let mut pairs = pairs.iter();
            let pair = pairs.find(|(k, _)| self.tree.str_value(*k) == Some(key));
            pair.copied()
        };
        let [backend, namespace, class, out, guard] = [
            "backend",
            "cpp_namespace",
            "class_name",
            "use_out_as_primary",
            "device_guard",
        ]
        .map(value);
        let at = backend.map_or(Span::at(0), |(_, node)| self.tree.span(node));
        self.owner(&profile, at);
        if let Some(named) = namespace.and_then(|(_, node)| self.text(node)) {
            self.file.cpp_namespace = Some(named);
        }
        self.file.class_name = class.and_then(|(_, node)| self.text(node));
        // Vendors' generators do not wrap functional kernels.
        self.file.use_out_as_primary = out.is_none() || self.flag("use_out_as_primary", out);
        self.file.device_guard = self.flag("device_guard", guard);
        vendor::sections(self.tree, pairs, profile, &mut self.file);
    }

    /// Reports one diagnostic instead of one per unknown key.
    fn unknown(&mut self, at: Span, backend: Option<&str>, suggested: &str) {
        let whose = match backend {
            Some(backend) => message!("the vendor of `{}`", backend),
            None => "a vendor".into(),
        };
        let what = at.slice(self.tree.text()).lines().next().unwrap_or("");
        let what: String = what.chars().take(60).collect();
        let message = message!(
            "this seems to be a backend file in a format of {}: PyTorch's generator does not \
             read `{}`",
            whose,
            what
        );
        let help = message!(
            "describe the format in `[vendor]` of opatlas.toml; this line at its start does: `{}`",
            suggested
        );
        self.report(Diagnostic::new(RuleId::BackendSuperset, at, message).with_help(help));
    }
}
