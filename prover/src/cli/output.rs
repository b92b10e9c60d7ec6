//! The options that all commands with a result share: its format, and where it goes.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::egdb::atomic::{parent, sync_directory, unfinished_file};
use clap::{Args, ValueEnum};
use draughtproof_proof::progress::Progress;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tempfile::NamedTempFile;

/// Output for people or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// For people
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
}

/// Output for people, at a terminal or in a browser, or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFormat {
    /// For people
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
    /// A page for a browser
    Html,
}

/// The options for the format and the place of a result.
#[derive(Args, Debug)]
pub(super) struct ResultOptions {
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
    #[command(flatten)]
    file: ResultFile,
}

/// The options of a result that can also be a page for a browser.
#[derive(Args, Debug)]
pub(super) struct PageOptions {
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: PageFormat,
    #[command(flatten)]
    file: ResultFile,
}

/// The option for the file of a result.
#[derive(Args, Debug)]
pub(super) struct ResultFile {
    /// Write the result to FILE, which it replaces when it is whole [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl ResultFile {
    /// Like [`ResultOptions::begin`].
    pub(super) fn begin(&self) -> Result<ResultWriter, Failure> {
        ResultWriter::new(self.out.as_deref())
    }
}

/// The option that limits standard error to errors.
#[derive(Args, Debug)]
pub(super) struct QuietOption {
    /// No progress and no remarks on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl QuietOption {
    pub(super) fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }
}

impl ResultOptions {
    /// Begins the result, so that a file that cannot be written is reported before the work.
    pub(super) fn begin(&self) -> Result<ResultWriter, Failure> {
        self.file.begin()
    }

    /// Like [`ResultOptions::begin`] for a result that consists of rows.
    pub(super) fn begin_table(&self) -> Result<Table, Failure> {
        Ok(Table::new(self.begin()?, self.format))
    }
}

impl PageOptions {
    pub(super) fn format(&self) -> PageFormat {
        self.format
    }

    /// The format of a table; `None` for a page.
    pub(super) fn table_format(&self) -> Option<Format> {
        match self.format() {
            PageFormat::Text => Some(Format::Text),
            PageFormat::Tsv => Some(Format::Tsv),
            PageFormat::Json => Some(Format::Json),
            PageFormat::Html => None,
        }
    }

    /// Like [`ResultOptions::begin`].
    pub(super) fn begin(&self) -> Result<ResultWriter, Failure> {
        self.file.begin()
    }
}

/// A result that is being printed.
pub(super) struct ResultWriter {
    out: BufWriter<Destination>,
    /// The path of the file for error messages.
    file: Option<PathBuf>,
}

enum Destination {
    Stdout(io::Stdout),
    /// A destination that cannot be replaced, such as a device.
    There(File),
    /// A file under a temporary name, and the path that it gets when it is complete.
    Unfinished(NamedTempFile, PathBuf),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::Stdout(out) => out.write(bytes),
            Destination::There(out) => out.write(bytes),
            Destination::Unfinished(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::Stdout(out) => out.flush(),
            Destination::There(out) => out.flush(),
            Destination::Unfinished(out, _) => out.flush(),
        }
    }
}

impl Destination {
    /// A file, or the target of a link. An existing file keeps its permissions.
    fn file(path: &Path) -> io::Result<Self> {
        let there = path.metadata();
        if there.as_ref().is_ok_and(|there| !there.is_file()) {
            return Ok(Destination::There(fs::OpenOptions::new().write(true).open(path)?));
        }
        let path = if there.is_ok() { path.canonicalize()? } else { path.into() };
        let unfinished = unfinished_file(&path)?;
        if let Ok(there) = there {
            unfinished.as_file().set_permissions(there.permissions())?;
        }
        Ok(Destination::Unfinished(unfinished, path))
    }

    fn finish(self) -> io::Result<()> {
        let Destination::Unfinished(file, path) = self else { return Ok(()) };
        file.as_file().sync_all()?;
        file.persist(&path)?;
        sync_directory(parent(&path))
    }
}

impl ResultWriter {
    /// A writer to a file, or to standard output if there is none.
    pub(super) fn new(file: Option<&Path>) -> Result<Self, Failure> {
        let out = match file {
            Some(path) => Destination::file(path).map_err(|source| Failure::file(path, source))?,
            None => Destination::Stdout(io::stdout()),
        };
        Ok(ResultWriter { out: BufWriter::new(out), file: file.map(Into::into) })
    }

    /// Writes a text as it is.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|source| failure(self.file.as_deref(), source))
    }

    /// Writes a text and the end of its line.
    pub(super) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        self.text("\n")
    }

    /// Writes an object in JSON, on a line.
    pub(super) fn json(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(object).map_err(io::Error::from)?;
        self.line(&text)
    }

    /// Writes the fault of a text that should have been a position, in its place among answers with
    /// `columns` columns.
    pub(super) fn fault(
        &mut self,
        format: Format,
        text: &str,
        columns: usize,
        what: &str,
    ) -> Result<(), Failure> {
        match format {
            Format::Text => self.line(&format!("{text}\nerror: {what}"))?,
            Format::Tsv => {
                let nothing = "-\t".repeat(columns.saturating_sub(3));
                self.line(&format!("{text}\terror\t{nothing}{what}"))?;
            }
            Format::Json => self.json(&Fault { fen: text, error: what })?,
        }
        self.flush()
    }

    /// Flushes the result, for a program that waits for it.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|source| failure(self.file.as_deref(), source))
    }

    /// Ends the result, and renames its file to the final name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let ResultWriter { out, file } = self;
        // The buffer's destination, or the error of writing to it.
        let out = out.into_inner().map_err(io::IntoInnerError::into_error);
        let finished = out.and_then(|mut out| {
            out.flush()?;
            out.finish()
        });
        finished.map_err(|source| failure(file.as_deref(), source))
    }
}

/// The answer to a text that is no position.
#[derive(Serialize)]
struct Fault<'a> {
    fen: &'a str,
    error: &'a str,
}

fn failure(file: Option<&Path>, source: io::Error) -> Failure {
    match file {
        Some(path) => Failure::file(path, source),
        None => Failure::Io(source),
    }
}

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
