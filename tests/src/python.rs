//! Python packages from PyPI that tests need.

use crate::prelude::*;

/// A package with its version, such as `pydraughts==0.6.7`, and its dependencies, in a separate
/// folder in `place` that is kept between runs.
pub fn package(name: &str, place: &Path) -> PathBuf {
    let kept = place.join(name);
    if kept.exists() {
        return kept;
    }
    let new = tempfile::tempdir_in(place).expect("a directory");
    let folder = new.path().join("package");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
    let output = pip.arg(&folder).arg(name).output().expect("python3 is needed here");
    assert!(
        output.status.success(),
        "{name} is needed here and cannot be installed: python3 with pip (Debian: python3-pip) and \
         access to PyPI are needed; or copy it to {}\n{}",
        kept.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    // Another run may have installed it meanwhile.
    let _ = fs::rename(&folder, &kept);
    kept
}
