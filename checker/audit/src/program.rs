//! The digest of the running program.

use certificate_spec::{Digest, Hasher};
use std::fs::File;
use std::io;
use std::sync::OnceLock;

/// The digest of this program's file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn program() -> Result<Digest, String> {
    static PROGRAM: OnceLock<Result<Digest, String>> = OnceLock::new();
    let find = || {
        let mut hasher = Hasher::default();
        // On Linux this path opens the program that runs, even if its file has been replaced or
        // deleted.
        let file = File::open("/proc/self/exe");
        let file = file.or_else(|_| File::open(std::env::current_exe()?));
        let hashed = file.and_then(|mut file| io::copy(&mut file, &mut hasher));
        hashed.map_err(|error| format!("cannot read this program's own file: {error}"))?;
        Ok(hasher.digest())
    };
    PROGRAM.get_or_init(find).clone()
}
