//! Options that limit a search for best play.

use std::time::Duration;

use clap::Args;
use draughtproof_proof::heuristic::Limits;

/// Bounds on the search of one position.
#[derive(Args, Debug, Clone, Copy)]
pub(super) struct LimitOptions {
    /// Search each position no deeper than D moves
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=Limits::DEPTH as i64))]
    depth: Option<u32>,
    /// Search no more than N nodes for each position
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Search no longer than S seconds for each position
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    time: Option<Duration>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "expected a number of seconds".into())
}

impl LimitOptions {
    /// The given bounds, or `usual` if none is given.
    pub(super) fn limits(self, usual: Limits) -> Limits {
        if self.depth.is_none() && self.nodes.is_none() && self.time.is_none() {
            return usual;
        }
        Limits {
            depth: self.depth.unwrap_or(Limits::DEPTH),
            nodes: self.nodes.unwrap_or(u64::MAX),
            time: self.time,
        }
    }
}
