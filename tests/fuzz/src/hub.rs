//! Lines of Hub, which `prove engine` reads. For the reason given in `games`, not among `targets`.

use draughtproof_game::{Board, Game, Position};
use draughtproof_play::engine::Parameters;
use draughtproof_play::engine::clock::Allowance;
use draughtproof_play::engine::command::{Command, parse};
use draughtproof_play::engine::notation::{read_move, read_position, write_move, write_position};

use crate::counting::peak;

/// The most bytes of memory for a byte of input: the parsed parts of a line are parts of its text,
/// and growing takes as much again.
const TIMES: usize = 4;
/// The bytes for up to 64 arguments, and messages.
const MESSAGES: usize = 8 << 10;

/// Reads any bytes as lines.
pub fn run(bytes: &[u8]) {
    let game: Game = "8x8".parse().expect("a game");
    let mut parameters = Parameters {
        threads: 1,
        hash: 1 << 20,
        most_hash: 1 << 30,
        database: "egdb".into(),
        book: "".into(),
        ponder: false,
    };
    for line in String::from_utf8_lossy(bytes).split('\n') {
        let (parsed, most) = peak(|| parse(line));
        assert!(most <= TIMES * line.len() + MESSAGES, "{most} bytes of memory");
        match parsed {
            Ok(Some(Command::Pos { position, moves })) => {
                follow(&game, position.as_deref(), &moves);
            }
            Ok(Some(Command::Level(level))) => {
                let Allowance { soft, hard } = Allowance::new(&level.and(level), false);
                assert!(soft.is_none() || soft <= hard || level.move_time.is_some());
                let left = level.clock.map(|clock| clock.left);
                assert!(left.is_none_or(|left| hard.is_some_and(|hard| hard <= left)));
            }
            Ok(Some(Command::SetParam { name, value })) => {
                // A parameter that is refused changes nothing.
                let before = parameters.clone();
                if parameters.set(&name, &value).is_err() {
                    assert_eq!(parameters, before);
                }
            }
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn follow(game: &Game, position: Option<&str>, moves: &str) {
    let board = &game.board;
    let start = position.map_or(Ok(game.start()), |text| read_position(board, text));
    let Ok(mut at) = start else { return };
    assert_eq!(read_position(board, &write_position(board, &at)), Ok(at));
    for name in moves.split_whitespace() {
        let Ok(after) = read_move(board, &at, name) else { return };
        is_read_back(board, &at, &after);
        at = after;
    }
}

fn is_read_back(board: &Board, at: &Position, after: &Position) {
    let written = write_move(board, at, after).expect("a legal move");
    assert_eq!(read_move(board, at, &written), Ok(*after), "{written}");
}

/// The inputs that fuzzing begins with.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 20] = [
        b"hub\nset-param name=threads value=4\nset-param name=hash value=64\ninit\n",
        b"set-param name=db value=\"/a b/c=d\"\nset-param name=ponder value=true\n",
        b"set-param name=threads value=0\nset-param name=\"\" value=\nset-param value=1",
        b"new-game\npos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves=\"11-15 23-19 8-11\"\n",
        b"pos pos=WeeeeeeeebbbbeeeeeeeeeeeeeeeeeWww moves=\"2-7\"\ngo think\n",
        b"pos start moves=\"11-15 22-18 15x22x18 25x18x22\"",
        b"pos pos=Weeeeeeeeeeeeeeeeebbeeeeeebbeeewe moves=\"2x18x7x15 \"",
        b"pos pos=Weeeeeeeeeeeeeeeeebbeeeeeebbeeewe moves=2x18x14x6",
        b"pos pos=WeeeeeeeeeeeeeebbeeeeeebbeeWeeeee moves=6x6x9x10x17x18",
        b"pos pos=BWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeB moves=\"1-6 32-27\"",
        b"pos pos=Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
        b"level move-time=1.5\ngo think\nstop\n",
        b"level depth=12 nodes=100000\nlevel infinite\ngo analyze\nping\n",
        b"level moves=9 time=291.587\ngo ponder\nponder-hit\n",
        b"level time=-0.05 inc=0.1\nlevel time=1e308 inc=1e308 moves=4294967295",
        b"level depth=99999999999 time=NaN move-time=-inf",
        b"go\ngo think ponder analyze\ngo analyse x=y \"",
        b"quit\n\n \t \nquit now",
        b"= = =\na==b a=\"\"\" a=\xff\xfe\0\x1b[2J",
        b"\xc3\xa9\xe2\x80\x83x=\xc3\xa9 y=\"\xe2\x80\x83\"",
    ];
    texts.map(<[u8]>::to_vec).to_vec()
}
