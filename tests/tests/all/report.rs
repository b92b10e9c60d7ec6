//! Reports on certificates: the numbers are those of the verdict.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tests::programs::{check, path, prove, run};

/// The sums of counts and positions of each question and table, from the lines for programs.
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
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
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
        let sizes = format!("\n{nodes} nodes, {leaves} leaves, {positions} positions, ");
        assert!(text.contains(&sizes), "{text}");
    }
}

#[test]
fn pages() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    let name = "<i>a&b\"</i>".replace('/', "");
    prove(&["--game", "4x4", "--pieces", "2", "--emit", &name, "-q"], here);
    let page = prove(&["report", &name, "--html", "-q"], here);
    assert!(page.contains("&lt;i&gt;a&amp;b&quot;&lt;i&gt;"), "{page}");
    assert!(!page.contains("<i>a"), "{page}");
    assert!(page.contains("<title>DRAW 4x4</title>") && page.ends_with("</body></html>\n"));
    for word in ["http:", "https:", "<script", "src="] {
        assert!(!page.contains(word), "{word}");
    }
    // Each element that is opened is closed.
    for element in ["table", "tr", "td", "th", "div", "p", "h2", "i"] {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
        assert!(opened > 0, "{element}");
    }
    fs::write(here.join("page.html"), "old").unwrap();
    prove(&["report", &name, "--format", "html", "--out", "page.html", "-q"], here);
    assert_eq!(fs::read_to_string(here.join("page.html")).unwrap(), page);
}

#[test]
fn what_cannot_be_reported() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    let fails = |arguments: &[&str], status: i32, word: &str| {
        let output = run(&path("prove"), arguments, here);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    };
    fails(&["report", "none"], 3, "none/MANIFEST");
    fails(&["report", "cert", "--html", "--format", "tsv"], 2, "cannot be used with");
    fails(&["report", "cert", "--out", "no/such/file"], 3, "no/such/file");
    let claim = fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    fs::write(here.join("cert/CLAIM"), claim.replace("DRAW", "BLACK-WINS")).unwrap();
    fails(&["report", "cert"], 3, "cert/CLAIM: expected ");
}

#[cfg(unix)]
#[test]
fn a_page_is_a_file_as_any_other() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    prove(&["--game", "4x4", "--pieces", "3", "--emit", "cert", "-q"], here);
    let report = |file: &str| {
        prove(&["report", "cert", "-q", "--out", file], here);
    };
    report("page");
    fs::write(here.join("file"), "").unwrap();
    let mode = |name: &str| fs::metadata(here.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("page"), mode("file"));
    // It goes where a link leads to, and who may read that stays.
    fs::set_permissions(here.join("file"), fs::Permissions::from_mode(0o664)).unwrap();
    symlink("file", here.join("link")).unwrap();
    report("link");
    assert!(fs::symlink_metadata(here.join("link")).unwrap().is_symlink());
    assert_eq!(mode("file") & 0o777, 0o664);
    assert_eq!(fs::read(here.join("file")).unwrap(), fs::read(here.join("page")).unwrap());
    // What is no file stays what it is.
    report("/dev/null");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}
