//! The `opatlas` program.

fn main() {}
