//! The notes below the options of each command, which are in `notes.txt`.

/// Returns the notes of a command: a section of the file, in which a line that ends in a backslash
/// goes on.
pub(super) fn notes(command: &str) -> String {
    let mut sections = include_str!("notes.txt").split("\n== ").filter_map(|s| s.split_once('\n'));
    let notes = sections.find(|(name, _)| *name == command).map_or("", |(_, notes)| notes);
    notes.replace("\\\n", "").trim_end().into()
}
