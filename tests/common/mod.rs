//! Helpers that several groups of tests use.
#![allow(dead_code, reason = "each executable uses its own part")]

pub mod asked;
pub mod callgrind;
pub mod folder;
pub mod git;
pub mod index;
pub mod postgres;
pub mod served;
