//! The manifests of certificates and databases.

use super::bounded;
use crate::common::board;
use crate::common::files::Files;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::DatabaseManifest;
use certificate_spec::manifest::Manifest;
use checker_core::derive;

pub(super) fn run(bytes: &[u8]) {
    let length = bytes.len() as u64;
    let start = |most: usize| &bytes[..bytes.len().min(most)];
    let judged = Manifest::judge_start(start(certificate_spec::manifest::START), length);
    if let Ok(manifest) = bounded(4, bytes, Manifest::decode) {
        assert_eq!(judged, Ok(()));
        assert_eq!(manifest.encode(), bytes);
        assert_eq!(manifest.offset(manifest.objects.len()), length);
    }
    let judged = DatabaseManifest::judge_start(start(certificate_spec::database::START), length);
    if let Ok(manifest) = bounded(4, bytes, DatabaseManifest::decode) {
        assert_eq!(judged, Ok(()));
        assert_eq!(manifest.encode(), bytes);
        assert_eq!(manifest.offset(manifest.slices.len()), length);
        let most = manifest.cover.most_pieces();
        let covers = [Cover::none(), Cover::up_to(2), Cover::up_to(most.saturating_sub(1))];
        for cover in covers.into_iter().chain([manifest.cover.clone()]) {
            if manifest.cover.includes(&cover) {
                let part = manifest.restricted_to(&cover).encode();
                assert_eq!(DatabaseManifest::decode(&part).map(|part| part.encode()), Ok(part));
            }
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
    let of_cover = |text: &str| {
        let cover = Cover::parse(text).expect("a cover");
        let values =
            derive(&board("3x3"), &cover, &checker_core::Options::new("")).expect("values");
        Files::of_cover(&values, &cover).manifest().encode()
    };
    vec![manifest.encode(), of_cover("2"), of_cover("4:2")]
}
