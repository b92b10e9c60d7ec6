//! Benchmarks of databases: `cargo bench -p draughtproof-egdb`.
//!
//! Look-ups use the 8x8 database in the directory that the variable `EGDB` names, or otherwise one
//! with 4 pieces, which is built first.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use draughtproof_egdb::{
    BuildSession, Builder, Cover, Database, Mode, Slice, Store, decode_slice, encode_slice, extend,
    locate, position_at,
};
use draughtproof_game::{Board, Position};

fn board() -> Board {
    Board::new(8, 8).expect("a board")
}

/// A builder that has solved all slices up to `pieces` pieces.
fn solved(board: &Board, pieces: u8) -> Builder {
    let cover = Cover::up_to(pieces);
    let mut builder = Builder::new(board, &cover);
    for n in 2..=pieces {
        Builder::pairs(board, &cover, n).into_iter().for_each(|slice| builder.solve(slice));
    }
    builder
}

/// The directory of the database for look-ups.
fn directory() -> PathBuf {
    if let Some(given) = std::env::var_os("EGDB") {
        return given.into();
    }
    let directory = std::env::temp_dir().join("draughtproof-bench");
    let store = Store::new(&directory, &board());
    let _lock = store.lock().expect("the only builder");
    let mut session = BuildSession::new(&store, &Cover::up_to(4), 1 << 30).expect("a store");
    extend(&mut session, |_| ()).expect("a database");
    directory
}

/// Positions of a cover, spread evenly over the indices by a fixed
/// pseudo-random sequence (Knuth's MMIX).
fn positions(board: &Board, cover: &Cover, count: usize) -> Vec<Position> {
    let slices: Vec<Slice> = Slice::all(board, cover);
    let all: u64 = slices.iter().map(|s| s.indices(board)).sum();
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 16
    };
    let mut found = Vec::new();
    while found.len() < count {
        let mut index = random() % all;
        let slice = slices.iter().find(|s| {
            let here = index < s.indices(board);
            index -= if here { 0 } else { s.indices(board) };
            here
        });
        found.extend(slice.and_then(|&slice| position_at(board, slice, index)));
    }
    found
}

fn indexing(c: &mut Criterion) {
    let board = board();
    let some = positions(&board, &Cover::up_to(6), 1000);
    let places: Vec<_> = some.iter().map(|p| locate(&board, p)).collect();
    let mut group = c.benchmark_group("indexing");
    group.throughput(Throughput::Elements(some.len() as u64));
    group.bench_function("locate", |b| {
        b.iter(|| some.iter().map(|p| locate(&board, p).1).fold(0, u64::wrapping_add));
    });
    group.bench_function("position_at", |b| {
        b.iter(|| {
            places.iter().for_each(|&(slice, i)| {
                black_box(position_at(&board, slice, i));
            });
        });
    });
}

fn solving(c: &mut Criterion) {
    let board = board();
    let mut group = c.benchmark_group("solving");
    group.sample_size(10);
    let mut builder = solved(&board, 4);
    for slice in [Slice::new(0, 2, 0, 2), Slice::new(1, 1, 1, 1), Slice::new(2, 0, 2, 0)] {
        let name = slice.name().file_name();
        group.throughput(Throughput::Elements(slice.indices(&board)));
        group.bench_function(&name, |b| b.iter(|| builder.solve(slice)));
    }
}

fn compression(c: &mut Criterion) {
    let board = board();
    let slice = Slice::new(1, 1, 1, 1);
    let builder = solved(&board, 4);
    let table = builder.table(slice);
    let bytes = encode_slice(&board, slice, table).concat();
    let mut group = c.benchmark_group("compression");
    group.throughput(Throughput::Elements(slice.indices(&board)));
    group.bench_function("encode", |b| b.iter(|| encode_slice(&board, slice, table)));
    group.bench_function("decode", |b| b.iter(|| decode_slice(&board, slice, &bytes)));
}

fn probing(c: &mut Criterion) {
    let board = board();
    let directory = directory();
    let open = |mode| Database::open(Path::new(&directory), &board, mode).expect("a database");
    let cached = open(Mode::Cached(4 << 30));
    let some = positions(&board, cached.cover(), 1 << 20);
    let all = |database: &Database| {
        let known = some.iter().filter(|p| database.probe(p).is_ok_and(|value| value.is_some()));
        assert_eq!(known.count(), some.len());
    };
    all(&cached);
    let mut group = c.benchmark_group("probing");
    group.sample_size(10);
    group.throughput(Throughput::Elements(some.len() as u64));
    group.bench_function("cached", |b| b.iter(|| all(&cached)));
    drop(cached);
    let resident = open(Mode::Resident(16 << 30));
    group.bench_function("resident", |b| b.iter(|| all(&resident)));
    group.bench_function("resident, in batches", |b| b.iter(|| resident.probe_batch(&some)));
    drop(resident);
    let few = &some[..1000];
    group.throughput(Throughput::Elements(few.len() as u64));
    group.bench_function("cold", |b| {
        let cold = |database: Database| database.probe_batch(few).expect("values");
        b.iter_batched(|| open(Mode::Cached(1 << 30)), cold, BatchSize::PerIteration);
    });
}

criterion_group!(benches, indexing, solving, compression, probing);
criterion_main!(benches);
