//! Statistics of certificates and databases, as text, as pages for a browser, and for programs.

mod certificate_page;
mod coq;
mod database_page;
mod html;
mod lines;

pub use certificate_page::certificate_page;
pub use coq::coq;
pub use database_page::{SliceRow, database_page};
pub use lines::{CertificateReport, QuestionReport, Row, Table, json, text, tsv};
pub use lines::{CertificateStats, FirstMovesError, Size};
