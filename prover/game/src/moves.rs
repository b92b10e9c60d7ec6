//! Move generation.
//!
//! The generator is compiled once for each shift of [`Board`] and each side, so that its shifts are
//! constants. It calls back with the position after each *move sequence*; [`Board::successors`]
//! sorts these and drops repetitions, which gives the canonical order of `SPEC.md` §1.2.

use super::geometry::Board;
use super::position::{Position, Side};

/// Calls `$f::<H, BLACK>($args)` with the constants for a board and a side.
macro_rules! monomorphic {
    ($board:expr, $turn:expr, $f:ident ( $($arg:expr),* )) => {
        match ($board.half, $turn) {
            (4, Side::Black) => $f::<4, true>($($arg),*),
            (4, Side::White) => $f::<4, false>($($arg),*),
            (3, Side::Black) => $f::<3, true>($($arg),*),
            (3, Side::White) => $f::<3, false>($($arg),*),
            (2, Side::Black) => $f::<2, true>($($arg),*),
            (2, Side::White) => $f::<2, false>($($arg),*),
            (_, Side::Black) => $f::<1, true>($($arg),*),
            (_, Side::White) => $f::<1, false>($($arg),*),
        }
    };
}

impl Board {
    /// The successors of a position in canonical order, each once. `out` is cleared first.
    pub fn successors(&self, position: &Position, out: &mut Vec<Position>) {
        out.clear();
        let emit = &mut |p| out.push(p);
        monomorphic!(self, position.turn, generate(self, position, emit));
        if out.len() > 1 {
            out.sort_unstable();
            out.dedup();
        }
    }

    /// Calls `see` with the position after each move sequence, in no order, perhaps more than once
    /// with equal ones.
    pub fn for_each_successor(&self, position: &Position, mut see: impl FnMut(Position)) {
        let see = &mut see;
        monomorphic!(self, position.turn, generate(self, position, see));
    }

    /// Whether the side to move can capture, which it then must.
    pub fn can_capture(&self, position: &Position) -> bool {
        monomorphic!(self, position.turn, can_capture(self, position))
    }

    /// The number of move sequences of the side to move.
    pub fn mobility(&self, position: &Position) -> u64 {
        monomorphic!(self, position.turn, count(self, position))
    }

    /// Whether the side to move has a move.
    pub fn can_move(&self, position: &Position) -> bool {
        monomorphic!(self, position.turn, can_move(self, position))
    }
}

/// One forward step of Black's (`BLACK`) or White's men, on the diagonal of H or of H + 1.
#[inline(always)]
fn forward<const BLACK: bool>(bits: u64, shift: u32) -> u64 {
    if BLACK { bits << shift } else { bits >> shift }
}

#[inline(always)]
fn backward<const BLACK: bool>(bits: u64, shift: u32) -> u64 {
    if BLACK { bits >> shift } else { bits << shift }
}

/// A position as the side to move sees it.
#[derive(Clone, Copy)]
struct View {
    own: u64,
    enemy: u64,
    kings: u64,
    empty: u64,
}

#[inline(always)]
fn view<const BLACK: bool>(board: &Board, p: &Position) -> View {
    let (own, enemy) = if BLACK { (p.black, p.white) } else { (p.white, p.black) };
    View { own, enemy, kings: p.kings & own, empty: board.mask & !(p.black | p.white) }
}

impl View {
    /// Own pieces that can jump on the forward diagonal of `shift`.
    #[inline(always)]
    fn jump_forward<const BLACK: bool>(&self, shift: u32) -> u64 {
        self.own & backward::<BLACK>(self.enemy & backward::<BLACK>(self.empty, shift), shift)
    }

    /// Own kings that can jump on the backward diagonal of `shift`.
    #[inline(always)]
    fn jump_backward<const BLACK: bool>(&self, shift: u32) -> u64 {
        self.kings & forward::<BLACK>(self.enemy & forward::<BLACK>(self.empty, shift), shift)
    }

    #[inline(always)]
    fn jumpers<const H: u32, const BLACK: bool>(&self) -> u64 {
        let men = self.jump_forward::<BLACK>(H) | self.jump_forward::<BLACK>(H + 1);
        if self.kings == 0 {
            return men;
        }
        men | self.jump_backward::<BLACK>(H) | self.jump_backward::<BLACK>(H + 1)
    }

    /// The pieces that can step in each of the four directions: forward H, H + 1, backward H, H +
    /// 1.
    #[inline(always)]
    fn steppers<const H: u32, const BLACK: bool>(&self) -> [u64; 4] {
        [
            self.own & backward::<BLACK>(self.empty, H),
            self.own & backward::<BLACK>(self.empty, H + 1),
            self.kings & forward::<BLACK>(self.empty, H),
            self.kings & forward::<BLACK>(self.empty, H + 1),
        ]
    }
}

fn can_capture<const H: u32, const BLACK: bool>(board: &Board, p: &Position) -> bool {
    view::<BLACK>(board, p).jumpers::<H, BLACK>() != 0
}

fn can_move<const H: u32, const BLACK: bool>(board: &Board, p: &Position) -> bool {
    let v = view::<BLACK>(board, p);
    v.jumpers::<H, BLACK>() != 0 || v.steppers::<H, BLACK>().iter().any(|&s| s != 0)
}

/// The number of move sequences; moves without a jump are counted without making them.
#[inline]
pub(super) fn count<const H: u32, const BLACK: bool>(board: &Board, p: &Position) -> u64 {
    let v = view::<BLACK>(board, p);
    let jumpers = v.jumpers::<H, BLACK>();
    if jumpers == 0 {
        let steppers = v.steppers::<H, BLACK>();
        return steppers.iter().map(|s| u64::from(s.count_ones())).sum();
    }
    let mut paths = 0;
    jumps::<H, BLACK>(board, v, jumpers, &mut |_, _, _| paths += 1);
    paths
}

/// Calls back with the position after each move sequence, in no special order.
#[inline]
pub(super) fn generate<const H: u32, const BLACK: bool>(
    board: &Board,
    p: &Position,
    emit: &mut impl FnMut(Position),
) {
    let v = view::<BLACK>(board, p);
    let crown = board.crown[usize::from(!BLACK)];
    let after = |from: u64, to: u64, taken: u64| {
        let own = v.own & !from | to;
        let enemy = v.enemy & !taken;
        let moved = if v.kings & from != 0 { to } else { to & crown };
        let kings = p.kings & !(from | taken) | moved;
        let (black, white) = if BLACK { (own, enemy) } else { (enemy, own) };
        let turn = if BLACK { Side::White } else { Side::Black };
        Position { black, white, kings, turn }
    };
    let jumpers = v.jumpers::<H, BLACK>();
    if jumpers != 0 {
        jumps::<H, BLACK>(board, v, jumpers, &mut |from, to, taken| emit(after(from, to, taken)));
        return;
    }
    let [f, g, b, c] = v.steppers::<H, BLACK>();
    each_bit(f, |from| emit(after(from, forward::<BLACK>(from, H), 0)));
    each_bit(g, |from| emit(after(from, forward::<BLACK>(from, H + 1), 0)));
    each_bit(b, |from| emit(after(from, backward::<BLACK>(from, H), 0)));
    each_bit(c, |from| emit(after(from, backward::<BLACK>(from, H + 1), 0)));
}

#[inline(always)]
fn each_bit(mut bits: u64, mut f: impl FnMut(u64)) {
    while bits != 0 {
        f(bits & bits.wrapping_neg());
        bits &= bits - 1;
    }
}

/// Calls back with (from, to, taken) for each complete path of jumps.
fn jumps<const H: u32, const BLACK: bool>(
    board: &Board,
    v: View,
    jumpers: u64,
    emit: &mut impl FnMut(u64, u64, u64),
) {
    let crown = board.crown[usize::from(!BLACK)];
    each_bit(jumpers, |from| {
        // The square that the piece left counts as empty from here on.
        let path =
            Path { from, enemy: v.enemy, empty: v.empty | from, king: v.kings & from != 0, crown };
        path.go_on::<H, BLACK>(from, 0, emit);
    });
}

#[derive(Clone, Copy)]
struct Path {
    from: u64,
    enemy: u64,
    empty: u64,
    king: bool,
    crown: u64,
}

impl Path {
    /// Follows all continuations of a path of jumps, or ends it: the piece stands on `at` and has
    /// taken `taken`. (A taken piece still stands on the board, but it cannot be jumped again, and
    /// no piece ever lands on its square: `SPEC.md` §1, note to rule 6.)
    fn go_on<const H: u32, const BLACK: bool>(
        &self,
        at: u64,
        taken: u64,
        emit: &mut impl FnMut(u64, u64, u64),
    ) {
        let prey = self.enemy & !taken;
        let mut ended = true;
        let mut jump = |over: u64, to: u64| {
            if over & prey != 0 && to & self.empty != 0 {
                ended = false;
                if !self.king && to & self.crown != 0 {
                    emit(self.from, to, taken | over);
                } else {
                    self.go_on::<H, BLACK>(to, taken | over, emit);
                }
            }
        };
        for shift in [H, H + 1] {
            let over = forward::<BLACK>(at, shift);
            jump(over, forward::<BLACK>(over, shift));
            if self.king {
                let over = backward::<BLACK>(at, shift);
                jump(over, backward::<BLACK>(over, shift));
            }
        }
        if ended {
            emit(self.from, at, taken);
        }
    }
}

/// The number of sequences of `depth` moves from `position`; captures by different paths to equal
/// positions count separately. The last move is counted, not made.
pub fn perft(board: &Board, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    monomorphic!(board, position.turn, go(board, position, depth))
}

fn go<const H: u32, const BLACK: bool>(board: &Board, p: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return count::<H, BLACK>(board, p);
    }
    let mut nodes = 0;
    generate::<H, BLACK>(board, p, &mut |child| {
        nodes += if BLACK {
            go::<H, false>(board, &child, depth - 1)
        } else {
            go::<H, true>(board, &child, depth - 1)
        };
    });
    nodes
}
