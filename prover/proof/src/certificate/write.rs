//! Encodes and writes certificates.

use std::fs;
use std::io::Write;
use std::path::Path;

use certificate_spec::Digest;
use certificate_spec::claim::Claim;
use certificate_spec::leaves;
use certificate_spec::manifest::{Kind, Manifest, Object};
use certificate_spec::nodes;
use certificate_spec::object::ObjectHead;

use super::directory::{EmitError, Target, create_unfinished, io_at, require_free, set_aside};
use super::provenance::PartialProof;
use super::read::Stored;
use super::section::Section;
use crate::egdb::atomic::{self, sync_directory};

const NODES_PER_OBJECT: usize = 1 << 16;
const LEAVES_PER_OBJECT: usize = 1 << 12;

/// A certificate, ready to be written.
pub struct Certificate {
    claim: String,
    manifest: Vec<u8>,
    objects: Vec<(Digest, Vec<u8>)>,
    /// The provenance of a certificate that has Assumed nodes.
    assumes: Option<PartialProof>,
}

impl Certificate {
    /// Joins the sections of a claim. They must be those of its value, in order.
    pub fn new(claim: &Claim, sections: &[Section]) -> Self {
        let claim = claim.encode();
        let provenances = sections.iter().filter_map(Section::provenance);
        let assumes =
            sections.iter().any(|s| s.assumed() > 0).then(|| PartialProof::of(provenances));
        let objects = Vec::new();
        let mut certificate = Certificate { claim, manifest: Vec::new(), objects, assumes };
        let mut objects = Vec::new();
        for section in sections {
            let mut first = 0;
            for nodes in section.nodes().chunks(NODES_PER_OBJECT) {
                let head = head(section, first, nodes.len());
                let bytes = nodes::encode(&head, nodes);
                objects.push(certificate.add(Kind::Nodes, head, bytes));
                first += nodes.len();
            }
        }
        for section in sections {
            let mut first = 0;
            for leaves in section.leaves().chunks(LEAVES_PER_OBJECT) {
                let head = head(section, first, leaves.len());
                let bytes = leaves::encode(&head, leaves);
                objects.push(certificate.add(Kind::Leaves, head, bytes));
                first += leaves.len();
            }
        }
        for section in sections {
            if let Some(provenance) = section.provenance() {
                let head = head(section, 0, 1);
                objects.push(certificate.add(Kind::Provenance, head, provenance.encode(&head)));
            }
        }
        let claim = certificate.claim.as_bytes();
        certificate.manifest =
            Manifest { claim_length: claim.len() as u64, claim_digest: Digest::of(claim), objects }
                .encode();
        certificate
    }

    fn add(&mut self, kind: Kind, head: ObjectHead, bytes: Vec<u8>) -> Object {
        let ObjectHead { question, first, count } = head;
        let length = bytes.len() as u64;
        let digest = Digest::of(&bytes);
        self.objects.push((digest, bytes));
        Object { kind, question, first, count, length, digest }
    }

    /// The certificate's root.
    pub fn root(&self) -> Digest {
        Digest::certificate_root(&self.manifest)
    }

    /// The bytes of all files together.
    pub fn bytes(&self) -> u64 {
        let objects: usize = self.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        (self.claim.len() + self.manifest.len() + objects) as u64
    }

    /// Whether `directory` holds a certificate with exactly these files.
    fn is_at(&self, directory: &Path) -> bool {
        let holds = |name: &str, bytes: &[u8]| {
            fs::read(directory.join(name)).is_ok_and(|found| found == bytes)
        };
        holds("CLAIM", self.claim.as_bytes())
            && holds("MANIFEST", &self.manifest)
            && self.objects.iter().all(|(digest, bytes)| holds(&format!("objects/{digest}"), bytes))
    }

    /// Whether `directory` holds a certificate of this one's game and start that was emitted before
    /// its proof was finished, and that this one may replace: this one is finished, or is a later
    /// state of that proof.
    fn may_replace(&self, directory: &Path) -> bool {
        let (Ok(stored), Ok(claim)) =
            (Stored::read(directory), Claim::decode(self.claim.as_bytes()))
        else {
            return false;
        };
        let provenances = stored.proofs.iter().filter_map(|proof| proof.provenance.as_ref());
        (&claim.game, &claim.start) == (&stored.claim.game, &stored.claim.start)
            && stored.is_unfinished()
            && self
                .assumes
                .as_ref()
                .is_none_or(|this| this.continues(&PartialProof::of(provenances)))
    }

    /// Writes the certificate to `target`, where it appears atomically. If an equal certificate is
    /// there already, nothing is written.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] or [`EmitError::Io`]; nothing is overwritten then.
    pub fn write(&self, target: Target) -> Result<(), EmitError> {
        let Target { directory } = target;
        if self.is_at(&directory) {
            return Ok(());
        }
        if !self.may_replace(&directory) {
            require_free(&directory)?;
        }
        let unfinished = create_unfinished(&directory)?;
        let write = |name: &str, bytes: &[u8]| {
            let path = unfinished.path().join(name);
            fs::File::create_new(&path)
                .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
                .map_err(io_at(&path))
        };
        let objects = unfinished.path().join("objects");
        fs::create_dir(&objects).map_err(io_at(&objects))?;
        for (digest, bytes) in &self.objects {
            write(&format!("objects/{digest}"), bytes)?;
        }
        write("CLAIM", self.claim.as_bytes())?;
        write("MANIFEST", &self.manifest)?;
        let sync = |path: &Path| sync_directory(path).map_err(io_at(path));
        sync(&objects)?;
        sync(unfinished.path())?;
        let aside = match self.may_replace(&directory) {
            true => Some(set_aside(&directory)?),
            false => None,
        };
        fs::rename(unfinished.path(), &directory).map_err(io_at(&directory))?;
        if let Some(aside) = aside {
            fs::remove_dir_all(&aside).map_err(io_at(&aside))?;
        }
        sync(atomic::parent(&directory))?;
        // The directory was renamed, so it must not be removed.
        let _ = unfinished.keep();
        Ok(())
    }
}

fn head(section: &Section, first: usize, count: usize) -> ObjectHead {
    ObjectHead { question: section.question(), first: first as u64, count: count as u64 }
}
