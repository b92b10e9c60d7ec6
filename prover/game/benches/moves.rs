//! Benchmarks of move generation: `cargo bench -p draughtproof-game`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use draughtproof_game::{Game, perft};

fn moves(c: &mut Criterion) {
    let game = "8x8".parse::<Game>().expect("a game");
    let start = game.start();
    let mut group = c.benchmark_group("moves");
    group.throughput(Throughput::Elements(perft(&game.board, &start, 9)));
    group.bench_function("perft 9", |b| b.iter(|| perft(&game.board, black_box(&start), 9)));
}

criterion_group!(benches, moves);
criterion_main!(benches);
