//! Samples, and certificates that `check reproduce` makes again.

use super::*;
use certificate_spec::provenance::{Mode, Request, Resources};

/// The verdict on a sample of the certificate.
fn sample(options: &str, here: &Path) -> String {
    let said = say(&format!("cert {options}"), here);
    assert_eq!(said.status, Some(5), "{said:?}");
    assert!(said.verdict.starts_with("s SAMPLED "), "{said:?}");
    said.verdict
}

/// A field `K/N` of a verdict.
fn count<'a>(line: &'a str, field: &str) -> (&'a str, &'a str) {
    let value = line.split(' ').find_map(|word| word.strip_prefix(&format!("{field}=")));
    value.unwrap().split_once('/').unwrap()
}

#[test]
fn a_sample_depends_on_its_seed_alone() {
    let here = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let ten = sample("--sample 10% --seed 5", &here);
    assert_eq!(ten, sample("--sample 10.0% --seed 5 --threads 3", &here));
    assert_ne!(ten, sample("--sample 10% --seed 6", &here));
    assert!(ten.ends_with(" share=0.1 seed=5 missed=1:0.9000,10:0.3487,100:2.7e-5,1000:1.7e-46"));
    let everything = sample("--sample 100%", &here);
    for field in ["blocks", "nodes", "leaves"] {
        let (seen, of) = count(&everything, field);
        assert_eq!(seen, of, "{everything}");
    }
}

/// The maker of the certificate must not know the seed beforehand.
#[test]
fn a_seed_is_random_unless_given() {
    let here = draw();
    let [one, other] = [(); 2].map(|()| sample("--sample 50%", &here));
    let seed = |line: &str| line.split(' ').find(|w| w.starts_with("seed=")).unwrap().to_string();
    assert_ne!(seed(&one), seed(&other));
}

#[test]
fn samples_and_shards_have_one_spelling() {
    let here = draw();
    for (option, wrong) in [
        ("sample", &["0%", "1", "101%", "-1%", "1.00001%", "%", "1.%", "+1%"][..]),
        ("shard", &["0/3", "4/3", "1", "a/b", "01/3", "1/1000001", "+1/3"]),
    ] {
        for wrong in wrong {
            let said = say(&format!("cert --{option}={wrong}"), &here);
            assert!(said.verdict.starts_with("s ERROR usage:"), "{wrong}: {said:?}");
        }
    }
}

/// A verdict counts the kinds of items of which a sample has none, and a warning names them, even
/// with `--quiet`.
#[test]
fn a_sample_without_leaves_is_no_small_sample_of_them() {
    let here = draw();
    for (share, quiet) in [("0.0001%", ""), ("0.0001%", "--quiet"), ("100%", "")] {
        let text = format!("cert --sample {share} --seed 7 {quiet}");
        let output = run(&path("check"), &words(&text), &here);
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let line = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        // The sentence says first what is not in the sample.
        let (seen, of) = count(&line, "leaves");
        let unseen = of.parse::<u64>().unwrap() - seen.parse::<u64>().unwrap();
        let unseen =
            said.find(&format!(", {unseen} of {of} leaves. Nothing is wrong in the others,"));
        assert_eq!(unseen.is_some(), quiet.is_empty(), "{said}");
        for what in ["blocks", "nodes", "leaves"] {
            let (seen, of) = count(&line, what);
            let warning = format!(
                "check: warning: none of {of} {what} is in the sample, which says nothing of them"
            );
            assert_eq!(seen == "0", said.lines().any(|l| l == warning), "{line}{said}");
            assert_eq!(seen == "0", share != "100%", "{line}");
        }
    }
}

/// Makes the certificate again with a program: the exit status, and what is said.
fn reproduce_with(program: &str, here: &Path) -> (Option<i32>, String) {
    let output = run(&path("check"), &["reproduce", "cert", "--prove", program], here);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn reproduce(here: &Path) -> (Option<i32>, String) {
    reproduce_with(path("prove").to_str().unwrap(), here)
}

/// Makes a certificate again that states another request.
fn reproduce_asked(edit: &dyn Fn(&mut Request), here: &Path) -> (Option<i32>, String) {
    let right = Draft::read(&here.join("cert"));
    let mut draft = right.clone();
    let provenances = draft.parts.iter_mut().flat_map(|part| &mut part.provenance);
    provenances.for_each(|provenance| edit(&mut provenance.request));
    draft.write(&here.join("cert"));
    let said = reproduce(here);
    right.write(&here.join("cert"));
    said
}

#[test]
fn a_certificate_is_made_again_from_what_it_says() {
    for options in [
        "--game 4x4 --pieces 3 --leaf-nodes 3",
        "--game 6x4 --pieces 3 --leaf-nodes 40 --threshold 50 --increment 30",
        "--game 4x4 --pieces 2 --moves 1-3",
    ] {
        let (status, said) = reproduce(&certificate(options));
        assert_eq!((status, &*said), (Some(0), "The prover makes the same certificate.\n"));
    }
}

#[test]
fn a_program_that_makes_no_certificate_is_an_error() {
    let here = draw();
    for (program, why) in
        [("false", "s ERROR false: exit status: 1"), ("/nowhere", "s ERROR /nowhere: ")]
    {
        let (status, said) = reproduce_with(program, &here);
        assert!(said.starts_with(why) && status == Some(4), "{said}");
    }
}

#[test]
fn a_value_that_stays_undecided_is_made_again() {
    let here = Place::empty();
    let few =
        "--game 6x4 --pieces 2 --leaf-nodes 20 --threshold 50 --max-nodes 200 --emit cert --quiet";
    let output = run(&path("prove"), &words(few), &here);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(reproduce(&here).0, Some(0));
}

/// Certificates of earlier versions can state a seed line, which `prove` no longer has.
#[test]
fn a_seed_line_is_not_played_again() {
    let (status, said) =
        reproduce_asked(&|request| request.seed_line = vec!["1-3".into()], &draw());
    assert!(said.contains("seed line") && status == Some(4), "{said}");
}

#[test]
fn another_request_makes_another_certificate() {
    let (status, said) = reproduce_asked(&|request| request.leaf_nodes = 4, &draw());
    assert!(said.starts_with("The prover makes another one: ") && status == Some(1), "{said}");
}

/// Nor is it asked for its defaults where the request is empty, or to write a file that the
/// certificate names.
#[test]
fn the_prover_is_not_asked_for_more_than_the_claim() {
    let here = draw();
    type Change = dyn Fn(&mut Request);
    let changes: [(&str, &Change); 9] = [
        ("another game", &|request| request.game = "6x6".into()),
        ("no game", &|request| request.game.clear()),
        ("another start", &|request| request.start = "B:W7,8:B1,3".into()),
        ("no start", &|request| request.start.clear()),
        ("more pieces", &|request| request.cover = Cover::up_to(4)),
        ("another clause", &|request| request.cover = Cover::parse("4:2").unwrap()),
        ("no database", &|request| request.cover = Cover::none()),
        ("an option", &|request| request.game = "--emit=elsewhere".into()),
        ("an option as a move", &|request| {
            request.seed_line = ["--emit", "elsewhere"].map(String::from).into()
        }),
    ];
    for (what, edit) in changes {
        assert_eq!(reproduce_asked(edit, &here).0, Some(4), "{what}");
    }
    assert!(!here.join("elsewhere").exists());
}

#[test]
fn both_questions_state_one_request() {
    let here = draw();
    let mut draft = Draft::read(&here.join("cert"));
    draft.parts[1].provenance.as_mut().unwrap().request.leaf_nodes = 5;
    draft.write(&here.join("cert"));
    let (status, said) = reproduce(&here);
    assert!(said.contains("Provenance of white-not-lost") && status == Some(1), "{said}");
}

#[test]
fn a_certificate_that_depends_on_timing_is_not_made_again() {
    let here = draw();
    let mut draft = Draft::read(&here.join("cert"));
    let resources = Resources { threads: 2, workers: 1, seconds: 60 };
    for provenance in draft.parts.iter_mut().flat_map(|part| &mut part.provenance) {
        provenance.mode = Mode::FreeRunning(resources);
    }
    draft.write(&here.join("cert"));
    assert_eq!(reproduce(&here).0, Some(4));
    // Threads that share a table make such a certificate.
    let here = certificate("--game 6x6 --pieces 4 --leaf-nodes 4000000 --free --threads 4");
    assert!(say("cert", &here).verdict.starts_with("s VERIFIED DRAW 6x6 "));
    assert_eq!(reproduce(&here).0, Some(4));
}

#[test]
fn a_damaged_certificate_is_refuted_and_not_made_again() {
    let here = draw();
    for object in fs::read_dir(here.join("cert/objects")).unwrap() {
        fs::write(object.unwrap().path(), "garbage").unwrap();
    }
    let (status, said) = reproduce(&here);
    assert!(said.starts_with("s REFUTED object-hash ") && status == Some(1), "{said}");
}

#[test]
fn a_certificate_without_provenance_is_not_made_again() {
    let here = draw();
    let mut draft = Draft::read(&here.join("cert"));
    draft.parts.iter_mut().for_each(|part| part.provenance = None);
    draft.write(&here.join("cert"));
    assert_eq!(reproduce(&here).0, Some(4));
}
