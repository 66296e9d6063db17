//! The handlers, one file for each family of routes. A handler reads the request, calls the service,
//! maps the error, and answers.

pub mod backends;
pub mod badges;
pub mod compare;
pub mod compare_report;
pub mod compare_schemas;
pub mod compare_sides;
pub mod coverage;
pub mod dispatch;
pub mod drift;
pub mod exceptions;
pub mod files;
pub mod findings;
pub mod gaps;
pub mod history;
pub mod key_entries;
pub mod keys;
pub mod labels;
pub mod matrix;
pub mod operations;
pub mod operators;
pub mod probe;
pub mod problems;
pub mod projects;
pub mod releases;
pub mod revisions;
pub mod rules;
pub mod schemas;
pub mod search;
pub mod signatures;
pub mod stateless;
pub mod support;
pub mod tables;
pub mod tables_query;
pub mod topics;
pub mod trends;
