//! `prove engine`, which speaks the Hub protocol: through a pipe, and with pydraughts.

use std::io::Read;
use std::process::{ChildStdin, ChildStdout};

use draughtproof_play::engine::notation::{read_move, write_position};
use tests::prelude::*;
use tests::programs::package;

/// An engine, and a conversation with it.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn new(options: &[&str], here: &Path) -> Engine {
        let arguments = [&["engine"], options, &["--hash", "1MiB"]].concat();
        let mut child = start("prove", &arguments, here);
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Engine { child, input, output: BufReader::new(output) }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The next lines, up to one that begins with `last`.
    fn listen(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{last}: {lines:?}");
            lines.push(line.trim_end().to_owned());
            if line.starts_with(last) {
                return lines;
            }
        }
    }

    fn answer(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.say("ping");
        let mut lines = self.listen("pong");
        lines.pop();
        lines
    }

    /// The moves that the engine finds: the one to make, and the expected reply.
    fn go(&mut self, line: &str) -> (String, Option<String>) {
        self.say(line);
        self.done()
    }

    fn done(&mut self) -> (String, Option<String>) {
        let lines = self.listen("done");
        let words: Vec<_> = lines.last().unwrap().split(' ').collect();
        let value = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
        (value("move=").unwrap_or_default().into(), value("ponder=").map(Into::into))
    }

    /// Ends the engine by closing its input.
    fn end(mut self) {
        drop(self.input);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_level_that_is_refused_leaves_a_limit() {
    let place = tempfile::tempdir().unwrap();
    // Without a level this engine would search for hours.
    let mut engine = Engine::new(&["--depth", "120", "--pieces", "0"], place.path());
    let refused = |engine: &mut Engine, line| {
        let said = engine.answer(line);
        assert!(said.len() == 1 && said[0].starts_with("error message="), "{said:?}");
    };
    for (before, line) in [
        ("", "level move-time=0,1"),
        ("level depth=120", "level time=60,5 inc=0,5"),
        ("level nodes=100000000000", "level move-time=\"0.1"),
        ("level move-time=0.05", "level moves=9 time=1,5"),
    ] {
        assert_eq!(engine.answer(before), [""; 0]);
        refused(&mut engine, line);
        assert_ne!(engine.go("go think").0, "");
    }
    // The time of the search before holds.
    engine.say("level move-time=0.05");
    engine.go("go think");
    refused(&mut engine, "level move-time=0,05");
    engine.go("go think");
    // A level that comes during a search is refused, too.
    engine.say("level infinite");
    engine.say("go think");
    engine.say("level move-time=0.1");
    engine.listen("error");
    engine.go("stop");
    engine.go("go think");
    engine.end();
}

fn position(game: &Game, fen: &str) -> Position {
    game.board.read_fen(fen).unwrap()
}

#[test]
fn a_whole_session() {
    let place = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(&[], place.path());
    let introduced = {
        engine.say("hub");
        engine.listen("wait")
    };
    assert!(introduced[0].starts_with("id name=Draughtproof version="), "{introduced:?}");
    for name in ["threads", "hash", "db", "book", "ponder"] {
        let line = format!("param name={name} value=");
        assert!(introduced.iter().any(|l| l.starts_with(&line) && l.contains(" type=")), "{name}");
    }
    assert_eq!(engine.answer("set-param name=threads value=1"), [""; 0]);
    engine.say("init");
    assert_eq!(engine.listen("ready"), ["ready"]);
    assert_eq!(engine.answer("new-game"), [""; 0]);

    let game: Game = "8x8".parse().unwrap();
    let (mut at, mut moves) = (game.start(), Vec::new());
    let start = write_position(&game.board, &at);
    for _ in 0..30 {
        engine.say(&format!("pos pos={start} moves=\"{}\"", moves.join(" ")));
        engine.say("level depth=5");
        engine.say("go think");
        let lines = engine.listen("done");
        let (last, infos) = lines.split_last().unwrap();
        let words: Vec<_> = last.split(' ').collect();
        let name = words[1].strip_prefix("move=").unwrap();
        at = read_move(&game.board, &at, name).unwrap();
        if let Some(reply) = words.get(2) {
            read_move(&game.board, &at, reply.strip_prefix("ponder=").unwrap()).unwrap();
        }
        for info in infos {
            for name in ["depth=", "score=", "nodes=", "time=", "nps=", "pv="] {
                assert!(info.starts_with("info ") && info.contains(name), "{info}");
            }
        }
        moves.push(name.to_owned());
    }
    assert!(moves.iter().any(|name| name.contains('x')), "{moves:?}");
    engine.say("quit");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_bad_line_is_answered_by_one_error() {
    let place = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(&[], place.path());
    for (line, said) in [
        ("uci", "expected hub, set-param, init, "),
        ("=", "expected a command, found '='"),
        ("pos pos=\"W", "quotation mark"),
        ("pos pos=Wb", "expected 33 characters, found 2"),
        ("pos pos=Xbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww", "expected W or B, found 'X'"),
        ("pos moves=\"11-15 11-15\"", "move '11-15' in W:"),
        ("pos moves=\"1\"", "expected two or more squares"),
        ("level depth=x", "depth: expected a whole number from 1, found 'x'"),
        ("level time=inf", "expected a number of seconds"),
        ("go", "expected think, ponder or analyze"),
        ("set-param name=threads value=0", "expected a whole number from 1 to 256"),
        ("set-param name=hash value=1000000000", "expected a whole number from 1 to "),
        ("set-param name=variant value=normal", "expected threads, hash, db, book or ponder"),
        ("hub \u{1b}[2J", "expected an argument, found '\\u{1b}'"),
    ] {
        let answer = engine.answer(line);
        let is_so = answer.len() == 1 && answer[0].starts_with("error message=\"");
        assert!(is_so && answer[0].contains(said), "{line}: {answer:?}");
    }
    // Bad lines have changed nothing, and unknown lines are not errors.
    for line in ["", "  ", "stop", "ponder-hit", "pos start colour=red", "level depth=1 mood=good"]
    {
        assert_eq!(engine.answer(line), [""; 0], "{line}");
    }
    assert!(engine.go("go think").0.contains('-'));
    let long = "x".repeat(3 << 20);
    assert!(engine.answer(&long)[0].contains("expected a line of at most 1048576 bytes"));
    engine.input.write_all(b"\xff\xfe\0\n").unwrap();
    assert!(engine.listen("error")[0].contains("UTF-8"));
    // The last line needs no line feed.
    engine.input.write_all(b"ping").unwrap();
    drop(engine.input);
    let mut rest = String::new();
    engine.output.read_line(&mut rest).unwrap();
    assert_eq!(rest, "pong\n");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_search_goes_on_until_it_is_stopped() {
    let place = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(&["--threads", "1"], place.path());
    for line in ["level infinite", ""] {
        engine.say(line);
        engine.say("go analyze");
        engine.listen("info depth=6 ");
        engine.say("ping");
        engine.listen("pong");
        engine.say("pos");
        assert!(engine.listen("error").last().unwrap().contains("while a search is under way"));
        assert!(engine.go("stop").0.contains('-'));
    }
    // A level counts for one search only.
    let mut limited = Engine::new(&["--threads", "1", "--depth", "2"], place.path());
    limited.say("level infinite");
    limited.say("go think");
    limited.listen("info depth=3 ");
    limited.go("stop");
    limited.say("go think");
    let lines = limited.listen("done");
    assert!(lines.iter().any(|line| line.starts_with("info depth=2 ")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("info depth=3 ")), "{lines:?}");
    limited.end();
    // The engine also ends when its output is closed.
    engine.say("level infinite");
    engine.say("go think");
    engine.listen("info depth=3 ");
    engine.end();
}

/// The output within a time that is long enough for an answer.
fn soon(engine: &mut Engine) -> Vec<String> {
    std::thread::sleep(Duration::from_millis(300));
    engine.answer("")
}

#[test]
fn infinite_searches_wait_for_stop() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here);
    let database_decides = "WBeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeW";
    let win_is_found = "WeeeeeeeeeeeeeeeeeeeeeWWWeeeeeeBB";
    let no_move = "WBeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    for (pieces, position) in [("2", database_decides), ("0", win_is_found), ("0", no_move)] {
        let mut engine = Engine::new(&["--threads", "1", "--pieces", pieces], here);
        engine.say(&format!("pos pos={position}"));
        for (levels, go, stops) in [
            (&["level infinite"][..], "go analyze", &["stop"][..]),
            (&[], "go analyze", &["stop"]),
            (&["level infinite"], "go think", &["stop"]),
            (&["level infinite", "level move-time=0.01 depth=2"], "go think", &["stop"]),
            (&["level depth=2 infinite"], "go ponder", &["ponder-hit", "stop"]),
        ] {
            // Without a legal move the engine answers at once, unless a level or `go ponder` asks
            // it to wait.
            if levels.is_empty() && position == no_move {
                assert!(engine.go(go).0.contains('-'));
                continue;
            }
            for level in levels {
                engine.say(level);
            }
            engine.say(go);
            for stop in stops {
                let said = soon(&mut engine);
                assert!(!said.iter().any(|line| line.starts_with("done")), "{go}: {said:?}");
                // All other commands see a search under way.
                let answer = engine.answer("go think");
                assert!(answer[0].contains("while a search is under way"), "{answer:?}");
                engine.say(stop);
            }
            assert!(engine.done().0.contains('-'));
        }
        // A level counts for one search.
        engine.say("level depth=1");
        assert!(engine.go("go think").0.contains('-'));
        engine.say("go analyze");
        soon(&mut engine);
        engine.end();
    }
}

#[test]
fn stopped_searches_are_answered() {
    let place = tempfile::tempdir().unwrap();
    for end in ["", "quit\nping\n"] {
        let mut engine = Engine::new(&["--threads", "1"], place.path());
        let lines = format!("init\nlevel infinite\ngo analyze\nstop\n{end}");
        engine.input.write_all(lines.as_bytes()).unwrap();
        drop(engine.input);
        let mut said = String::new();
        engine.output.read_to_string(&mut said).unwrap();
        assert!(said.lines().last().unwrap().starts_with("done move="), "{said}");
        assert_eq!(engine.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn pondering_is_answered_late() {
    let place = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(&["--threads", "1"], place.path());
    for end in ["ponder-hit", "stop"] {
        engine.say("level depth=2");
        engine.say("go ponder");
        engine.listen("info depth=2 ");
        let answer = engine.answer("");
        assert!(!answer.iter().any(|line| line.starts_with("done")), "{answer:?}");
        assert!(engine.go(end).0.contains('-'));
    }
    // The clock of the level begins to run.
    for level in ["level move-time=0.1", "level time=1 inc=0.1", "level moves=2 time=0.5"] {
        engine.say(level);
        engine.say("go ponder");
        engine.listen("info depth=5 ");
        assert!(engine.go("ponder-hit").0.contains('-'));
        engine.say(level);
        assert!(engine.go("go think").0.contains('-'));
    }
    engine.end();
}

#[test]
fn the_database_answers() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "3", "-q"], here);
    let game: Game = "6x6".parse().unwrap();
    let mut engine = Engine::new(&["--game", "6x6"], here);
    let start = position(&game, "B:WK18:BK1,K2");
    engine.say(&format!("pos pos={}", write_position(&game.board, &start)));
    engine.say("level depth=1");
    engine.say("go think");
    let lines = engine.listen("done");
    let is_won = |line: &String| line.contains(" score=9") && line.contains(" pv=");
    assert!(lines.iter().any(is_won), "{lines:?}");
    // A missing database is an error, and the engine goes on without it.
    engine.say("set-param name=db value=nowhere");
    engine.say("init");
    assert!(engine.listen("ready")[0].starts_with("error message=\"nowhere"));
    engine.say("level depth=1");
    assert!(engine.go("go think").0.contains('-'));
    engine.end();
}

/// The moves in `pos` are the history of the game: in a drawn ending the engine goes where it has
/// not been.
#[test]
fn repetitions_of_the_game_count() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here);
    let game: Game = "8x8".parse().unwrap();
    let mut engine = Engine::new(&[], here);
    let start = write_position(&game.board, &position(&game, "B:WK32:BK1"));
    let mut choose = |moves: &str| {
        engine.say(&format!("pos pos={start} moves=\"{moves}\""));
        engine.say("level depth=1");
        engine.go("go think").0
    };
    let first = choose("");
    let (_, square) = first.split_once('-').unwrap();
    let other = choose(&format!("1-{square} 32-28 {square}-1 28-32"));
    assert!(other != first && other.starts_with("1-"), "{first}, then {other}");
    engine.end();
}

#[test]
fn a_position_without_a_move_has_no_answer() {
    let place = tempfile::tempdir().unwrap();
    let mut engine = Engine::new(&["--game", "4x4"], place.path());
    let game: Game = "4x4".parse().unwrap();
    let over = write_position(&game.board, &position(&game, "B:WK1:B"));
    engine.say(&format!("pos pos={over}"));
    engine.say("level depth=1");
    for mode in ["think", "analyze"] {
        engine.say(&format!("go {mode}"));
        let lines = engine.listen("done");
        assert_eq!(lines.last().unwrap(), "done move=0-0");
        assert!(lines[0].contains("expected a position with a legal move"), "{lines:?}");
    }
    engine.end();
}

#[test]
#[ignore = "needs python3 with pip"]
fn pydraughts_plays_whole_games() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "8x8", "--pieces", "3", "-q"], here);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/hub.py");
    let mut client = Command::new("python3");
    client.args(["-W", "ignore"]).arg(script).arg(path("prove")).arg("engine");
    let package = package("pydraughts==0.6.7", Path::new(env!("CARGO_TARGET_TMPDIR")));
    client.env("PYTHONPATH", package).current_dir(here);
    let output = client.output().expect("python3 is needed here");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains(" as expected"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let moves: usize = said.split(' ').next().unwrap().parse().unwrap();
    assert!(moves > 30, "{said}");
}
