//! The Python package `draughtproof`: look-ups in endgame databases. Its types are declared in
//! `draughtproof.pyi`.
// Positions and counts here are bounded by the board or by memory.
#![allow(clippy::cast_possible_truncation)]

mod database;
mod values;

use pyo3::prelude::*;

/// Endgame databases of checkers: values, depths and moves of positions with few pieces.
#[pymodule]
mod draughtproof {
    #[pymodule_export]
    use crate::database::{Database, DatabaseError};
    #[pymodule_export]
    use crate::values::{Move, Value};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("UNKNOWN", crate::values::UNKNOWN)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
