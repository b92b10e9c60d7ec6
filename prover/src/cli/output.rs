//! Where results go.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use certificate_spec::claim::Claim;

use super::failure::Failure;
use crate::certificate::{Certificate, Section, Target};
use crate::egdb::atomic::write_file;
use crate::proof::if_assumed;

/// Writes a certificate, and says what it is.
pub(super) fn write_certificate(
    claim: &Claim,
    sections: &[Section],
    target: Target,
    directory: &Path,
) -> Result<(), Failure> {
    let certificate = Certificate::new(claim, sections);
    certificate.write(target)?;
    let nodes: usize = sections.iter().map(|section| section.nodes().len()).sum();
    let leaves: usize = sections.iter().map(|section| section.leaves().len()).sum();
    let assumed = if_assumed(sections.iter().map(Section::assumed).sum());
    let mut out = io::stdout().lock();
    writeln!(out, "{} {} from {}{assumed}", claim.value.word(), claim.game, claim.start)?;
    writeln!(
        out,
        "certificate {}: {nodes} nodes, {leaves} leaves, {} bytes, root={}",
        directory.display(),
        certificate.bytes(),
        certificate.root()
    )?;
    Ok(())
}

/// Writes a text to a file or, if there is none, to standard output.
pub(super) fn write_text(file: Option<&Path>, text: &str) -> Result<(), Failure> {
    match file {
        Some(file) => {
            replace(file, text).map_err(|source| Failure::File { path: file.into(), source })
        }
        None => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            Ok(out.flush()?)
        }
    }
}

/// Writes a file all at once, where a link leads to if it is one; who may read a file that is there
/// stays. Something else, such as a device, stays what it is.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let there = file.metadata();
    if there.as_ref().is_ok_and(|there| !there.is_file()) {
        return fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes());
    }
    let path = if there.is_ok() { file.canonicalize()? } else { file.into() };
    write_file(&path, |out| {
        if let Ok(there) = there {
            out.set_permissions(there.permissions())?;
        }
        out.write_all(text.as_bytes())
    })
}
