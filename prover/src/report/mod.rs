//! What certificates and databases consist of, for people and for programs.

mod certificate_page;
mod certificate_stats;
mod cover;
mod database_page;
mod html;
mod lines;
mod tables;

pub use certificate_page::certificate_page;
pub use certificate_stats::{CertificateStats, Size};
pub use database_page::{SliceRow, database_page};
pub use lines::{json, text, tsv};
pub use tables::{CertificateReport, QuestionReport, Row, Table};
