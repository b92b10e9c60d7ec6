//! The folder of a board's database: its files and its manifest (`SPEC.md` §8.4).
//!
//! Enforces: that the manifest has exactly the slices of the board that its cover admits, in order,
//! so that a database has no hole; and that the folder has exactly the files that it lists.
//!
//! Trusts: `files.rs`.

use crate::certificate::{Entry, Listing, compare_listing, list, read_manifest};
use crate::rules::Board;
use crate::values::slices;
use crate::verdict::{Finding, Stop};
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::{DatabaseManifest, SliceName};
use certificate_spec::wire::HEAD;
use std::path::{Path, PathBuf};

/// The cover and the root of the database of a board, or, with `cover`, of the part of it that this
/// cover admits.
///
/// # Errors
/// The database does not have all slices of `cover`, or something is wrong with its manifest.
pub fn identify(db: &Path, board: &Board, cover: Option<&Cover>) -> Result<(Cover, Digest), Stop> {
    let found = Folder { path: db.join(board.name()), board }.read(cover)?;
    Ok((found.restricted.cover, found.root))
}

/// A database whose manifest has been read.
pub(crate) struct Found<'a> {
    pub(crate) folder: Folder<'a>,
    /// The entries of the folder.
    listing: Listing,
    /// The whole manifest.
    manifest: DatabaseManifest,
    /// The manifest as it would be of a database that covers no more than was asked for.
    pub(crate) restricted: DatabaseManifest,
    /// The root of that database.
    pub(crate) root: Digest,
}

/// Finds the database of a board, with all its files: as far as `cover` if that is given, and with
/// this root if one is given. This is done before there is room for
/// tables: a few bytes can ask for a large database, and one that is missing is seen at once.
///
/// # Errors
/// The database is another one or missing, or its manifest or listing is wrong.
pub(crate) fn find<'a>(
    db: &Path,
    board: &'a Board,
    cover: Option<&Cover>,
    root: Option<Digest>,
) -> Result<Found<'a>, Stop> {
    let found = Folder { path: db.join(board.name()), board }.read(cover)?;
    if let Some(root) = root.filter(|&root| root != found.root) {
        let finding = Finding::new("database-root", root, found.root);
        return Err(finding.file(found.folder.file("MANIFEST")).into());
    }
    let names = found.manifest.slices.iter().map(|slice| slice.name.file_name());
    let names = names.chain(["MANIFEST".into()]);
    let right = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    compare_listing(&found.folder.file(""), &right, &found.listing)?;
    Ok(found)
}

/// `<db>/<RxC>`.
pub(crate) struct Folder<'a> {
    pub(crate) path: PathBuf,
    pub(crate) board: &'a Board,
}

impl<'a> Folder<'a> {
    /// The name of a file of this folder in verdicts.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.board.name())
    }

    /// Reads the folder's content and its manifest, as far as `cover` if that is given.
    fn read(self, cover: Option<&Cover>) -> Result<Found<'a>, Stop> {
        let most = self.board.squares();
        let is_possible = |cover: &Cover| (2..=most).contains(&u32::from(cover.most_pieces()));
        if !cover.is_none_or(is_possible) {
            return Err(Stop::Error(format!("pieces: from 2 to {most} on {}", self.board.name())));
        }
        let listing = list(&self.path, "")?;
        let rule = "database-manifest";
        let file = self.file("MANIFEST");
        let path = self.path.join("MANIFEST");
        let bytes = read_manifest(&path, &file, rule, DatabaseManifest::judge_start)?;
        let manifest = DatabaseManifest::decode(&bytes).map_err(|e| Stop::wire(rule, &file, e))?;
        let refuted = |offset: u64, expected: String, found: String| {
            Err(Finding::new(rule, expected, found).file(&*file).at(offset).into())
        };
        // A head that can be read and is not the one due is refuted where it begins.
        let head = HEAD as u64;
        let rows = manifest.rows;
        let columns = manifest.columns;
        if (rows, columns) != (self.board.rows(), self.board.columns()) {
            return refuted(head, self.board.name(), format!("{rows}x{columns}"));
        }
        let there = &manifest.cover;
        if !is_possible(there) {
            return refuted(head, format!("2 to {most} pieces"), there.to_string());
        }
        let end = || ["the end".to_string()];
        let wanted = slices(self.board, there).into_iter().map(SliceName::file_name).chain(end());
        let found = manifest.slices.iter().map(|slice| slice.name.file_name()).chain(end());
        let wrong = wanted.zip(found).enumerate().find(|(_, (want, found))| want != found);
        if let Some((i, (want, found))) = wrong {
            return refuted(manifest.offset(i), want, found);
        }
        let cover = cover.unwrap_or(there);
        if !there.includes(cover) {
            return refuted(head, format!("a cover that includes {cover}"), there.to_string());
        }
        let restricted = manifest.restricted_to(cover);
        Ok(Found { listing, root: restricted.root(), restricted, manifest, folder: self })
    }
}
