//! What work costs in instructions, which do not depend on what else the machine does: a test program
//! runs one of its own tests under callgrind.

use std::path::Path;
use std::process::Command;

/// Whether callgrind can count here; says so where it cannot.
pub fn has_valgrind() -> bool {
    if Command::new("valgrind").arg("--version").output().is_ok() {
        return true;
    }
    assert!(
        std::env::var_os("OPATLAS_REQUIRE_VALGRIND").is_none(),
        "valgrind is not installed; `apt-get install valgrind` brings it"
    );
    println!("skipped: valgrind is not installed (apt-get install valgrind)");
    false
}

/// Runs a test of this program under callgrind and reads what each of the first calls of a function
/// cost, in instructions.
pub fn callgrind(
    function: &str,
    test: &str,
    environment: &[(&str, &str)],
    calls: usize,
) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--zero-before={function}"))
        .arg(format!("--dump-after={function}"))
        .args([
            "--dump-instr=no",
            "--compress-strings=yes",
            "--error-limit=no",
        ])
        .arg(format!(
            "--callgrind-out-file={}/out",
            folder.path().display()
        ))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored", "--test-threads=1"])
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    (1..=calls)
        .map(|number| total(&folder.path().join(format!("out.{number}"))))
        .collect()
}

/// The total of a dump of callgrind.
fn total(path: &Path) -> f64 {
    let dump = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let totals = dump.lines().find_map(|line| {
        line.strip_prefix("summary: ")
            .or(line.strip_prefix("totals: "))
    });
    totals.and_then(|count| count.trim().parse().ok()).unwrap()
}
