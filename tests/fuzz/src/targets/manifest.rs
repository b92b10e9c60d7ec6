//! The manifests of certificates and databases.

use super::bounded;
use crate::common::files::Files;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use crate::common::{board, database};
use certificate_spec::Digest;
use certificate_spec::database::{DatabaseManifest, SliceRecord};
use certificate_spec::manifest::Manifest;

pub(super) fn run(bytes: &[u8]) {
    if let Ok(manifest) = bounded(4, bytes, Manifest::decode) {
        assert_eq!(manifest.encode(), bytes);
    }
    if let Ok(manifest) = bounded(4, bytes, DatabaseManifest::decode) {
        assert_eq!(manifest.encode(), bytes);
        for pieces in [0, 2, manifest.pieces] {
            let part = manifest.up_to(pieces).encode();
            assert_eq!(DatabaseManifest::decode(&part).map(|part| part.encode()), Ok(part));
        }
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut certificate = draw_4x4(&oracle_4x4(), 1);
    certificate.chunk = 2;
    let objects = certificate.objects().into_iter().map(|(object, _)| object).collect();
    let claim = certificate.claim.encode();
    let manifest = Manifest {
        claim_length: claim.len() as u64,
        claim_digest: Digest::of(claim.as_bytes()),
        objects,
    };
    let Files { rows, columns, pieces, slices } = Files::new(&database(&board("3x3"), 2), 2);
    let record = |(name, bytes): &(_, Vec<u8>)| {
        let (length, digest) = (bytes.len() as u64, Digest::of(bytes));
        SliceRecord { name: *name, length, digest }
    };
    let slices = slices.iter().map(record).collect();
    vec![manifest.encode(), DatabaseManifest { rows, columns, pieces, slices }.encode()]
}
