//! Large results: kept in an object store under their BLAKE3 digest, and checked against it when
//! they are read.

use std::sync::Arc;

use certificate_spec::Digest;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use super::error::FarmError;
use crate::object_place;

/// Results with more bytes than this go through the object store, if there is one.
pub(super) const MOST_INLINE: usize = 512 << 10;
/// Results with more bytes than this are not read.
const MOST_BYTES: u64 = 4 << 30;

/// An object store for large results.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
}

/// An error of reading or writing an object.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[error("a result in an object store, and none is named here: add --objects")]
    NoStore,
    #[error("object store: {0}")]
    Store(#[from] object_store::Error),
    #[error("object {digest}: expected {expected} bytes of that BLAKE3 name, found other ones")]
    Wrong { digest: Digest, expected: u64 },
}

impl Objects {
    /// Opens the object store in a directory, which is made if it is missing, or at
    /// `s3://bucket/prefix`.
    pub fn open(place: &str) -> Result<Objects, FarmError> {
        Ok(Objects { store: object_place::open(place, true).map_err(FarmError::Objects)? })
    }

    /// Writes an object; returns its digest, which is its name.
    pub async fn put(&self, bytes: Vec<u8>) -> Result<Digest, ObjectError> {
        let digest = Digest::of(&bytes);
        // Objects with equal names have equal bytes, so it does not matter which worker writes
        // first.
        self.store.put(&path(&digest), bytes.into()).await?;
        Ok(digest)
    }

    /// Reads an object of `bytes` bytes.
    ///
    /// # Errors
    /// [`ObjectError`]; [`ObjectError::Wrong`] when its length or digest differs.
    pub async fn get(&self, digest: Digest, bytes: u64) -> Result<Vec<u8>, ObjectError> {
        let wrong = ObjectError::Wrong { digest, expected: bytes };
        if bytes > MOST_BYTES {
            return Err(wrong);
        }
        let found = self.store.get(&path(&digest)).await?;
        if found.meta.size != bytes {
            return Err(wrong);
        }
        let found = found.bytes().await?;
        if Digest::of(&found) == digest { Ok(found.into()) } else { Err(wrong) }
    }

    /// Removes an object that is no longer needed.
    pub async fn remove(&self, digest: Digest) {
        // An object that stays does no harm.
        let _ = self.store.delete(&path(&digest)).await;
    }
}

fn path(digest: &Digest) -> Path {
    let name = digest.to_string();
    Path::from(format!("results/{}/{name}", &name[..2]))
}
