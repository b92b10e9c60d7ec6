//! The parameters that a client can set by `set-param`.

use std::path::PathBuf;

use thiserror::Error;

/// The most threads of a search.
const MOST_THREADS: usize = 256;

/// The parameters of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// The number of threads of a search.
    pub threads: usize,
    /// The bytes of the search's transposition table.
    pub hash: u64,
    /// The most bytes that the transposition table may have.
    pub most_hash: u64,
    /// The folder of the databases; empty for none.
    pub database: PathBuf,
    /// The file of the opening book; empty for none.
    pub book: PathBuf,
    /// Whether the client will let the engine ponder.
    pub ponder: bool,
}

/// A parameter that cannot be set like this.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterError {
    #[error("parameter: expected threads, hash, db, book or ponder, found {0:?}")]
    Unknown(String),
    #[error("parameter {name}: expected {expected}, found {found:?}")]
    Value { name: String, expected: String, found: String },
}

impl Parameters {
    /// Sets a parameter.
    ///
    /// # Errors
    /// [`ParameterError`]; the parameters do not change then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let wrong = |expected: String| {
            let name = name.into();
            let found = value.into();
            ParameterError::Value { name, expected, found }
        };
        let number = |most: u64| {
            let number = value.parse().ok().filter(|n| (1..=most).contains(n));
            number.ok_or_else(|| wrong(format!("a whole number from 1 to {most}")))
        };
        match name {
            "threads" => self.threads = number(MOST_THREADS as u64)? as usize,
            "hash" => self.hash = number(self.most_hash >> 20)? << 20,
            "db" => self.database = value.into(),
            "book" => self.book = value.into(),
            "ponder" => {
                self.ponder = value.parse().map_err(|_| wrong("true or false".into()))?;
            }
            unknown => return Err(ParameterError::Unknown(unknown.into())),
        }
        Ok(())
    }

    /// The lines that declare the parameters and their values.
    pub(super) fn declare(&self) -> [String; 5] {
        let line = |name: &str, value: &str, kind: &str| {
            let value = argument("value", value);
            format!("param name={name} {value} type={kind}")
        };
        let whole = |most: u64| format!("int min=1 max={most}");
        let [database, book] = [&self.database, &self.book].map(|path| path.to_string_lossy());
        [
            line("threads", &self.threads.to_string(), &whole(MOST_THREADS as u64)),
            line("hash", &(self.hash >> 20).to_string(), &whole(self.most_hash >> 20)),
            line("db", &database, "string"),
            line("book", &book, "string"),
            line("ponder", &self.ponder.to_string(), "bool"),
        ]
    }
}

/// An argument, with its value in quotation marks if needed. Characters that no value can contain
/// are replaced.
pub(super) fn argument(name: &str, value: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && c != '=' && c != '"';
    if !value.is_empty() && value.chars().all(is_plain) {
        return format!("{name}={value}");
    }
    let allowed = value.replace('"', "'").replace(char::is_control, "?");
    format!("{name}=\"{allowed}\"")
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn parameters_are_set_and_declared() {
        let mut parameters = Parameters {
            threads: 1,
            hash: 1 << 20,
            most_hash: 1 << 30,
            database: "egdb".into(),
            book: "".into(),
            ponder: false,
        };
        let values = [("threads", "4"), ("hash", "64"), ("db", "a b"), ("ponder", "true")];
        for (name, value) in values {
            assert_eq!(parameters.set(name, value), Ok(()));
        }
        assert_eq!(
            parameters.declare(),
            [
                "param name=threads value=4 type=int min=1 max=256",
                "param name=hash value=64 type=int min=1 max=1024",
                "param name=db value=\"a b\" type=string",
                "param name=book value=\"\" type=string",
                "param name=ponder value=true type=bool",
            ]
        );
        let before = parameters.clone();
        for (name, value) in [
            ("threads", "0"),
            ("threads", "257"),
            ("hash", "-1"),
            ("hash", "1025"),
            ("ponder", "1"),
            ("x", ""),
        ] {
            assert!(parameters.set(name, value).is_err(), "{name}");
        }
        assert_eq!(parameters, before);
    }
}
