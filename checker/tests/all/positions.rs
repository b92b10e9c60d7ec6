//! Lists of positions: `check positions`.

use crate::common::*;
use assert_cmd::Command;

/// The line of a position.
fn line(p: &Position) -> String {
    format!("{:?} {} {} {}\n", p.turn, p.black, p.white, p.kings)
}

fn list(head: &str, positions: &[Position]) -> String {
    let lines: String = positions.iter().map(line).collect();
    format!("POSITIONS {head} positions={}\n{lines}", positions.len())
}

/// Checks a list, and returns the verdict line and the status.
fn check(text: &[u8]) -> (String, Option<i32>) {
    let place = Place::new();
    let path = place.0.path().join("list");
    fs::write(&path, text).unwrap();
    let output = Command::cargo_bin("check").unwrap().arg("positions").arg(path).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// Whether the claim holds by the plain oracle.
fn holds(claim: &str, p: &Position, value: Value) -> bool {
    let mover = if p.turn == Side::White { "WHITE" } else { "BLACK" };
    let other = if p.turn == Side::White { "BLACK" } else { "WHITE" };
    let winner = match value {
        Value::Win => mover,
        Value::Loss => other,
        Value::Draw => "NOBODY",
    };
    match claim.split_once('-') {
        None => winner == "NOBODY",
        Some((side, "WINS")) => winner == side,
        Some((side, _)) => winner == "NOBODY" || winner == side,
    }
}

/// Exactly the positions of which each claim holds pass, alone and in a list of all of them.
#[test]
fn positions_of_a_value_pass_and_others_do_not() {
    let (b, oracle) = (board("4x4"), oracle_4x4());
    let all = all_positions(&b, 3);
    for claim in ["DRAW", "BLACK-NOT-LOST", "WHITE-NOT-LOST", "BLACK-WINS", "WHITE-WINS"] {
        let head = format!("{claim} 4x4 pieces=3");
        let is_right = |p: &&Position| holds(claim, p, oracle.0[*p].0);
        let right: Vec<_> = all.iter().filter(is_right).copied().collect();
        let wrong: Vec<_> = all.iter().filter(|p| !is_right(p)).copied().collect();
        assert!(right.len() > 100 && wrong.len() > 100, "{claim}: {} {}", right.len(), wrong.len());
        let text = list(&head, &right);
        let (found, status) = check(text.as_bytes());
        let (n, digest) = (right.len(), Digest::of(text.as_bytes()));
        let rest = "format=1 rules=english-checkers-1 db=exact";
        assert_eq!(
            (found, status),
            (format!("s VERIFIED POSITIONS {head} positions={n} list={digest} {rest}\n"), Some(0))
        );
        // A wrong one at the end, in the middle, and one that differs in the side to move alone.
        let other = |turn| if turn == Side::White { Side::Black } else { Side::White };
        let turned = right.iter().map(|&p| Position { turn: other(p.turn), ..p });
        let turned: Vec<_> = turned.filter(|p| wrong.contains(p)).collect();
        for bad in [wrong[0], wrong[wrong.len() / 2], *wrong.last().unwrap(), turned[0]] {
            for at in [0, n / 2, n] {
                let mut list_of = right.clone();
                list_of.insert(at, bad);
                let (found, status) = check(list(&head, &list_of).as_bytes());
                refuted(&found, "list-value", &format!("position={}", write_fen(&bad)));
                assert_eq!(status, Some(1));
            }
        }
    }
}

#[test]
fn positions_outside_the_cover() {
    let bad =
        |pieces: &str, p: Position| list(&format!("WHITE-NOT-LOST 4x4 pieces={pieces}"), &[p]);
    let white = |black, white, kings| Position { black, white, kings, turn: Side::White };
    for (pieces, p) in [
        ("2", white(1, 0xc0, 0xc0)),
        ("4:2", white(1, 0xe0, 0xe0)),
        // A side without pieces, a square of two pieces, kings that are no pieces, a man on its
        // last row, and squares of a larger board.
        ("3", white(0, 0xc0, 0xc0)),
        ("3", white(0x40, 0xc0, 0xc0)),
        ("3", white(1, 0xc0, 0xc8)),
        ("3", white(1, 3, 2)),
        ("3", white(1, 0x300, 0x300)),
    ] {
        let (found, status) = check(bad(pieces, p).as_bytes());
        refuted(&found, "list-cover", "position=W:");
        assert_eq!(status, Some(1), "{found}");
    }
    assert_eq!(check(bad("3", white(1, 0xc0, 0xc0)).as_bytes()).1, Some(0));
}

#[test]
fn malformed_lists() {
    let head = "WHITE-NOT-LOST 4x4 pieces=3";
    let p = Position { black: 1, white: 0xc0, kings: 0xc0, turn: Side::White };
    let right = list(head, &[p, p]);
    assert_eq!(check(right.as_bytes()).1, Some(0));
    let changes: [(&str, &str); 20] = [
        ("White 1 192 192\n", ""),
        ("positions=2\nWhite 1 192 192\nWhite 1 192 192\n", "positions=0\n"),
        ("positions=2\nWhite 1 192 192\nWhite 1 192 192\n", "positions=0\n\n"),
        ("positions=2", "positions=1"),
        ("positions=2", "positions=02"),
        ("positions=2", "positions=3"),
        ("4x4", "4x5"),
        ("4x4", "04x4"),
        ("4x4", "4x4/1"),
        ("pieces=3", "pieces=3:2"),
        ("pieces=3", "pieces=9"),
        ("pieces=3", "pieces=200"),
        ("pieces=3", "pieces=0"),
        ("WHITE-NOT-LOST", "WHITE-NOT-WON"),
        ("POSITIONS", "DATABASE"),
        ("White 1 192", "White 01 192"),
        ("White 1 192", "White +1 192"),
        ("White 1 192", "white 1 192"),
        ("White 1 192", "White 1 192 0"),
        ("White 1 192", "White 4294967297 192"),
    ];
    let mut texts: Vec<Vec<u8>> =
        changes.iter().map(|(from, to)| right.replacen(from, to, 1).into_bytes()).collect();
    texts.extend((0..right.len()).map(|end| right.as_bytes()[..end].to_vec()));
    texts.push([right.as_bytes(), b"\n"].concat());
    texts.push([right.as_bytes(), b"\xff\n"].concat());
    texts.push(right.replace('\n', "\r\n").into_bytes());
    for text in texts {
        let (found, status) = check(&text);
        let text = String::from_utf8_lossy(&text);
        assert!(found.starts_with("s REFUTED list-"), "{text}: {found}");
        assert_eq!(status, Some(1), "{text}");
    }
    // A file of one terabyte, of which a line is read.
    let place = Place::new();
    let large = place.0.path().join("large");
    fs::write(&large, right.replace("=2", "=3")).unwrap();
    fs::File::options().write(true).open(&large).unwrap().set_len(1 << 40).unwrap();
    let run = Command::cargo_bin("check").unwrap().arg("positions").arg(&large).output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(String::from_utf8(run.stdout).unwrap().ends_with(" found=line%204\n"));
    // A pipe is not waited for.
    let pipe = place.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["/dev/null", "/nowhere", "/", pipe.to_str().unwrap()] {
        let run = Command::cargo_bin("check").unwrap().args(["positions", path]).output().unwrap();
        assert!(run.stdout.starts_with(b"s ERROR /"), "{path}");
        assert_eq!(run.status.code(), Some(4));
    }
}
