//! Mutants: valid certificates and databases, changed at random, by the hundred thousand. `check`
//! must not call one VERIFIED unless another program shows that its claim is still proved.
//!
//! Mutant n of a seed is the same on every machine: its class is n modulo the number of classes,
//! and everything else is drawn from the seed and n. `prove` writes the bases, with the same bytes
//! everywhere.

pub mod base;
mod bytes;
pub mod campaign;
mod claims;
mod covers;
mod databases;
pub mod judge;
mod leaves;
mod nodes;
mod proof;
pub(crate) mod random;
mod records;
pub mod tally;

use crate::draft::Draft;
use base::{Base, Files};
use random::Random;

/// Changes a certificate, whose hashes are then made right; `None` where it has nothing to change.
type OfDraft = fn(&Base, &mut Draft, &mut Random) -> Option<()>;
/// Makes the files of a mutant; `None` where the base has nothing to change.
type OfFiles = fn(&Base, &mut Random) -> Option<Files>;

/// The makers of the mutants of a class.
enum Make {
    Draft(OfDraft),
    Files(OfFiles),
}

pub struct Class {
    pub name: &'static str,
    make: Make,
}

const fn draft(name: &'static str, make: OfDraft) -> Class {
    Class { name, make: Make::Draft(make) }
}

const fn files(name: &'static str, make: OfFiles) -> Class {
    Class { name, make: Make::Files(make) }
}

/// All classes: first those whose hashes are left unchanged, then changed records with right
/// hashes, then changes that only the rules of the game can detect.
pub const CLASSES: [Class; 36] = [
    files("bits-flipped", bytes::flipped),
    files("bytes-overwritten", bytes::overwritten),
    files("file-cut", bytes::cut),
    files("file-lengthened", bytes::lengthened),
    files("files-exchanged", bytes::exchanged),
    files("listing", bytes::listing),
    files("claim-text", records::claim_text),
    files("manifest-records", records::manifest),
    files("object-bytes", records::object),
    files("padded-number", records::padded),
    draft("provenance", records::provenance),
    draft("node-field", records::node),
    draft("leaf-entry", records::leaf),
    draft("strategy-bits", records::strategy),
    files("slice-bytes", databases::bytes),
    files("slice-code", databases::code),
    files("database-manifest", databases::manifest),
    draft("choice", nodes::choice),
    draft("node-removed", nodes::removed),
    draft("reply-dropped", nodes::reply_dropped),
    draft("node-added", nodes::added),
    draft("made-up", nodes::made_up),
    draft("node-moved", nodes::moved),
    draft("node-kind", nodes::kind_changed),
    draft("node-into-leaf", nodes::into_leaf),
    draft("rank", nodes::rank),
    draft("leaf-replayed", leaves::replayed),
    draft("leaves-exchanged", leaves::exchanged),
    draft("claim-value", claims::value),
    draft("claim-start", claims::start),
    draft("claim-game-or-cover", claims::game_or_cover),
    files("claim-cover", covers::claimed),
    draft("questions-exchanged", claims::exchanged),
    draft("called-a-win", claims::relabelled),
    files("database-value", databases::value),
    files("database-cover", covers::of_database),
];

/// A changed certificate with its database.
pub struct Mutant {
    /// The index of its class in [`CLASSES`].
    pub class: usize,
    /// The index of its base.
    pub base: usize,
    /// All files of the mutant, by their paths.
    pub files: Files,
}

/// The number of times that a class is tried before the run gives up.
const TRIES: usize = 10_000;

impl Mutant {
    /// The mutant with this number, which differs from its base.
    pub fn new(bases: &[Base], seed: u64, number: u64) -> Self {
        let mut random = Random::new(seed, number);
        let class = usize::try_from(number % CLASSES.len() as u64).expect("small");
        for _ in 0..TRIES {
            let base = random.below(bases.len());
            let files = CLASSES[class].apply(&bases[base], &mut random);
            if let Some(files) = files.filter(|files| *files != bases[base].files) {
                return Mutant { class, base, files };
            }
        }
        panic!("no base has anything for the class {}", CLASSES[class].name);
    }
}

impl Class {
    fn apply(&self, base: &Base, random: &mut Random) -> Option<Files> {
        let make = match self.make {
            Make::Files(make) => return make(base, random),
            Make::Draft(make) => make,
        };
        let mut draft = base.draft.clone();
        make(base, &mut draft, random)?;
        // Sometimes a second change is made, which may be wrong too, or undo the first.
        if random.one_in(8) {
            let makes = CLASSES.iter().filter_map(|class| match class.make {
                Make::Draft(make) => Some(make),
                Make::Files(_) => None,
            });
            let another = *random.pick(&makes.collect::<Vec<_>>())?;
            another(base, &mut draft, random)?;
        }
        Some(base.with_draft(&draft))
    }
}
