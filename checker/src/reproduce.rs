//! `check reproduce`: runs the prover with the options that a certificate states (`SPEC.md` §7.1),
//! and compares the new certificate with the given one, file by file.

use certificate_spec::claim::Claim;
use certificate_spec::manifest::Manifest;
use certificate_spec::provenance::{Asked, Mode, Provenance, Request, Thresholds};
use checker_audit::Description;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The names of the prover: that of packages, as Perl has a program `prove`, and its own.
const NAMES: [&str; 2] = ["draughtproof-prove", "prove"];

/// The prover, beside this program or in PATH.
fn find() -> Result<PathBuf, String> {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = own.into_iter().chain(std::env::split_paths(&path)).collect();
    let mut programs = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    programs.find(|program| program.is_file()).ok_or_else(|| {
        format!("no program {} beside check or in PATH: name it by --prove", NAMES.join(" or "))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn manifest(cert: &Path) -> Result<Manifest, String> {
    let path = cert.join("MANIFEST");
    Manifest::decode(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// The options of `prove` that ask for the same certificate; none of them names a file.
fn arguments(request: &Request) -> Vec<String> {
    let Request { game, start, claim, cover, leaf_nodes, leaf_table, max_nodes, .. } = request;
    let claim = match claim {
        Asked::Value => "value",
        Asked::BlackNotLost => "black-not-lost",
        Asked::WhiteNotLost => "white-not-lost",
    };
    let mut options = vec![
        format!("--game={game}"),
        format!("--fen={start}"),
        format!("--claim={claim}"),
        format!("--pieces={cover}"),
        format!("--leaf-nodes={leaf_nodes}"),
        format!("--leaf-table={leaf_table}"),
    ];
    options.extend(max_nodes.map(|nodes| format!("--max-nodes={nodes}")));
    if let Some(Thresholds { first, increment, until }) = request.thresholds {
        options.extend([format!("--threshold={first}"), format!("--increment={increment}")]);
        options.extend(until.map(|until| format!("--until-threshold={until}")));
    }
    options
}

/// Makes the certificate again with the program `prove`, and says where the two differ, if they do.
/// The prover works in a folder of its own, so that no message names that folder.
/// The caller must have read the certificate and found its objects as its MANIFEST says.
///
/// # Errors
/// The reason why it could not be made.
pub(crate) fn reproduce(
    cert: &Path,
    described: &Description,
    prove: Option<&Path>,
    db: Option<&Path>,
) -> Result<Option<String>, String> {
    let Some(Provenance { mode, request, .. }) = &described.provenance else {
        return Err(format!("{}: it does not say how it was made", cert.display()));
    };
    if *mode != Mode::Reproducible {
        return Err(format!("{}: it depends on timing ({mode})", cert.display()));
    }
    if !request.seed_line.is_empty() {
        return Err(format!(
            "{}: made with a seed line, which prove no longer has",
            cert.display()
        ));
    }
    let place = tempfile::tempdir().map_err(|e| format!("no temporary directory: {e}"))?;
    let again = place.path().join("cert");
    let claim = Claim::decode(&read(&cert.join("CLAIM"))?).map_err(|e| e.to_string())?;
    // The request may not have the prover do more than the claim is about.
    for (what, said, claimed) in [
        ("game", &request.game, &claim.game),
        ("start", &request.start, &claim.start),
        ("cover", &request.cover.to_string(), &claim.cover.to_string()),
    ] {
        if said != claimed {
            return Err(format!("{}: {what} {said} is not what it claims", cert.display()));
        }
    }
    let prove = prove.map_or_else(find, |path| Ok(path.into()))?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    // A program without a slash is looked up in PATH.
    let program = if prove.components().count() > 1 { absolute(&prove) } else { prove.clone() };
    let mut command = Command::new(program);
    command.current_dir(place.path()).args(["--emit", "cert", "--results", "results", "--db"]);
    command.arg(db.map_or_else(|| "egdb".into(), absolute)).args(arguments(request));
    // Lines of the prover on standard output would come before the verdict.
    let status = command.stdout(Stdio::null()).status();
    let status = status.map_err(|e| format!("{}: {e}", prove.display()))?;
    // A certificate that leaves the value undecided may be reproduced, too, whatever status the
    // prover ends with.
    if !status.success() && !again.exists() {
        return Err(format!("{}: {status}", prove.display()));
    }
    let ours = manifest(cert)?;
    let again_made = |what: String| what.replace(&format!("{}/", place.path().display()), "");
    let theirs = manifest(&again).map_err(again_made)?;
    if read(&cert.join("CLAIM"))? != read(&again.join("CLAIM")).map_err(again_made)? {
        return Ok(Some("CLAIM".into()));
    }
    let differs = (0..ours.objects.len().max(theirs.objects.len()))
        .find(|&i| ours.objects.get(i) != theirs.objects.get(i));
    let name = |i: usize| {
        let object = ours.objects.get(i).or_else(|| theirs.objects.get(i))?;
        let of = |object: Option<&certificate_spec::manifest::Object>| {
            object.map_or("none".into(), |object| object.digest.to_string())
        };
        let (kind, question, first) = (object.kind, object.question.word(), object.first);
        let (one, other) = (of(ours.objects.get(i)), of(theirs.objects.get(i)));
        Some(format!("{kind:?} of {question} from {first} on: {one} here, {other} made again"))
    };
    Ok(differs.and_then(name))
}
