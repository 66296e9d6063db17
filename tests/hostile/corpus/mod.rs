//! The corpus: hostile inputs for every route and every kind of file.

mod backends;
mod companions;
mod comparisons;
mod derivatives;
mod entries;
mod marks;
mod messages;
mod models;
mod native;
mod probe;
mod products;
mod requests;
mod signatures;
mod stored;
mod tags;
mod vendors;

use crate::shape::Shape;

/// Every shape.
pub fn shapes() -> Vec<Shape> {
    let all = [
        native::shapes(),
        products::shapes(),
        companions::shapes(),
        comparisons::shapes(),
        messages::shapes(),
        requests::shapes(),
        probe::shapes(),
        stored::shapes(),
        models::shapes(),
    ];
    all.into_iter().flatten().collect()
}
