//! A certificate taken apart, to be changed and put together again with right hashes.

use std::fs;
use std::path::Path;

use certificate_spec::Digest;
use certificate_spec::about;
use certificate_spec::claim::{Claim, Question};
use certificate_spec::database::{DatabaseManifest, SliceName};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node};

/// The nodes and leaves of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which question.
    pub question: Question,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its leaves.
    pub leaves: Vec<Leaf<Vec<u8>>>,
    /// How it was answered.
    pub about: Vec<String>,
}

/// An object: its place in the manifest, and its bytes.
#[derive(Debug, Clone)]
pub struct DraftObject {
    /// What it holds.
    pub kind: Kind,
    /// What its own header says at first.
    pub header: ObjectHeader,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// CLAIM.
    pub claim: Claim,
    /// Its questions, ascending.
    pub parts: Vec<Part>,
}

impl Draft {
    /// Reads a valid certificate.
    ///
    /// # Panics
    /// If it is not one.
    pub fn read(directory: &Path) -> Self {
        let read = |name: &str| fs::read(directory.join(name)).ok();
        Draft::decode(&read).expect("a certificate")
    }

    /// Decodes a certificate whose files `read` knows by name; `None` if one is missing, cannot be decoded
    /// or has a question that the claim does not ask.
    pub fn decode(read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<Self> {
        let claim = Claim::decode(&read("CLAIM")?).ok()?;
        let manifest = Manifest::decode(&read("MANIFEST")?).ok()?;
        let questions = claim.value.questions().iter();
        let mut parts: Vec<Part> = questions
            .map(|&question| Part {
                question,
                nodes: Vec::new(),
                leaves: Vec::new(),
                about: Vec::new(),
            })
            .collect();
        for object in &manifest.objects {
            let bytes = read(&format!("objects/{}", object.digest))?;
            let part = parts.iter_mut().find(|p| p.question == object.question)?;
            match object.kind {
                Kind::Nodes => part.nodes.extend(nodes::decode(&bytes).ok()?.1),
                Kind::Leaves => {
                    let (_, leaves) = leaves::decode(&bytes).ok()?;
                    part.leaves.extend(leaves.iter().map(|leaf| Leaf {
                        positions: leaf.positions,
                        strategy: leaf.strategy.to_vec(),
                    }));
                }
                Kind::About => {
                    part.about.extend(about::decode(&bytes).ok()?.1.lines().map(String::from));
                }
            }
        }
        Some(Draft { claim, parts })
    }

    /// The objects, one of each kind for each question that has any.
    pub fn objects(&self) -> Vec<DraftObject> {
        let header = |part: &Part, count: usize| ObjectHeader {
            question: part.question,
            first: 0,
            count: count as u64,
        };
        let nodes = self.parts.iter().filter(|p| !p.nodes.is_empty()).map(|part| {
            let header = header(part, part.nodes.len());
            DraftObject { kind: Kind::Nodes, header, bytes: nodes::encode(&header, &part.nodes) }
        });
        let leaves = self.parts.iter().filter(|p| !p.leaves.is_empty()).map(|part| {
            let header = header(part, part.leaves.len());
            DraftObject { kind: Kind::Leaves, header, bytes: leaves::encode(&header, &part.leaves) }
        });
        let about = self.parts.iter().filter(|p| !p.about.is_empty()).map(|part| {
            let header = header(part, part.about.len());
            DraftObject { kind: Kind::About, header, bytes: about::encode(&header, &part.about) }
        });
        nodes.chain(leaves).chain(about).collect()
    }

    /// Writes the certificate, with right hashes.
    pub fn write(&self, directory: &Path) {
        write_objects(directory, self.claim.encode().as_bytes(), &self.objects());
    }
}

/// The manifest of a claim and its objects.
pub fn manifest(claim: &[u8], objects: &[DraftObject]) -> Manifest {
    let record = |object: &DraftObject| Object {
        kind: object.kind,
        question: object.header.question,
        first: object.header.first,
        count: object.header.count,
        length: object.bytes.len() as u64,
        digest: Digest::of(&object.bytes),
    };
    Manifest {
        claim_length: claim.len() as u64,
        claim_digest: Digest::of(claim),
        objects: objects.iter().map(record).collect(),
    }
}

/// The files of a certificate of given objects, by name, with right hashes.
pub fn files(claim: &[u8], objects: &[DraftObject]) -> Vec<(String, Vec<u8>)> {
    let of_object = |object: &DraftObject| {
        (format!("objects/{}", Digest::of(&object.bytes)), object.bytes.clone())
    };
    let manifest = manifest(claim, objects).encode();
    let first = [("CLAIM".to_owned(), claim.to_vec()), ("MANIFEST".to_owned(), manifest)];
    first.into_iter().chain(objects.iter().map(of_object)).collect()
}

/// Writes a certificate of given objects, with right hashes.
///
/// # Panics
/// If it cannot be written.
pub fn write_objects(directory: &Path, claim: &[u8], objects: &[DraftObject]) {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory.join("objects")).expect("a directory");
    for (name, bytes) in files(claim, objects) {
        fs::write(directory.join(&name), bytes).expect(&name);
    }
}

/// Copies a directory and what is in it.
///
/// # Panics
/// If it cannot be read or written.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Reads the manifest of a valid database.
///
/// # Panics
/// If it is not one.
pub fn database_manifest(directory: &Path) -> DatabaseManifest {
    let bytes = fs::read(directory.join("MANIFEST")).expect("MANIFEST");
    DatabaseManifest::decode(&bytes).expect("a manifest")
}

/// Changes a slice file of a database and mends the manifest; returns the manifest.
///
/// # Panics
/// If the database cannot be read or written.
pub fn edit_slice(
    directory: &Path,
    name: SliceName,
    edit: impl FnOnce(&mut Vec<u8>),
) -> DatabaseManifest {
    let path = directory.join(name.file_name());
    let mut bytes = fs::read(&path).expect("a slice");
    edit(&mut bytes);
    fs::write(&path, &bytes).expect("a slice");
    let mut manifest = database_manifest(directory);
    let record = manifest.slices.iter_mut().find(|s| s.name == name).expect("its record");
    record.length = bytes.len() as u64;
    record.digest = Digest::of(&bytes);
    fs::write(directory.join("MANIFEST"), manifest.encode()).expect("MANIFEST");
    manifest
}
