//! Large results: kept in an object store under their BLAKE3 digest, and checked against it when
//! they are read.

use std::sync::Arc;
use std::time::Duration;

use certificate_spec::Digest;
use futures_util::StreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::ClientConfigKey;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, ObjectStoreExt, RetryConfig};
use thiserror::Error;

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
    pub fn open(place: &str) -> Result<Objects, PlaceError> {
        Ok(Objects { store: open(place, true)? })
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

/// The prefix of a place in S3.
const S3: &str = "s3://";
/// Timeout of one request, which sends one part of an object over a slow line. The library's own is
/// 30 s.
const TIMEOUT: &str = "5 minutes";

/// Time after which a server that does not answer counts as missing.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// A place that cannot be used.
#[derive(Debug, Error)]
#[error("{place}: {why}")]
pub struct PlaceError {
    place: String,
    why: String,
    pub is_usage: bool,
}

/// The object store at a place: `s3://bucket/prefix`, or a directory, which is made if it
/// `is_made`. The credentials for S3 come from the environment variables that other S3 programs
/// read, such as
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and `AWS_ENDPOINT_URL`.
///
/// # Errors
/// [`PlaceError`]: among others when a variable or the bucket is missing, or no server answers.
pub fn open(place: &str, is_made: bool) -> Result<Arc<dyn ObjectStore>, PlaceError> {
    let fault = |why, is_usage| PlaceError { place: place.into(), why, is_usage };
    let (bad, unusable) = (|why| fault(why, true), |why| fault(why, false));
    if let Some(rest) = place.strip_prefix(S3) {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(bad("expected s3://bucket/prefix".into()));
        }
        check_variables(|name| std::env::var(name).ok()).map_err(bad)?;
        // A provider that is installed already does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
        let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
        let builder = builder.with_config(timeout, TIMEOUT);
        let probe = builder.clone().with_retry(RetryConfig {
            max_retries: 1,
            retry_timeout: PROBE_TIMEOUT,
            ..RetryConfig::default()
        });
        let probe = probe.build().map_err(|e| bad(e.to_string()))?;
        check_bucket(&probe).map_err(|why| unusable(format!("bucket {bucket}: {why}")))?;
        let store = builder.build().map_err(|e| bad(e.to_string()))?;
        return Ok(Arc::new(PrefixStore::new(store, Path::from(prefix))));
    }
    check_spelling(place).map_err(bad)?;
    if is_made {
        std::fs::create_dir_all(place).map_err(|e| unusable(e.to_string()))?;
    } else if !std::path::Path::new(place).is_dir() {
        return Err(unusable("expected a directory that is there, found none".into()));
    }
    let store = LocalFileSystem::new_with_prefix(place).map_err(|e| unusable(e.to_string()))?;
    Ok(Arc::new(store))
}

/// Checks that a place without `s3://` is meant as a directory.
fn check_spelling(place: &str) -> Result<(), String> {
    let lower = place.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("s3:").or_else(|| lower.strip_prefix("s3//")) {
        let bucket = place[place.len() - rest.len()..].trim_start_matches('/');
        return Err(format!("expected s3://{bucket}; a directory of this name is ./{place}"));
    }
    let first = place.split('/').next().unwrap_or_default();
    // On Windows a single letter is a drive.
    if first.find(':').is_some_and(|at| at > 1) {
        let what = "expected a directory or s3://bucket/prefix";
        return Err(format!("{what}; a directory of this name is ./{place}"));
    }
    Ok(())
}

/// The ways to credentials beside the two keys: a variable of each.
const OTHER_WAYS: [&str; 5] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
    "AWS_SKIP_SIGNATURE",
];

/// Checks that the environment says how to get into S3.
fn check_variables(variable: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let is_missing = |name: &&str| variable(name).is_none();
    let keys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    let missing: Vec<&str> = keys.into_iter().filter(is_missing).collect();
    if !missing.is_empty() && OTHER_WAYS.iter().all(is_missing) {
        let missing = missing.join(" and ");
        let others = "for the role of a machine AWS_METADATA_ENDPOINT=http://169.254.169.254";
        return Err(format!("expected credentials in {missing}, found none; {others}"));
    }
    let is_true =
        |value: String| matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes");
    for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"] {
        let endpoint = variable(name).filter(|endpoint| endpoint.starts_with("http://"));
        if let Some(endpoint) = endpoint
            && !variable("AWS_ALLOW_HTTP").is_some_and(is_true)
        {
            return Err(format!(
                "{name} is {endpoint}, which has no TLS: set AWS_ALLOW_HTTP=true to allow that"
            ));
        }
    }
    Ok(())
}

/// Checks that a server answers and has the bucket.
fn check_bucket(store: &AmazonS3) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| e.to_string())?;
    match runtime.block_on(async { store.list(None).next().await }) {
        // These credentials may be for single objects, and not for a list of them.
        Some(Err(object_store::Error::PermissionDenied { .. })) => Ok(()),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(_)) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_spelling, check_variables};

    #[test]
    fn a_place_in_s3_is_no_directory() {
        for (place, right) in [
            ("s3:bucket/x", "s3://bucket/x"),
            ("s3:/bucket/x", "s3://bucket/x"),
            ("S3://Bucket", "s3://Bucket"),
            ("s3//bucket", "s3://bucket"),
            ("gs://bucket", "s3://bucket/prefix"),
            ("host:/data", "./host:/data"),
        ] {
            let said = check_spelling(place).unwrap_err();
            assert!(said.contains(right), "{place}: {said}");
        }
        for place in ["store", "/data/store", "./s3:bucket", "C:/store", "a/b:c"] {
            assert_eq!(check_spelling(place), Ok(()), "{place}");
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let said = |given: &[(&str, &str)]| {
            let of = |name: &str| given.iter().find(|(there, _)| *there == name);
            check_variables(|name| of(name).map(|(_, value)| (*value).into()))
        };
        let [id, secret] = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
        let http = ("AWS_ENDPOINT_URL", "http://127.0.0.1:9000");
        for (given, named) in [
            (&[][..], "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
            (&[id, http], "in AWS_SECRET_ACCESS_KEY,"),
            (&[secret, ("AWS_ACCESS_KEY_ID", "")], "in AWS_ACCESS_KEY_ID,"),
            (&[id, secret, http], "AWS_ALLOW_HTTP=true"),
            (&[id, secret, http, ("AWS_ALLOW_HTTP", "false")], "AWS_ALLOW_HTTP=true"),
        ] {
            let said = said(given).unwrap_err();
            assert!(said.contains(named), "{given:?}: {said}");
        }
        let metadata = ("AWS_METADATA_ENDPOINT", "http://169.254.169.254");
        let https = ("AWS_ENDPOINT_URL", "https://here");
        for given in
            [&[id, secret][..], &[id, secret, http, ("AWS_ALLOW_HTTP", "true")], &[metadata, https]]
        {
            assert_eq!(said(given), Ok(()));
        }
    }
}
