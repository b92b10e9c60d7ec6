//! The words of a note's verdict, and the values of its fields (`SPEC.md` §10 to §12).
//!
//! Enforces: that a note says nothing but what a check of this format and these rules can have
//! said. Each field must be known and occur once, in its place, since an unknown field might revoke
//! what others say.

use crate::shard::Shard;
use certificate_spec::claim::Value;
use certificate_spec::cover::Cover;
use certificate_spec::{Digest, RULES, VERSION};

/// The most fields of a verdict.
const MOST_FIELDS: usize = 32;

/// The roots that a refutation is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refuted {
    /// The root of the certificate, if the note names it.
    pub root: Option<Digest>,
    /// The root of the database, if the note names it.
    pub db_root: Option<Digest>,
}

/// Reads a refutation; `None` if the verdict is something else.
///
/// # Errors
/// The verdict begins like a refutation, and no check can have said the rest.
pub fn refutation(verdict: &str) -> Result<Option<Refuted>, String> {
    let mut words = verdict.split(' ');
    if words.next() != Some("REFUTED") {
        return Ok(None);
    }
    let mut refuted = Refuted::default();
    let rule = words.next().unwrap_or_default();
    if rule.is_empty() || !rule.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
        return Err(format!("expected the rule that is violated, found {rule:?}"));
    }
    // The fields may be missing, and have this order.
    let mut due =
        ["file", "offset", "position", "expected", "found", "root", "db-root"].into_iter();
    let mut has_file = false;
    for word in words {
        let field = word.split_once('=').filter(|(name, _)| due.any(|due| due == *name));
        match field {
            Some(("offset", value)) if number::<u64>(value).is_none() => {
                return Err(format!("expected a number, found {word}"));
            }
            Some(("root", value)) => refuted.root = Some(root(value)?),
            Some(("db-root", value)) => refuted.db_root = Some(root(value)?),
            Some((name, value)) => has_file |= name == "file" && !value.is_empty(),
            None => return Err(format!("expected a field of a refutation, found {word:?}")),
        }
    }
    match has_file {
        true => Ok(Some(refuted)),
        false => Err("it does not name the file that it refutes".into()),
    }
}

fn root(text: &str) -> Result<Digest, String> {
    Digest::parse(text).ok_or_else(|| format!("expected a digest, found {text:?}"))
}

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

/// The subject of a note.
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

/// The words of a verdict in a note, whose fields have not been judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words<'a> {
    /// The result of the check.
    pub found: Found,
    /// `I/N`, if the verdict is about shard I of N.
    pub shard: Option<&'a str>,
    /// The certificate or database that was checked.
    pub subject: Subject<'a>,
    /// Names and values in their order; each name occurs once.
    fields: Vec<(&'a str, &'a str)>,
}

/// The values of the fields of a verdict that has all its fields in their order, each in its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The level at which values of the database were verified; `None` without a database.
    pub level: Option<Level>,
    /// The positions that the database covers.
    pub cover: Cover,
    /// The root of the database; `None` without a database.
    pub db_root: Option<Digest>,
    /// The values of the database that the check has not verified itself.
    pub believed: Believed,
    /// The extent of the check.
    pub extent: Extent,
    /// The number of Assumed nodes.
    pub assumed: u64,
}

/// The level at which the values of a database were verified (`SPEC.md` §8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// All values are right.
    Exact,
    /// All values follow from each other.
    Consistent,
}

/// The values of the database that a check has not verified itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Believed {
    /// It has verified all values that it was asked to verify.
    Nothing,
    /// A journal has spoken for some pairs of slices, out of this number.
    Journal {
        /// The number of the pairs that were to be verified.
        of: usize,
    },
    /// Notes were trusted for all values.
    Notes,
}

/// The extent of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// All of a certificate.
    Certificate {
        /// The number of nodes of all questions.
        nodes: u64,
        /// The number of leaves of all questions.
        leaves: u64,
        /// The number of positions that the leaves expand.
        positions: u64,
    },
    /// All of a database alone.
    Database {
        /// The number of slices.
        slices: u64,
        /// The number of indices of all slices.
        indices: u64,
    },
    /// A shard.
    Shard(Shard, Part),
}

/// The items that a shard has verified, and what it took for granted (`SPEC.md` §11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The pairs of slices that were verified.
    pub slices: Share,
    /// The digests of their tables.
    pub tables: Vec<Digest>,
    /// The pairs of slices on whose values the verified ones may rest.
    pub given: Share,
    /// The digest of the list of the tables that were taken for granted; `None` without any.
    pub given_tables: Option<Digest>,
    /// The nodes, leaves and positions; `None` for a database alone.
    pub positions: Option<Positions>,
}

/// The nodes and leaves that a shard has verified, question by question of the claim's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions {
    /// The nodes of each question, with its start as number 0.
    pub nodes: Vec<Share>,
    /// The leaves of each question.
    pub leaves: Vec<Share>,
    /// The number of positions that these leaves expand.
    pub positions: u64,
}

/// `A-B/N`: the items from number A to before number B, of N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The number of the first item.
    pub start: usize,
    /// The number after that of the last item.
    pub end: usize,
    /// The number of all items.
    pub of: usize,
}

impl Share {
    fn parse(text: &str) -> Option<Share> {
        let (range, of) = text.split_once('/')?;
        let (start, end) = range.split_once('-')?;
        let share = Share { start: number(start)?, end: number(end)?, of: number(of)? };
        (share.start <= share.end && share.end <= share.of).then_some(share)
    }
}

/// The number that a text states, if the text is its only spelling.
fn number<N: std::str::FromStr + ToString>(text: &str) -> Option<N> {
    text.parse().ok().filter(|number: &N| number.to_string() == text)
}

/// Reads `K/N` with K from 1 to N, and returns N.
fn journal(text: &str) -> Option<usize> {
    let (believed, of) = text.split_once('/')?;
    let (believed, of): (usize, usize) = (number(believed)?, number(of)?);
    (1..=of).contains(&believed).then_some(of)
}

/// Reads `Q:A-B/N,…`, one item for each question of this value.
fn shares(text: &str, value: Value) -> Option<Vec<Share>> {
    let mut shares = Vec::new();
    let mut items = text.split(',');
    for question in value.questions() {
        let (number, share) = items.next()?.split_once(':')?;
        shares.push(Share::parse(share).filter(|_| number == (*question as u8).to_string())?);
    }
    items.next().is_none().then_some(shares)
}

/// Reads digests, separated by commas.
fn digests(text: &str) -> Option<Vec<Digest>> {
    text.split(',').map(Digest::parse).collect()
}

/// Reads what `read` reads, or the word `none`.
fn or_none<T>(text: &str, read: fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "none" { Some(None) } else { read(text).map(Some) }
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
        let subject = match (words.next(), words.next()) {
            (Some("DATABASE"), Some(board)) => Subject::Database { board },
            (Some(value), Some(game)) => Subject::Certificate { value, game },
            _ => return Err("it does not say what it is about".into()),
        };
        let mut fields: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                return Err(format!("expected fields, found {word:?}"));
            };
            if fields.iter().any(|(other, _)| *other == name) {
                return Err(format!("the field {name} is there twice"));
            }
            fields.push((name, value));
            if fields.len() > MOST_FIELDS {
                return Err(format!("expected at most {MOST_FIELDS} fields"));
            }
        }
        Ok(Words { found, shard, subject, fields })
    }

    /// The value of a field, if the field is there.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Checks that a field has this value.
    ///
    /// # Errors
    /// The field has another value, or is missing.
    pub fn expect(&self, name: &str, value: impl ToString) -> Result<(), String> {
        let expected = value.to_string();
        match self.field(name) {
            Some(found) if found == expected => Ok(()),
            Some(found) => Err(format!("expected {name}={expected}, found {name}={found}")),
            None => Err(format!("expected {name}={expected}, found no field {name}")),
        }
    }

    /// Reads the values of the fields. A check of this format and these rules can have said all
    /// this, of some certificate or database.
    ///
    /// # Errors
    /// The first thing that no such check can have said.
    pub fn judge(&self) -> Result<Fields, String> {
        self.expect("format", VERSION)?;
        self.expect("rules", RULES)?;
        self.judge_order()?;
        let value = self.claimed()?;
        let level = match self.field("db") {
            Some("none") => None,
            Some("exact") => Some(Level::Exact),
            Some("consistent") => Some(Level::Consistent),
            _ => return Err(self.impossible_level()),
        };
        if level == Some(Level::Consistent)
            && let Some(value) = value
            && value.questions().iter().any(|question| question.is_win())
        {
            return Err("no check says db=consistent of a win".into());
        }
        if self.field("root").is_some() {
            self.value("root", "a digest", Digest::parse)?;
        }
        let fields = Fields {
            level,
            cover: self.value("pieces", "a cover", Cover::parse)?,
            db_root: self.value("db-root", "a digest", |text| or_none(text, Digest::parse))?,
            believed: self.believed()?,
            extent: self.extent(value)?,
            assumed: match self.field("assumed") {
                None => 0,
                Some("0") => return Err("expected assumed nodes, found assumed=0".into()),
                Some(_) => self.value("assumed", "a number", number)?,
            },
        };
        match self.is_possible(&fields) {
            true => Ok(fields),
            false => Err(self.impossible_level()),
        }
    }

    fn impossible_level(&self) -> String {
        format!("no check says this of a database: found db={}", self.field("db").unwrap_or(""))
    }

    /// The value of a field that has been found to be there; `what` describes its form.
    fn value<T>(
        &self,
        name: &str,
        what: &str,
        read: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, String> {
        let text = self.field(name).unwrap_or_default();
        read(text).ok_or_else(|| format!("expected {what}, found {name}={text}"))
    }

    fn is_of_database(&self) -> bool {
        matches!(self.subject, Subject::Database { .. })
    }

    /// The value that a certificate claims; `None` for a database alone.
    fn claimed(&self) -> Result<Option<Value>, String> {
        let Subject::Certificate { value: word, .. } = self.subject else { return Ok(None) };
        let value = Value::parse(word).ok_or_else(|| format!("expected a value, found {word}"))?;
        Ok(Some(value))
    }

    /// Checks that the fields are those of a verdict of this kind, in their order.
    fn judge_order(&self) -> Result<(), String> {
        let is_of_database = self.is_of_database();
        let is_possible = match self.found {
            Found::Verified => true,
            Found::Consistent => is_of_database && self.shard.is_none(),
            Found::Conditional => !is_of_database && self.shard.is_none(),
        };
        if !is_possible {
            return Err("no check says this of a part, database or certificate".into());
        }
        let mut due = match is_of_database {
            true => vec!["pieces", "db-root", "format", "rules", "db"],
            false => vec!["start", "root", "format", "rules", "db", "pieces", "db-root"],
        };
        let has = |name| self.field(name).is_some();
        if has("journal") {
            due.push("journal");
        } else if has("db-note") && !is_of_database {
            due.extend(["db-note", "db-note-keys"]);
            due.extend(has("db-note-journals").then_some("db-note-journals"));
        }
        match (self.shard.is_some(), is_of_database) {
            (true, _) => due.extend(["slices", "tables", "given", "given-tables"]),
            (false, true) => due.extend(["slices", "indices"]),
            (false, false) => {}
        }
        if !is_of_database {
            due.extend(["nodes", "leaves", "positions"]);
            let is_conditional = self.found == Found::Conditional;
            let may_be = self.shard.is_some() && has("assumed");
            due.extend((is_conditional || may_be).then_some("assumed"));
        }
        let mut there = self.fields.iter().map(|(name, _)| *name);
        for name in due {
            match there.next() {
                Some(found) if found == name => {}
                found => {
                    let found = found.unwrap_or("no more");
                    return Err(format!("expected the field {name}, found {found}"));
                }
            }
        }
        match there.next() {
            Some(found) => Err(format!("expected no more fields, found {found}")),
            None => Ok(()),
        }
    }

    fn believed(&self) -> Result<Believed, String> {
        if self.field("journal").is_some() {
            return Ok(Believed::Journal { of: self.value("journal", "journal=K/N", journal)? });
        }
        if self.field("db-note").is_none() {
            return Ok(Believed::Nothing);
        }
        let notes = self.value("db-note", "digests of notes", digests)?.len();
        let positive = |text: &str| number(text).filter(|number: &usize| *number > 0);
        if self.field("db-note-keys") != Some("none") {
            self.value("db-note-keys", "a number", positive)?;
        }
        if self.field("db-note-journals").is_some() {
            let is_possible = |text: &str| positive(text).filter(|journals| *journals <= notes);
            self.value("db-note-journals", "at most as many as notes", is_possible)?;
        }
        Ok(Believed::Notes)
    }

    fn extent(&self, value: Option<Value>) -> Result<Extent, String> {
        let count = |name| self.value(name, "a number", number::<u64>);
        let Some(shard) = self.shard else {
            if self.is_of_database() {
                let slices = count("slices")?;
                return Ok(Extent::Database { slices, indices: count("indices")? });
            }
            let (nodes, leaves) = (count("nodes")?, count("leaves")?);
            return Ok(Extent::Certificate { nodes, leaves, positions: count("positions")? });
        };
        let shard = shard.parse().map_err(|_| "expected SHARD I/N")?;
        let mut positions = None;
        if let Some(value) = value {
            let shares = |text: &str| shares(text, value);
            positions = Some(Positions {
                nodes: self.value("nodes", "nodes=Q:A-B/N", shares)?,
                leaves: self.value("leaves", "leaves=Q:A-B/N", shares)?,
                positions: count("positions")?,
            });
        }
        let tables = self.value("tables", "digests", |text| or_none(text, digests))?;
        let part = Part {
            slices: self.value("slices", "slices=A-B/N", Share::parse)?,
            tables: tables.unwrap_or_default(),
            given: self.value("given", "given=0-G/N", Share::parse)?,
            given_tables: self.value("given-tables", "a digest", |t| or_none(t, Digest::parse))?,
            positions,
        };
        if part.given.start != 0 || part.given.of != part.slices.of {
            return Err(format!("expected given=0-G/{}", part.slices.of));
        }
        Ok(Extent::Shard(shard, part))
    }

    /// Whether a verdict of this kind can have this level, cover and root of the database, and take
    /// values from a journal or notes.
    fn is_possible(&self, fields: &Fields) -> bool {
        let has_database = fields.level.is_some();
        let believes_nothing = fields.believed == Believed::Nothing;
        if fields.cover.is_empty() == has_database
            || fields.db_root.is_some() != has_database
            || !(has_database || believes_nothing)
        {
            return false;
        }
        match (self.subject, self.shard, fields.level) {
            (Subject::Certificate { .. }, ..) => true,
            (Subject::Database { .. }, _, None) => false,
            (Subject::Database { .. }, Some(_), Some(_)) => true,
            (Subject::Database { .. }, None, Some(Level::Exact)) => self.found == Found::Verified,
            (Subject::Database { .. }, None, Some(Level::Consistent)) => {
                self.found == Found::Consistent
            }
        }
    }
}
