//! The number of a shard of the work, and the number of all shards: `3/16`.

use std::fmt;
use std::str::FromStr;

/// The largest number of shards.
const MOST: u32 = 1_000_000;

/// Shard `number` of `of` shards, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of this shard, from 1 to `of`.
    pub number: u32,
    /// The number of all shards, at most 1,000,000.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = numbers.map(|(number, of)| Shard { number, of }).filter(|shard| {
            (1..=MOST).contains(&shard.of) && (1..=shard.of).contains(&shard.number)
        });
        // Shards are compared as text, so each has only one spelling.
        let shard = shard.filter(|shard| shard.to_string() == text);
        shard.ok_or_else(|| format!("not a shard; write I/N as in 3/16, at most {MOST}"))
    }
}
