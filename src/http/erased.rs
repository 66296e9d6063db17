//! Handlers behind one type. Axum wraps each handler in several generic types, and for each of these the
//! compiler proves again that the handler's future is `Send`: a fifth of the time that the program takes
//! to compile. Here it is proved once per handler.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::MethodRouter;
use utoipa::Path;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Paths;
use utoipa::openapi::schema::Schema;
// Hidden in utoipa's documentation: what its macros derive for the tags and schemas of a route.
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa_axum::PathItemExt as _;
use utoipa_axum::router::UtoipaMethodRouter;

use crate::http::Api;

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of any arguments, as one type.
#[derive(Clone)]
struct Erased(Arc<dyn Fn(Request, Api) -> Answering + Send + Sync>);

impl Handler<(), Api> for Erased {
    type Future = Answering;

    fn call(self, request: Request, api: Api) -> Answering {
        (self.0)(request, api)
    }
}

/// The handlers of one path.
#[derive(Default)]
pub struct Routes {
    schemas: Vec<(String, RefOr<Schema>)>,
    paths: Paths,
    router: MethodRouter<Api, Infallible>,
}

impl Routes {
    /// Adds a handler; `P` is what describes it.
    pub fn add<P, H, T>(&mut self, handler: H)
    where
        P: Path + Tags<'static> + SchemaReferences,
        H: Handler<T, Api> + Sync,
        T: 'static,
    {
        let erased = Erased(Arc::new(move |request, api| {
            Box::pin(handler.clone().call(request, api))
        }));
        let mut operation = P::operation();
        let tags = P::tags();
        if !tags.is_empty() {
            let described = operation.tags.get_or_insert_default();
            described.extend(tags.iter().map(ToString::to_string));
        }
        P::schemas(&mut self.schemas);
        let methods = P::methods();
        for method in &methods {
            let router = std::mem::take(&mut self.router);
            self.router = router.on(method.to_method_filter(), erased.clone());
        }
        self.paths.add_path_operation(P::path(), methods, operation);
    }

    pub fn into_parts(self) -> UtoipaMethodRouter<Api> {
        (self.schemas, self.paths, self.router)
    }
}

/// The handlers of one path, each with what `utoipa::path` says of it. Replaces the macro of the same name
/// in `utoipa_axum`, which hands axum the handlers as they are.
macro_rules! routes {
    ($($module:ident::$handler:ident),+ $(,)?) => {
        utoipa_axum::paste! {{
            let mut routes = $crate::http::erased::Routes::default();
            $( routes.add::<$module::[<__path_ $handler>], _, _>($module::$handler); )+
            routes.into_parts()
        }}
    };
}
pub(crate) use routes;
