//! From bytes to trees and schemas, with the place of everything.

pub mod yaml;
