//! The words of a note's verdict, field by field (`SPEC.md` §10 to §12).
//!
//! Enforces: that a note says nothing but what a check of this format and these rules can have
//! said. Each field must be known and occur once, since an unknown field might revoke what others
//! say.

use certificate_spec::{Digest, RULES, VERSION};
use std::collections::BTreeMap;

/// The most fields of a verdict.
const MOST_FIELDS: usize = 32;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Everything is right.
    Verified,
    /// The values of a database follow from each other (`SPEC.md` §8.5).
    Consistent,
    /// Everything is right but for nodes that are assumed.
    Conditional,
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A certificate, with the words of its claim.
    Certificate {
        /// The value that is claimed, as a word of verdicts.
        value: &'a str,
        /// The game, `RxC` or `RxC/k`.
        game: &'a str,
    },
    /// A database of this board.
    Database {
        /// The board, `RxC`.
        board: &'a str,
    },
}

/// The words of a verdict in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words<'a> {
    /// The result of the check.
    pub found: Found,
    /// `I/N`, if the verdict is about shard I of N.
    pub shard: Option<&'a str>,
    /// The certificate or database that was checked.
    pub subject: Subject<'a>,
    fields: BTreeMap<&'a str, &'a str>,
}

/// The number that a text states, if the text is its only spelling.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

/// The two numbers of `I/N`, the first at least 1 and at most the second.
fn share(text: &str) -> Option<(u64, u64)> {
    let (part, all) = text.split_once('/')?;
    Some((number(part)?, number(all)?)).filter(|(part, all)| (1..=*all).contains(part))
}

fn is_digest(text: &str) -> bool {
    Digest::parse(text).is_some_and(|digest| digest.to_string() == text)
}

impl<'a> Words<'a> {
    /// Splits the words of a verdict, without its `s`, into fields.
    ///
    /// # Errors
    /// Why the words are not those of a verdict.
    pub fn read(verdict: &'a str) -> Result<Words<'a>, String> {
        let mut words = verdict.split(' ').peekable();
        let found = match words.next() {
            Some("VERIFIED") => Found::Verified,
            Some("CONSISTENT") => Found::Consistent,
            Some("CONDITIONAL") => Found::Conditional,
            _ => return Err("it does not say VERIFIED".into()),
        };
        let mut shard = None;
        if words.next_if_eq(&"SHARD").is_some() {
            shard = words.next();
        }
        let mut two = || Some((words.next()?, words.next()?));
        let subject = match two() {
            Some(("DATABASE", board)) => Subject::Database { board },
            Some((value, game)) => Subject::Certificate { value, game },
            None => return Err("it does not say what it is about".into()),
        };
        let mut fields = BTreeMap::new();
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                return Err(format!("expected fields, found {word:?}"));
            };
            if fields.insert(name, value).is_some() {
                return Err(format!("the field {name} is there twice"));
            }
            if fields.len() > MOST_FIELDS {
                return Err(format!("expected at most {MOST_FIELDS} fields"));
            }
        }
        Ok(Words { found, shard, subject, fields })
    }

    /// The value of a field, if the field is there.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).copied()
    }

    /// The value of a field as a number, if it is one.
    pub fn number(&self, name: &str) -> Option<u64> {
        number(self.field(name)?)
    }

    /// The number of pairs of slices that a journal has spoken for, and the number of all pairs.
    pub fn journal(&self) -> Option<(u64, u64)> {
        share(self.field("journal")?)
    }

    /// Checks that a field has this value.
    ///
    /// # Errors
    /// The field has another value, or is missing.
    pub fn expect(&self, name: &str, value: impl ToString) -> Result<(), String> {
        let (expected, found) = (value.to_string(), self.field(name));
        match found {
            Some(found) if found == expected => Ok(()),
            Some(found) => Err(format!("expected {name}={expected}, found {name}={found}")),
            None => Err(format!("expected {name}={expected}, found no field {name}")),
        }
    }

    /// Checks that the verdict is about the format and the rules of this program.
    ///
    /// # Errors
    /// The format or rules that it is about.
    pub fn judge_game(&self) -> Result<(), String> {
        self.expect("format", VERSION)?;
        self.expect("rules", RULES)
    }

    /// Checks that a check of this format and these rules can have said all this, whatever its
    /// subject. The ranges and tables of shards are judged when notes are joined.
    ///
    /// # Errors
    /// The first thing that no such check can have said.
    pub fn judge(&self) -> Result<(), String> {
        self.judge_game()?;
        self.judge_names()?;
        let text = |name| self.field(name).unwrap_or_default();
        let numbers = ["nodes", "leaves", "positions", "slices", "indices", "assumed"];
        for name in numbers.into_iter().filter(|name| self.field(name).is_some()) {
            // For a shard these fields are ranges.
            let is_range = self.shard.is_some() && ["nodes", "leaves", "slices"].contains(&name);
            if !is_range && self.number(name).is_none() {
                return Err(format!("expected a number, found {name}={}", text(name)));
            }
        }
        if self.number("assumed") == Some(0) {
            return Err("expected assumed nodes, found assumed=0".into());
        }
        for name in ["root", "db-root"].into_iter().filter(|name| self.field(name).is_some()) {
            let is_none = name == "db-root" && text(name) == "none";
            if !is_none && !is_digest(text(name)) {
                return Err(format!("expected a digest, found {name}={}", text(name)));
            }
        }
        for name in ["db-note-journals", "db-note-keys"] {
            let is_none = name == "db-note-keys" && text(name) == "none";
            if self.field(name).is_some() && !is_none && self.number(name).is_none_or(|n| n == 0) {
                return Err(format!("expected a number, found {name}={}", text(name)));
            }
        }
        if self.field("db-note").is_some_and(|list| !list.split(',').all(is_digest)) {
            return Err("expected digests of notes after db-note=".into());
        }
        if self.field("journal").is_some() && self.journal().is_none() {
            return Err(format!("expected journal=K/N, found journal={}", text("journal")));
        }
        if self.shard.is_some_and(|shard| share(shard).is_none()) {
            return Err("expected SHARD I/N".into());
        }
        self.judge_level()
    }

    /// Checks that the fields are those of a verdict of this kind.
    fn judge_names(&self) -> Result<(), String> {
        let is_database = matches!(self.subject, Subject::Database { .. });
        let mut needed = vec!["format", "rules", "db", "pieces", "db-root"];
        let mut possible = vec!["journal"];
        if !is_database {
            needed.extend(["start", "root", "nodes", "leaves", "positions"]);
            possible.extend(["db-note", "db-note-keys", "db-note-journals"]);
        }
        match (self.shard, self.found) {
            (Some(_), Found::Verified) => {
                needed.extend(["slices", "tables", "given", "given-tables"]);
                possible.extend((!is_database).then_some("assumed"));
            }
            (None, Found::Verified | Found::Consistent) if is_database => {
                needed.extend(["slices", "indices"]);
            }
            (None, Found::Verified) => {}
            (None, Found::Conditional) if !is_database => needed.push("assumed"),
            _ => return Err("no check says this of a part, database or certificate".into()),
        }
        if let Some(name) = needed.iter().find(|name| self.field(name).is_none()) {
            return Err(format!("expected a field {name}, found none"));
        }
        let is_known = |name: &&str| needed.contains(name) || possible.contains(name);
        if let Some(name) = self.fields.keys().find(|name| !is_known(name)) {
            return Err(format!("expected fields that are known here, found {name}"));
        }
        let has = |name| self.field(name).is_some();
        match has("db-note") == has("db-note-keys")
            && (has("db-note") || !has("db-note-journals"))
            && !(has("db-note") && has("journal"))
        {
            true => Ok(()),
            false => Err("expected db-note and db-note-keys, or neither".into()),
        }
    }

    /// Checks that the level is possible for the subject.
    fn judge_level(&self) -> Result<(), String> {
        let is_whole = self.shard.is_none();
        let is_none = [("pieces", "0"), ("db-root", "none"), ("db", "none")]
            .map(|(name, none)| self.field(name) == Some(none));
        let level = self.field("db").unwrap_or_default();
        match (self.subject, level) {
            (Subject::Certificate { .. }, "none") if is_none == [true; 3] => Ok(()),
            (Subject::Certificate { .. }, "exact" | "consistent") if is_none == [false; 3] => {
                Ok(())
            }
            (Subject::Database { .. }, "exact")
                if is_none == [false; 3] && self.found == Found::Verified =>
            {
                Ok(())
            }
            (Subject::Database { .. }, "consistent")
                if is_none == [false; 3] && is_whole == (self.found == Found::Consistent) =>
            {
                Ok(())
            }
            _ => Err(format!("no check says this of a database: found db={level}")),
        }
    }
}
