//! Reads the parameters of a dispatch table pair by pair, since `with` and `without` may be there
//! several times.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::http::extract::Query;
use crate::wire::problem::Problem;
use crate::wire::tables_query::TableQuery;

impl<S: Send + Sync> FromRequestParts<S> for TableQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        Self::read(pairs)
    }
}
