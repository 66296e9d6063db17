//! Pages of the web interface: their status, and what a link to them says.

use axum::http::{Method, StatusCode};
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;

use crate::api::harness::{Answer, SMALL, Server};

async fn page(server: &Server, path: &str) -> Answer {
    let answer = server.get(path).header("accept", "*/*").unchecked().await;
    assert_eq!(
        answer.header("content-type"),
        "text/html; charset=utf-8",
        "{path}"
    );
    answer
}

/// The content of a property of the head.
fn said(answer: &Answer, property: &str) -> Option<String> {
    let text = answer.text();
    let start = format!("<meta property=\"{property}\" content=\"");
    let rest = text.split(&start).nth(1)?;
    rest.split('"').next().map(Into::into)
}

#[tokio::test]
async fn a_page_exists_if_what_it_shows_exists() {
    let server = Server::small().await;
    server
        .ingest("p", "label=2.10.0", &SMALL.replace("half_of", "half"))
        .await;
    let exist = [
        "/",
        "/p",
        "/why",
        "/docs",
        "/compare?from=files",
        "/rules/out-return-matches",
        "/topics/MPS",
        "/p/p",
        "/p/p/trends",
        "/p/p/operators/add.Tensor",
        "/p/p/operators/add.Tensor/history",
        "/p/p/compare/2.9.0...2.10.0",
        "/p/p/r/latest",
        "/p/p/r/2.9.0/operators",
        "/p/p/r/2.9.0/operators/add.Tensor",
        // A name with overloads, and an operator of another revision.
        "/p/p/r/2.9.0/operators/add",
        "/p/p/r/2.10.0/operators/half_of",
        "/p/p/r/2.9.0/names/add",
        "/p/p/r/2.9.0/backends/MPS/gaps",
        "/p/p/r/2.9.0/files/native_functions.yaml",
    ];
    for path in exist {
        let answer = page(&server, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let head = server.ask(Method::HEAD, path).unchecked().await;
        assert_eq!(head.status, StatusCode::OK, "{path}");
        let json = server.get(path).header("accept", "application/json");
        assert_eq!(json.unchecked().await.body, answer.body, "{path}");
    }
    for path in [
        "/rules/none",
        "/topics/none",
        "/p/none",
        "/p/none/trends",
        "/p/p/r/9.9/backends",
        "/p/p/r/2.9.0/operators/none",
        "/p/p/r/2.9.0/names/none",
        "/p/p/r/2.9.0/backends/MPX",
        "/p/p/r/2.9.0/files/none.yaml",
        "/p/p/operators/none/history",
        "/p/p/compare/2.9.0...9.9",
        "/p/a%2Fb",
    ] {
        let answer = page(&server, path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.text().contains("<title>Not found · Opatlas</title>"));
        assert!(!answer.header("content-security-policy").is_empty());
    }
}

#[tokio::test]
async fn a_link_says_what_its_page_answers() {
    let server = Server::small().await;
    let operator = page(&server, "/p/p/r/2.9.0/operators/add.out").await;
    assert!(
        operator
            .text()
            .contains("<title>add.out · p 2.9.0 · Opatlas</title>")
    );
    let text = said(&operator, "og:description").unwrap();
    assert!(text.starts_with("add.out: Works on CPU, CUDA"), "{text}");
    let image = said(&operator, "og:image").unwrap();
    assert_eq!(
        image,
        "/v1/projects/p/revisions/2.9.0/operators/add.out/card"
    );
    let card = server.get(&image).send().await.text();
    let json = server.get(&image).header("accept", "application/json");
    let json = json.send().await.ok();
    assert_eq!(json["backends"][0]["key"], "CPU");
    assert!(text.ends_with(json["summary"].as_str().unwrap()), "{json}");
    assert!(card.starts_with("<svg ") && card.contains(">add.out<") && card.contains("MPS"));

    let backend = page(&server, "/p/p/r/2.9.0/backends/MPS").await;
    let text = said(&backend, "og:description").unwrap();
    assert!(text.starts_with("Coverage of MPS in 2.9.0: "), "{text}");
    let image = said(&backend, "og:image").unwrap();
    assert_eq!(server.get(&image).send().await.status, StatusCode::OK);

    server
        .ingest("p", "label=2.10.0", &SMALL.replace("half_of", "half"))
        .await;
    let comparison = page(&server, "/p/p/compare/2.9.0...2.10.0").await;
    let text = said(&comparison, "og:description").unwrap();
    assert!(
        text.starts_with("Blocked: ") && text.contains("half_of"),
        "{text}"
    );
}

#[tokio::test]
async fn a_link_has_a_whole_address_where_the_public_one_is_known() {
    let open = Server::small().await;
    let server = open.configured(ApiConfig {
        public_url: Some("https://opatlas.example.org/".into()),
        ..ApiConfig::default()
    });
    let operator = page(&server, "/p/p/r/2.9.0/operators/add.out").await;
    let image = said(&operator, "og:image").unwrap();
    assert!(
        image.starts_with("https://opatlas.example.org/v1/projects/p/"),
        "{image}"
    );
}

#[tokio::test]
async fn a_page_reveals_nothing_that_needs_a_token() {
    let open = Server::small().await;
    let server = open.configured(ApiConfig {
        auth: AuthMode::All,
        ..ApiConfig::default()
    });
    let pages = ["add.out", "none"].map(|name| format!("/p/p/r/2.9.0/operators/{name}"));
    for path in &pages {
        let answer = page(&server, path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert!(!answer.text().contains("Works on"));
        assert_eq!(said(&answer, "og:image"), None);
    }
}

#[tokio::test]
async fn names_in_addresses_are_only_text() {
    let server = Server::small().await;
    let path = "/p/p/r/2.9.0/operators/%22%3E%3Cscript%3E";
    assert!(!page(&server, path).await.text().contains("<script>"));
    let closed = server.configured(ApiConfig {
        auth: AuthMode::All,
        ..ApiConfig::default()
    });
    let text = page(&closed, path).await.text();
    assert!(
        !text.contains("<script>") && text.contains("&lt;script&gt;"),
        "{text}"
    );
}
