//! A certificate taken apart, to be changed and put together again with right hashes.

use crate::prelude::*;

use certificate_spec::leaves::{self, LeafIn};
use certificate_spec::manifest::Object;
use certificate_spec::nodes;
use certificate_spec::provenance::Provenance;

use crate::encoding::object_head;

/// The nodes and leaves of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub question: Question,
    /// The nodes of the question.
    pub nodes: Vec<Node>,
    /// The leaves of the question.
    pub leaves: Vec<Leaf<Vec<u8>>>,
    /// The provenance of the question's proof, if the certificate states it.
    pub provenance: Option<Provenance>,
}

impl Part {
    /// A question without nodes, leaves and provenance.
    pub fn new(question: Question) -> Self {
        Part { question, nodes: Vec::new(), leaves: Vec::new(), provenance: None }
    }

    /// The head of an object that holds all nodes of the question, or `count` leaves.
    pub fn head(&self, count: usize) -> ObjectHead {
        ObjectHead { question: self.question, first: 0, count: count as u64 }
    }
}

/// An object: its place in the manifest, and its bytes.
#[derive(Debug, Clone)]
pub struct DraftObject {
    /// The kind of its contents.
    pub kind: Kind,
    /// The head that the object had when it was made, and that the manifest states.
    pub head: ObjectHead,
    pub bytes: Vec<u8>,
}

impl DraftObject {
    /// Replaces the head after magic and version by these bytes.
    pub fn set_head(&mut self, head: &[u8]) {
        let old = self.head.length();
        self.bytes.splice(HEAD..old, head.iter().copied());
    }

    /// Replaces the head, in the object and in the manifest.
    pub fn relabel(&mut self, head: ObjectHead) {
        self.set_head(&object_head(&head));
        self.head = head;
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The contents of CLAIM.
    pub claim: Claim,
    /// The questions, ascending.
    pub parts: Vec<Part>,
}

impl Draft {
    /// Reads a valid certificate.
    pub fn read(directory: &Path) -> Self {
        let read = |name: &str| fs::read(directory.join(name)).ok();
        Draft::decode(&read).expect("a certificate")
    }

    /// Decodes a certificate whose files `read` knows by name; `None` if one is missing, cannot be
    /// decoded, is not what the manifest says of it, or has a question that the claim does not ask.
    pub fn decode(read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<Self> {
        let claim = Claim::decode(&read("CLAIM")?).ok()?;
        let manifest = Manifest::decode(&read("MANIFEST")?).ok()?;
        let questions = claim.value.questions().iter();
        let mut parts: Vec<Part> = questions.map(|&question| Part::new(question)).collect();
        for object in &manifest.objects {
            let bytes = read(&format!("objects/{}", object.digest))?;
            let part = parts.iter_mut().find(|p| p.question == object.question)?;
            let head = match object.kind {
                Kind::Nodes => {
                    let (head, nodes) = nodes::decode(&bytes).ok()?;
                    part.nodes.extend(nodes);
                    head
                }
                Kind::Leaves => {
                    let (head, leaves) = leaves::decode(&bytes).ok()?;
                    part.leaves.extend(leaves.iter().map(LeafIn::to_vec));
                    head
                }
                Kind::Provenance => {
                    let (head, provenance) = Provenance::decode(&bytes).ok()?;
                    part.provenance = Some(provenance);
                    head
                }
            };
            let &Object { question, first, count, .. } = object;
            if head != (ObjectHead { question, first, count }) {
                return None;
            }
        }
        Some(Draft { claim, parts })
    }

    /// The objects, one of each kind for each question that has any.
    pub fn objects(&self) -> Vec<DraftObject> {
        let nodes = self.parts.iter().filter(|p| !p.nodes.is_empty()).map(|part| {
            let head = part.head(part.nodes.len());
            DraftObject { kind: Kind::Nodes, head, bytes: nodes::encode(&head, &part.nodes) }
        });
        let leaves = self.parts.iter().filter(|p| !p.leaves.is_empty()).map(|part| {
            let head = part.head(part.leaves.len());
            DraftObject { kind: Kind::Leaves, head, bytes: leaves::encode(&head, &part.leaves) }
        });
        let provenances = self.parts.iter().filter_map(|part| {
            let (head, provenance) = (part.head(1), part.provenance.as_ref()?);
            Some(DraftObject { kind: Kind::Provenance, head, bytes: provenance.encode(&head) })
        });
        nodes.chain(leaves).chain(provenances).collect()
    }

    /// Writes the certificate, with right hashes.
    pub fn write(&self, directory: &Path) {
        write_objects(directory, self.claim.encode().as_bytes(), &self.objects());
    }
}

pub fn manifest(claim: &[u8], objects: &[DraftObject]) -> Manifest {
    let record = |object: &DraftObject| Object {
        kind: object.kind,
        question: object.head.question,
        first: object.head.first,
        count: object.head.count,
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
pub fn write_objects(directory: &Path, claim: &[u8], objects: &[DraftObject]) {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory.join("objects")).expect("a directory");
    for (name, bytes) in files(claim, objects) {
        fs::write(directory.join(&name), bytes).expect(&name);
    }
}

/// Reads the manifest of a valid database.
pub fn database_manifest(directory: &Path) -> DatabaseManifest {
    let bytes = fs::read(directory.join("MANIFEST")).expect("MANIFEST");
    DatabaseManifest::decode(&bytes).expect("a manifest")
}

/// Changes a slice file of a database and corrects the manifest; returns the manifest.
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
