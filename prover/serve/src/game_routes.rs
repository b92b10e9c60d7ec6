//! Requests about games: the state of a game, a reply to it, and games that are read from PDN and
//! analysed.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use draughtproof_play::games::{Annotated, Judge, Mistake, Verdict, annotate};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent, Source};
use draughtproof_proof::heuristic::{Heuristic, Limits};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::Problem;
use super::request::{App, Body, Fresh, InPath, board_of, position};
use super::site::BoardSite;
use crate::board::{Game, PdnGame, Side, Strictness, write_pdn};

/// The most moves of a game.
const MOVES: usize = 1_000;
/// The budget of a search where neither a proof nor the database has a move, in nodes.
const NODES: u64 = 50_000;
/// The time limit of a reply.
const TIME: Duration = Duration::from_secs(2);
/// The budget of the searches of all positions of a game that is analysed, in nodes.
const ANALYSIS_NODES: u64 = 2_000_000;
/// The most nodes for one of its positions.
const POSITION_NODES: u64 = 50_000;
/// The greatest score in an answer, in hundredths of a man.
const MOST_SCORE: i32 = 300;

/// A game so far.
#[derive(Deserialize, ToSchema)]
pub(super) struct GameRequest {
    /// The name of the game, `RxC` or `RxC/k` [default: that of the board].
    game: Option<String>,
    /// The FEN that the game begins at, or `start` [default: the start of the game].
    start: Option<String>,
    /// The moves, at most 1,000.
    #[serde(default)]
    #[schema(example = json!(["4-7", "15-12"]))]
    moves: Vec<String>,
}

/// The state of a game.
#[derive(Serialize, ToSchema)]
pub(super) struct GameAnswer {
    game: String,
    /// The FEN that the game begins at.
    start: String,
    /// The names of the moves.
    moves: Vec<String>,
    /// The FEN after each move.
    fens: Vec<String>,
    /// `open`, `black-wins`, `white-wins` or `draw`.
    result: &'static str,
    /// The game in PDN.
    pdn: String,
    /// The reason for which the rest of a game is left out; none if it is complete.
    fault: Option<String>,
}

fn game_of(site: &BoardSite, name: Option<&str>) -> Result<Game, Problem> {
    let Some(name) = name else { return Ok(site.game().clone()) };
    let game: Game = name.parse().map_err(|e| Problem::bad(format!("{e}")))?;
    if game.board != *site.board() {
        let board = site.board().name();
        return Err(Problem::bad(format!("expected a game on {board}, found {name}")));
    }
    Ok(game)
}

impl GameRequest {
    fn record(&self, site: &BoardSite) -> Result<GameRecord, Problem> {
        if self.moves.len() > MOVES {
            let found = self.moves.len();
            return Err(Problem::bad(format!("expected at most {MOVES} moves, found {found}")));
        }
        let game = game_of(site, self.game.as_deref())?;
        let start = match &self.start {
            Some(fen) => position(site, &game, fen)?,
            None => game.start(),
        };
        let mut record = GameRecord::new(game, start);
        for name in &self.moves {
            record.push(site.board().read_move(record.position(), name)?)?;
        }
        Ok(record)
    }
}

fn game_answer(
    game: &Game,
    record: &GameRecord,
    fault: Option<String>,
) -> Result<GameAnswer, Problem> {
    let mut positions = record.earlier();
    positions.push(*record.position());
    let board = record.board();
    let names = positions.windows(2).map(|w| board.write_move(&w[0], &w[1]));
    Ok(GameAnswer {
        game: game.to_string(),
        start: board.write_fen(&positions[0]),
        moves: names.collect::<Result<_, _>>()?,
        fens: positions[1..].iter().map(|p| board.write_fen(p)).collect(),
        result: match record.result() {
            GameResult::Open => "open",
            GameResult::Won(Side::Black) => "black-wins",
            GameResult::Won(Side::White) => "white-wins",
            GameResult::Draw => "draw",
        },
        pdn: record.pdn()?,
        fault,
    })
}

/// The state of a game after some moves, and its PDN.
#[utoipa::path(post, path = "/api/{board}/game", params(("board" = String, Path, example = "6x6")),
    request_body = GameRequest,
    responses((status = 200, body = GameAnswer)))]
pub(super) async fn game_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(request): Body<GameRequest>,
) -> Result<Fresh<GameAnswer>, Problem> {
    let answer = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        let game = game_of(site, request.game.as_deref())?;
        game_answer(&game, &request.record(site)?, None)
    });
    Ok(Fresh(answer.await?))
}

/// A game in PDN.
#[derive(Deserialize, ToSchema)]
pub(super) struct PdnRequest {
    /// The text, of which the first game is read.
    pdn: String,
}

/// The first game of a PDN text.
#[utoipa::path(post, path = "/api/{board}/pdn", params(("board" = String, Path, example = "6x6")),
    request_body = PdnRequest,
    responses((status = 200, body = GameAnswer)))]
pub(super) async fn pdn_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(PdnRequest { pdn }): Body<PdnRequest>,
) -> Result<Fresh<GameAnswer>, Problem> {
    let answer = app.heavy(move |site| {
        let game = board_of(site, &board)?.game();
        let (first, next) = first_game(game, &pdn)?;
        let (record, fault) = record_of(game, &first, next.as_ref())?;
        game_answer(game, &record, fault)
    });
    Ok(Fresh(answer.await?))
}

/// The first game of a text, and the second one if there is one.
fn first_game(game: &Game, pdn: &str) -> Result<(PdnGame, Option<PdnGame>), Problem> {
    let games = game.read_pdn("the text", pdn.as_bytes(), Strictness::Lenient);
    let mut games = games.into_iter();
    let first = games.next().ok_or_else(|| Problem::bad("expected a game in PDN, found none"))?;
    Ok((first, games.next()))
}

/// A game with its mistakes.
#[derive(Serialize, ToSchema)]
pub(super) struct AnalysisAnswer {
    /// The value or score of the first position and of that after each move, in words.
    says: Vec<String>,
    /// Their scores in hundredths of a man, good for Black if positive; 300 where Black wins.
    scores: Vec<i32>,
    /// The mistakes, in order.
    mistakes: Vec<Mistake>,
    /// The game in PDN, with its tags and remarks, and with remarks on its mistakes.
    pdn: String,
}

/// The values, scores and mistakes of the first game of a PDN text, as `prove annotate` finds them.
#[utoipa::path(post, path = "/api/{board}/analysis", params(("board" = String, Path, example = "6x6")),
    request_body = PdnRequest,
    responses((status = 200, body = AnalysisAnswer)))]
pub(super) async fn analysis_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(PdnRequest { pdn }): Body<PdnRequest>,
) -> Result<Fresh<AnalysisAnswer>, Problem> {
    let time = app.limits.time / 3;
    let answer = app.heavy(move |site| analysis(board_of(site, &board)?, &pdn, time));
    Ok(Fresh(answer.await?))
}

fn analysis(site: &BoardSite, pdn: &str, time: Duration) -> Result<AnalysisAnswer, Problem> {
    let (first, _) = first_game(site.game(), pdn)?;
    let moves = first.positions.len();
    if moves > MOVES {
        return Err(Problem::bad(format!("expected at most {MOVES} moves, found {moves}")));
    }
    let share = moves as u32 + 1;
    let limits = Limits {
        nodes: (ANALYSIS_NODES / u64::from(share)).min(POSITION_NODES),
        time: Some(time / share),
        ..Limits::default()
    };
    let judge = Judge::new(site.lookup(), limits);
    let Annotated { game, mistakes, verdicts } = annotate(&judge, first, false)?;
    Ok(AnalysisAnswer {
        says: verdicts.iter().map(Verdict::to_string).collect(),
        scores: verdicts.iter().map(|v| v.score_for_black(MOST_SCORE)).collect(),
        mistakes,
        pdn: write_pdn(site.board(), &game)?,
    })
}

/// A game that was read, and why the rest of it is left out.
fn record_of(
    game: &Game,
    pdn: &PdnGame,
    next: Option<&PdnGame>,
) -> Result<(GameRecord, Option<String>), Problem> {
    let set_up = pdn.moves_before_set_up();
    let read = set_up.unwrap_or(pdn.positions.len());
    // Text behind the end of a game that has no tags may be meant as more of its moves.
    let rest = next.filter(|next| next.tags.is_empty()).and_then(|next| next.fault.as_ref());
    let fault = if read > MOVES {
        Some(format!("expected at most {MOVES} moves, found {}", pdn.positions.len()))
    } else if set_up.is_some() {
        Some(format!("expected moves, found a position that is set up after {read} moves"))
    } else {
        pdn.fault.as_ref().or(rest).map(ToString::to_string)
    };
    let most = read.min(MOVES);
    let mut record = GameRecord::new(game.clone(), pdn.first_position());
    for &after in pdn.positions.iter().take(most) {
        record.push(after)?;
    }
    Ok((record, fault))
}

/// A reply to a game.
#[derive(Serialize, ToSchema)]
pub(super) struct ReplyAnswer {
    /// The move; none where the game is over.
    #[serde(rename = "move")]
    name: Option<String>,
    /// The FEN after the move; none where the game is over.
    fen: Option<String>,
    /// The source of the move: `only-move`, `proof`, `database` or `search`.
    by: Option<&'static str>,
    /// The source in words, with the value that is proved.
    says: Option<String>,
}

/// The reply to a game: from the database if it wins, otherwise from a proof, otherwise from the
/// database, otherwise from a short search.
#[utoipa::path(post, path = "/api/{board}/reply", params(("board" = String, Path, example = "6x6")),
    request_body = GameRequest,
    responses((status = 200, body = ReplyAnswer)))]
pub(super) async fn reply_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(request): Body<GameRequest>,
) -> Result<Fresh<ReplyAnswer>, Problem> {
    let reply = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        reply(site, &request.record(site)?)
    });
    Ok(Fresh(reply.await?))
}

fn reply(site: &BoardSite, record: &GameRecord) -> Result<ReplyAnswer, Problem> {
    let none = ReplyAnswer { name: None, fen: None, by: None, says: None };
    if record.result() != GameResult::Open {
        return Ok(none);
    }
    let mut opponent = Opponent {
        limits: Limits { nodes: NODES, time: Some(TIME), ..Limits::default() },
        ..Opponent::new(site.lookup(), Heuristic::new(site.board(), site.values()))
    };
    let Some(choice) = opponent.choose(record)? else { return Ok(none) };
    Ok(ReplyAnswer {
        name: Some(site.board().write_move(record.position(), &choice.after)?),
        fen: Some(site.board().write_fen(&choice.after)),
        by: Some(match choice.source {
            Source::OnlyMove => "only-move",
            Source::Proof(_) => "proof",
            Source::Database { .. } => "database",
            Source::Search { .. } => "search",
        }),
        says: Some(choice.source.to_string()),
    })
}
