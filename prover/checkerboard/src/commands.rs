//! The commands of the API: `name`, `about`, `help`, `get …`, `set …`, `staticevaluation …`.

use std::path::Path;

use crate::player::{Settings, processors};
use crate::session::read_game;
use crate::session::{GAME, orders};
use draughtproof_egdb::{Store, Values};
use draughtproof_proof::heuristic::Heuristic;

/// The version of the API.
const PROTOCOL_VERSION: &str = "2";
/// The number of English checkers in the API.
const GAME_TYPE: &str = "21";
/// The most bytes of an accepted path, which fits into the shortest reply buffer that programs
/// have.
const MOST_PATH: usize = 200;

/// Obeys a command; returns the reply, or the reason why it is not obeyed.
///
/// # Errors
/// The expected and the found text; also for unknown commands.
pub fn obey(command: &str) -> Result<String, String> {
    let (verb, rest) = split(command);
    match verb {
        "name" => Ok(concat!("Draughtproof ", env!("CARGO_PKG_VERSION")).into()),
        "about" => Ok(about()),
        "help" => Ok("draughtproof.htm".into()),
        "get" => get(rest),
        "set" => {
            let (name, value) = split(rest);
            set(name, value)
        }
        "staticevaluation" => evaluate(rest),
        _ => unknown(command),
    }
}

/// The first word, and the rest without blanks around it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim())
}

fn unknown(what: &str) -> Result<String, String> {
    Err(format!("unknown: {what}"))
}

fn about() -> String {
    concat!(
        "Draughtproof ",
        env!("CARGO_PKG_VERSION"),
        "\nEnglish checkers.\nAlpha-beta search over a fitted evaluation and exact endgame databases."
    )
    .into()
}

fn get(name: &str) -> Result<String, String> {
    let settings = &orders().settings;
    Ok(match name {
        "protocolversion" => PROTOCOL_VERSION.into(),
        "gametype" => GAME_TYPE.into(),
        "hashsize" => settings.table_mib.to_string(),
        "dbpath" => settings.database.display().to_string(),
        "dbmbytes" => settings.database_mib.to_string(),
        "enable_wld" => u8::from(settings.is_database_used).to_string(),
        "searchthreads" => settings.threads.to_string(),
        "cpus" => processors().to_string(),
        // No opening book.
        "book" => "0".into(),
        _ => return unknown(name),
    })
}

fn set(name: &str, value: &str) -> Result<String, String> {
    let size = || number(name, value, 1, Settings::MOST_MIB);
    match name {
        "hashsize" => orders().settings.table_mib = available(name, size()?)?,
        "dbmbytes" => orders().settings.database_mib = size()?,
        "dbpath" => return set_database(value),
        "enable_wld" => orders().settings.is_database_used = number(name, value, 0, 1)? == 1,
        "searchthreads" => {
            let threads = number(name, value, 1, Settings::MOST_THREADS)?;
            orders().settings.threads = usize::try_from(threads).map_err(|e| e.to_string())?;
        }
        "book" => drop(number(name, value, 0, 0)?),
        "gamehist" => {
            // The game that was told before is dropped, even if the new one cannot be read.
            orders().told = None;
            let told = read_game(&GAME, value).map_err(|e| e.to_string())?;
            orders().told = Some(told);
            return Ok("gamehist set".into());
        }
        _ => return unknown(name),
    }
    Ok(format!("{name} set to {value}"))
}

fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{name}: expected {least} to {most}, found {value:?}"))
}

/// A size in MiB, if the machine has that memory: otherwise the program that has loaded the library
/// would end.
fn available(name: &str, mib: u64) -> Result<u64, String> {
    let bytes = usize::try_from(mib << 20).ok();
    let is_there = bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if is_there { Ok(mib) } else { Err(format!("{name}: there are no {mib} MiB of memory")) }
}

/// Sets the directory of databases; returns a description of its content.
fn set_database(value: &str) -> Result<String, String> {
    if value.is_empty() || value.len() > MOST_PATH {
        let found = value.len();
        return Err(format!("dbpath: expected 1 to {MOST_PATH} bytes, found {found}"));
    }
    orders().settings.database = value.into();
    Ok(match Store::new(Path::new(value), &GAME.board).manifest() {
        Ok(manifest) => format!("dbpath set, pieces {}", manifest.cover),
        Err(error) => format!("dbpath set, {error}"),
    })
}

/// The static evaluation of a position.
fn evaluate(fen: &str) -> Result<String, String> {
    let board = &GAME.board;
    let position = board.read_fen(fen).map_err(|e| e.to_string())?;
    let score = Heuristic::new(board, &Values::empty(board)).evaluate(&position);
    Ok(format!("{:+.2} men for the side to move", f64::from(score) / 100.0))
}

#[cfg(test)]
mod tests {
    use super::obey;

    #[test]
    fn what_it_is() {
        assert!(obey("name").unwrap().starts_with("Draughtproof "));
        assert_eq!(obey("get gametype").as_deref(), Ok("21"));
        assert_eq!(obey(" get  protocolversion ").as_deref(), Ok("2"));
        assert_eq!(obey("get book").as_deref(), Ok("0"));
        assert!(obey("about").unwrap().contains('\n'));
        let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
        assert!(obey(&format!("staticevaluation {start}")).unwrap().contains("men"));
    }

    #[test]
    fn what_is_set_is_what_one_gets() {
        for (name, value) in
            [("hashsize", "64"), ("dbmbytes", "100"), ("searchthreads", "2"), ("enable_wld", "0")]
        {
            let said = obey(&format!("set {name} {value}")).unwrap();
            assert_eq!(said, format!("{name} set to {value}"));
            assert_eq!(obey(&format!("get {name}")).as_deref(), Ok(value));
        }
        let said = obey("set dbpath /no where").unwrap();
        assert!(said.contains("no database here"), "{said}");
        assert_eq!(obey("get dbpath").as_deref(), Ok("/no where"));
    }

    #[test]
    fn what_is_not_done() {
        for command in [
            "",
            "get",
            "set",
            "get movelist B:W1:B",
            "set allscores 1",
            "set hashsize 0",
            "set hashsize -1",
            "set hashsize 65537",
            "set hashsize x",
            "set book 3",
            "set enable_wld 2",
            "set searchthreads 0",
            "set searchthreads 257",
            "set dbpath",
            "set gamehist",
            "set gamehist B:W32:BK1 1-32",
            "staticevaluation B",
        ] {
            assert!(obey(command).is_err(), "{command}");
        }
        assert!(obey(&format!("set dbpath {}", "x".repeat(201))).is_err());
    }
}
