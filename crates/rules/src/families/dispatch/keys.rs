//! The keys of `dispatch`: known, allowed, once each; and how kernels are qualified.

use opatlas_source::diagnostic::RuleId;
use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::sink::Sink;
use opatlas_operators::entry::{DispatchLine, KeyName};
use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::suggest;

/// The deepest namespace that can be read before a kernel (`NativeFunction.from_yaml`).
const DEEPEST: usize = 3;

/// The keys of a release.
pub(super) struct Keys {
    release: Release,
    /// Whether a known key may be used, by the address of its name: each name exists once.
    allowed: RefCell<FxHashMap<*const u8, bool>>,
}

impl Keys {
    pub(super) fn of(release: Release) -> Self {
        Self {
            release,
            allowed: RefCell::default(),
        }
    }

    fn allows(&self, key: &KeyName) -> bool {
        let KeyName::Known(name) = key else {
            return false;
        };
        let mut allowed = self.allowed.borrow_mut();
        *allowed.entry(name.as_ptr()).or_insert_with(|| {
            let keys = self.release.data().dispatch_keys_allowed;
            keys.contains(name)
        })
    }

    pub(super) fn check(&self, placed: &PlacedEntry, lines: &[DispatchLine], sink: &mut Sink) {
        for (i, line) in lines.iter().enumerate() {
            if !self.allows(&line.key) {
                sink.entry(placed, self.refusal(line));
            } else if let Some(earlier) = lines[..i].iter().find(|l| l.key == line.key) {
                sink.entry(placed, repeated(line, earlier));
            }
            if let Some(diagnostic) = too_deep(line) {
                sink.entry(placed, diagnostic);
            }
        }
    }

    fn refusal(&self, line: &DispatchLine) -> Diagnostic {
        let data = self.release.data();
        let name = line.key.as_str();
        let allowed = data.dispatch_keys_allowed;
        let aliased = data
            .dispatch_key_aliases
            .iter()
            .any(|(alias, _)| *alias == name);
        if !data.dispatch_keys_known.contains(name) && !aliased {
            return unknown(line, suggest::nearest(name, allowed.iter()));
        }
        let diagnostic = Diagnostic::new(
            RuleId::DispatchKeySupported,
            line.key_at,
            format!("`{name}` is a dispatch key, but takes no kernels here"),
        );
        let later = Release::all().find(|later| {
            *later > self.release && later.data().dispatch_keys_allowed.contains(name)
        });
        if let Some(later) = later {
            return diagnostic.with_help(format!(
                "it does since PyTorch {later}; these rules are of {}",
                self.release
            ));
        }
        diagnostic.with_help(if name.contains("Autograd") {
            "formulas stand in `derivatives.yaml`, other autograd kernels are registered in C++"
        } else {
            "register the kernel in C++, or in the backend's own YAML file"
        })
    }
}

fn unknown(line: &DispatchLine, nearest: Option<&str>) -> Diagnostic {
    let name = line.key.as_str();
    let message = match name {
        "" => "there is no key between the commas".to_owned(),
        _ => format!("`{name}` is no dispatch key"),
    };
    let diagnostic = Diagnostic::new(RuleId::DispatchKeyKnown, line.key_at, message);
    match nearest {
        Some(nearest) => diagnostic.with_near_name(line.key_at, name, nearest),
        None => diagnostic.with_help("keys are separated by commas; upper and lower case matter"),
    }
}

fn repeated(line: &DispatchLine, earlier: &DispatchLine) -> Diagnostic {
    let name = line.key.as_str();
    let same = line.kernel == earlier.kernel;
    let message = if same {
        format!("`{name}` is listed twice")
    } else {
        format!(
            "`{name}` is listed twice: `{}` silently replaces `{}`",
            line.kernel.name, earlier.kernel.name
        )
    };
    Diagnostic::new(RuleId::DispatchKeyRepeated, line.key_at, message)
        .with_help("list each key once")
        .with_related("first here", earlier.key_at)
}

fn too_deep(line: &DispatchLine) -> Option<Diagnostic> {
    let namespace = line.kernel.namespace.as_deref()?;
    let levels = namespace.split("::").count();
    (levels > DEEPEST).then(|| {
        Diagnostic::new(
            RuleId::KernelNamespace,
            line.kernel_at,
            format!("`{namespace}` has {levels} levels of namespace; two are supported"),
        )
        .with_help("put the kernel into a namespace of one or two levels")
    })
}
