//! Lists kernels whose C++ types only a build can decide, at the end of the text and in JSON.

use std::fmt::Write;

use opatlas_rules::UnknownKernel;
use opatlas_source::visible;

use super::CheckResult;

/// The maximum number of kernels that the text lists.
const MOST_SHOWN: usize = 10;

pub(super) fn text(judged: &CheckResult) -> String {
    let unknown = &judged.unknown_kernels;
    let mut out = String::new();
    match unknown.len() {
        0 => return out,
        1 => out.push_str("1 kernel has types that only a build knows:\n"),
        count => {
            let _ = writeln!(out, "{count} kernels have types that only a build knows:");
        }
    }
    for kernel in unknown.iter().take(MOST_SHOWN) {
        let (path, line, column) = place(judged, kernel);
        let (path, operator) = (visible::line(&path), visible::line(&kernel.operator));
        let reason = visible::line(&kernel.reason);
        let _ = writeln!(out, "  {path}:{line}:{column}: {operator}: {reason}");
    }
    if let Some(more) = unknown
        .len()
        .checked_sub(MOST_SHOWN)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(out, "  and {more} more, which --format json lists");
    }
    out
}

pub(super) fn json(judged: &[CheckResult]) -> serde_json::Value {
    let all = judged.iter().flat_map(|judged| {
        judged.unknown_kernels.iter().map(move |kernel| {
            let (file, line, column) = place(judged, kernel);
            serde_json::json!({
                "file": file,
                "line": line,
                "column": column,
                "operator": kernel.operator,
                "kernel": kernel.kernel,
                "reason": kernel.reason,
            })
        })
    });
    all.collect()
}

fn place(judged: &CheckResult, kernel: &UnknownKernel) -> (String, u32, u32) {
    let path = judged
        .sources
        .get(&kernel.file)
        .map_or_else(|| kernel.file.to_string(), |source| source.path.to_string());
    let source = judged.snapshot.source(&kernel.file);
    let place = source.map(|source| source.lines(kernel.at).start);
    place.map_or((path.clone(), 1, 1), |place| {
        (path, place.line, place.column)
    })
}
