//! Prepares a database: verifies the slices that a directory has, builds and writes the others.

use crate::progress::{Bar, Progress};

use crate::board::Board;
use crate::egdb::numbers::{counted, size_down, size_up};
use crate::egdb::{
    BuildError, BuildSession, Cover, Event, Making, PairEvent, Slice, Store, StoreError, Values,
    build_pairs, extend, extend_depths, rebuild,
};

/// The most bytes in memory of the default database, which takes a few seconds to build.
const DEFAULT_BYTES: u64 = 25 << 20;
/// The default of the most bytes of values that each process decodes anew, which takes about a
/// second.
const RESIDENT_BYTES: u64 = 64 << 20;
/// The default of the most bytes of mapped tables.
const MAP_SPACE: u64 = 32 << 30;

/// Makes sure that `store` has the database of a cover. Slices that are lost or damaged are built
/// again. Stays within the memory of `room`. If that is too
/// little for all tables that are needed at a time, they are kept in mapped files. `partly`: if
/// even that is too little for some slices, begins with the others.
///
/// # Errors
/// [`BuildError`]: among others when memory or disk do not suffice.
pub fn prepare(
    store: &Store,
    cover: &Cover,
    room: &Room,
    partly: bool,
    progress: &Progress,
) -> Result<(), BuildError> {
    let memory = room.memory;
    let name = store.board().name();
    // The lost ones of the slices that the MANIFEST lists.
    let verify = |there: &Cover| {
        if there.is_empty() {
            return Ok(Vec::new());
        }
        progress.say(format!("database {name} with {there} pieces: verifying"));
        store.lost(&store.manifest_of(there)?.slices)
    };
    let (there, _) = store.finished()?;
    let is_listed = there.includes(cover);
    if is_listed && verify(cover)?.is_empty() {
        return Ok(());
    }
    let board = store.board();
    // If other processes have built all slices, only the MANIFEST is written.
    let is_solved =
        !is_listed && Slice::all(board, cover).into_iter().all(|slice| store.has_slice(slice));
    let in_files = !is_solved && BuildSession::least_memory(board, cover) > memory;
    if in_files && !partly {
        let need = BuildSession::least_memory_with_files(board, cover);
        BuildError::check_memory(board, cover, need, memory)?;
    }
    let _lock = store.lock()?;
    // Another process may have extended the database in the meantime.
    let lost = verify(&if is_listed { cover.clone() } else { store.finished()?.0 })?;
    let what = |cover| format!("database {name} with {cover} pieces");
    let mut session = BuildSession::new(store, cover, memory)?;
    let build = |session: &mut BuildSession<'_>| {
        if !lost.is_empty() {
            let names: Vec<_> = lost.iter().map(|slice| slice.name().file_name()).collect();
            let names = names.join(", ");
            progress.say(format!("database {name}: lost or damaged, built again: {names}"));
            rebuild(session, &lost, show(progress, what))?;
        }
        if is_listed { Ok(()) } else { extend(session, show(progress, what)) }
    };
    if !in_files {
        return build(&mut session);
    }
    let space = room.map_space(store)?;
    let tables = store.tables();
    progress.say(format!(
        "database {name}: tables that do not fit into memory are kept in {}, at most {}",
        tables.display(),
        size_down(space)
    ));
    let _tables_lock = session.spill_tables(space, || wait(store, progress))?;
    build(&mut session)
}

/// Makes sure that `store` has some slices of a cover and their twins, while other processes build
/// other slices, using at most `memory` bytes. With `share_tables` these processes share tables in
/// mapped files. Returns which slices, one of each pair, were built or were there already.
///
/// # Errors
/// [`BuildError`]: among others when slices that these follow from are missing.
pub fn prepare_slices(
    store: &Store,
    cover: &Cover,
    slices: &[Slice],
    memory: u64,
    share_tables: bool,
    progress: &Progress,
) -> Result<Vec<(Slice, PairEvent)>, BuildError> {
    let _lock = store.lock_with_others()?;
    let board = store.board();
    let mut done = Vec::new();
    let mut bar: Option<Bar> = None;
    let mut session = BuildSession::new(store, cover, memory)?;
    if share_tables {
        session.share_tables()?;
    }
    build_pairs(&mut session, slices, |slice, event| {
        let what = format!("slice {} of {}", slice.name().file_name(), board.name());
        let indices = slice.indices(board) + slice.twin().indices(board);
        match event {
            PairEvent::Wait => {
                progress.say(format!("{what}: waiting for another process that builds it"));
            }
            PairEvent::Begin => bar = Some(progress.start(what, indices, "index")),
            PairEvent::Found | PairEvent::Built => {
                bar.take().into_iter().for_each(|bar| {
                    bar.add(indices);
                    bar.finish();
                });
                done.push((slice, event));
            }
        }
    })?;
    Ok(done)
}

/// Makes sure that `store`, which has the values, has the depths of the positions of a cover, using
/// at most `memory` bytes.
///
/// # Errors
/// [`BuildError`]: among others when another process is building, or the memory does not suffice.
pub fn prepare_depths(
    store: &Store,
    cover: &Cover,
    memory: u64,
    progress: &Progress,
) -> Result<(), BuildError> {
    let _lock = store.lock()?;
    let name = store.board().name();
    let what = |cover| format!("depths of {name} with {cover} pieces");
    extend_depths(&mut BuildSession::new(store, cover, memory)?, show(progress, what))
}

/// Shows the events of a build; `what` names the database of a cover.
fn show(progress: &Progress, what: impl Fn(Cover) -> String) -> impl FnMut(Event) {
    let mut bar = None;
    move |event| match event {
        Event::Begin { cover, indices, finished } => {
            let started = progress.start(what(cover), indices, "index");
            started.resume(finished);
            bar = Some(started);
        }
        Event::Done(indices) => bar.iter().for_each(|bar| bar.add(indices)),
        Event::End => bar.take().into_iter().for_each(Bar::finish),
    }
}

/// The place of the values of a database during a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// In memory of this process; decoded when it begins.
    Resident,
    /// In files that are mapped into memory, made once and shared; tables that do not fit are as
    /// with `Cached`.
    Mapped,
    /// In the mapped files that exist already; other tables are as with `Cached`.
    MappedIfThere,
    /// Decoded from the compressed files when they are needed.
    Cached,
}

/// The memory and disk that may be used for the values of a database.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The bytes of memory that may be used.
    pub memory: u64,
    /// The place of the values; if `None`, in memory if decoding takes about a second, otherwise
    /// mapped.
    pub holding: Option<Holding>,
    /// The bytes of disk for mapped tables; if `None`, 32 GiB or half of the free space.
    pub map_space: Option<u64>,
}

impl Room {
    /// The place of the values of a cover.
    fn holding(&self, board: &Board, cover: &Cover) -> Holding {
        let small = resident_bytes(board, cover) <= RESIDENT_BYTES;
        self.holding.unwrap_or(if small { Holding::Resident } else { Holding::Mapped })
    }

    /// The bytes of disk for mapped tables, including those that exist already.
    ///
    /// # Errors
    /// [`BuildError`] if the system does not tell the free space.
    pub fn map_space(&self, store: &Store) -> Result<u64, BuildError> {
        self.map_space
            .map_or_else(|| Ok(MAP_SPACE.min((store.free_space()? + store.table_bytes()?) / 2)), Ok)
    }
}

/// Like [`prepare`], but also loads the database for look-ups.
pub fn load(
    store: &Store,
    cover: &Cover,
    room: &Room,
    progress: &Progress,
) -> Result<Values, BuildError> {
    let board = store.board();
    // A database that does not fit into memory or disk is rejected before it is built.
    match room.holding(board, cover) {
        Holding::Resident => {
            BuildError::check_memory(
                board,
                cover,
                BuildSession::loading_memory(board, cover),
                room.memory,
            )?;
        }
        Holding::Mapped if room.holding.is_some() => check_map_space(store, cover, room)?,
        _ => {}
    }
    prepare(store, cover, room, false, progress)?;
    load_finished(store, cover, room, progress)
}

/// Loads the values of a cover for look-ups; the database must be there.
///
/// # Errors
/// [`BuildError`]: when a file differs from the MANIFEST, or memory or disk do not suffice.
pub fn load_finished(
    store: &Store,
    cover: &Cover,
    room: &Room,
    progress: &Progress,
) -> Result<Values, BuildError> {
    let board = store.board();
    match room.holding(board, cover) {
        Holding::Resident => {
            BuildSession::check_memory(board, cover, room.memory)?;
            let indices = Slice::all(board, cover).iter().map(|slice| slice.indices(board)).sum();
            let what = format!("loading database {} with {cover} pieces", board.name());
            let bar = progress.start(what, indices, "index");
            let session = BuildSession::new(store, cover, room.memory)?;
            let values = session.load_all(|indices| bar.add(indices))?;
            bar.finish();
            Ok(values)
        }
        Holding::Mapped => {
            let mut session = BuildSession::new(store, cover, room.memory)?;
            let space = room.map_space(store);
            match space.and_then(|space| make_tables(&mut session, space, progress)) {
                Ok(()) => {}
                // No tables were requested, so a database that can only be read suffices.
                Err(error) if room.holding.is_none() && is_of_disk(&error) => {
                    progress.say(format!("no tables can be made, values are cached: {error}"));
                    session.use_tables();
                }
                Err(error) => return Err(error),
            }
            Ok(session.into_values(room.memory / 2))
        }
        Holding::MappedIfThere => {
            let mut session = BuildSession::new(store, cover, room.memory)?;
            session.use_tables();
            Ok(session.into_values(room.memory / 2))
        }
        Holding::Cached => {
            Ok(BuildSession::new(store, cover, room.memory)?.into_values(room.memory / 2))
        }
    }
}

/// Makes the missing mapped tables of a cover, within the space of `room`.
///
/// # Errors
/// [`BuildError`]: among others when the disk is too small; finished tables stay.
pub fn map(
    store: &Store,
    cover: &Cover,
    room: &Room,
    progress: &Progress,
) -> Result<(), BuildError> {
    let mut session = BuildSession::new(store, cover, room.memory)?;
    make_tables(&mut session, room.map_space(store)?, progress)
}

/// Checks that the disk has room for the mapped tables of a cover, before anything is built.
pub fn check_map_space(store: &Store, cover: &Cover, room: &Room) -> Result<(), BuildError> {
    let need = BuildSession::table_bytes(store.board(), cover, room.map_space(store)?);
    let free = store.free_space()? + store.table_bytes()?;
    if need <= free {
        return Ok(());
    }
    Err(BuildError::TableSpace { directory: store.tables(), need, free })
}

/// Checks that the memory suffices to find the depths of a cover, before anything is built.
pub fn check_depth_memory(board: &Board, cover: &Cover, memory: u64) -> Result<(), BuildError> {
    BuildError::check_memory(board, cover, BuildSession::least_depth_memory(board, cover), memory)
}

/// Removes all mapped tables of a database; returns the freed bytes.
pub fn unmap(store: &Store, progress: &Progress) -> Result<u64, BuildError> {
    let session = BuildSession::new(store, &Cover::none(), u64::MAX)?;
    session.remove_tables(|| wait(store, progress))
}

fn wait(store: &Store, progress: &Progress) {
    let name = store.board().name();
    progress.say(format!("waiting for another process that makes tables of database {name}"));
}

fn make_tables(
    session: &mut BuildSession<'_>,
    space: u64,
    progress: &Progress,
) -> Result<(), BuildError> {
    let store = session.store().clone();
    let name = store.board().name();
    let mut bar = None;
    session.map(space, |making| match making {
        Making::Wait => wait(&store, progress),
        Making::Begin { slices, indices, bytes } => {
            progress.say(format!(
                "database {name}: making tables of {}, {}, in {}",
                counted(slices, "slice"),
                size_up(bytes),
                store.tables().display()
            ));
            bar = Some(progress.start(format!("tables of {name}"), indices, "index"));
        }
        Making::Done(indices) => bar.iter().for_each(|bar| bar.add(indices)),
        Making::End => bar.take().into_iter().for_each(Bar::finish),
    })
}

/// Whether an error is one of writing to the disk, or of memory for tables.
fn is_of_disk(error: &BuildError) -> bool {
    matches!(
        error,
        BuildError::Store(StoreError::Io { .. })
            | BuildError::TableSpace { .. }
            | BuildError::Memory { .. }
    )
}

/// The bytes that the values of a cover take in memory.
fn resident_bytes(board: &Board, cover: &Cover) -> u64 {
    Slice::all(board, cover).iter().map(|s| s.indices(board) / 4).sum()
}

/// The cover of a database that is used by default: all positions with at most N pieces, for the
/// largest N with which they take at most 25 MiB in memory, but fewer than `start` has, so that
/// there is something left to search; at least 2.
pub fn default_cover(board: &Board, start: u32) -> Cover {
    let mut default = Cover::up_to(2);
    for pieces in 3..=board.squares() {
        let cover = Cover::up_to(pieces);
        if u32::from(pieces) >= start || resident_bytes(board, &cover) > DEFAULT_BYTES {
            break;
        }
        default = cover;
    }
    default
}

/// Whether a board can have the database of a cover: it has enough squares, and the indices of all
/// slices can be counted in a signed 64-bit integer.
pub fn is_possible(board: &Board, cover: &Cover) -> bool {
    let indices = |slice: &Slice| {
        let (rows, columns) = slice.block_size(board);
        u128::from(slice.blocks(board)) * u128::from(rows) * u128::from(columns)
    };
    cover.most_pieces() <= board.squares()
        && Slice::all(board, cover).iter().map(indices).sum::<u128>() <= i64::MAX as u128
}

/// The largest N with which a board can have the database of all positions with at most N pieces.
pub fn most_pieces(board: &Board) -> u8 {
    let impossible = (3..=board.squares()).find(|&n| !is_possible(board, &Cover::up_to(n)));
    impossible.map_or(board.squares(), |n| n - 1)
}
