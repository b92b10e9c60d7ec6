//! tmp
use prover::board::*;
use prover::egdb::*;
use prover::search::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g: Game = a[1].parse().unwrap();
    let d: u8 = a[2].parse().unwrap();
    let budget: u64 = a[3].parse().unwrap();
    let store = Store::new(std::path::Path::new("/tmp/egdb"), &g.board);
    let db = ensure(&store, &g.board, d, &prover::progress::Progress::new(false)).unwrap();
    for attacker in [Side::Black, Side::White] {
        let mut s = Search::new(&g.board, &db, attacker);
        let t = std::time::Instant::now();
        let o = s.run(&g.start(), budget);
        let st = s.strategy(&g.start()).map(|st| st.replay(&g.board, &db, &g.start(), |_| false, |_,_|{}));
        println!("{st:?} {attacker:?} {o:?} nodes {} {:?} {:.2} M/s", s.nodes(), t.elapsed(), s.nodes() as f64 / t.elapsed().as_secs_f64()/1e6);
    }
}
