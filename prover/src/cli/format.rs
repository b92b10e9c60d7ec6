//! How results are printed.

use clap::ValueEnum;

/// Output for people or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Aligned columns
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
}

/// Output for people, at a terminal or in a browser, or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFormat {
    /// Aligned columns
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
    /// A page for a browser, with bars
    Html,
}
