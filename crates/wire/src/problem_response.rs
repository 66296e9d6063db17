//! A problem as a response. The outermost layer writes its body.

use std::sync::Arc;

use axum_core::response::{IntoResponse, Response};
use http::{HeaderValue, header};

use crate::problem::{Kind, Problem};

const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// The outermost layer takes the problem from the response and writes the body.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if matches!(
            self.kind,
            Kind::Busy | Kind::StoreUnavailable | Kind::KeyInProgress
        ) {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        let challenge = match self.kind {
            Kind::Unauthenticated => Some("Bearer realm=\"opatlas\""),
            Kind::Forbidden => Some("Bearer realm=\"opatlas\", error=\"insufficient_scope\""),
            _ => None,
        };
        if let Some(challenge) = challenge {
            let challenge = HeaderValue::from_static(challenge);
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, challenge);
        }
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}
