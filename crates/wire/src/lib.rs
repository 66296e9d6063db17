//! The types of requests and answers, and their conversion from the types of the service and the core.
//!
//! Every type with serde or utoipa derives is here. HTTP and the command line share them.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod access;
pub mod against;
pub mod backends;
pub mod badges;
pub mod bundle;
pub mod cause;
pub mod cells;
pub mod change;
pub mod change_rule;
pub mod compare;
pub mod compare_schemas;
pub mod compare_sides;
pub mod comparison;
pub mod coverage;
pub mod dispatch;
pub mod drift;
pub mod entry;
pub mod exceptions;
pub mod files;
pub mod finding;
pub mod findings;
pub mod gaps;
pub mod history;
pub mod json;
pub mod judged_comparison;
pub mod key_entries;
pub mod keys;
pub mod labels;
pub mod library_schema;
pub mod matrix;
pub mod names;
pub mod operations;
pub mod operator;
pub mod operators;
pub mod overlay;
pub mod page;
pub mod paths;
pub mod place;
pub mod probe;
pub mod problem;
pub mod problem_of;
mod problem_response;
pub mod problems;
pub mod projects;
pub mod releases;
pub mod revisions;
pub mod rules;
pub mod schemas;
pub mod search;
pub mod signatures;
pub mod sources;
pub mod stateless;
pub mod support;
pub mod tables;
pub mod tables_query;
pub mod time;
pub mod timeline;
pub mod topics;
pub mod trends;
pub mod verdict;
