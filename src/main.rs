//! The `opatlas` program: parses the command line and runs it.

use std::process::ExitCode;

/// Reading makes many small allocations; this allocator takes a fifth off it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    opatlas::cli::run()
}
