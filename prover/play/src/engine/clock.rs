//! The time allowance of a move.

use std::time::Duration;

use super::command::{Clock, Level};

/// The time that may get lost between the programs and at the end of a search.
const LAG: Duration = Duration::from_millis(30);
/// The number of moves to expect when the clock is for all moves to the end.
const MOVES: u32 = 25;
/// The most time that a move takes, as a multiple of its share of the clock.
const STRETCH: u32 = 4;
/// The most time that a move takes, as a share of all that is left.
const MOST: f64 = 0.8;
/// The factor on the share of a move for an engine that ponders, since pondering gains it time.
const PONDERING: f64 = 1.2;

/// The time allowance of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    /// A depth is not begun if it will probably end later than this.
    pub soft: Option<Duration>,
    /// The search is stopped at this time.
    pub hard: Option<Duration>,
}

impl Allowance {
    /// The allowance of a move within a level. `ponders`: whether the engine also searches in the
    /// other side's time.
    pub fn new(level: &Level, ponders: bool) -> Self {
        let by_clock = level.clock.map_or_else(Allowance::default, |clock| share(&clock, ponders));
        let by_move = level.move_time.map(|time| time - LAG.min(time / 30));
        // `None` stands for no limit.
        let hard = by_clock.hard.into_iter().chain(by_move).min();
        Allowance { soft: by_clock.soft, hard }
    }
}

/// The share of a move in the time of a game.
fn share(clock: &Clock, ponders: bool) -> Allowance {
    let left = clock.left - LAG.min(clock.left / 2);
    let moves = clock.moves.unwrap_or(MOVES).clamp(1, MOVES);
    let later = clock.increment.saturating_mul(moves - 1);
    let most = left.mul_f64(MOST);
    let factor = if ponders { PONDERING } else { 1.0 };
    let soft = (left.saturating_add(later) / moves).mul_f64(factor).min(most);
    Allowance { soft: Some(soft), hard: Some(soft.saturating_mul(STRETCH).min(most)) }
}

/// The pace of the depths of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    /// The end of the last depth, since the search began.
    end: Duration,
    /// The time that the last depth took.
    took: Duration,
    /// The ratio of that time to the time of the depth before it; at most 4.
    growth: f64,
}

impl Pace {
    /// Records the end of a depth.
    pub fn finish_depth(&mut self, end: Duration) {
        let took = end.saturating_sub(self.end);
        let growth = took.as_secs_f64() / self.took.as_secs_f64().max(1e-6);
        *self = Pace { end, took, growth: growth.clamp(1.0, 4.0) };
    }

    /// The expected end of the next depth, if the ratio of times stays as it is.
    pub fn next_end(&self) -> Duration {
        self.end.saturating_add(self.took.mul_f64(self.growth))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Allowance, Pace};
    use crate::engine::command::{Clock, Level};

    fn by_clock(left: f64, increment: f64, moves: Option<u32>) -> (f64, f64) {
        let [left, increment] = [left, increment].map(Duration::from_secs_f64);
        let clock = Some(Clock { left, increment, moves });
        let allowance = Allowance::new(&Level { clock, ..Level::default() }, false);
        let seconds = |time: Option<Duration>| time.unwrap().as_secs_f64();
        (seconds(allowance.soft), seconds(allowance.hard))
    }

    #[test]
    fn the_clock_does_not_run_out() {
        for increment in [0.0, 0.1, 10.0] {
            for moves in [None, Some(1), Some(2), Some(40), Some(u32::MAX)] {
                let mut left = 60.0 + increment;
                let played = moves.unwrap_or(300).min(300);
                for played in 0..played {
                    let to_go = moves.map(|moves| moves - played);
                    let (soft, hard) = by_clock(left, increment, to_go);
                    assert!(soft <= hard && hard < left, "{soft} {hard} of {left}");
                    left += increment - hard;
                }
            }
        }
        assert_eq!(by_clock(0.0, 0.0, None), (0.0, 0.0));
    }

    #[test]
    fn a_fair_share_is_used() {
        let (soft, hard) = by_clock(60.0, 0.0, Some(10));
        assert!((5.9..6.0).contains(&soft) && (23.0..24.0).contains(&hard), "{soft} {hard}");
        let (soft, _) = by_clock(1.0, 1.0, None);
        assert!(soft > 0.7, "{soft}");
    }

    #[test]
    fn the_time_of_a_move_is_used_but_for_a_little() {
        let hard = |seconds| {
            let move_time = Some(Duration::from_secs_f64(seconds));
            let level = Level { move_time, ..Level::default() };
            Allowance::new(&level, false).hard.unwrap().as_secs_f64()
        };
        assert!((0.96..0.98).contains(&hard(1.0)));
        assert!((0.04..0.05).contains(&hard(0.05)));
        assert_eq!(Allowance::new(&Level::default(), true), Allowance::default());
    }

    #[test]
    fn the_next_depth_is_expected_to_grow_as_the_last() {
        let mut pace = Pace::default();
        for end in [1, 3, 7] {
            pace.finish_depth(Duration::from_secs(end));
        }
        assert_eq!(pace.next_end(), Duration::from_secs(15));
    }
}
