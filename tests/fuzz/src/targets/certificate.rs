//! Whole checks of certificates, whose hashes are made right so that the check gets to the
//! contents.
//!
//! An input is a byte that says how to check; then CLAIM; then the objects, each after a byte that
//! is not 0 where MANIFEST is to state something else about the object than its head does.

use super::{Input, folder, with_length};
use crate::common::board;
use crate::common::files::Files;
use crate::common::maker::{Certificate, Maker, draw_4x4, write_raw};
use crate::common::oracle::{Oracle, longest_win, oracle_4x4};
use crate::common::{Options, check_certificate};
use crate::counting::peak;
use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Question, Value as Claimed};
use certificate_spec::cover::Cover;
use certificate_spec::database::DatabaseManifest;
use certificate_spec::manifest::{Kind, Object};
use checker_audit::{Sample, Shard, Statement};
use checker_core::{Board, Game, Level, Position, Side, Stop, Value, Verdict, derive, parse_fen};
use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// The cover of the database in the test's folder.
const COVER: &str = "4:2";
/// The bits of the first byte: the level consistent, a shard, a sample, tables in a file, a claim
/// whose digest is left alone.
const CONSISTENT: u8 = 1;
const SHARD: u8 = 2;
const SAMPLE: u8 = 4;
const MEMORY: u8 = 8;
const AS_IT_IS: u8 = 16;

/// A folder with the database of 4x4, and its manifest.
struct Place {
    folder: TempDir,
    manifest: DatabaseManifest,
}

impl Place {
    /// The root of the part of the database that a cover admits, if the database has all of that
    /// part.
    fn root(&self, cover: &Cover) -> Option<Digest> {
        let has = !cover.is_empty() && self.manifest.cover.includes(cover);
        has.then(|| self.manifest.restricted_to(cover).root())
    }
}

fn place() -> &'static Mutex<Place> {
    static PLACE: OnceLock<Mutex<Place>> = OnceLock::new();
    PLACE.get_or_init(|| {
        let (folder, board) = (folder(), board("4x4"));
        let cover = Cover::parse(COVER).expect("a cover");
        let values = derive(&board, &cover, &checker_core::Options::new("")).expect("values");
        let files = Files::of_cover(&values, &cover);
        files.write(&folder.path().join("egdb"));
        Mutex::new(Place { folder, manifest: files.manifest() })
    })
}

pub(super) fn run(bytes: &[u8]) {
    let place = place().lock().expect("no panic before");
    let mut input = Input(bytes);
    let how = input.byte();
    let mut claim = input.section().to_vec();
    if how & AS_IT_IS == 0
        && let Ok(mut read) = Claim::decode(&claim)
        && let Some(root) = place.root(&read.cover)
    {
        read.database = Some(root);
        claim = read.encode().into();
    }
    let mut objects = Vec::new();
    while !input.0.is_empty() {
        let otherwise = input.byte();
        let bytes = input.section().to_vec();
        objects.push((record(&bytes, otherwise), bytes));
    }
    let cert = place.folder.path().join("cert");
    let _ = fs::remove_dir_all(&cert);
    write_raw(&cert, &claim, &objects);
    let is = |flag| how & flag != 0;
    let options = Options {
        level: if is(CONSISTENT) { Level::Consistent } else { Level::Exact },
        shard: is(SHARD).then_some(Shard { number: 1, of: 2 }),
        sample: (is(SAMPLE) && !is(SHARD)).then_some(Sample { millionths: 500_000, seed: 0 }),
        memory: is(MEMORY).then_some(0),
        threads: Some(1),
        ..Options::new(place.folder.path().join("egdb"))
    };
    let (verdict, most) = peak(|| check_certificate(&cert, &options));
    let size = claim.len() + objects.iter().map(|(_, bytes)| 64 + bytes.len()).sum::<usize>();
    assert!(most < (1 << 20) + 40 * size, "{most} bytes of memory for {size}");
    judge(&claim, &options, &verdict);
}

/// The record of an object in MANIFEST, with what the object's head states, unless `otherwise`.
fn record(bytes: &[u8], otherwise: u8) -> Object {
    // First and count are varints; the seeds have no longer ones than these.
    let mut numbers = bytes.get(13..).unwrap_or_default().iter();
    let mut number = || match numbers.next().copied().unwrap_or_default() {
        low @ ..128 => u64::from(low),
        low => u64::from(low & 127) | u64::from(numbers.next().copied().unwrap_or_default()) << 7,
    };
    let (first, count) = (number(), number());
    let is = |bit: u8| otherwise >> bit & 1 == 1;
    let kind = match bytes.get(2) {
        Some(b'L') => Kind::Leaves,
        Some(b'P') => Kind::Provenance,
        _ => Kind::Nodes,
    };
    let question = bytes.get(12).and_then(|&n| Question::from_u8(n));
    let mut digest = Digest::of(bytes);
    digest.0[0] ^= u8::from(is(0));
    Object {
        kind: if is(1) { Kind::Leaves } else { kind },
        question: question.unwrap_or(Question::ALL[usize::from(otherwise >> 6)]),
        first: first ^ u64::from(is(2)),
        count: count ^ u64::from(is(3)),
        length: bytes.len() as u64 ^ u64::from(is(4)),
        digest,
    }
}

/// Checks that the verdict is one of those that are possible.
fn judge(claim: &[u8], options: &Options, verdict: &Statement) {
    let line = verdict.line();
    assert!(line.is_ascii() && !line.contains('\n') && line.starts_with("s "), "{line}");
    let claim = Claim::decode(claim);
    let is_whole = options.shard.is_none() && options.sample.is_none();
    match verdict {
        Statement::Whole(verdict @ (Verdict::Verified(_) | Verdict::Conditional(_))) => {
            let claim = claim.expect("a claim");
            let game = Game::parse(&claim.game).expect("a game");
            let start = parse_fen(&claim.start).expect("a start");
            let initial = if start == game.initial() { "initial" } else { &claim.start };
            let repeated = format!("{} {} start={initial} ", claim.value.word(), claim.game);
            let fields = line.splitn(3, ' ').nth(2).unwrap_or_default();
            assert!(is_whole && fields.starts_with(&repeated), "{line}");
            let is_conditional = matches!(verdict, Verdict::Conditional(_));
            assert!(is_conditional || holds(game.board(), &start, claim.value), "{line}");
        }
        Statement::Trusting { .. } | Statement::Whole(Verdict::Consistent(_)) => panic!("{line}"),
        Statement::Shard(_) => assert!(options.shard.is_some(), "{line}"),
        Statement::Sampled { .. } => assert!(options.sample.is_some(), "{line}"),
        Statement::Whole(Verdict::Stopped(Stop::Error(_))) => {
            // There is only a database of 4x4.
            let claim = claim.expect("a claim");
            assert!(!claim.cover.is_empty() && !claim.game.starts_with("4x4"), "{line}");
        }
        Statement::Whole(Verdict::Stopped(Stop::Refuted(..) | Stop::Declined(_))) => {}
    }
}

/// Whether a claim is true, or cannot be decided in a short time.
fn holds(board: &Board, start: &Position, claimed: Claimed) -> bool {
    let pieces = start.pieces();
    let squares = u128::from(board.squares());
    let more = |n: u128, i: u32| 4 * n * (squares - u128::from(i)) / u128::from(i + 1);
    if (0..pieces).fold(1, more) > 500_000 {
        return true;
    }
    static KNOWN: Mutex<BTreeMap<(String, u32), Oracle>> = Mutex::new(BTreeMap::new());
    let value = if start.has_both_sides() {
        let mut known = KNOWN.lock().expect("no panic before");
        let oracle = known.entry((board.name(), pieces));
        oracle.or_insert_with(|| Oracle::new(board, pieces)).value(start)
    } else {
        // A side without pieces has no move, nor may a side have one whose pieces are all blocked.
        let mut moves = Vec::new();
        board.moves(start, &mut moves);
        if moves.is_empty() { Value::Loss } else { Value::Win }
    };
    let winner = match (value, start.turn) {
        (Value::Draw, _) => None,
        (Value::Win, side) => Some(side),
        (Value::Loss, side) => Some(side.other()),
    };
    match claimed {
        Claimed::Draw => winner.is_none(),
        Claimed::BlackNotLost => winner != Some(Side::White),
        Claimed::WhiteNotLost => winner != Some(Side::Black),
        Claimed::BlackWins => winner == Some(Side::Black),
        Claimed::WhiteWins => winner == Some(Side::White),
    }
}

fn seed(how: u8, certificate: &Certificate) -> Vec<u8> {
    let objects = certificate.objects().into_iter();
    let objects = objects.flat_map(|(_, bytes)| [vec![0], with_length(&bytes)].concat());
    let claim = with_length(certificate.claim.encode().as_bytes());
    [how].into_iter().chain(claim).chain(objects).collect()
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let (oracle, board) = (oracle_4x4(), board("4x4"));
    let place = place().lock().expect("no panic before");
    let start = longest_win(&oracle, Side::White);
    let mut all = vec![seed(0, &draw_4x4(&oracle, 0)), seed(SHARD, &draw_4x4(&oracle, 2))];
    for (pieces, leaf_depth) in [(0, 0), (0, 3), (2, 2), (3, 1)] {
        let maker = Maker { board: &board, oracle: &oracle, pieces, leaf_depth };
        let root = place.root(&Cover::up_to(pieces));
        let win = maker.certificate("4x4", Claimed::WhiteWins, start, root);
        let initial = Game::parse("4x4").expect("a game").initial();
        let mut bound = maker.certificate("4x4", Claimed::WhiteNotLost, initial, root);
        bound.chunk = 3;
        all.extend([seed(0, &win), seed(SAMPLE, &win), seed(CONSISTENT, &bound)]);
    }
    // All positions are in the database, and the provenance says how they were found.
    let mut sides = draw_4x4(&oracle, 0);
    sides.claim.cover = place.manifest.cover.clone();
    sides.claim.database = place.root(&sides.claim.cover);
    sides.parts.clear();
    let said = super::provenance::seeds().into_iter();
    let said = said.take(2).flat_map(|bytes| [vec![0], with_length(&bytes)].concat());
    all.push(seed(0, &sides).into_iter().chain(said).collect());
    // Longer seeds take more time than they are worth.
    all.retain(|seed| seed.len() < 4000);
    assert!(all.len() >= 8);
    all
}
