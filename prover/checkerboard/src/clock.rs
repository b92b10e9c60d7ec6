//! The time for a move.

use std::ffi::c_int;
use std::time::Duration;

/// The shift of the two bits of `info` that hold the unit of the game's time in `moreinfo`.
const UNIT_SHIFT: u32 = 2;
/// The milliseconds of the units 1, 2 and 3; unit 0 means that there is no such time.
const UNITS: [u64; 3] = [1, 10, 100];
/// The divisor of the time left in a game that gives the time for one move.
const MOVES_LEFT: u32 = 20;

/// The time for a move: `maxtime` seconds or, if `info` says so, a share of a game's clock; `None`
/// for no limit.
///
/// `moreinfo` has the time left in its upper half and the increment a move in its lower half.
pub fn time_of_move(maxtime: f64, info: c_int, moreinfo: c_int) -> Option<Duration> {
    let units = usize::try_from((info >> UNIT_SHIFT) & 3).unwrap_or(0);
    let unit = units.checked_sub(1).and_then(|unit| UNITS.get(unit));
    let Some(unit) = unit else {
        let is_bounded = maxtime.is_nan() || maxtime < Duration::MAX.as_secs_f64();
        return is_bounded.then(|| Duration::try_from_secs_f64(maxtime).unwrap_or_default());
    };
    let [high, higher, low, lower] = moreinfo.to_be_bytes();
    let time = |bytes| Duration::from_millis(u64::from(u16::from_be_bytes(bytes)) * unit);
    let left = time([high, higher]);
    let increment = time([low, lower]);
    // A tenth is kept for delays between the programs.
    Some((increment + left / MOVES_LEFT).min(left * 9 / 10))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::time_of_move;

    #[test]
    fn seconds_of_a_move() {
        let time = |seconds| time_of_move(seconds, 3, -1);
        assert_eq!(time(0.25), Some(Duration::from_millis(250)));
        for none in [0.0, -1.0, -1e300, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(time(none), Some(Duration::ZERO), "{none}");
        }
        assert_eq!(time(f64::INFINITY), None);
        assert_eq!(time(1e300), None);
    }

    #[test]
    fn the_clock_of_a_game() {
        // 40 seconds left, 2 a move, in units of 0.01 s.
        let moreinfo = (4000 << 16) | 200;
        assert_eq!(time_of_move(1.0, 2 << 2, moreinfo), Some(Duration::from_secs(4)));
        // One second is left, so a move takes no more than that.
        let moreinfo = (10 << 16) | 200;
        assert_eq!(time_of_move(1.0, 3 << 2, moreinfo), Some(Duration::from_millis(900)));
        // All bits set are a large time, not a negative one.
        assert_eq!(time_of_move(1.0, 1 << 2, -1), Some(Duration::from_micros(58_981_500)));
    }
}
