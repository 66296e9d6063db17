//! Generated files that are named after operators (torchgen `gen_per_operator_headers`,
//! `FileManager`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::KernelEntry;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, message};
use rustc_hash::FxHashMap;

use crate::scope::Subject;
use crate::sink::Sink;

/// The maximum length of a file name, in bytes, on common file systems.
const LONGEST_FILE_NAME: usize = 255;

/// The maximum number of characters of a base name before a warning.
const LONG: usize = 200;

/// Reports a base name that is not a valid file name, or is long. Returns whether it did.
pub(super) fn writable(subject: &Subject<'_>, release: Release, sink: &mut Sink) -> bool {
    let stem = subject.schema.name.stem();
    let at = subject.schema.name_at.0;
    let suffix = longest_suffix(&subject.entry().kernels, subject.entry().structured);
    let diagnostic = if let Some(message) = unwritable(stem, suffix, release) {
        Diagnostic::new(RuleId::OpNameNotWritable, at, message)
            .with_help("use at most 200 letters, digits and underscores")
    } else if stem.chars().count() > LONG {
        let message = message!("this base name has {} characters", stem.chars().count());
        Diagnostic::new(RuleId::OpNameTooLong, at, message)
            .with_help("use at most 200 characters: headers are named after the base name")
    } else {
        return false;
    };
    subject.report(sink, diagnostic);
    true
}

fn unwritable(stem: &str, suffix: usize, release: Release) -> Option<Message> {
    if let Some(odd) = stem.chars().find(|&c| u32::from(c) > 0xFF) {
        return Some(message!(
            "`{}` is not a Latin-1 character; the generator needs Latin-1 names to assign \
             operators to files",
            odd.escape_debug()
        ));
    }
    if stem.contains('\0') {
        return Some("a file name cannot contain NUL".into());
    }
    // Since 2.8 torchgen creates folders and rejects absolute paths.
    let slash = if release >= Release::V2_8 {
        stem.starts_with('/')
    } else {
        stem.trim_start_matches('/').contains('/')
    };
    if slash {
        return Some(
            "headers are named after the operator, and `/` would leave their folder".into(),
        );
    }
    let last = stem.rsplit('/').next().unwrap_or(stem).len();
    let before = stem.rsplit('/').skip(1).map(str::len).max().unwrap_or(0);
    if last + suffix > LONGEST_FILE_NAME || before > LONGEST_FILE_NAME {
        return Some(message!(
            "a base name of {} bytes makes file names too long",
            last
        ));
    }
    None
}

fn has_header(key: &str) -> bool {
    matches!(
        key,
        "CPU" | "CUDA" | "MPS" | "SparseMPS" | "SparseCsrMPS" | "XPU" | "MTIA" | "Meta"
    ) || key.starts_with("Composite")
}

fn longest_suffix(kernels: &[KernelEntry], structured: bool) -> usize {
    let keys = kernels
        .iter()
        .map(|kernel| kernel.key.as_str())
        .filter(|key| has_header(key));
    let longest = keys.map(str::len).max().unwrap_or(0);
    let longest = if structured {
        longest.max("CompositeExplicitAutogradNonFunctional".len())
    } else {
        longest
    };
    let dispatch = if longest > 0 {
        "__dispatch.h".len() + longest
    } else {
        0
    };
    dispatch.max("_native.h".len())
}

/// Reports operators whose headers have the names of another operator's headers: `scale` has a
/// header `scale_ops.h`, and so would `scale_ops`.
pub(super) fn written_twice(catalogue: &Catalogue, sink: &mut Sink) {
    let suspect = |operator: &Operator| {
        let stem = operator.name().stem();
        ["_ops", "_meta", "_native", "_dispatch"]
            .iter()
            .any(|suffix| stem.ends_with(suffix))
    };
    // Looks up only these operators and the ones they may be named after.
    let mut roots: FxHashMap<&str, Vec<OperatorId>> = FxHashMap::default();
    let suspects = catalogue.native().filter(|(_, operator)| suspect(operator));
    let suspects: Vec<(OperatorId, &Operator)> = sink.while_wanted(suspects).collect();
    for (_, operator) in sink.while_wanted(&suspects) {
        let stem = operator.name().stem();
        // `root_ops`, `root_cpu_dispatch`: the root ends at one of the last two underscores.
        let ends = stem.rmatch_indices('_').take(2).map(|(end, _)| end);
        for root in ends.map(|end| &stem[..end]).chain([stem]) {
            roots.entry(root).or_insert_with(|| {
                let mut owners: Vec<OperatorId> = catalogue.of_stem(root).collect();
                owners.sort_unstable();
                owners
            });
        }
    }
    for (id, operator) in sink.while_wanted(suspects) {
        let Some(placed) = operator.declared() else {
            continue;
        };
        let stem = operator.name().stem();
        let is_first = roots.get(stem).is_some_and(|ids| ids.first() == Some(&id));
        if !is_first {
            continue;
        }
        let Some(other) = collision(catalogue, &roots, stem) else {
            continue;
        };
        let message = message!(
            "another operator, `{}`, already generates the header `{}.h`",
            other.name(),
            stem
        );
        let diagnostic = Diagnostic::new(
            RuleId::OpNameHeaderTaken,
            operator.schema().name_at.0,
            message,
        )
        .with_help(
            "choose a base name that is not another base name plus `_ops`, `_native`, `_meta` or a \
             dispatch key",
        );
        sink.entry(placed, diagnostic);
    }
}

/// The operator for which a header called `stem.h` is written besides that of `stem` itself.
fn collision<'c>(
    catalogue: &'c Catalogue,
    roots: &FxHashMap<&str, Vec<OperatorId>>,
    stem: &str,
) -> Option<&'c Operator> {
    let owners = |root: &str| roots.get(root).map_or(&[][..], Vec::as_slice);
    let first = |root: &str| owners(root).first().map(|&id| catalogue.operator(id));
    let plain = ["_ops", "_native"]
        .iter()
        .find_map(|suffix| first(stem.strip_suffix(suffix)?));
    if plain.is_some() {
        return plain;
    }
    let all = |root: &str| -> Vec<&'c Operator> {
        owners(root)
            .iter()
            .map(|&id| catalogue.operator(id))
            .collect()
    };
    if let Some(root) = stem.strip_suffix("_meta") {
        let structured = all(root).into_iter().find(|op| op.is_structured());
        if structured.is_some() {
            return structured;
        }
    }
    let (root, key) = stem.strip_suffix("_dispatch")?.rsplit_once('_')?;
    all(root).into_iter().find(|op| {
        op.kernels().iter().any(|kernel| {
            let name = kernel.key.as_str();
            has_header(name) && name.to_ascii_lowercase() == key
        })
    })
}
