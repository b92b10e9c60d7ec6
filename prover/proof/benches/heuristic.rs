//! Benchmarks of the heuristic search on 8x8: `cargo bench -p draughtproof-proof`.
//!
//! The variable `EGDB` names the directory of the database; without it, none is used.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use draughtproof_egdb::{BuildSession, Store, Values};
use draughtproof_game::{Game, Position};
use draughtproof_proof::heuristic::{Heuristic, Limits};

fn database(game: &Game) -> Values {
    let Some(directory) = std::env::var_os("EGDB") else { return Values::empty(&game.board) };
    let store = Store::new(directory.as_ref(), &game.board);
    let cover = store.manifest().expect("a database").cover;
    let session = BuildSession::new(&store, &cover, 8 << 30).expect("a database");
    session.load_all(|_| ()).expect("a database")
}

fn heuristic(c: &mut Criterion) {
    let game: Game = "8x8".parse().expect("a game");
    let database = database(&game);
    let mut heuristic = Heuristic::new(&game.board, &database);
    let mut group = c.benchmark_group("heuristic");

    let mut some: Vec<Position> = Vec::new();
    game.board
        .for_each_successor(&game.start(), |p| game.board.for_each_successor(&p, |q| some.push(q)));
    group.throughput(Throughput::Elements(some.len() as u64));
    group.bench_function("evaluate", |b| {
        b.iter(|| some.iter().map(|p| heuristic.evaluate(black_box(p))).sum::<i32>());
    });

    let limits = Limits { nodes: 1_000_000, ..Limits::default() };
    group.sample_size(10);
    group.throughput(Throughput::Elements(limits.nodes));
    for (name, fen) in [
        ("start", game.board.write_fen(&game.start())),
        ("ten pieces", "B:W18,23,27,30,K6:B3,12,16,20,K25".into()),
    ] {
        let position = game.board.read_fen(&fen).expect("a position");
        group.bench_function(name, |b| {
            b.iter(|| heuristic.search(black_box(&position), limits, |_| ()).score);
        });
    }
}

criterion_group!(benches, heuristic);
criterion_main!(benches);
