//! The HTTP side in process, over a real release: what it costs to take one in, and to answer.
//! Without the release in `.cache/releases` (`make releases`) there is nothing to measure.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use criterion::{Criterion, criterion_group, criterion_main};
use http_body_util::BodyExt as _;
use opatlas::http::ApiConfig;
use opatlas::http::app;
use opatlas_service::{Ingest, Limits, Protection, Service, Strictness};
use opatlas_source::Bundle;
use opatlas_store::SqliteStore;
use tower::ServiceExt as _;

/// Headers of a request.
type Headers<'a> = Vec<(header::HeaderName, &'a str)>;

const RELEASE: &str = "2.9.0";

fn bundle() -> Option<Bundle> {
    let folder = std::env::var("OPATLAS_RELEASES_DIR").unwrap_or_else(|_| ".cache/releases".into());
    let folder = Path::new(&folder).join(RELEASE);
    let mut bundle = Bundle::default();
    for name in ["native_functions.yaml", "tags.yaml", "derivatives.yaml"] {
        bundle.insert(name, std::fs::read(folder.join(name)).ok()?);
    }
    Some(bundle)
}

async fn service() -> Arc<Service> {
    let store = SqliteStore::open("sqlite::memory:").await.unwrap();
    let service = Service::new(Arc::new(store), Arc::new(|| 0), Limits::default());
    service.create_project("pytorch", None, None).await.unwrap();
    Arc::new(service)
}

async fn ingest(service: &Service, bundle: Bundle) {
    let ingest = Ingest {
        project: "pytorch",
        bundle,
        label: Some(RELEASE),
        release: None,
        protection: Protection::Forced,
        strictness: Strictness::Lenient,
        caller: None,
    };
    service.ingest(ingest).await.unwrap();
}

async fn ask(app: &Router, path: &str, headers: &[(header::HeaderName, &str)]) -> usize {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    assert!(matches!(
        response.status(),
        StatusCode::OK | StatusCode::NOT_MODIFIED
    ));
    response
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes()
        .len()
}

fn api(criterion: &mut Criterion) {
    let Some(bundle) = bundle() else {
        eprintln!("skipped: release {RELEASE} is not there");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let service = runtime.block_on(service());
    runtime.block_on(ingest(&service, bundle.clone()));
    let app = app(Arc::clone(&service), ApiConfig::default());
    let revision = "/v1/projects/pytorch/revisions/latest";
    let page = format!("{revision}/operators/add.Tensor");
    let tag = runtime.block_on(async {
        let request = Request::get(&page).body(Body::empty()).unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        response.headers()[header::ETAG]
            .to_str()
            .unwrap()
            .to_owned()
    });
    let list = format!("{revision}/operators?limit=1000");
    let all = format!("{revision}/operators");
    let cases: [(&str, &str, Headers<'_>); 5] = [
        ("hot operator page", &page, vec![]),
        (
            "hot operator page, 304",
            &page,
            vec![(header::IF_NONE_MATCH, &tag)],
        ),
        ("hot list of 1000", &list, vec![]),
        (
            "hot list of 1000, gzip",
            &list,
            vec![(header::ACCEPT_ENCODING, "gzip")],
        ),
        (
            "all operators as lines",
            &all,
            vec![(header::ACCEPT, "application/x-ndjson")],
        ),
    ];
    for (name, path, headers) in cases {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| runtime.block_on(async { black_box(ask(&app, path, &headers).await) }));
        });
    }
    let mut count = 0;
    criterion.bench_function("take in a release with one entry changed", |bencher| {
        bencher.iter(|| {
            count += 1;
            let mut changed = bundle.file("native_functions.yaml").unwrap().to_vec();
            changed.extend(format!("\n- func: new_{count}(Tensor self) -> Tensor\n").bytes());
            let mut bundle = bundle.clone();
            bundle.insert("native_functions.yaml", changed);
            runtime.block_on(ingest(&service, bundle));
        });
    });
}

criterion_group!(benches, api);
criterion_main!(benches);
