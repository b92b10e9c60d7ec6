//! The claims of a certificate about positions: those of its nodes and leaves, by position.

use certificate_spec::claim::Question;
use draughtproof_proof::certificate::leaf_strategy;
use draughtproof_proof::certificate::{
    BrokenProof, Stored, StoredBasis, StoredNode, StoredProof, claimant,
};
use draughtproof_proof::search::{KeyMap, Strategy, StrategyPosition};

use crate::board::{Board, Position, Side};
use crate::egdb::{Cover, Value, ValueRange};

/// The place of a position in a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The node with this number among those of its question.
    Node(usize),
    /// The leaf with this number among those of its question.
    Leaf(usize),
}

/// A position of a question.
struct Entered {
    place: Place,
    /// The key of the chosen successor, where the claimant moves.
    choice: Option<u128>,
}

struct QuestionPositions {
    question: Question,
    positions: KeyMap<Entered>,
}

/// The positions of a certificate. The certificate need not have been checked: the values here are
/// those that it claims.
pub struct ProvedPositions {
    board: Board,
    questions: Vec<QuestionPositions>,
}

/// The name of a question in answers.
pub fn question_name(question: Question) -> &'static str {
    match question {
        Question::BlackNotLost => "black-not-lost",
        Question::WhiteNotLost => "white-not-lost",
        Question::BlackWins => "black-wins",
        Question::WhiteWins => "white-wins",
    }
}

/// The value of the positions that a question proves, for the side to move.
fn proved_value(question: Question, turn: Side) -> ValueRange {
    match (question.is_win(), turn == claimant(question)) {
        (true, true) => ValueRange::exact(Value::Win),
        (true, false) => ValueRange::exact(Value::Loss),
        (false, true) => ValueRange::AT_LEAST_DRAW,
        (false, false) => ValueRange::AT_MOST_DRAW,
    }
}

impl ProvedPositions {
    /// Collects the positions of a certificate and replays its leaves. A certificate with Assumed
    /// nodes proves nothing, and has no positions.
    ///
    /// # Errors
    /// [`BrokenProof`] if the replay of a leaf fails. (The values of database positions are not
    /// looked up.)
    pub fn new(stored: &Stored) -> Result<Self, BrokenProof> {
        let board = stored.game.board.clone();
        if stored.assumed() > 0 {
            return Ok(ProvedPositions { board, questions: Vec::new() });
        }
        let of = |proof: &StoredProof| {
            let positions = positions(stored, proof)?;
            Ok(QuestionPositions { question: proof.question, positions })
        };
        let questions = stored.proofs.iter().map(of).collect::<Result<_, _>>()?;
        Ok(ProvedPositions { board, questions })
    }

    /// No positions of a board.
    pub fn none(board: &Board) -> Self {
        ProvedPositions { board: board.clone(), questions: Vec::new() }
    }

    /// Adds the strategy that answers a question about `root`. Positions that are there keep their
    /// choices: the strategies before lead to the end by themselves.
    pub(super) fn add(
        &mut self,
        question: Question,
        root: &Position,
        strategy: &Strategy,
        database: &Cover,
    ) {
        let at = self.questions.iter().position(|q| q.question == question);
        let at = at.unwrap_or_else(|| {
            self.questions.push(QuestionPositions { question, positions: KeyMap::default() });
            self.questions.len() - 1
        });
        let positions = &mut self.questions[at].positions;
        let place = Place::Leaf(0);
        add_strategy(strategy, place, database, positions);
        positions.entry(root.key()).or_insert(Entered { place, choice: None });
    }

    pub(super) fn clear(&mut self) {
        self.questions.clear();
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.questions.iter().map(|q| q.positions.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The proved value of a position, for the side to move.
    pub fn value(&self, position: &Position) -> ValueRange {
        let key = position.key();
        let proved = self.questions.iter().filter(|q| q.positions.contains_key(&key));
        proved.fold(ValueRange::UNKNOWN, |known, q| {
            known.narrowed(proved_value(q.question, position.turn))
        })
    }

    /// The place of a position, if it is proved there that the value for the side to move is at
    /// least `bound` (or, with `is_upper`, at most).
    pub fn place(
        &self,
        position: &Position,
        bound: Value,
        is_upper: bool,
    ) -> Option<(Question, Place)> {
        self.questions.iter().find_map(|q| {
            let entered = q.positions.get(&position.key())?;
            let value = proved_value(q.question, position.turn);
            let says = if is_upper { value.upper <= bound } else { value.lower >= bound };
            says.then_some((q.question, entered.place))
        })
    }

    /// The chosen move of the side to move to win, or not to lose, and the question for which it is
    /// chosen; `None` if there is none.
    pub fn choice(&self, position: &Position, is_win: bool) -> Option<(Question, Position)> {
        let questions = self.questions.iter().map(|q| q.question).filter(|q| q.is_win() == is_win);
        questions.filter_map(|q| Some((q, self.choice_for(q, position)?))).next()
    }

    /// The chosen move for one question.
    pub fn choice_for(&self, question: Question, position: &Position) -> Option<Position> {
        let choice = self.entered(question, position)?.choice?;
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        successors.into_iter().find(|after| after.key() == choice)
    }

    /// The positions that are decided for a search whether `attacker` wins: for each question
    /// whether it does, and all positions of its proof.
    pub fn decided(&self, attacker: Side) -> Vec<(bool, Vec<StrategyPosition>)> {
        let mut decided = Vec::new();
        for QuestionPositions { question, positions } in &self.questions {
            let is_won = question.is_win();
            if is_won == (claimant(*question) == attacker) {
                decided.push((is_won, positions.keys().map(|key| (*key, None)).collect()));
            }
        }
        decided
    }

    /// The place of a position in the proof of one question.
    pub fn place_for(&self, question: Question, position: &Position) -> Option<Place> {
        self.entered(question, position).map(|entered| entered.place)
    }

    fn entered(&self, question: Question, position: &Position) -> Option<&Entered> {
        let positions = self.questions.iter().find(|q| q.question == question)?;
        positions.positions.get(&position.key())
    }
}

/// The positions of the nodes of a question, and the positions that only its leaves have. The
/// lowest rank decides the choice in a position, so that ranks fall along the choices.
fn positions(stored: &Stored, proof: &StoredProof) -> Result<KeyMap<Entered>, BrokenProof> {
    let mut positions = KeyMap::default();
    let mut numbers: Vec<usize> = (0..proof.nodes.len()).collect();
    numbers.sort_by_key(|&number| proof.nodes[number].rank);
    for number in numbers {
        let node = &proof.nodes[number];
        let choice = chosen_successor(&stored.game.board, node);
        let place = Place::Node(number);
        let entered = positions.entry(node.position.key());
        entered.or_insert(Entered { place, choice }).place = place;
        if let StoredBasis::Leaf(leaf) = node.basis {
            let strategy = leaf_strategy(stored, proof, node, leaf)?;
            add_strategy(&strategy, Place::Leaf(leaf), &stored.claim.cover, &mut positions);
        }
    }
    Ok(positions)
}

/// The key of the chosen successor of an Or node.
fn chosen_successor(board: &Board, node: &StoredNode) -> Option<u128> {
    let StoredBasis::Or(choice) = node.basis else { return None };
    let mut successors = Vec::new();
    board.successors(&node.position, &mut successors);
    successors.get(choice as usize).map(Position::key)
}

fn add_strategy(
    strategy: &Strategy,
    place: Place,
    database: &Cover,
    positions: &mut KeyMap<Entered>,
) {
    for (key, after) in strategy.choices() {
        let entered = positions.entry(key).or_insert(Entered { place, choice: None });
        // The root of a leaf is a node that has no choice yet.
        entered.choice.get_or_insert(after.key());
        // Positions of the database have their values from there.
        let [black, white] = [after.black, after.white].map(u64::count_ones);
        if !database.admits(black, white) {
            positions.entry(after.key()).or_insert(Entered { place, choice: None });
        }
    }
}
