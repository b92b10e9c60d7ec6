//! Which shard of the work, of how many: `3/16`.

use std::fmt;
use std::str::FromStr;

/// The most shards.
const MOST: u32 = 1_000_000;

/// A shard: the `number`th, from 1, `of` so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub number: u32,
    /// How many there are.
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
        // Only one spelling, because it is compared as text.
        let shard = shard.filter(|shard| shard.to_string() == text);
        shard.ok_or_else(|| format!("not a shard; write I/N as in 3/16, at most {MOST}"))
    }
}
