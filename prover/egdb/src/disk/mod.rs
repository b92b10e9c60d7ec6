//! Databases on disk: `DIR/<RxC>/MANIFEST` and a file a slice (`SPEC.md` §8.3 and §8.4).
//!
//! Files are written atomically. Slices that the MANIFEST does not list yet are kept in
//! `DIR/<RxC>.building`; when all slices with a number of pieces are there, they are moved beside
//! the others and a new MANIFEST lists them. So whenever the program is killed, the slices that the
//! MANIFEST lists are complete, and no finished slice is lost. Depths, decoded tables and figures
//! of the build are beside the database and no part of it.

pub mod atomic;
pub(crate) mod error;
pub(crate) mod figures;
pub(crate) mod locks;
mod manifest;
pub(crate) mod mapped;
pub(crate) mod open_files;
pub(crate) mod read_at;
mod slice_files;
pub(crate) mod store;
pub(crate) mod table_files;
