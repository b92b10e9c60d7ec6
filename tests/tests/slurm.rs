//! Databases and checks as jobs of a real Slurm, with one node that the test starts. This is a test
//! program of its own, because no other jobs may be submitted meanwhile.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use tests::prelude::*;
use tests::slurm::Cluster;

/// The slices of a database that is being built, each with its inode number, which changes when the
/// slice is written again.
fn slices(building: &Path) -> BTreeMap<String, u64> {
    let entries = fs::read_dir(building).unwrap().map(Result::unwrap);
    let named =
        entries.map(|e| (e.file_name().into_string().unwrap(), e.metadata().unwrap().ino()));
    named.filter(|(name, _)| !name.starts_with('.')).collect()
}

/// The slice with the colours exchanged.
fn twin(name: &str) -> String {
    let counts: Vec<_> = name.split('-').collect();
    [&counts[2..], &counts[..2]].concat().join("-")
}

/// A program that runs `prove`, except that the first task with this slice is killed in the middle.
fn prove_that_dies(place: &Path, slice: &str) -> std::path::PathBuf {
    let (program, prove, mark) = (place.join("dies"), path("prove"), place.join("died"));
    let (prove, mark) = (prove.display(), mark.display());
    let text = format!(
        "#!/bin/bash
if [[ \"$*\" == *\"db slice {slice} \"* ]] && mkdir '{mark}'; then
  exec timeout --signal=KILL 0.01 '{prove}' \"$@\"
fi
exec '{prove}' \"$@\"
"
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

#[test]
#[ignore = "needs Slurm and munge, and to be run by root"]
fn jobs_make_the_database_of_one_process_and_check_it() {
    let mut cluster = Cluster::start();
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    let of = ["--game", "6x6", "--pieces", "5"];
    let one = prove(&[&["db", "-q", "--db", "one"], &of[..]].concat(), here);

    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../prover/packaging/slurm");
    // One of the largest slices; slices that follow from it wait for it.
    let dies = prove_that_dies(here, "2-1-1-1");
    let submit = |cluster: &mut Cluster| {
        let mut submit = cluster.command(scripts.join("build-database.sh"));
        submit.args(of).args(["--db", "many", "--threads", "1"]).current_dir(here);
        submit.env("PROVE", &dies).env("SBATCH_OPTIONS", "--mem=600M");
        cluster.submit(submit)
    };
    let jobs = submit(&mut cluster);
    assert!(here.join("died").exists(), "{jobs}");
    // For each number of pieces, 2 to 5, there are from no man to men alone.
    assert_eq!(jobs.lines().count(), 3 + 4 + 5 + 6 + 1, "{jobs}");
    assert!(jobs.lines().last().unwrap().starts_with("finish: "), "{jobs}");
    assert!(!here.join("many/6x6/MANIFEST").exists(), "the end did not wait for all");
    let before = slices(&here.join("many/6x6.building"));
    let database = read_all(&here.join("one/6x6"));
    assert!(before.len() > 4 && before.len() < database.len() - 1, "{before:?}");

    submit(&mut cluster);
    assert!(read_all(&here.join("many/6x6")) == database, "other bytes");
    let after = slices(&here.join("many/6x6"));
    // One slice of the pair that was being written may have been there, and is written again with
    // the other.
    let whole = before.iter().filter(|(name, _)| before.contains_key(&twin(name)));
    assert!(whole.clone().count() > 4, "{before:?}");
    assert!(whole.clone().all(|(name, file)| after.get(name) == Some(file)), "built again");
    assert_eq!(prove(&[&["db", "-q", "--db", "many"], &of[..]].concat(), here), one);
    let noted = |place: &str| fs::read_to_string(here.join(place)).unwrap();
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.is_empty());
        let mut names: Vec<_> = lines.map(|l| l.split('\t').next().unwrap().into()).collect();
        names.sort();
        // A slice that was built again has its figures twice, and the last ones count.
        names.dedup();
        names
    };
    assert_eq!(names(&noted("many/6x6.figures")), names(&noted("one/6x6.figures")));

    let public = run(&path("check"), &["keygen", "me", "--key", "me.key"], here);
    fs::write(here.join("trusted"), public.stdout).unwrap();
    let script = scripts.join("check-shards.sh");
    let audit = here.join("audit");
    fs::create_dir(&audit).unwrap();
    let lines = "of='--game 6x6 --pieces 5 --db ../many'
jobs=$(sbatch --parsable --array=1-5 --mem=600M $script $of --memory 256MiB --key ../me.key)
sbatch --dependency=afterok:$jobs --kill-on-invalid-dep=yes $script $of --keys ../trusted";
    let mut shards = cluster.command("bash");
    shards.args(["-euc", lines]).current_dir(&audit);
    shards.env("script", script).env("CHECK", path("check"));
    cluster.submit(shards);
    let whole = check(&[&["--db", "one", "--quiet"], &of[..]].concat(), here).verdict;
    let merged = noted("audit/verdict");
    // A merge says what the check of the whole says, and by whom.
    assert!(whole.starts_with("s VERIFIED DATABASE 6x6 pieces=5 "), "{whole}");
    let by = merged.strip_prefix(whole.trim_end()).and_then(|rest| rest.strip_prefix(" by "));
    assert!(by.is_some_and(|by| by.contains(" of 5 notes keys=1 ")), "{merged}{whole}");
    assert_eq!(read_all(&here.join("audit/notes")).len(), 5);
}
