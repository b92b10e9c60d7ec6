//! The limits of a server: size, rate, time and connections.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::problem::Problem;
use super::solver::SolverLimits;

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
    pub(super) const HEAD: usize = 32 << 10;
    /// The most lines of a request's head; a longer one is answered with 431.
    pub(super) const HEADERS: usize = 64;
    /// Time that a server that stops waits for the answers under way.
    pub(super) const STOP_TIME: Duration = Duration::from_secs(5);
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
