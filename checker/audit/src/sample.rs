//! A random sample of the work, chosen by the hash of a seed, the root and the name of each item.

use certificate_spec::Digest;
use std::fmt;

/// A random sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The share of items that are looked at, in millionths.
    pub millionths: u32,
    /// The seed: the choice depends on it and on the root.
    pub seed: u64,
}

impl fmt::Display for Sample {
    /// The seed and the share, and for 1, 10, 100 and 1000 faults (each a wrong node, leaf or
    /// block) the probability that a sample like this misses all of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sample { millionths, seed } = self;
        let share = f64::from(*millionths) / 1e6;
        write!(f, "share={share} seed={seed} missed=")?;
        let chance = |faults: i32| match (1.0 - share).powi(faults) {
            chance @ ..1e-4 if chance > 0.0 => format!("{faults}:{chance:.1e}"),
            chance => format!("{faults}:{chance:.4}"),
        };
        f.write_str(&[1, 10, 100, 1000].map(chance).join(","))
    }
}

impl Sample {
    /// Whether an item is in the sample. `what` is a different name for each item.
    pub fn has(self, root: Digest, what: &str) -> bool {
        let digest = Digest::of(format!("{} {root} {what}", self.seed).as_bytes());
        let first = digest.0.iter().take(8).fold(0u64, |n, &byte| n << 8 | u64::from(byte));
        u128::from(first) * 1_000_000 < u128::from(self.millionths) << 64
    }
}
