//! Maps from positions that hash the same way in every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash of a position's key: a multiplication and a fold (the key is no adversary).
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }
    fn write_u64(&mut self, n: u64) {
        let wide = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }
    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from positions ([`Position::key`](crate::board::Position::key)).
pub type KeyMap<V> = HashMap<u128, V, BuildHasherDefault<KeyHasher>>;
