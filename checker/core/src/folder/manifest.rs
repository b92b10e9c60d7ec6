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
    let most = board.squares();
    if cover.is_some_and(|c| !(2..=most).contains(&u32::from(c.most_pieces()))) {
        return Err(Stop::Error(format!("pieces: from 2 to {most} on {}", board.name())));
    }
    let folder = Folder { path: db.join(board.name()), board };
    let manifest = folder.read(cover)?.restricted;
    let root = manifest.root();
    Ok((manifest.cover, root))
}

/// A database whose manifest has the root and the cover that were asked for, and whose files are
/// all there.
pub(crate) struct Found<'a> {
    pub(crate) folder: Folder<'a>,
    pub(crate) cover: &'a Cover,
    pub(crate) root: Digest,
    /// The manifest as far as the cover.
    pub(crate) restricted: DatabaseManifest,
}

/// Finds the database of a board with this cover and root. This is done before there is room for
/// tables: a few bytes can ask for a large database, and one that is missing is seen at once.
///
/// # Errors
/// The database is another one or missing, or its manifest or listing is wrong.
pub(crate) fn find<'a>(
    db: &Path,
    board: &'a Board,
    cover: &'a Cover,
    root: Digest,
) -> Result<Found<'a>, Stop> {
    let folder = Folder { path: db.join(board.name()), board };
    let Contents { listing, restricted, manifest } = folder.read(Some(cover))?;
    if restricted.root() != root {
        let finding = Finding::new("database-root", root, restricted.root());
        return Err(finding.file(folder.file("MANIFEST")).into());
    }
    let names = manifest.slices.iter().map(|slice| slice.name.file_name());
    let names = names.chain(["MANIFEST".into()]);
    let right = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    compare_listing(&folder.file(""), &right, &listing)?;
    Ok(Found { folder, cover, root, restricted })
}

/// `<db>/<RxC>`.
pub(crate) struct Folder<'a> {
    pub(crate) path: PathBuf,
    pub(crate) board: &'a Board,
}

impl Folder<'_> {
    /// The name of a file of this folder in verdicts.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.board.name())
    }

    /// Reads the folder's content and its manifest, as far as `cover` if that is given.
    pub(crate) fn read(&self, cover: Option<&Cover>) -> Result<Contents, Stop> {
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
        let most = self.board.squares();
        let there = &manifest.cover;
        if !(2..=most).contains(&u32::from(there.most_pieces())) {
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
        Ok(Contents { listing, restricted: manifest.restricted_to(cover), manifest })
    }
}

/// The contents of the folder of a database.
pub(crate) struct Contents {
    /// The entries of the folder.
    pub(crate) listing: Listing,
    /// The manifest as it would be of a database that covers no more than was asked for.
    pub(crate) restricted: DatabaseManifest,
    /// The whole manifest.
    pub(crate) manifest: DatabaseManifest,
}
