//! The socket: connections, the refusal of those beyond the limit, and the shutdown.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::limits::ServerLimits;
use super::problem::Problem;

/// The address that a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientAddress(pub(super) IpAddr);

/// The delay before the next attempt where the system has no room for one more connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers the connections of a socket until `stop` is done; then the answers under way are
/// finished, for which there are five seconds.
///
/// # Errors
/// None as yet: a connection that fails ends alone.
pub async fn run(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, address)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(timeout(Duration::from_secs(1), refuse(stream)));
            continue;
        };
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(ClientAddress(address.ip()));
            let answer = router.clone().oneshot(request);
            async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(limits.time);
        http.max_buf_size(ServerLimits::HEAD).max_headers(ServerLimits::HEADERS);
        // An answer is small: a client that does not take it in this time never will.
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.time));
        let stream = TokioIo::new(Box::pin(stream));
        let connection = graceful.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            // An error of a connection concerns its client only.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = sleep(ServerLimits::STOP_TIME) => {}
    }
    Ok(())
}

/// Answers a connection beyond the limit with the reason why it is refused.
async fn refuse(mut stream: TcpStream) -> io::Result<()> {
    let problem = Problem::busy("expected fewer connections", Duration::from_secs(1));
    let (head, body) = problem.into_response().into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(io::Error::other)?;
    let mut text = format!("HTTP/1.1 {}\r\n", head.status);
    for (name, value) in &head.headers {
        text += &format!("{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    text += &format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all(text.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}
