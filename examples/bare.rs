//! A bare server: the given files from memory, file N at `/N`, and nothing else. It is what
//! `make bench-http` compares the service with.

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::get;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut app = Router::new();
    for (at, path) in std::env::args().skip(1).enumerate() {
        let bytes = Bytes::from(std::fs::read(&path)?);
        let coding = if path.ends_with(".gz") {
            "gzip"
        } else {
            "identity"
        };
        let answer = move || {
            let headers = [
                (header::CONTENT_TYPE, "application/json"),
                (header::CONTENT_ENCODING, coding),
            ];
            let answer = (headers, bytes.clone()).into_response();
            async move { answer }
        };
        app = app.route(&format!("/{at}"), get(answer));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app).await
}
