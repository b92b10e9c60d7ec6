//! Compares `check-verified`, the checker that is extracted from the formal proofs, with `check`:
//! both must have the same verdict on mutants ([`run`]), and the same successors of random
//! positions ([`compare`]).
//!
//! `check-verified` judges values and not the form of files, so it may verify a certificate that
//! `check` refuses by a rule of form. `certificate-spec/formal/README.md` lists these rules, with
//! the reason why each may be left out. A claim that is verified so must be true by a database made
//! in memory.
//!
//! Compares the successors of random positions by three programs: the function that is proved to
//! give exactly the legal moves, and both move generators.
//!
//! The tables that `check-verified` reads, of a database that may be wrong: the values of quiet
//! positions are those of its files, and the values of captures follow from them.

use crate::mutants::base::{Base, Files};
use crate::mutants::campaign::Place;
use crate::mutants::judge::rules_of;
use crate::mutants::random::Random;
use crate::mutants::{CLASSES, Mutant};
use crate::prelude::*;
use certificate_spec::claim::Value as Claimed;
use certificate_spec::value::Value;
use checker_core::{Level, Stop, Verdict};
use draughtproof_egdb::locate;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;

/// The comparison of two verdicts on one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Agreement {
    /// Both checkers verify the same claim.
    Verified,
    /// Neither checker verifies.
    Refused,
    /// `check` refuses by this rule of form, and the claim is true.
    Form(String),
    /// Any other pair of verdicts, with what is wrong.
    Wrong(String),
}

/// The comparison of the verdicts on many mutants.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of mutants that both checkers verify.
    pub verified: u64,
    /// The number of mutants that neither checker verifies.
    pub refused: u64,
    /// The numbers of mutants that only `check` refuses, by rule.
    pub form: BTreeMap<String, u64>,
    /// Descriptions of pairs of verdicts that must not occur.
    pub wrong: Vec<String>,
}

/// The rules of form that the README of the formal proofs names.
///
/// # Panics
/// If it has no such table.
fn rules_of_form() -> Vec<&'static str> {
    let text = include_str!("../../certificate-spec/formal/README.md");
    let table = text.split("<!-- rules of form -->").nth(1).expect("a table of rules of form");
    let rows = table.lines().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect()
}

/// Gives `mutants` mutants of a seed to `check` and to `program`, on `threads` threads. Wrong pairs
/// of verdicts are also written to standard error.
///
/// # Panics
/// If files cannot be written, or `program` does not start.
pub fn run(
    bases: &[Base],
    program: &Path,
    (seed, mutants): (u64, u64),
    threads: usize,
    root: &Path,
) -> Tally {
    let (next, total) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let form = rules_of_form();
    let work = |thread: usize| {
        let directory = |base: &Base| root.join(format!("both-{thread}")).join(base.name);
        let mut places: Vec<Both> =
            bases.iter().map(|base| Both::new(directory(base), base, program)).collect();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= mutants {
                break;
            }
            let mutant = Mutant::new(bases, seed, number);
            let base = &bases[mutant.base];
            let agreement = places[mutant.base].compare(base, &mutant.files, &form);
            let mut total = total.lock().expect("a lock");
            match agreement {
                Agreement::Verified => total.verified += 1,
                Agreement::Refused => total.refused += 1,
                Agreement::Form(rule) => *total.form.entry(rule).or_default() += 1,
                Agreement::Wrong(what) => {
                    let class = CLASSES[mutant.class].name;
                    let what = format!("{class} {number} of {}: {what}", base.name);
                    eprintln!("WRONG {what}");
                    total.wrong.push(what);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|i| scope.spawn(move || work(i))).collect();
        let (begun, mut told) = (Instant::now(), Instant::now());
        while !threads.iter().all(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if told.elapsed() >= Duration::from_secs(10) {
                told = Instant::now();
                let (done, seconds) = (next.load(Relaxed), begun.elapsed().as_secs());
                eprintln!("agreement: {} of {mutants} in {seconds} s", done.min(mutants));
            }
        }
    });
    total.into_inner().expect("a tally")
}

/// A folder for the mutants of a base, with the tables of its database.
struct Both<'a> {
    place: Place,
    directory: PathBuf,
    program: &'a Path,
}

impl<'a> Both<'a> {
    fn new(directory: PathBuf, base: &Base, program: &'a Path) -> Self {
        let place = Place::new(directory.clone(), base);
        write(&base.rules.board, &base.files, &directory.join("tables"));
        Both { place, directory, program }
    }

    fn compare(&mut self, base: &Base, files: &Files, form: &[&str]) -> Agreement {
        self.place.lay(files);
        let claim = files.get("cert/CLAIM").and_then(|bytes| Claim::decode(bytes).ok());
        let is_win = claim.is_some_and(|claim| claim.value.questions()[0].is_win());
        let level = if is_win { Level::Exact } else { Level::Consistent };
        let verdict = match self.place.check_at(level) {
            Ok(verdict) => verdict,
            Err(panic) => return Agreement::Wrong(panic),
        };
        let line = self.verified_line(base, files);
        let wrong =
            || Agreement::Wrong(format!("check says {}, check-verified {line}", verdict.line()));
        match (&verdict, line.strip_prefix("s VERIFIED ")) {
            (Verdict::Verified(ours), Some(theirs)) => {
                // The value, the game and the start of the claim.
                let same = ours.fields().split(' ').take(3).eq(theirs.split(' ').take(3));
                if same { Agreement::Verified } else { wrong() }
            }
            (Verdict::Verified(_), None) => wrong(),
            (_, None) => Agreement::Refused,
            (_, Some(theirs)) => {
                let rule = refused_by(&verdict, is_win);
                match is_true(base, theirs) {
                    Ok(true) if form.contains(&&*rule) => Agreement::Form(rule),
                    Ok(_) => wrong(),
                    Err(e) => Agreement::Wrong(format!("{e}: {line}")),
                }
            }
        }
    }

    /// The last line that `check-verified` prints.
    fn verified_line(&self, base: &Base, files: &Files) -> String {
        fn database(files: &Files) -> impl Iterator<Item = (&String, &[u8])> {
            let all = files.iter().filter(|(path, _)| path.starts_with("egdb/"));
            all.map(|(path, bytes)| (path, &**bytes))
        }
        let tables = if database(files).eq(database(&base.files)) {
            "tables"
        } else {
            write(&base.rules.board, files, &self.directory.join("others"));
            "others"
        };
        let output = Command::new(self.program)
            .args(["cert", "--db", tables])
            .current_dir(&self.directory)
            .output();
        let output = output.unwrap_or_else(|e| panic!("{}: {e}", self.program.display()));
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().last().unwrap_or_default().to_owned();
        let agrees = output.status.success() == line.starts_with("s VERIFIED ");
        // Line and exit status must agree; if they do not, the program neither verifies nor
        // refuses.
        if agrees { line } else { panic!("check-verified: {line} with {}", output.status) }
    }
}

/// The rule by which `check` refuses. For a claim of a win, a value that is called a draw counts as
/// a rule of its own.
fn refused_by(verdict: &Verdict, is_win: bool) -> String {
    match verdict {
        Verdict::Stopped(Stop::Refuted(finding, _))
            if is_win && finding.rule == "slice-value" && finding.found == "draw" =>
        {
            "slice-value: a draw".into()
        }
        Verdict::Stopped(Stop::Refuted(finding, _) | Stop::Declined(finding)) => {
            finding.rule.into()
        }
        Verdict::Stopped(Stop::Error(_)) => "ERROR".into(),
        Verdict::Conditional(_) => "CONDITIONAL".into(),
        Verdict::Consistent(_) | Verdict::Verified(_) => "nothing".into(),
    }
}

/// Whether the printed claim is true by a database that is made in memory.
fn is_true(base: &Base, fields: &str) -> Result<bool, String> {
    const CLAIMS: [Claimed; 5] = [
        Claimed::Draw,
        Claimed::BlackNotLost,
        Claimed::WhiteNotLost,
        Claimed::BlackWins,
        Claimed::WhiteWins,
    ];
    let words: Vec<&str> = fields.split(' ').collect();
    let &[value, name, start, ..] = &*words else { return Err("no claim is printed".into()) };
    let claim = CLAIMS.into_iter().find(|claim| claim.word() == value);
    let claim = claim.ok_or("no claim is printed")?;
    let game: Game = name.parse().map_err(|_| "no game is printed".to_owned())?;
    let board = &game.board;
    let start = match start.strip_prefix("start=") {
        Some("initial") => game.start(),
        Some(fen) => board.read_fen(fen).map_err(|e| e.to_string())?,
        None => return Err("no start is printed".into()),
    };
    let found = if !board.can_move(&start) {
        Value::Loss
    } else if !start.both_sides() {
        Value::Win
    } else {
        let rules = if board.name() == base.rules.board.name() {
            base.rules.clone()
        } else {
            rules_of(board, &board.write_fen(&start))?.into()
        };
        rules.value(&rules.wire(&start)).ok_or("a start that is not known")?
    };
    let holds = |question: &Question| {
        let is_black = matches!(question, Question::BlackNotLost | Question::BlackWins);
        let is_claimants_turn = is_black == (start.turn == Side::Black);
        let (good, bad) = match is_claimants_turn {
            true => (Value::Win, Value::Loss),
            false => (Value::Loss, Value::Win),
        };
        if question.is_win() { found == good } else { found != bad }
    };
    Ok(claim.questions().iter().all(holds))
}

/// Boards of all shapes: wide, high, with odd sides, and with one square in some rows.
const BOARDS: [(u8, u8); 10] =
    [(8, 8), (6, 6), (7, 7), (5, 7), (6, 8), (8, 6), (8, 4), (4, 8), (5, 5), (3, 5)];

/// Compares the successors of `positions` random positions, which depend on `seed` only.
///
/// # Errors
/// The first position with different successors, and what each program says of it.
///
/// # Panics
/// If `program` does not start, or no files can be written in `directory`.
pub fn compare(program: &Path, seed: u64, positions: u64, directory: &Path) -> Result<(), String> {
    for (number, (rows, columns)) in (0..).zip(BOARDS) {
        let ours = Board::new(rows, columns).expect("a board");
        let theirs = checker_core::Board::new(rows, columns).expect("a board");
        let few = positions.div_ceil(BOARDS.len() as u64);
        let random = |i| random(&mut Random::new(seed, number << 32 | i), &ours);
        let all: Vec<Position> = (0..few).map(random).collect();
        let mut text = String::new();
        for position in &all {
            writeln!(text, "{}", ours.write_fen(position)).expect("text");
        }
        let path = directory.join("positions");
        fs::write(&path, text).expect("a file is written");
        let output = Command::new(program)
            .args(["successors", &format!("{rows}x{columns}")])
            .stdin(File::open(&path).expect("the file"))
            .output();
        let output = output.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let text = String::from_utf8(output.stdout).map_err(|e| e.to_string())?;
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() != all.len() {
            return Err(format!("{rows}x{columns}: {} lines for {few} positions", lines.len()));
        }
        for (position, line) in all.iter().zip(lines) {
            let fen = ours.write_fen(position);
            let mut next = Vec::new();
            ours.successors(position, &mut next);
            let prover: Vec<String> = next.iter().map(|p| ours.write_fen(p)).collect();
            let mut next = Vec::new();
            let read = checker_core::parse_fen(&fen).ok_or("the checker reads no FEN")?;
            theirs.successors(&read, &mut next);
            let checker: Vec<String> = next.iter().map(checker_core::write_fen).collect();
            if prover.join(" ") != line || checker.join(" ") != line {
                return Err(format!(
                    "{rows}x{columns} {fen}: proved {line}, prover {prover:?}, checker {checker:?}"
                ));
            }
        }
    }
    Ok(())
}

/// A random possible position, from nearly empty to crowded, with many kings or few.
fn random(random: &mut Random, board: &Board) -> Position {
    let (fill, kings) = (1 + random.below(8), random.below(5));
    let turn = if random.one_in(2) { Side::Black } else { Side::White };
    let mut position = Position { black: 0, white: 0, kings: 0, turn };
    for square in 0..board.squares() {
        if random.below(12) >= fill {
            continue;
        }
        let (bit, is_black) = (board.bit(square), random.one_in(2));
        let crowning = if is_black { board.rows() - 1 } else { 0 };
        if board.row(square) == crowning || random.below(5) < kings {
            position.kings |= bit;
        }
        *(if is_black { &mut position.black } else { &mut position.white }) |= bit;
    }
    position
}

/// The number of bytes before the values.
const HEAD: usize = 4096;

/// Writes the tables of all slices that can be decoded, in place of earlier ones.
///
/// # Panics
/// If files cannot be written.
fn write(board: &Board, files: &Files, directory: &Path) {
    let folder = directory.join(format!("{}.tables", board.name()));
    match fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => panic!("{}: {e}", folder.display()),
        _ => fs::create_dir_all(&folder).expect("a directory"),
    }
    let prefix = format!("egdb/{}/", board.name());
    let mut slices: Vec<(SliceName, &[u8])> = Vec::new();
    for (path, bytes) in files {
        slices.extend(path.strip_prefix(&prefix).and_then(name_of).map(|name| (name, &**bytes)));
    }
    // Captures lead to slices with fewer pieces, which come first in this order.
    slices.sort_by_key(|(name, _)| name.order());
    let mut tables: HashMap<Slice, Table> = HashMap::new();
    for (name, bytes) in slices {
        let slice = Slice::from(name);
        let Ok(mut table) = decode_slice(board, slice, bytes) else { continue };
        add_captures(board, slice, &mut table, &tables);
        let mut bytes = vec![0; HEAD];
        for index in (0..table.indices()).step_by(64) {
            let (win, loss) = table.word(index);
            bytes.extend([win, loss].map(u64::to_le_bytes).concat());
        }
        fs::write(folder.join(format!("{}.table", name.file_name())), bytes).expect("a file");
        tables.insert(slice, table);
    }
}

/// The name of the slice whose file has this name.
fn name_of(file: &str) -> Option<SliceName> {
    let numbers: Vec<u8> = file.split('-').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let name = SliceName(numbers.try_into().ok()?);
    (name.file_name() == file && name.pieces() <= 8).then_some(name)
}

/// Adds the values of positions in which the side to move can capture.
fn add_captures(board: &Board, slice: Slice, table: &mut Table, tables: &HashMap<Slice, Table>) {
    let value = |after: &_| {
        let (slice, index) = locate(board, after);
        tables.get(&slice).map_or(Value::Draw, |table| table.value(index))
    };
    let mut next = Vec::new();
    for index in 0..table.indices() {
        let position = position_at(board, slice, index);
        let Some(position) = position.filter(|p| board.can_capture(p)) else { continue };
        board.successors(&position, &mut next);
        let values = next.iter().map(|y| if y.both_sides() { value(y) } else { Value::Loss });
        let values: Vec<Value> = values.collect();
        let best = if values.contains(&Value::Loss) {
            Value::Win
        } else if values.contains(&Value::Draw) {
            Value::Draw
        } else {
            Value::Loss
        };
        table.set(index, best);
    }
}
