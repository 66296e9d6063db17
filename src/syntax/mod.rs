//! From bytes to trees and schemas, with the place of everything.

pub mod print;
pub mod schema;
pub mod yaml;
