//! Counts of requests and times of answers, in the text format of Prometheus.

use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The bounds of the histogram of times, in seconds.
const BOUNDS: [f64; 8] = [0.0001, 0.0005, 0.002, 0.005, 0.02, 0.1, 1.0, 10.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    route: String,
    status: u16,
}

/// The counters of a server.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("draughtproof");
        let requests = Family::default();
        registry.register("requests", "Requests by route and status", requests.clone());
        let seconds = Histogram::new(BOUNDS);
        registry.register("answer_seconds", "Time of an answer", seconds.clone());
        Metrics { registry, requests, seconds }
    }
}

impl Metrics {
    /// Counts a request.
    pub(super) fn count(&self, route: &str, status: u16, time: Duration) {
        self.requests.get_or_create(&Labels { route: route.into(), status }).inc();
        self.seconds.observe(time.as_secs_f64());
    }

    /// All counts, in the text format of Prometheus.
    ///
    /// # Errors
    /// None: writing into a string cannot fail.
    pub(super) fn text(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        text::encode(&mut out, &self.registry)?;
        Ok(out)
    }
}
