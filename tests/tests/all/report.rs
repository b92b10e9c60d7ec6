//! Reports on certificates have the numbers of the verdict.
//!
//! `prove explain`: a line of a proof, and what it says of other positions.

use draughtproof_egdb::numbers::counted;
use serde_json::Value;
use tests::prelude::*;

/// The sums of counts and positions of each question and table, from the output for programs.
fn sums(here: &Path, certificate: &str) -> BTreeMap<(String, String), (u64, u64)> {
    let mut sums = BTreeMap::new();
    let tsv = prove(&["report", certificate, "--format", "tsv", "-q"], here);
    let mut lines = tsv.lines();
    assert_eq!(lines.next(), Some("question\ttable\tkey\tcount\tpositions"));
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let sum: &mut (u64, u64) = sums.entry((row[0].into(), row[1].into())).or_default();
        sum.0 += row[3].parse::<u64>().unwrap();
        sum.1 += if row[4] == "-" { 0 } else { row[4].parse::<u64>().unwrap() };
        assert_ne!(row[2], "not reached", "{line}");
    }
    let json = prove(&["report", certificate, "--format", "json", "-q"], here);
    let mut count = 0;
    for (line, row) in json.lines().zip(tsv.lines().skip(1)) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let row: Vec<&str> = row.split('\t').collect();
        assert_eq!(value["question"], row[0]);
        assert_eq!(value["table"], row[1]);
        assert_eq!(value["key"], row[2]);
        assert_eq!(value["count"].to_string(), row[3]);
        assert_eq!(value["positions"].to_string(), row[4].replace('-', "null"));
        count += 1;
    }
    assert_eq!(count, tsv.lines().count() - 1);
    sums
}

/// A number of the verdict, such as nodes=35.
fn number(verdict: &str, key: &str) -> u64 {
    let word = verdict.split(' ').find_map(|word| word.strip_prefix(&format!("{key}=")));
    word.unwrap().parse().unwrap()
}

#[test]
fn totals_are_those_of_the_verdict() {
    let here = &Scratch::empty();
    for (game, options) in [
        ("6x6", &["--pieces", "5"][..]),
        ("5x5/2", &["--pieces", "3", "--leaf-nodes", "50"]),
        ("4x4", &["--pieces", "0"]),
        ("6x4", &["--pieces", "4", "--fen", "B:W11,12:B1,2"]),
    ] {
        let _ = fs::remove_dir_all(here.join("cert"));
        prove(&[&["--game", game, "--emit", "cert", "-q"], options].concat(), here);
        let verdict = check(&["cert"], here).verdict;
        let sums = sums(here, "cert");
        let total = |table: &str| {
            let of_table = sums.iter().filter(|((_, name), _)| name == table);
            of_table.fold((0, 0), |(a, b), (_, (c, d))| (a + c, b + d))
        };
        let (nodes, positions) = (number(&verdict, "nodes"), number(&verdict, "positions"));
        assert_eq!(total("ply"), (nodes, positions), "{game}");
        assert_eq!(total("pieces"), (nodes, positions), "{game}");
        assert_eq!(total("leaf"), (number(&verdict, "leaves"), positions), "{game}");
        assert_eq!(total("slice").0 > 0, !options.contains(&"0"), "{game}");
        let text = prove(&["report", "cert", "-q"], here);
        let leaves = number(&verdict, "leaves");
        let sizes = [(nodes, "node"), (leaves, "leaf"), (positions, "position")]
            .map(|(count, noun)| counted(count, noun))
            .join(", ");
        assert!(text.contains(&sizes), "{text}");
    }
}

/// Whether a page is complete, needs no other file, and does not show where it was made.
fn is_a_page(page: &str, here: &Path) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</body></html>\n"));
    assert!(page.contains("<meta name=\"viewport\" content=\"width=device-width"));
    for word in ["http:", "https:", "//", "<script", "src=", "@import", "url(", "NaN"] {
        assert!(!page.contains(word), "{word}");
    }
    // Every reference leads to a place in the page.
    for reference in page.split("href=\"").skip(1) {
        let name = reference.strip_prefix('#').unwrap().split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
    }
    assert!(!page.contains(&here.display().to_string()), "{}", here.display());
    // Each element that is opened is closed.
    for element in ["table", "tr", "td", "th", "div", "p", "h1", "h2", "i", "svg", "g", "pre"] {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        let closed = page.matches(&format!("</{element}>")).count();
        assert_eq!(opened, closed, "{element}");
    }
}

/// The text between the first occurrence of `from` and the next of `to`.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let rest = page.split_once(from).unwrap_or_else(|| panic!("no {from} in {page}")).1;
    rest.split(to).next().unwrap()
}

/// A reader who knows none of the project's terms reads what is proved, sees the board and the
/// first moves, and can verify it.
#[test]
fn pages_state_the_claim() {
    let here = &Scratch::empty();
    let absolute = here.join("my cert");
    prove(&["--pieces", "5", "--emit", absolute.to_str().unwrap(), "-q"], here);
    let page = prove(&["report", absolute.to_str().unwrap(), "--format", "html", "-q"], here);
    is_a_page(&page, here);
    let sentence = "From the start of 6x6 checkers, neither side can force a win: it is a draw.";
    assert!(page.contains(sentence), "{page}");
    let board = "aria-label=\"board of B:W13,14,15,16,17,18:B1,2,3,4,5,6\"";
    assert!(page.contains(board), "{page}");
    assert_eq!(page.matches("href=\"#man\" class=\"black\"").count(), 6);
    // The first moves are those of the game: Black begins, and answers each reply.
    let begins = between(&page, "Black begins with <b>", "<");
    let replies = prove(&["perft", "--game", "6x6", "--moves", begins, "--depth", "1"], here);
    let rows = between(&page, "<th>Black answers</th></tr>", "</table>").matches("<tr>").count();
    assert_eq!(replies.trim(), format!("1\t{rows}"));
    let reply = between(&page, "<th>Black answers</th></tr>\n<tr><td>", "</td></tr>");
    let line = format!("{begins} {}", reply.replace("</td><td>", " "));
    prove(&["perft", "--game", "6x6", "--moves", &line, "--depth", "1"], here);
    // The command verifies the certificate, and prints what the page says.
    assert!(page.contains("<pre>check 'my cert'</pre>"), "{page}");
    let said = check(&["my cert"], here);
    assert_eq!(said.status, Some(0), "{said:?}");
    let begin = between(&page, "<pre>s ", "<");
    assert!(said.verdict.starts_with(&format!("s {begin} ")), "{said:?}");
    let root = between(&page, "<code>root=", "<");
    assert!(said.verdict.contains(&format!(" root={root} ")), "{said:?}");
    // A chart whose scale is stated, and slices in words.
    assert!(page.contains("The scale is logarithmic"), "{page}");
    assert!(page.contains("plies from the start</text>"), "{page}");
    assert!(page.contains("<td>2 men v 2 men</td>") && !page.contains("2,0,2,0"), "{page}");
    let version = format!("Page by prove {}; format 1,", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&version), "{page}");
}

#[test]
fn pages_of_databases() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "3", "--depth", "-q"], here);
    let page = prove(&["stats", "--game", "6x6", "--format", "html", "-q"], here);
    is_a_page(&page, here);
    let stats = prove(&["stats", "--game", "6x6", "--format", "tsv", "-q"], here);
    let (mut longest, mut close) = (0, 0);
    for row in stats.lines().skip(1) {
        let row: Vec<&str> = row.split('\t').collect();
        let numbers: Vec<u64> = row[1..5].iter().map(|n| n.parse().unwrap()).collect();
        longest += usize::from(row[5] != "0");
        // A share that is nearly all or nearly none is not shown as all or none.
        for (n, letter) in [(numbers[1], "W"), (numbers[2], "D"), (numbers[3], "L")] {
            let share = 100.0 * n as f64 / numbers[0] as f64;
            if n != 0 && n != numbers[0] && !(0.05..99.95).contains(&share) {
                close += 1;
                assert!(page.contains(&format!("{letter} {share:.2} %")), "{row:?}: {share}");
            }
        }
    }
    assert!(close > 0, "no share is close to all or nothing: {stats}");
    // Each longest win has a position, and takes as many plies as stated.
    let examples = page.split("<summary>Longest win or loss: ").skip(1);
    let mut seen = 0;
    for example in examples {
        let plies = example.split(' ').next().unwrap();
        let fen = between(example, "<code>", "<");
        let probed = prove(&["probe", "--game", "6x6", "--format", "tsv", "-q", fen], here);
        assert_eq!(probed.split('\t').nth(2), Some(plies), "{fen}");
        seen += 1;
    }
    assert_eq!(seen, longest);
    assert!(page.contains("<pre>check --game 6x6 --pieces 3</pre>"), "{page}");
    let said = check(&["--game", "6x6", "--pieces", "3"], here);
    let begin = between(&page, "<pre>s ", "<");
    assert!(said.verdict.starts_with(&format!("s {begin} ")), "{said:?}");
}

#[test]
fn pages() {
    let here = &Scratch::empty();
    let name = "<i>a&b\"</i>".replace('/', "");
    prove(&["--game", "4x4", "--pieces", "2", "--emit", &name, "-q"], here);
    let page = prove(&["report", &name, "--format", "html", "-q"], here);
    assert!(page.contains("check '&lt;i&gt;a&amp;b&quot;&lt;i&gt;'"), "{page}");
    assert!(!page.contains("<i>a"), "{page}");
    assert!(page.contains("<title>4x4 is a draw</title>"), "{page}");
    is_a_page(&page, here);
    fs::write(here.join("page.html"), "old").unwrap();
    prove(&["report", &name, "--format", "html", "--out", "page.html", "-q"], here);
    assert_eq!(fs::read_to_string(here.join("page.html")).unwrap(), page);
}

#[test]
fn what_cannot_be_reported() {
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    let fails = |arguments: &[&str], status: i32, word: &str| {
        fails(here, arguments, status, &[word]);
    };
    fails(&["report", "none"], 3, "none/MANIFEST");
    fails(&["report", "cert", "--coq", "--db", "none"], 3, "none");
    fails(&["report", "cert", "--out", "no/such/file"], 3, "no/such/file");
    let claim = fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    fs::write(here.join("cert/CLAIM"), claim.replace("DRAW", "BLACK-WINS")).unwrap();
    fails(&["report", "cert"], 3, "cert/CLAIM: expected ");
}

#[cfg(unix)]
#[test]
fn pages_replace_files_whole() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "3", "--emit", "cert", "-q"], here);
    let report = |file: &str| {
        prove(&["report", "cert", "-q", "--out", file], here);
    };
    report("page");
    fs::write(here.join("file"), "").unwrap();
    let mode = |name: &str| fs::metadata(here.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("page"), mode("file"));
    // The report goes to the file that a link leads to, which keeps its permissions.
    fs::set_permissions(here.join("file"), fs::Permissions::from_mode(0o664)).unwrap();
    symlink("file", here.join("link")).unwrap();
    report("link");
    assert!(fs::symlink_metadata(here.join("link")).unwrap().is_symlink());
    assert_eq!(mode("file") & 0o777, 0o664);
    assert_eq!(fs::read(here.join("file")).unwrap(), fs::read(here.join("page")).unwrap());
    // A path that is not an ordinary file is not replaced.
    report("/dev/null");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

fn explain(here: &Path, arguments: &[&str]) -> (Vec<Value>, Option<i32>) {
    let all = [&["explain", "cert", "--format", "json"], arguments].concat();
    let output = run(&path("prove"), &all, here);
    let text = String::from_utf8(output.stdout).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), output.status.code())
}

/// In each position of a line the claimant has one move, and every legal reply of the other side is
/// there, with its answer; each leads to a place that the proof has.
#[test]
fn a_line_has_all_replies_and_stays_in_the_proof() {
    let here = tempfile::tempdir().unwrap();
    prove(
        &["--game", "4x4", "--pieces", "3", "--leaf-nodes", "3", "--emit", "cert", "-q"],
        here.path(),
    );
    let board = "4x4".parse::<Game>().unwrap().board;
    let (steps, status) = explain(here.path(), &[]);
    assert_eq!(status, Some(0));
    let questions = ["black-not-lost", "white-not-lost"];
    for question in questions {
        let steps: Vec<_> = steps.iter().filter(|step| step["question"] == question).collect();
        assert!(steps.len() > 1, "{steps:?}");
        assert_eq!(steps[0]["fen"], "B:W7,8:B1,2");
        for step in steps {
            let position = board.read_fen(step["fen"].as_str().unwrap()).unwrap();
            let moves = step["moves"].as_array().unwrap();
            let mut all = Vec::new();
            board.successors(&position, &mut all);
            let claimant = if question == questions[0] { "B" } else { "W" };
            let claimant_moves = step["fen"].as_str().unwrap().starts_with(claimant);
            assert_eq!(moves.len(), if claimant_moves { 1 } else { all.len() }, "{step}");
            for made in moves {
                let name = made["made"].as_str().unwrap();
                let after = *board.read_line(&position, name).unwrap().last().unwrap();
                assert_ne!(made["place"], "not in the proof", "{step}");
                let answered = !made["answer"].is_null();
                let is_over = made["place"] == "the game is over";
                let is_known = made["place"] == "the database" || is_over;
                assert_eq!(answered || is_known, !claimant_moves || is_known, "{step}");
                assert!(all.contains(&after));
            }
        }
    }
    let (after, status) = explain(here.path(), &["--moves", "2-4"]);
    assert_eq!((after[0]["fen"].as_str(), status), (Some("W:W7,8:B1,4"), Some(0)));
    let (none, status) = explain(here.path(), &["B:WK5,K6,K7,K8:B1"]);
    assert!(none.iter().all(|step| step["place"] == "not in the proof"), "{none:?}");
    assert_ne!(status, Some(0));
}

/// For one release the old command says where it went.
#[test]
fn check_says_where_explain_is() {
    let here = tempfile::tempdir().unwrap();
    for arguments in [&["explain"][..], &["explain", "cert", "--at", "black-not-lost:1"]] {
        let Said { verdict, status, .. } = check(arguments, here.path());
        assert!(verdict.ends_with("prove explain CERT") && status == Some(4), "{verdict}");
    }
}
