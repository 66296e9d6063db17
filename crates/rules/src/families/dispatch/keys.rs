//! Dispatch keys: known, allowed, unique; and kernel namespaces.

use opatlas_operators::entry::DispatchLine;
use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::suggest::Near;
use rustc_hash::FxHashMap;

use crate::scope::subject::is_identifier;
use crate::sink::Sink;

/// The maximum namespace depth that torchgen parses (`NativeFunction.from_yaml`).
const DEEPEST: usize = 3;

pub(super) fn check(
    placed: &PlacedEntry,
    lines: &[DispatchLine],
    release: Release,
    sink: &mut Sink,
) {
    let allowed = release.data().dispatch_keys_allowed;
    let mut first: FxHashMap<&str, &DispatchLine> = FxHashMap::default();
    // The keys of a line share its kernel.
    let mut named = None;
    for line in lines {
        let key = line.key.as_str();
        let earlier = *first.entry(key).or_insert(line);
        if !allowed.contains(key) {
            let refusal = refusal(line, release, sink);
            sink.entry(placed, refusal);
        } else if !std::ptr::eq(earlier, line) {
            sink.entry(placed, repeated(line, earlier));
        }
        if let Some(diagnostic) = too_deep(line) {
            sink.entry(placed, diagnostic);
        }
        let is_shared = named.replace(line.kernel_at) == Some(line.kernel_at);
        if let Some(diagnostic) = unnamable(line).filter(|_| !is_shared) {
            sink.entry(placed, diagnostic);
        }
    }
}

fn refusal(line: &DispatchLine, release: Release, sink: &Sink) -> Diagnostic {
    let data = release.data();
    let name = line.key.as_str();
    let allowed = data.dispatch_keys_allowed;
    let aliased = data
        .dispatch_key_aliases
        .iter()
        .any(|(alias, _)| *alias == name);
    if !data.dispatch_keys_known.contains(name) && !aliased {
        let near = if sink.is_full(RuleId::DispatchKeyKnown) {
            None
        } else {
            sink.suggestions.near(name, allowed.iter())
        };
        return unknown(line, near);
    }
    let diagnostic = Diagnostic::new(
        RuleId::DispatchKeySupported,
        line.key_at,
        message!(
            "`{}` is a dispatch key, but cannot have kernels in this file",
            name
        ),
    );
    let later = Release::all()
        .find(|later| *later > release && later.data().dispatch_keys_allowed.contains(name));
    if let Some(later) = later {
        return diagnostic.with_help(message!(
            "it can since PyTorch {} (checking against {})",
            later,
            release
        ));
    }
    diagnostic.with_help(if name.contains("Autograd") {
        "write formulas in `derivatives.yaml`, and register other autograd kernels in C++"
    } else {
        "register the kernel in C++, or in the backend's own YAML file"
    })
}

/// Former names of alias keys.
const FORMER: [(&str, &str); 2] = [
    ("DefaultBackend", "CompositeExplicitAutograd"),
    ("Math", "CompositeImplicitAutograd"),
];

fn unknown(line: &DispatchLine, nearest: Option<Near<'_>>) -> Diagnostic {
    let name = line.key.as_str();
    if let Some((_, new)) = FORMER.iter().find(|(former, _)| *former == name) {
        let message = message!("`{}` is the former name of `{}`", name, new);
        return Diagnostic::new(RuleId::DispatchKeyKnown, line.key_at, message)
            .with_help(message!(
                "write `{}`; no release since 2.0 knows the former name",
                new
            ))
            .with_safe_fix(line.key_at, *new);
    }
    let message = match name {
        "" => "empty dispatch key between commas".into(),
        _ => message!("unknown dispatch key `{}`", name),
    };
    let diagnostic = Diagnostic::new(RuleId::DispatchKeyKnown, line.key_at, message);
    match nearest {
        Some(nearest) => diagnostic.with_near_name(line.key_at, nearest),
        None => diagnostic.with_help("separate keys by commas; names are case-sensitive"),
    }
}

fn repeated(line: &DispatchLine, earlier: &DispatchLine) -> Diagnostic {
    let name = line.key.as_str();
    let same = line.kernel == earlier.kernel;
    let message = if same {
        message!("duplicate dispatch key `{}`", name)
    } else {
        message!(
            "duplicate dispatch key `{}`: kernel `{}` silently replaces `{}`",
            name,
            line.kernel.name,
            earlier.kernel.name
        )
    };
    Diagnostic::new(RuleId::DispatchKeyRepeated, line.key_at, message)
        .with_help("list each key once")
        .with_related("first listed here", earlier.key_at)
}

fn too_deep(line: &DispatchLine) -> Option<Diagnostic> {
    let namespace = line.kernel.namespace.as_deref()?;
    let levels = namespace.split("::").count();
    (levels > DEEPEST).then(|| {
        Diagnostic::new(
            RuleId::KernelNamespace,
            line.kernel_at,
            message!(
                "`{}` has {} levels of namespace; PyTorch supports two",
                namespace,
                levels
            ),
        )
        .with_help("use one or two levels of namespace")
    })
}

fn unnamable(line: &DispatchLine) -> Option<Diagnostic> {
    let kernel = &line.kernel;
    let namespaces = kernel.namespace.iter().flat_map(|text| text.split("::"));
    let mut parts = namespaces.chain([&*kernel.name]);
    parts
        .any(|part| !part.is_empty() && !is_identifier(part))
        .then(|| {
            let message = message!("`{}` is not the name of a C++ function", kernel.declared());
            Diagnostic::new(RuleId::KernelName, line.kernel_at, message)
                .with_help("use letters, digits and `_`, after namespaces that end in `::`")
        })
}
