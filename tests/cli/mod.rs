//! The command line as its users run it: arguments in, text and exit codes out.

mod program;

mod assistants;
mod basics;
mod calls;
mod clone;
mod contributor;
mod conventions;
mod databases;
mod fetching;
mod health;
mod histories;
mod indexes;
mod private;
mod readme;
mod releases;
mod schemas;
mod serving;
mod signatures;
mod tables;
mod ways;
mod why;
