//! tmp
use prover::board::*;
use prover::egdb::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g: Game = a[1].parse().unwrap();
    let d: u8 = a[2].parse().unwrap();
    println!("mem {} MB", Builder::memory(&g.board, d) >> 20);
    let mut b = Builder::new(Database::empty(&g.board), d);
    for n in 2..=d {
        let t = std::time::Instant::now();
        for s in Builder::pairs(&g.board, n) {
            let t0 = std::time::Instant::now();
            b.solve(s);
            if t0.elapsed().as_millis() > 200 {
                println!("  {:?} {:?}", s.name(), t0.elapsed());
            }
        }
        b.complete(n);
        println!("{n}: {:?}", t.elapsed());
    }
    let db = b.finish();
    for n in 2..=d {
        let mut c = stats::Counts::default();
        for s in Slice::all(&g.board, d)
            .into_iter()
            .filter(|s| s.pieces() == n)
        {
            c.add(stats::count(&db, s));
        }
        println!("{n} {c:?} draw {}", c.draw());
    }
}
