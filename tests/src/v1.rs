//! Certificates and databases of format 1 that are kept for ever, in `corpus/v1`: every checker of
//! this format must give the verdicts that were given when they were made, by a program that ended
//! with commit 909499c.

use crate::prelude::*;

/// A row of `VERDICTS.tsv`: the verdict that a checker must give on a certificate or database, with
/// these arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name of the folder of the certificate or database.
    pub name: String,
    /// The checker's arguments, relative to the folder.
    pub arguments: Vec<String>,
    /// The verdict and exit status that a checker must give.
    pub said: Said,
}

/// The folder of the corpus in the repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/v1")
}

/// Reads `VERDICTS.tsv`.
pub fn read(root: &Path) -> Vec<Kept> {
    let table = fs::read_to_string(root.join("VERDICTS.tsv")).expect("VERDICTS.tsv");
    let row = |row: Vec<&str>| {
        let [name, arguments, status, verdict] = row[..] else { panic!("{row:?}") };
        let arguments = arguments.split(' ').map(String::from).collect();
        let said = Said { verdict: verdict.into(), status: status.parse().ok() };
        Kept { name: name.into(), arguments, said }
    };
    rows(&table).map(row).collect()
}

/// Lets a checker judge the corpus; returns a line for each verdict that differs.
pub fn judge(kept: &[Kept], root: &Path, checker: &Path) -> Vec<String> {
    let wrong = |kept: &Kept| {
        let arguments: Vec<&str> = kept.arguments.iter().map(String::as_str).collect();
        let said = check_with(checker, &arguments, &root.join(&kept.name));
        let result = said.and_then(|said| {
            let same = said.normative() == kept.said.normative() && said.status == kept.said.status;
            if same { Ok(()) } else { Err(format!("expected {:?}, found {said:?}", kept.said)) }
        });
        result.err().map(|e| format!("{} {}: {e}", kept.name, kept.arguments.join(" ")))
    };
    kept.iter().filter_map(wrong).collect()
}
