//! A verdict in plain words, one line for people, which can be quoted: what is proved, at which
//! level, who has signed, and what was not looked at. The line on standard output is what counts.

use certificate_spec::claim::Value;
use checker_aid::numbers::counted;
use checker_audit::{Statement, Unseen};
use checker_core::{Finding, Stop, Verdict, escaped, write_fen};

/// The most characters of the names of signers.
const NAMES: usize = 100;

/// The words for a statement. `signers` are the names of the keys that have signed the notes on
/// which it rests.
pub(crate) fn of(statement: &Statement, signers: &[String]) -> String {
    let line = statement.line();
    let said = Said { line: &line, signers };
    let text = match statement {
        Statement::Whole(Verdict::Stopped(Stop::Refuted(finding, _))) => {
            format!("refuted: {}", told(finding))
        }
        Statement::Whole(Verdict::Stopped(Stop::Declined(finding))) => {
            format!("declined: {}", place(finding))
        }
        Statement::Whole(Verdict::Stopped(Stop::Error(text))) => format!("not checked: {text}"),
        Statement::Shard(_) => said.shard(),
        Statement::Sampled { .. } => said.sample(),
        Statement::Whole(_) | Statement::Trusting { .. } => said.whole(),
    };
    format!("check: {text}")
}

/// A verdict line about something that was verified.
struct Said<'a> {
    line: &'a str,
    signers: &'a [String],
}

impl Said<'_> {
    fn field(&self, name: &str) -> Option<&str> {
        let fields = self.line.split(' ').filter_map(|word| word.split_once('='));
        fields.into_iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// The value of a field that every such line has.
    fn value(&self, name: &str) -> &str {
        self.field(name).unwrap_or("none")
    }

    /// The value of a field that counts, with its noun.
    fn count(&self, name: &str, noun: [&str; 2]) -> String {
        counted(self.value(name).parse().unwrap_or(0), noun)
    }

    /// The words before the fields: the value and the game, or the word DATABASE and the board.
    fn subject(&self) -> (&str, &str) {
        let words = self.line.split(' ').take_while(|word| !word.contains('='));
        let mut words = words.collect::<Vec<_>>().into_iter().rev();
        let last = words.next().unwrap_or_default();
        (words.next().unwrap_or_default(), last)
    }

    fn is_of_database(&self) -> bool {
        self.subject().0 == "DATABASE"
    }

    /// Describes the claim about a certificate's start, or the content of a database.
    fn claim(&self) -> String {
        let (value, game) = self.subject();
        if self.is_of_database() {
            return format!("{} has the right values", self.database());
        }
        let is = match Value::parse(value) {
            Some(Value::Draw) => "is a draw",
            Some(Value::BlackNotLost) => "is not lost for Black",
            Some(Value::WhiteNotLost) => "is not lost for White",
            Some(Value::BlackWins) => "is won for Black",
            Some(Value::WhiteWins) | None => "is won for White",
        };
        let (rules, root) = (self.value("rules"), self.value("root"));
        match self.value("start") {
            "initial" => {
                format!("{game} from its initial position {is} ({rules}, certificate {root})")
            }
            fen => format!("{fen} of {game} {is} ({rules}, certificate {root})"),
        }
    }

    fn database(&self) -> String {
        let (pieces, root) = (self.value("pieces"), self.value("db-root"));
        match self.subject() {
            ("DATABASE", board) => {
                let rules = self.value("rules");
                format!("the database of {board} with pieces={pieces} ({rules}, root {root})")
            }
            _ => format!("its database with pieces={pieces}, root {root},"),
        }
    }

    /// The names of the keys that have signed.
    fn names(&self) -> String {
        let mut text = String::new();
        for (i, name) in self.signers.iter().enumerate() {
            let rest = self.signers.len() - i;
            if text.len() + name.len() > NAMES {
                return format!("{text} and {rest} more");
            }
            let before = if i == 0 {
                ""
            } else if rest == 1 {
                " and "
            } else {
                ", "
            };
            text += &format!("{before}{name}");
        }
        text
    }

    /// The notes whose word was taken.
    fn notes(&self, count: usize, journals: Option<&str>) -> String {
        let signed = match self.signers.is_empty() {
            true => "no signature was looked at; give --keys".into(),
            false => format!("signed by {}", self.names()),
        };
        let journals = journals.map_or(String::new(), |n| format!(", {n} of them with a journal"));
        format!("{} ({signed}{journals})", counted(count as u64, ["note", "notes"]))
    }

    /// Describes the way by which the values of the database were found to be right.
    fn values(&self) -> String {
        let level = self.value("db");
        if level == "none" {
            return "it rests on no database".into();
        }
        let database = match self.is_of_database() {
            true => "it".into(),
            false => self.database(),
        };
        if let Some(list) = self.field("db-note") {
            let notes = self.notes(list.split(',').count(), self.field("db-note-journals"));
            return format!(
                "the values of {database} were not looked at: that they are {level} is the word of {notes}"
            );
        }
        let how = match level {
            "exact" => "derived again from the rules",
            _ => "found to follow from one another, which is enough for claims of not losing",
        };
        let journal = self.field("journal").and_then(|share| share.split_once('/'));
        let journal = journal.map_or(String::new(), |(k, n)| {
            format!(", but for {k} of {n} pairs of slices, which your journal has")
        });
        format!("all values of {database} were {how} (level {level}){journal}")
    }

    /// Returns the sentence of a verdict on all of the work.
    fn whole(&self) -> String {
        let claim = self.claim();
        if let Some((_, cover)) = self.line.split_once(" by cover of ") {
            let count = cover.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let notes = self.notes(count, self.field("journals"));
            let (least, checkers) = (self.value("keys"), self.value("checkers"));
            let least = match least {
                "none" => String::new(),
                least => format!(", each part by {least} or more of these keys"),
            };
            let level = self.value("db");
            let word = self.word();
            return format!(
                "{word} {claim}. This rests on {notes}, of all parts at the level {level}, by {checkers}{least}. \
                 Nothing else was looked at."
            );
        }
        let values = self.values();
        let (word, end) = (self.word(), self.not_looked_at());
        if self.is_of_database() {
            let slices = self.count("slices", ["slice", "slices"]);
            let indices = self.count("indices", ["index", "indices"]);
            return format!("{word} {claim}: {values}, in {slices} with {indices}. {end}.");
        }
        let nodes = self.count("nodes", ["node", "nodes"]);
        let leaves = self.count("leaves", ["leaf", "leaves"]);
        format!(
            "{word} {claim}. All of it was verified, {nodes} and {leaves}, and {values}. {end}."
        )
    }

    /// Whether something is proved.
    fn word(&self) -> String {
        let unsigned = self.signers.is_empty();
        match self.line.split(' ').nth(1) {
            Some("CONDITIONAL") => {
                format!("not proved (assumed nodes: {}): that", self.value("assumed"))
            }
            Some("CONSISTENT") => "not proved: that".into(),
            _ if unsigned && self.field("db-note").is_some() => "not proved: that".into(),
            _ if unsigned && self.line.contains(" by cover of ") => "not proved: that".into(),
            _ => "proved:".into(),
        }
    }

    fn not_looked_at(&self) -> &str {
        if self.field("assumed").is_some() {
            return "The assumed nodes were not looked at";
        }
        if self.line.starts_with("s CONSISTENT") {
            return "The values may all be wrong together";
        }
        match self.field("db-note").or(self.field("journal")) {
            Some(_) => "Nothing else was left out",
            None => "Nothing was left out",
        }
    }

    fn shard(&self) -> String {
        let shard = self.line.split(' ').nth(3).unwrap_or_default();
        let mut of = format!("pairs of slices {}", self.value("slices"));
        if !self.is_of_database() {
            of += &format!(", nodes {}, leaves {}", self.value("nodes"), self.value("leaves"));
            of += " (node 0 is the start)";
        }
        let mut given = "the values that it rests on".to_string();
        if let Some(list) = self.field("db-note") {
            given = format!(
                "the values of the database, by the word of {},",
                self.notes(list.split(',').count(), None)
            );
        }
        let claim = self.claim();
        format!(
            "not proved yet: that {claim}. Shard {shard} is right (level {}): {of}. The others were not looked at, and {given} \
             were taken for granted.",
            self.value("db")
        )
    }

    fn sample(&self) -> String {
        let (mut unseen, mut seen) = (Vec::new(), Vec::new());
        for (field, items) in
            [("blocks", "pairs of blocks"), ("nodes", "nodes and starts"), ("leaves", "leaves")]
        {
            let Some((k, n)) = self.field(field).and_then(|share| share.split_once('/')) else {
                continue;
            };
            let [k, n] = [k, n].map(|count| count.parse::<u64>().unwrap_or(0));
            unseen.push(format!("{} of {n} {items}", n.saturating_sub(k)));
            seen.push(k.to_string());
        }
        let (claim, share) = (self.claim(), self.value("share"));
        let (unseen, seen) = (unseen.join(", "), seen.join(", "));
        format!(
            "not proved: that {claim}. Not looked at: {unseen}. Nothing is wrong in the others, a sample of {seen} \
             (share {share})."
        )
    }
}

/// The warnings that a user must not overlook in a verdict.
pub(crate) fn warnings(statement: &Statement) -> Vec<String> {
    let Statement::Sampled { unseen, .. } = statement else { return Vec::new() };
    let warning = |unseen: &Unseen| {
        let Unseen { what, of } = unseen;
        format!("check: warning: none of {of} {what} is in the sample, which says nothing of them")
    };
    unseen.iter().map(warning).collect()
}

/// Says in plain words what the rule of a finding means.
fn meaning(finding: &Finding) -> &'static str {
    match finding.rule {
        "listing" if finding.expected == "nothing" => {
            "a file is there that is not listed; move it away and check again"
        }
        "listing" if finding.found == "nothing" => "a file is missing",
        "listing" => "an ordinary file or folder must stand in this place",
        "claim-syntax" => "CLAIM is not written as the format demands",
        "claim-start" => "the position claimed cannot occur in the game",
        "claim-hash" => "MANIFEST was made for another CLAIM",
        "manifest-syntax" => "MANIFEST is not written as the format demands",
        "object-hash" | "slice-hash" => "the file is damaged, or is another one",
        "database-manifest" => "the list of the database's files is wrong, or covers too little",
        "database-root" => "the database is another one than the certificate names",
        "slice-value" => "the database has a wrong value",
        "database-value" => "the database contradicts the proof",
        "node-turn" => "the wrong side is to move at a node of this kind",
        "node-position" => "a node's position is impossible, or is in the database",
        "node-order" => "nodes are not in the order of their positions",
        "leaf-number" => "the nodes and the leaves do not belong together",
        "rank" => "the proof of a win may go round in a circle",
        "leaf-repetition" => "the proof of a win goes round in a circle",
        "not-covered" => "a move leads to a position of which the proof says nothing",
        "start-missing" => "the proof says nothing of the position claimed",
        "move-index" => "the move chosen does not exist",
        "list-cover" => "a position of the list is not one of its cover",
        "list-value" => "a position of the list has another value",
        "leaf-stuck" => "the side that claims something has no move",
        _ => "the file is not written as the format demands",
    }
}

/// Says in plain words what is wrong, and where.
fn told(finding: &Finding) -> String {
    format!("{}: {}", meaning(finding), place(finding))
}

/// Returns the place of a finding, what was expected and found there, and the rule.
fn place(finding: &Finding) -> String {
    let Finding { rule, expected, found, file, offset, position } = finding;
    let mut place = escaped(file);
    if let Some(offset) = offset {
        place += &format!(" at offset {offset}");
    }
    if let Some(position) = position {
        place += &format!(", position {}", write_fen(position));
    }
    format!("{place}: expected {expected}, found {found} (rule {rule})")
}
