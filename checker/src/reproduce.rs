//! `check reproduce`: runs the prover with the options that a certificate states (`SPEC.md` §7.1), and compares
//! what it makes with what there is, file by file.

use certificate_spec::claim::Claim;
use certificate_spec::manifest::Manifest;
use checker_audit::Description;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The options that a certificate may ask for. None of them names a file.
const OPTIONS: [&str; 10] = [
    "--game",
    "--fen",
    "--claim",
    "--pieces",
    "--leaf-nodes",
    "--leaf-table",
    "--max-nodes",
    "--threshold",
    "--increment",
    "--until-threshold",
];

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn manifest(cert: &Path) -> Result<Manifest, String> {
    let path = cert.join("MANIFEST");
    Manifest::decode(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// Makes the certificate again with the program `prove`, and says where the two differ, if they do. What it is
/// about must have been read, and its objects be what its MANIFEST says.
///
/// # Errors
/// Why it could not be made.
pub(crate) fn reproduce(
    cert: &Path,
    described: &Description,
    prove: &Path,
    db: Option<&Path>,
) -> Result<Option<String>, String> {
    if described.about.is_empty() {
        return Err(format!("{}: it does not say how it was made", cert.display()));
    }
    let place = tempfile::tempdir().map_err(|e| format!("no temporary directory: {e}"))?;
    let again = place.path().join("cert");
    let mut command = Command::new(prove);
    let db = db.map_or_else(|| place.path().join("egdb"), Path::to_path_buf);
    command.arg("--emit").arg(&again).arg("--db").arg(db);
    command.arg("--results").arg(place.path().join("results"));
    // It may not have the prover do more than the claim is about.
    let pieces = described.pieces.to_string();
    let claimed = [("--game", &described.game), ("--pieces", &pieces)];
    let says = |option: &str| described.about.lines().any(|line| line.starts_with(option));
    if let Some((name, _)) = claimed.iter().find(|(name, _)| !says(&format!("option {name} "))) {
        return Err(format!("{}: it does not say with which {name} it was made", cert.display()));
    }
    for line in described.about.lines() {
        if let Some(line) = line.strip_prefix("option ") {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            if !OPTIONS.contains(&name) {
                return Err(format!("{}: {name} is no option that has a bearing", cert.display()));
            }
            if claimed.iter().any(|(option, right)| name == *option && value != *right) {
                return Err(format!("{}: {name} {value} is not what it claims", cert.display()));
            }
            command.arg(format!("{name}={value}"));
        } else if let Some(moves) = line.strip_prefix("seed-line ") {
            let claim = Claim::decode(&read(&cert.join("CLAIM"))?).map_err(|e| e.to_string())?;
            let file = place.path().join("seed.pdn");
            let game = format!("[SetUp \"1\"]\n[FEN \"{}\"]\n\n{moves} *\n", claim.start);
            fs::write(&file, game).map_err(|e| format!("{}: {e}", file.display()))?;
            command.arg("--seed-line").arg(file);
        }
    }
    // What it says on standard output would come before the verdict.
    let status = command.stdout(Stdio::null()).status();
    let status = status.map_err(|e| format!("{}: {e}", prove.display()))?;
    // A certificate of what a prover has not decided may be reproduced, too, whatever status it ends with.
    if !status.success() && !again.exists() {
        return Err(format!("{}: {status}", prove.display()));
    }
    let (ours, theirs) = (manifest(cert)?, manifest(&again)?);
    if read(&cert.join("CLAIM"))? != read(&again.join("CLAIM"))? {
        return Ok(Some("CLAIM".into()));
    }
    let differs = (0..ours.objects.len().max(theirs.objects.len()))
        .find(|&i| ours.objects.get(i) != theirs.objects.get(i));
    let name = |i: usize| {
        let object = ours.objects.get(i).or_else(|| theirs.objects.get(i))?;
        let of = |object: Option<&certificate_spec::manifest::Object>| {
            object.map_or("none".into(), |object| object.digest.to_string())
        };
        let (kind, question, first) = (object.kind, object.question, object.first);
        let (one, other) = (of(ours.objects.get(i)), of(theirs.objects.get(i)));
        Some(format!("{kind:?} of {question:?} from {first} on: {one} here, {other} made again"))
    };
    Ok(differs.and_then(name))
}
