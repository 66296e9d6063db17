//! Bodies with files in them, read as they arrive.

use crate::http::body;
use crate::wire::lift::{Lifted, Lifter};
use crate::wire::problem::Problem;

/// Reads a body and takes the texts of its files out.
///
/// # Errors
/// As [`body::stream`] and [`Lifter::feed`].
pub async fn read(
    request: axum::extract::Request,
    api: &crate::http::Api,
    paths: &'static [&'static [&'static str]],
) -> Result<Lifted, Problem> {
    let mut lifter = Lifter::new(paths, api.service.limits());
    body::stream(request, api, api.config.json_bytes, |piece| {
        lifter.feed(piece)?;
        Ok(lifter.held())
    })
    .await?;
    Ok(lifter.finish())
}
