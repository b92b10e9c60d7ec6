//! Parses the lines of Hub engines: `command name=value name="a value" flag` (Fabien Letouzey,
//! `protocol.txt` of Scan, version 2, 2019). The notation of positions and moves is that of
//! [`draughtproof_play::engine::notation`].

/// A line of an engine: its command and its arguments. A line of another form is parsed as far as
/// possible, since clients ignore text that they do not understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The first word of the line.
    pub command: String,
    arguments: Vec<(String, String)>,
}

impl Line {
    /// Parses a line.
    pub fn read(text: &str) -> Line {
        let text = text.trim();
        let (command, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut arguments = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return Line { command: command.into(), arguments };
            }
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let (value, after) = after.strip_prefix('=').map_or(("", after), value);
            arguments.push((name.into(), value.into()));
            rest = after;
        }
    }

    /// The value of an argument, if it is there.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of an argument as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// A value, in quotation marks or up to a blank, and the rest of the text.
fn value(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// Writes a value, in quotation marks if it needs them.
pub fn quote(value: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && c != '=' && c != '"';
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.into();
    }
    format!("\"{}\"", value.replace('"', ""))
}

#[cfg(test)]
mod tests {
    use super::{Line, quote};

    #[test]
    fn lines_of_engines() {
        let line = Line::read(" id name=\"Simple Checkers\" version=1.15  flag author=\"M. F.\" ");
        assert_eq!(line.command, "id");
        assert_eq!(line.get("name"), Some("Simple Checkers"));
        assert_eq!((line.number("version"), line.get("flag")), (Some(1.15), Some("")));
        assert_eq!((line.get("author"), line.get("country")), (Some("M. F."), None));
        assert_eq!(Line::read("wait").command, "wait");
        // No line is refused.
        assert_eq!(Line::read("a b=\"c d").get("b"), Some("c d"));
        assert_eq!(Line::read("info depth=NaN").number("depth"), None);
        assert_eq!([quote("a"), quote("a b"), quote("")], ["a", "\"a b\"", "\"\""]);
    }
}
