//! Requests, which `prove serve` answers. For the reason given in `games`, not among `targets`.
//!
//! An input is a line with method and address, lines of the head, an empty line, and the body.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use draughtproof_egdb::{BuildSession, Depths, Store};
use draughtproof_proof::certificate::Stored;
use draughtproof_serve::{
    Access, BoardSite, Database, ServedCertificate, ServerLimits, Site, SolverLimits, routes,
};
use tokio::runtime::Runtime;
use tower::ServiceExt;

use crate::counting::peak;

/// The most bytes of memory that an answer may take: the longest is to a list of a thousand
/// positions.
const MOST_MEMORY: usize = 64 << 20;
const BODY: usize = 4096;

/// A server of a small certificate and its database, without a socket.
fn server() -> &'static (Runtime, Router) {
    static SERVER: OnceLock<(Runtime, Router)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let place = Path::new(env!("CARGO_MANIFEST_DIR"));
        let corpus = place.ancestors().map(|folder| folder.join("corpus/v1/draw-over-a-database"));
        let corpus = corpus.into_iter().find(|folder| folder.exists()).expect("the corpus");
        let stored = Stored::read(&corpus.join("cert")).expect("a certificate");
        let game = stored.game.clone();
        let store = Store::new(&corpus.join("egdb"), &game.board);
        let manifest = store.manifest().expect("a database");
        let session = BuildSession::new(&store, &manifest.cover, u64::MAX).expect("its values");
        let values = session.into_values(1 << 20);
        let depths = Depths::open(corpus.join("egdb"), &game.board).expect("its depths");
        let database = Some(Database { store, manifest, depths });
        let board = BoardSite::new(game, values, database);
        let certificate = ServedCertificate::new(stored).expect("a proof");
        let limits = ServerLimits {
            body: BODY,
            rate: None,
            time: Duration::from_secs(20),
            connections: 1,
            heavy: 1,
            // Searches in the background would be counted with the answers.
            solver: SolverLimits { nodes: 0, time: Duration::ZERO, memory: 0, threads: 0 },
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let site = Site::new(vec![board], vec![certificate]);
        (runtime.expect("a runtime"), routes(site, limits, Access::default()))
    })
}

/// The request of an input; `None` if an HTTP library would refuse it.
fn request(bytes: &[u8]) -> Option<Request<Body>> {
    let end = bytes.windows(2).position(|two| two == b"\n\n").unwrap_or(bytes.len());
    let (head, body) = (&bytes[..end], bytes.get(end + 2..).unwrap_or_default());
    let mut lines = str::from_utf8(head).ok()?.split('\n');
    let (method, address) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(address);
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        request = request.header(name, value);
    }
    request.body(Body::from(body.to_vec())).ok()
}

/// Answers a request of any bytes.
pub fn run(bytes: &[u8]) {
    let (runtime, router) = server();
    let Some(request) = request(bytes) else { return };
    let is_head = request.method() == "HEAD";
    let answer = || {
        runtime.block_on(async {
            let answer =
                router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
            let (head, body) = answer.into_parts();
            (head, to_bytes(body, usize::MAX).await.expect("a body"))
        })
    };
    let ((head, body), most) = peak(answer);
    assert!(most <= MOST_MEMORY, "{most} bytes of memory");
    assert!(!head.status.is_server_error(), "{}: {}", head.status, String::from_utf8_lossy(&body));
    for name in [header::CONTENT_SECURITY_POLICY, header::X_CONTENT_TYPE_OPTIONS] {
        assert!(head.headers.contains_key(name));
    }
    is_as_it_says(head.status, &head.headers, &body, is_head);
}

/// Checks that a body of type JSON is JSON, and that every error is a problem in JSON.
fn is_as_it_says(status: StatusCode, headers: &HeaderMap, body: &[u8], is_head: bool) {
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().expect("text"));
    if status.is_client_error() {
        assert_eq!(kind, Some("application/problem+json"), "{status}");
    }
    if status == StatusCode::NOT_MODIFIED {
        assert!(body.is_empty());
    } else if !is_head && kind.is_some_and(|kind| kind.ends_with("json")) {
        let value: serde_json::Value = serde_json::from_slice(body).expect("JSON");
        assert!(!status.is_client_error() || value["status"] == status.as_u16());
    }
}

/// The inputs that fuzzing begins with.
pub fn seeds() -> Vec<Vec<u8>> {
    const ROOT: &str = "ROOT";
    let get = |address: &str| format!("GET {address}\n\n");
    let post = |address: &str, body: &str| {
        format!("POST {address}\ncontent-type: application/json\n\n{body}")
    };
    let root = server_root();
    let texts = [
        get("/api/boards"),
        get("/api/certificates"),
        get("/api/4x4/position?fen=start"),
        get("/api/4x4/position?fen=B:W8:BK1"),
        get("/api/4x4/position?fen=W:WK3,5,8:B1,K2%20"),
        get("/api/4x4/line?fen=B:W7,8:B1,2"),
        get("/api/4x4/solved?fen=start"),
        get("/api/4x4/tablebase?fen=B:W8:BK1"),
        get("/api/4x4/totals"),
        get("/api/4x4/slices"),
        get("/api/4x4/slices/1,0,1,1"),
        get("/api/certificates/ROOT"),
        get("/api/certificates/ROOT/nodes/0?question=white-not-lost"),
        get("/api/certificates/ROOT/nodes/4294967296"),
        get("/api/certificates/ROOT/openings?plies=3"),
        get("/api/certificates/ROOT/why?question=white-not-lost&fen=B:W7,8:B1,2"),
        get("/openapi.json"),
        get("/metrics"),
        get("/healthz"),
        get("/"),
        get("/page.js?x=%ff%00"),
        get("/api/%2e%2e%2f%2e%2e/position?fen=%3Cscript%3E"),
        "HEAD /board.js\nif-none-match: *\n\n".into(),
        "DELETE /api/4x4/position\n\n".into(),
        "GET http://host/api/4x4/position?fen=B:W8:BK1&fen=&x\n\n".into(),
        "POST /api/4x4/game\ncontent-type: text/plain\n\n{}".into(),
        post("/api/4x4/positions", r#"{"positions": ["start", "B:W8:BK1", "<script>", ""]}"#),
        post("/api/4x4/game", r#"{"moves": ["1-3", "8-6"]}"#),
        post("/api/4x4/game", r#"{"game": "4x4/1", "start": "B:W8:BK1", "moves": ["1-3"]}"#),
        post("/api/4x4/reply", r#"{"start": "W:W8:BK1", "moves": []}"#),
        post("/api/4x4/reply", r#"{"moves": ["1-3", "7-5"]}"#),
        post("/api/4x4/pdn", r#"{"pdn": "[FEN \"B:W8:BK1\"] 1. 1-3 (1. 1-4) 8x6 {x} *"}"#),
        post("/api/4x4/pdn", r#"{"pdn": "1. 1-3 7-5 2. 99-1 *"}"#),
    ];
    texts.map(|text| text.replace(ROOT, &root).into_bytes()).to_vec()
}

/// The root of the certificate that is served.
fn server_root() -> String {
    let (runtime, router) = server();
    runtime.block_on(async {
        let request = Request::builder().uri("/api/boards").body(Body::empty()).expect("a request");
        let answer = router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
        let boards: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        boards[0]["certificates"][0].as_str().expect("a root").to_owned()
    })
}
