//! The place of objects that machines share: a directory, or a bucket of S3 or a compatible
//! service.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::ClientConfigKey;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use thiserror::Error;

/// The prefix of a place in S3.
const S3: &str = "s3://";
/// Timeout of one request, which sends one part of an object over a slow line. The library's own is
/// 30 s.
const TIMEOUT: &str = "5 minutes";

/// A place that cannot be used.
#[derive(Debug, Error)]
#[error("{place}: {why}")]
pub struct PlaceError {
    place: String,
    why: String,
}

/// The object store at a place: `s3://bucket/prefix`, or a directory, which is made. The
/// credentials for S3 come from the environment variables that other S3 programs read, such as
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and `AWS_ENDPOINT_URL`.
///
/// # Errors
/// [`PlaceError`]. A missing bucket is noticed only when it is used.
pub fn open(place: &str) -> Result<Arc<dyn ObjectStore>, PlaceError> {
    let bad = |why: String| PlaceError { place: place.into(), why };
    if let Some(rest) = place.strip_prefix(S3) {
        // A provider that is installed already does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(bad("expected s3://bucket/prefix".into()));
        }
        let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
        let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
        let store = builder.with_config(timeout, TIMEOUT).build();
        let store = store.map_err(|e| bad(e.to_string()))?;
        return Ok(Arc::new(PrefixStore::new(store, Path::from(prefix))));
    }
    if place.contains("://") {
        return Err(bad("expected a directory or s3://bucket/prefix".into()));
    }
    std::fs::create_dir_all(place).map_err(|e| bad(e.to_string()))?;
    let store = LocalFileSystem::new_with_prefix(place).map_err(|e| bad(e.to_string()))?;
    Ok(Arc::new(store))
}
