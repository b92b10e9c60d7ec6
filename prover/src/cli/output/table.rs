//! Results that consist of rows.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Format, ResultWriter};
use crate::cli::failure::Failure;

/// A table that is being printed as `--format` says: in JSON each row is an object; in TSV the
/// first line has the names of its fields, and each row their values; text is made by the command.
pub(crate) struct Table {
    out: ResultWriter,
    format: Format,
    /// Whether the names of the columns are printed.
    is_headed: bool,
}

impl Table {
    pub(crate) fn new(out: ResultWriter, format: Format) -> Self {
        Table { out, format, is_headed: false }
    }

    /// Prints a line in text only.
    pub(crate) fn text(&mut self, line: &str) -> Result<(), Failure> {
        if self.format == Format::Text { self.out.line(line) } else { Ok(()) }
    }

    /// Prints the names of the columns in TSV, for a table that may have no rows.
    pub(crate) fn columns(&mut self, names: &[&str]) -> Result<(), Failure> {
        if self.format != Format::Tsv || self.is_headed {
            return Ok(());
        }
        self.is_headed = true;
        self.out.line(&names.join("\t"))
    }

    /// Prints a row; `text` is what a person reads.
    pub(crate) fn row(&mut self, row: &impl Serialize, text: &str) -> Result<(), Failure> {
        match self.format {
            Format::Text => self.out.line(text),
            Format::Tsv => {
                let Fields(fields) = Fields::of(row)?;
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                self.columns(&names)?;
                let cells: Vec<String> = fields.iter().map(|(_, value)| cell(value)).collect();
                self.out.line(&cells.join("\t"))
            }
            Format::Json => self.out.json(row),
        }
    }

    /// Prints the counts after the rows, which are a comment in TSV.
    pub(crate) fn counts(&mut self, counts: &impl Serialize, text: &str) -> Result<(), Failure> {
        match self.format {
            Format::Text => self.out.line(text),
            Format::Tsv => self.out.line(&format!("# {text}")),
            Format::Json => self.out.json(counts),
        }
    }

    /// Ends the table, and renames its file to the final name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.out.finish()
    }
}

/// A value in a column: `-` for none, and a list with commas.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "-".into(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

/// The fields of an object in their order, which a map of `serde_json` does not keep.
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn of(row: &impl Serialize) -> Result<Self, Failure> {
        let object = serde_json::to_string(row).and_then(|text| serde_json::from_str(&text));
        Ok(object.map_err(std::io::Error::from)?)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
