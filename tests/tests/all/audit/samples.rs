//! Samples, and certificates that `check reproduce` makes again.

use std::fs;
use std::path::Path;

use certificate_spec::cover::Cover;
use certificate_spec::provenance::{Mode, Request, Resources};
use tests::draft::Draft;
use tests::programs::{check, path, prove, run};

use super::{certificate, say, words};

#[test]
fn a_sample_is_the_same_each_time() {
    let root = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let here = root.path();
    let sample = |options: &str| {
        let said = say(&format!("cert {options}"), here);
        assert_eq!(said.status, Some(5), "{said:?}");
        assert!(said.verdict.starts_with("s SAMPLED WHITE-WINS 6x4 "), "{said:?}");
        said.verdict
    };
    let ten = sample("--sample 10% --seed 5");
    assert_eq!(ten, sample("--sample 10.0% --seed 5 --threads 3"));
    assert_ne!(ten, sample("--sample 10% --seed 6"));
    assert!(ten.ends_with(" share=0.1 seed=5 missed=1:0.9000,10:0.3487,100:2.7e-5,1000:1.7e-46"));
    for (field, all) in [("blocks", true), ("nodes", true), ("leaves", true)] {
        let everything = sample("--sample 100%");
        let value = everything.split(' ').find_map(|w| w.strip_prefix(&format!("{field}=")));
        let (seen, of) = value.unwrap().split_once('/').unwrap();
        assert_eq!(seen == of, all, "{everything}");
    }
    // The maker of the certificate must not know the seed beforehand.
    let seeds: Vec<String> = [(); 2]
        .map(|()| sample("--sample 50%"))
        .iter()
        .filter_map(|line| {
            line.split(' ').find(|word| word.starts_with("seed=")).map(str::to_string)
        })
        .collect();
    assert_ne!(seeds[0], seeds[1]);
    for wrong in ["0%", "1", "101%", "-1%", "1.00001%", "%", "1.%", "+1%"] {
        let said = say(&format!("cert --sample={wrong}"), here);
        assert!(said.verdict.starts_with("s ERROR usage:"), "{wrong}: {said:?}");
    }
    for wrong in ["0/3", "4/3", "1", "a/b", "01/3", "1/1000001", "+1/3"] {
        let said = say(&format!("cert --shard {wrong}"), here);
        assert!(said.verdict.starts_with("s ERROR usage:"), "{wrong}: {said:?}");
    }
}

/// A verdict counts the kinds of items of which a sample has none, and a warning names them, even
/// with `--quiet`.
#[test]
fn a_sample_without_leaves_is_no_small_sample_of_them() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    for (share, quiet) in [("0.0001%", ""), ("0.0001%", "--quiet"), ("100%", "")] {
        let text = format!("cert --sample {share} --seed 7 {quiet}");
        let output = run(&path("check"), &words(&text), here);
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let line = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        for what in ["blocks", "nodes", "leaves"] {
            let count = line.split(' ').find_map(|w| w.strip_prefix(&format!("{what}=")));
            let (seen, of) = count.unwrap().split_once('/').unwrap();
            let warning = format!(
                "check: warning: none of {of} {what} is in the sample, which says nothing of them"
            );
            assert_eq!(seen == "0", said.lines().any(|l| l == warning), "{line}{said}");
            assert_eq!(seen == "0", share != "100%", "{line}");
        }
    }
}

#[test]
fn a_certificate_is_made_again_from_what_it_says() {
    let prove_path = path("prove");
    let again = |here: &Path| {
        let prove = prove_path.to_str().unwrap();
        let output = run(&path("check"), &["reproduce", "cert", "--prove", prove], here);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for options in [
        "--game 4x4 --pieces 3 --leaf-nodes 3",
        "--game 6x4 --pieces 3 --leaf-nodes 40 --threshold 50 --increment 30",
        "--game 4x4 --pieces 2 --moves 1-3",
    ] {
        let root = certificate(options);
        let (status, said) = again(root.path());
        assert_eq!(
            (status, &*said),
            (Some(0), "The prover makes the same certificate.\n"),
            "{options}"
        );
    }
    // Programs that make no certificate, or do not exist.
    let root = certificate("--game 4x4 --pieces 2");
    for (program, why) in
        [("false", "s ERROR false: exit status: 1"), ("/nowhere", "s ERROR /nowhere: ")]
    {
        let said = check(&["reproduce", "cert", "--prove", program], root.path());
        assert!(said.verdict.starts_with(why) && said.status == Some(4), "{said:?}");
    }
    // A value that was not decided within the bound is not decided the next time.
    let root = tempfile::tempdir().unwrap();
    let few =
        "--game 6x4 --pieces 2 --leaf-nodes 20 --threshold 50 --max-nodes 200 --emit cert --quiet";
    let output = run(&prove_path, &words(few), root.path());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(again(root.path()).0, Some(0));
    // A certificate made with a seed line, after the file of the line has changed.
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    fs::write(here.join("seed.pdn"), "1. 1-3 7-5 *\n").unwrap();
    prove(
        &words("--game 4x4 --pieces 2 --leaf-nodes 3 --seed-line seed.pdn --emit cert --quiet"),
        here,
    );
    fs::remove_file(here.join("seed.pdn")).unwrap();
    assert_eq!(again(here).0, Some(0));

    // A certificate that states another program.
    let mut draft = Draft::read(&here.join("cert"));
    let right = draft.clone();
    let asked = |draft: &Draft, edit: &dyn Fn(&mut Request)| {
        let mut draft = draft.clone();
        let provenances = draft.parts.iter_mut().flat_map(|part| &mut part.provenance);
        provenances.for_each(|provenance| edit(&mut provenance.request));
        draft.write(&here.join("cert"));
        again(here)
    };
    let (status, said) = asked(&draft, &|request| request.leaf_nodes = 4);
    assert_eq!(status, Some(1));
    assert!(said.starts_with("The prover makes another one: "), "{said}");
    // The prover is not asked for more than the certificate claims, nor for its defaults where the
    // request is empty.
    type Change = dyn Fn(&mut Request);
    let refused: [(&str, &Change); 8] = [
        ("another game", &|request| request.game = "6x6".into()),
        ("no game", &|request| request.game.clear()),
        ("another start", &|request| request.start = "B:W7,8:B1,3".into()),
        ("no start", &|request| request.start.clear()),
        ("more pieces", &|request| request.cover = Cover::up_to(4)),
        ("another clause", &|request| request.cover = Cover::parse("4:2").unwrap()),
        ("no database", &|request| request.cover = Cover::none()),
        // A certificate must not have a file written that it names.
        ("an option", &|request| request.game = "--emit=elsewhere".into()),
    ];
    for (what, edit) in refused {
        assert_eq!(asked(&draft, edit).0, Some(4), "{what}");
    }
    for (what, moves) in [("an option", vec!["--emit", "elsewhere"]), ("no move", vec!["1-8"])] {
        let moves: Vec<String> = moves.into_iter().map(String::from).collect();
        let (status, said) = asked(&draft, &|request| request.seed_line = moves.clone());
        assert_eq!(status, Some(4), "{what}: {said}");
    }
    assert!(!here.join("elsewhere").exists());
    // The prover states the same request for both questions.
    draft.parts[1].provenance.as_mut().unwrap().request.leaf_nodes = 5;
    draft.write(&here.join("cert"));
    let (status, said) = again(here);
    assert_eq!(status, Some(1));
    assert!(said.contains("Provenance of WhiteNotLost"), "{said}");
    // A certificate that depends on timing is not made again.
    let mut free = right.clone();
    let resources = Resources { threads: 2, workers: 1, seconds: 60 };
    for provenance in free.parts.iter_mut().flat_map(|part| &mut part.provenance) {
        provenance.mode = Mode::FreeRunning(resources);
    }
    free.write(&here.join("cert"));
    assert_eq!(again(here).0, Some(4));
    // Threads that share a table make such a certificate.
    let root = certificate("--game 6x6 --pieces 4 --leaf-nodes 4000000 --free --threads 4");
    assert!(say("cert", root.path()).verdict.starts_with("s VERIFIED DRAW 6x6 "));
    assert_eq!(again(root.path()).0, Some(4));
    // A certificate with missing objects is not the same.
    right.write(&here.join("cert"));
    for object in fs::read_dir(here.join("cert/objects")).unwrap() {
        fs::write(object.unwrap().path(), "garbage").unwrap();
    }
    let (status, said) = again(here);
    assert!(status == Some(1) && said.starts_with("s REFUTED object-hash "), "{said}");
    let mut silent = right.clone();
    silent.parts.iter_mut().for_each(|part| part.provenance = None);
    silent.write(&here.join("cert"));
    assert_eq!(again(here).0, Some(4));
}
