//! The limits of a server: size, rate, time and connections.
//!
//! The socket: connections, the refusal of those beyond the limit, and the shutdown.

use super::problem::Problem;
use super::solver::SolverLimits;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// The limits of a server.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// The most bytes of a request's body; a larger one is answered with 413.
    pub body: usize,
    /// Requests a second from one address, and equally many more in a burst; further ones are
    /// answered with 429. `None` for no limit.
    pub rate: Option<NonZeroU32>,
    /// The time limit of an answer; a request that takes longer is answered with 503. It is also
    /// the time in which the head of a request has to arrive, and in which a client has to take a
    /// part of an answer; otherwise the connection is closed.
    pub time: Duration,
    /// The most connections at a time; one more is answered with 503 and closed.
    pub connections: usize,
    /// The most answers at a time that may take long: batches, lines, replies, counts of slices.
    pub heavy: usize,
    /// The limits of solving on the way.
    pub solver: SolverLimits,
}

/// The access of clients through proxies and from the pages of other sites.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The addresses of proxies whose header `X-Forwarded-For` names the client.
    pub proxies: Vec<IpAddr>,
    /// The origin whose pages may ask for answers, or `*` for all.
    pub origin: Option<HeaderValue>,
}

impl Access {
    /// The address of the client of a request that comes from `peer`: the last one in the header
    /// that no trusted proxy has, as everything before it may be made up.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let named = headers.get_all("x-forwarded-for").iter();
        let named: Vec<&str> =
            named.flat_map(|line| line.to_str().unwrap_or("").split(',')).collect();
        let mut client = peer;
        for name in named.iter().rev() {
            if !self.proxies.contains(&client) {
                break;
            }
            let Ok(address) = name.trim().parse() else { break };
            client = address;
        }
        client
    }
}

impl ServerLimits {
    /// The most bytes of a request's head; a larger one is answered with 431.
    const HEAD: usize = 32 << 10;
    /// The most lines of a request's head; a longer one is answered with 431.
    const HEADERS: usize = 64;
    /// Time that a server that stops waits for the answers under way.
    const STOP_TIME: Duration = Duration::from_secs(5);
}

/// The rate of each address.
pub(super) struct Rates {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    checks: AtomicU32,
}

/// Number of requests after which addresses that have been quiet are forgotten.
const FORGET_INTERVAL: u32 = 1 << 12;

impl Rates {
    pub(super) fn new(limits: &ServerLimits) -> Self {
        let limiter = limits.rate.map(|rate| RateLimiter::keyed(Quota::per_second(rate)));
        Rates { limiter, checks: AtomicU32::new(0) }
    }

    /// Checks that one more request from this address is within the limit.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), Problem> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        if self.checks.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_INTERVAL) {
            limiter.retain_recent();
        }
        limiter.check_key(&address).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            let detail = "expected fewer requests a second of one address";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).after(wait)
        })
    }
}

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
