//! `dispatch`, and kernels implied by its absence or by ufuncs.

use opatlas_pytorch::release::Release;
use opatlas_schema::parse::last_separator;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use opatlas_yaml::{Kind, NodeId};

use super::Lowering;
use crate::entry::{DispatchLine, Field, Kernel, KernelEntry, KernelSource, KeyName};

/// Parses `ns::name` or `name`. The third of three colons belongs to the name.
#[must_use]
pub fn kernel(text: &str) -> Kernel {
    match last_separator(text) {
        Some(cut) => Kernel {
            namespace: Some(&text[..cut]).filter(|n| !n.is_empty()).map(Into::into),
            name: text[cut + 2..].into(),
        },
        None => Kernel {
            namespace: None,
            name: text.into(),
        },
    }
}

/// The maximum number of keys in a line of `dispatch`.
pub const MOST_KEYS: usize = 256;

impl Lowering<'_> {
    pub(super) fn dispatch(&mut self, value: Option<NodeId>) {
        if let Some(node) = value.filter(|&node| !self.is_null(node)) {
            match self.tree.kind(node) {
                Kind::Mapping(pairs) => {
                    let keys = |(key, _): &(_, _)| self.tree.str_value(*key);
                    let keys = pairs.iter().filter_map(keys);
                    let keys = keys.flat_map(|names| names.split(',')).take(super::FEW);
                    let mut lines = Vec::with_capacity(keys.count());
                    for &(key, kernel) in pairs {
                        self.line(key, kernel, &mut lines);
                    }
                    self.declared(&lines);
                    self.entry.dispatch = Some(lines);
                }
                _ => {
                    self.wrong_type(Field::Dispatch, node);
                    // Suppresses the implicit composite, since something was meant.
                    self.entry.dispatch = Some(Vec::new());
                }
            }
        } else {
            self.implicit();
        }
        self.ufunc_kernels();
    }

    fn line(&mut self, key: NodeId, value: NodeId, lines: &mut Vec<DispatchLine>) {
        let key_at = self.tree.span(key);
        let Some(names) = self.tree.str_value(key) else {
            if matches!(self.tree.kind(key), Kind::Scalar(_)) {
                self.report(
                    Diagnostic::new(
                        RuleId::DispatchKeyType,
                        key_at,
                        message!("dispatch key `{}` is not a string", key_at.slice(self.text)),
                    )
                    .with_help("write a dispatch key, such as `CPU`"),
                );
            }
            return;
        };
        if names == super::LINE_KEY {
            self.report(super::fields::line_key(key_at));
            return;
        }
        let Some(text) = self.tree.str_value(value) else {
            let at = self.tree.span(value);
            let diagnostic = if self.is_null(value) {
                Diagnostic::new(
                    RuleId::DispatchValueType,
                    key_at,
                    message!("`{}` has no kernel", names),
                )
            } else {
                Diagnostic::new(
                    RuleId::DispatchValueType,
                    at,
                    message!("the kernel for `{}` must be a string", names),
                )
            };
            self.report(diagnostic.with_help("write the name of the C++ function"));
            return;
        };
        if names.split(',').nth(MOST_KEYS).is_some() {
            let message = message!("more than {} dispatch keys", MOST_KEYS);
            let diagnostic = Diagnostic::new(RuleId::YamlLimit, key_at, message)
                .with_help("list each key once; no release has that many keys");
            return self.report(diagnostic);
        }
        let kernel = kernel(text);
        let kernel_at = self.whole(value, text);
        let mut start = 0;
        for piece in names.split(',') {
            let name = piece.trim();
            let from = start + (piece.len() - piece.trim_start().len());
            start += piece.len() + 1;
            lines.push(DispatchLine {
                key: KeyName::of(name),
                kernel: kernel.clone(),
                key_at: self.place(key, from..from + name.len()),
                kernel_at,
            });
        }
    }

    /// The last line for a key wins, in the position of the first.
    fn declared(&mut self, lines: &[DispatchLine]) {
        let kernels = &mut self.entry.kernels;
        kernels.reserve_exact(lines.len().min(super::FEW));
        // Unknown keys are errors; without them the list stays short.
        let known = |line: &&DispatchLine| matches!(line.key, KeyName::Known(_));
        for line in lines.iter().filter(known) {
            let entry = KernelEntry {
                key: line.key.clone(),
                kernel: line.kernel.clone(),
                source: KernelSource::Declared,
                key_at: line.key_at,
                kernel_at: line.kernel_at,
            };
            match kernels.iter_mut().find(|k| k.key == line.key) {
                Some(earlier) => *earlier = entry,
                None => kernels.push(entry),
            }
        }
    }

    fn implicit(&mut self) {
        let entry = &mut self.entry;
        if entry.structured || entry.structured_delegate.is_some() {
            return;
        }
        let Some(schema) = &entry.schema else { return };
        let name = schema.default_kernel();
        let at = schema.name_at.0;
        entry.kernels.reserve_exact(1);
        entry.kernels.push(KernelEntry {
            key: KeyName::Known("CompositeImplicitAutograd"),
            kernel: kernel(&name),
            source: KernelSource::Implicit,
            key_at: at,
            kernel_at: at,
        });
    }

    /// Ufuncs have kernels for CPU and CUDA in every release.
    fn ufunc_kernels(&mut self) {
        if self.entry.ufunc_inner_loop.is_empty() {
            return;
        }
        let Some(schema) = &self.entry.schema else {
            return;
        };
        let at = self
            .entry
            .field(Field::UfuncInnerLoop)
            .map_or(Span::default(), |place| place.value);
        let base = schema.name.base().to_owned();
        for key in Release::LATEST.data().ufunc_keys.iter() {
            if self.entry.has_kernel(key) {
                continue;
            }
            self.entry.kernels.push(KernelEntry {
                key: KeyName::Known(key),
                kernel: Kernel {
                    namespace: None,
                    name: format!("ufunc_{base}_{key}").into(),
                },
                source: KernelSource::Ufunc,
                key_at: at,
                kernel_at: at,
            });
        }
    }
}
