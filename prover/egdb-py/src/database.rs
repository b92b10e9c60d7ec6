//! A database, in Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use draughtproof_egdb::{Database as Opened, Mode, RatedMove, Store, ValueRange};
use draughtproof_game::{Board, Position, Side};
use draughtproof_play::lookup::{Basis, Found, Lookup, ProvedPositions};
use draughtproof_proof::certificate::Stored;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::{Move, Value, number};

create_exception!(
    draughtproof,
    DatabaseError,
    PyException,
    "A database or certificate that is not there, or a file of it that cannot be read or is damaged."
);

fn database_error(error: impl ToString) -> PyErr {
    DatabaseError::new_err(error.to_string())
}

fn value_error(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The database of a board, opened for look-ups by any number of threads.
#[pyclass(module = "draughtproof", frozen)]
pub struct Database {
    /// `None` after `close`.
    open: Mutex<Option<Arc<Open>>>,
    /// The arguments that it was made with, from which a copy in another process is made.
    arguments: (PathBuf, String, Vec<PathBuf>, String, u64),
}

/// The files that are read.
struct Open {
    opened: Opened,
    store: Store,
    proofs: Vec<Arc<ProvedPositions>>,
    found: Found,
}

/// Positions in either form that Python passes.
#[derive(FromPyObject)]
enum Positions<'py> {
    Words(PyReadonlyArray2<'py, u32>),
    Fens(Vec<String>),
}

#[pymethods]
impl Database {
    /// Opens the database of a board (`RxC`) in a directory of databases.
    ///
    /// `certificates` are directories of certificates; values that they prove are known, too. They
    /// are not verified: that is for `check`. Without `board` it is that of the first of them, else
    /// 8x8.
    ///
    /// `mode` is the place of the values: `cached` (decoded when they are needed, at most `memory`
    /// bytes of them kept), `resident` (all in memory, decoded now, at most `memory` bytes) or
    /// `mapped` (in the tables that `prove db map` makes; slices without a table as with
    /// `cached`).
    #[new]
    #[pyo3(signature = (directory, board = None, *, certificates = Vec::new(), mode = "cached", memory = 256 << 20))]
    fn new(
        py: Python<'_>,
        directory: PathBuf,
        board: Option<&str>,
        certificates: Vec<PathBuf>,
        mode: &str,
        memory: u64,
    ) -> PyResult<Self> {
        let read = |directory: &PathBuf| Stored::read(directory).map_err(database_error);
        let stored = certificates.iter().map(read).collect::<PyResult<Vec<_>>>()?;
        let board = match (board, stored.first()) {
            (Some(name), _) => read_board(name)?,
            (None, Some(certificate)) => certificate.game.board.clone(),
            (None, None) => read_board("8x8")?,
        };
        let mut proofs = Vec::new();
        for certificate in &stored {
            let found = &certificate.game.board;
            if *found != board {
                let path = certificate.directory.display();
                let [expected, found] = [board.name(), found.name()];
                let what = format!("{path}: expected a certificate of {expected}, found {found}");
                return Err(value_error(what));
            }
            let positions = py.detach(|| ProvedPositions::new(certificate));
            proofs.push(Arc::new(positions.map_err(database_error)?));
        }
        let arguments = (directory.clone(), board.name(), certificates, mode.into(), memory);
        let mode = match mode {
            "cached" => Mode::Cached(memory),
            "resident" => Mode::Resident(memory),
            "mapped" => Mode::Mapped(memory),
            other => {
                let text = format!("mode: expected cached, resident or mapped, found {other:?}");
                return Err(value_error(text));
            }
        };
        let store = Store::new(&directory, &board);
        let opened =
            py.detach(|| Opened::open(&directory, &board, mode)).map_err(database_error)?;
        let found = Found::new(&board, Found::MEMORY);
        let open = Mutex::new(Some(Arc::new(Open { opened, store, proofs, found })));
        Ok(Database { open, arguments })
    }

    /// Closes the files and frees the memory. Look-ups that are under way in other threads end
    /// first; later ones raise `ValueError`.
    fn close(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(&self, _error: Py<PyAny>, _value: Py<PyAny>, _trace: Py<PyAny>) {
        self.close();
    }

    /// A pickled database is opened again, with the same arguments, where it is read.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((&PathBuf, &str), Bound<'py, PyDict>)> {
        let (directory, board, certificates, mode, memory) = &self.arguments;
        let options = PyDict::new(py);
        options.set_item("certificates", certificates)?;
        options.set_item("mode", mode)?;
        options.set_item("memory", memory)?;
        Ok(((directory, board), options))
    }

    /// The board, such as `8x8`.
    #[getter]
    fn board(&self) -> &str {
        &self.arguments.1
    }

    /// The positions that are covered: `6` means all with at most 6 pieces, `7,8:4` also those with
    /// at most 8 of which neither side has more than 4.
    #[getter]
    fn cover(&self) -> PyResult<String> {
        Ok(self.open()?.opened.cover().to_string())
    }

    /// The largest number of pieces of a position that is covered.
    #[getter]
    fn pieces(&self) -> PyResult<u8> {
        Ok(self.open()?.opened.cover().most_pieces())
    }

    /// The root: a hash over the list of all files, in hexadecimal digits.
    #[getter]
    fn root(&self) -> PyResult<String> {
        Ok(self.open()?.store.manifest().map_err(database_error)?.root().to_string())
    }

    /// The value for the side to move; `None` where neither the database nor a certificate has one.
    fn probe(&self, py: Python<'_>, fen: &str) -> PyResult<Option<Value>> {
        let db = self.open()?;
        let position = db.read(fen)?;
        let value = py.detach(|| db.opened.probe(&position)).map_err(database_error)?;
        Ok(value.or_else(|| db.lookup().proved(&position).value()).map(Value::from))
    }

    /// The bounds of the value, inclusively: from the database, certificates, the rules, or the
    /// values of the moves.
    fn bounds(&self, py: Python<'_>, fen: &str) -> PyResult<(Value, Value)> {
        let (bounds, _) = self.open()?.known(py, fen)?;
        Ok((bounds.lower.into(), bounds.upper.into()))
    }

    /// The source of these bounds: `database`, `proof` (a certificate), `rules` or `moves`; `None`
    /// if nothing is known.
    fn by(&self, py: Python<'_>, fen: &str) -> PyResult<Option<&'static str>> {
        let (_, basis) = self.open()?.known(py, fen)?;
        Ok(basis.map(Basis::name))
    }

    /// The plies until the next capture, crowning or move of a man that keeps a win or loss; `None`
    /// for a draw and where no depths are stored (`prove db --depth`).
    fn depth(&self, py: Python<'_>, fen: &str) -> PyResult<Option<u32>> {
        let db = self.open()?;
        let position = db.read(fen)?;
        py.detach(|| db.opened.depth(&position)).map_err(database_error)
    }

    /// The plies to the end of the game if the winner hurries to each next capture, crowning or
    /// move of a man, and the loser delays it; `None` as for `depth`.
    fn plies(&self, py: Python<'_>, fen: &str) -> PyResult<Option<u32>> {
        let db = self.open()?;
        let position = db.read(fen)?;
        py.detach(|| db.opened.plies(&position)).map_err(database_error)
    }

    /// The legal moves, the best first.
    fn moves(&self, py: Python<'_>, fen: &str) -> PyResult<Vec<Move>> {
        let db = self.open()?;
        let position = db.read(fen)?;
        let lookup = db.lookup();
        let found = py.detach(|| lookup.moves(&position)).map_err(database_error)?;
        let board = db.opened.board();
        let mut moves = Vec::with_capacity(found.len());
        for RatedMove { after, value, depth, .. } in found {
            let name = board.write_move(&position, &after).map_err(value_error)?;
            let basis = lookup.basis(&after, value.reversed()).map_err(database_error)?;
            let by = basis.map(Basis::name);
            moves.push(Move { name, fen: board.write_fen(&after), depth, by, range: value });
        }
        Ok(moves)
    }

    /// The values of many positions: 0 a loss, 1 a draw, 2 a win, 3 not known.
    ///
    /// Positions are FENs, or rows (black, white, kings, white to move) as from `pack`. Each part
    /// that must be decoded is decoded once, by all processors.
    fn probe_batch<'py>(
        &self,
        py: Python<'py>,
        positions: Positions<'py>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let db = self.open()?;
        let positions = match positions {
            Positions::Fens(fens) => db.read_all(&fens)?,
            Positions::Words(rows) => db.unpack(&rows)?,
        };
        let values = py.detach(|| db.opened.probe_batch(&positions)).map_err(database_error)?;
        let lookup = db.lookup();
        let values = values.into_iter().zip(&positions);
        let values = values.map(|(value, p)| value.or_else(|| lookup.proved(p).value()));
        Ok(values.map(number).collect::<Vec<i8>>().into_pyarray(py))
    }

    /// Positions as rows (black, white, kings, white to move), bit n − 1 for square n.
    fn pack<'py>(&self, py: Python<'py>, fens: Vec<String>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let db = self.open()?;
        let board = db.opened.board();
        let rows = db.read_all(&fens)?.into_iter().flat_map(|p| {
            let [black, white, kings] = [p.black, p.white, p.kings].map(|set| board.to_dense(set));
            [black, white, kings, u32::from(p.turn == Side::White)]
        });
        rows.collect::<Vec<u32>>().into_pyarray(py).reshape([fens.len(), 4])
    }

    /// Verifies all files by their lengths and hashes.
    ///
    /// `progress` is called with the bytes verified and their total after each file. Raises
    /// `DatabaseError` with the name of the first file that differs.
    #[pyo3(signature = (progress = None))]
    fn verify(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let db = self.open()?;
        let slices = db.store.manifest().map_err(database_error)?.slices;
        let total: u64 = slices.iter().map(|slice| slice.length).sum();
        let mut done = 0;
        for slice in &slices {
            py.detach(|| db.store.verify_slice(slice)).map_err(database_error)?;
            done += slice.length;
            // Ctrl-C is noticed between two files.
            py.check_signals()?;
            if let Some(progress) = &progress {
                progress.call1(py, (done, total))?;
            }
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        match self.cover() {
            Ok(cover) => format!("<Database {} with {cover} pieces>", self.board()),
            Err(_) => format!("<Database {}, closed>", self.board()),
        }
    }
}

impl Database {
    fn open(&self) -> PyResult<Arc<Open>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| value_error("the database is closed"))
    }
}

impl Open {
    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            board: self.opened.board(),
            values: self.opened.values(),
            depths: Some(self.opened.depths()),
            proofs: &self.proofs,
            found: Some(&self.found),
        }
    }

    fn known(&self, py: Python<'_>, fen: &str) -> PyResult<(ValueRange, Option<Basis>)> {
        let position = self.read(fen)?;
        py.detach(|| self.lookup().bounds(&position)).map_err(database_error)
    }

    fn read(&self, fen: &str) -> PyResult<Position> {
        self.opened.board().read_fen(fen).map_err(value_error)
    }

    fn read_all(&self, fens: &[String]) -> PyResult<Vec<Position>> {
        let read = |(n, fen): (usize, &String)| {
            let position = self.opened.board().read_fen(fen);
            position.map_err(|error| value_error(format!("position {n}: {error}")))
        };
        fens.iter().enumerate().map(read).collect()
    }

    /// The positions in the rows of an array.
    fn unpack(&self, rows: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<Position>> {
        let columns = rows.shape()[1];
        if columns != 4 {
            let text = format!("positions: expected rows of 4 words, found rows of {columns}");
            return Err(value_error(text));
        }
        let read = |(n, row): (usize, numpy::ndarray::ArrayView1<'_, u32>)| {
            let turn = if row[3] == 0 { Side::Black } else { Side::White };
            let position = self.opened.board().position(row[0], row[1], row[2], turn);
            position.ok_or_else(|| {
                let words = format!("({}, {}, {}, {})", row[0], row[1], row[2], row[3]);
                value_error(format!(
                    "position {n}: {words} is none of {}",
                    self.opened.board().name()
                ))
            })
        };
        rows.as_array().rows().into_iter().enumerate().map(read).collect()
    }
}

fn read_board(text: &str) -> PyResult<Board> {
    let size = text
        .split_once('x')
        .and_then(|(rows, columns)| Board::new(rows.parse().ok()?, columns.parse().ok()?));
    size.ok_or_else(|| value_error(format!("board: expected RxC such as 8x8, found {text:?}")))
}
