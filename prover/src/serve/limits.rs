//! What a server allows: size, rate, time and connections.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::problem::Problem;

/// What a server allows.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Bytes of the body of a request; more are answered with 413.
    pub body: usize,
    /// Requests a second of one address, and as many again at once; more are answered with 429.
    /// `None` for any number.
    pub rate: Option<NonZeroU32>,
    /// The time of an answer; what takes longer is answered with 503. It is also the time in which
    /// the head of a request has to arrive, and a client has to take a part of an answer; else the
    /// connection is closed.
    pub time: Duration,
    /// Connections at a time; one more is answered with 503 and closed.
    pub connections: usize,
    /// Answers at a time that may take long: batches, lines, replies, counts of slices.
    pub heavy: usize,
}

impl ServerLimits {
    /// Bytes of the head of a request; more are answered with 431.
    pub(super) const HEAD: usize = 32 << 10;
    /// Lines of the head of a request; more are answered with 431.
    pub(super) const HEADERS: usize = 64;
    /// How long a server that stops waits for the answers under way.
    pub(super) const STOP_TIME: Duration = Duration::from_secs(5);
}

/// The rate of each address.
pub(super) struct Rates {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    checks: AtomicU32,
}

/// After so many requests, addresses that have been quiet are forgotten.
const FORGET_INTERVAL: u32 = 1 << 12;

impl Rates {
    pub(super) fn new(limits: &ServerLimits) -> Self {
        let limiter = limits.rate.map(|rate| RateLimiter::keyed(Quota::per_second(rate)));
        Rates { limiter, checks: AtomicU32::new(0) }
    }

    /// Whether one more request of this address is within the limit.
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
