//! The folder of a board's database: what there is in it, and its manifest (`SPEC.md` §8.4).
//!
//! Enforces: that the manifest has exactly the slices of the board with as many pieces as it says, in order, so that
//! a database has no hole.
//!
//! Trusts: `files.rs`.

use crate::files::{Listing, list, read};
use crate::numbering::slices;
use crate::rules::Board;
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::database::{DatabaseManifest, HEADER, RECORD, SliceName};
use std::path::{Path, PathBuf};

/// The pieces and the root of the database of a board, as far as `pieces` if that is given.
///
/// # Errors
/// It has not so many, or something is wrong with its manifest.
pub fn identify(db: &Path, board: &Board, pieces: Option<u8>) -> Result<(u8, Digest), Stop> {
    let folder = Folder { path: db.join(board.name()), board };
    folder.read(pieces).map(|(_, part, _)| (part.pieces, part.root()))
}

/// `<db>/<RxC>`.
pub(crate) struct Folder<'a> {
    pub(crate) path: PathBuf,
    pub(crate) board: &'a Board,
}

impl Folder<'_> {
    /// What a verdict calls a file of this folder.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.board.name())
    }

    /// What there is in the folder, the part of its manifest with so many pieces, or all of it, and the manifest.
    pub(crate) fn read(
        &self,
        pieces: Option<u8>,
    ) -> Result<(Listing, DatabaseManifest, DatabaseManifest), Stop> {
        let listing = list(&self.path, "")?;
        let (rule, file) = ("database-manifest", self.file("MANIFEST"));
        let bytes = read(&self.path.join("MANIFEST"), &file, u64::MAX)?;
        let manifest = DatabaseManifest::decode(&bytes).map_err(|e| Stop::wire(rule, &file, e))?;
        let refuted = |offset: usize, expected: String, found: String| {
            Err(Finding::new(rule, expected, found).file(&*file).at(offset as u64).into())
        };
        let DatabaseManifest { rows, columns, pieces: there, .. } = manifest;
        if (rows, columns) != (self.board.rows(), self.board.columns()) {
            return refuted(12, self.board.name(), format!("{rows}x{columns}"));
        }
        let most = self.board.squares();
        if !(2..=most).contains(&u32::from(there)) {
            return refuted(14, format!("2 to {most} pieces"), there.to_string());
        }
        let end = || ["the end".to_string()];
        let wanted = slices(self.board, there).into_iter().map(SliceName::file_name).chain(end());
        let found = manifest.slices.iter().map(|slice| slice.name.file_name()).chain(end());
        let wrong = wanted.zip(found).enumerate().find(|(_, (want, found))| want != found);
        if let Some((i, (want, found))) = wrong {
            return refuted(HEADER + RECORD * i, want, found);
        }
        let pieces = pieces.unwrap_or(there);
        if pieces > there {
            return refuted(14, format!("at least {pieces} pieces"), there.to_string());
        }
        Ok((listing, manifest.up_to(pieces), manifest))
    }
}
