//! The memory that building, loading and finding depths takes.

use std::collections::HashSet;

use certificate_spec::cover::Cover;

use super::error::BuildError;
use super::placement::TablePlacement;
use super::residency::Residency;
use super::session::BuildSession;
use crate::depth;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use draughtproof_game::Board;

impl BuildSession<'_> {
    /// Checks that the memory suffices to build a database, before anything of it is built.
    pub fn check_memory(board: &Board, cover: &Cover, limit: u64) -> Result<(), BuildError> {
        BuildError::check_memory(board, cover, Self::least_memory(board, cover), limit)
    }

    /// The least memory with which a database can be built.
    pub fn least_memory(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_of(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which a database can be built with [`BuildSession::spill_tables`].
    pub fn least_memory_with_files(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover).into_iter();
        slices.map(|slice| Self::memory_with_files(board, cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which all of a database can be loaded.
    pub fn loading_memory(board: &Board, cover: &Cover) -> u64 {
        Residency::new(board, cover, 0).least(&Slice::all(board, cover), 0)
    }

    /// The least memory with which the depths of a cover can be found.
    pub fn least_depth_memory(board: &Board, cover: &Cover) -> u64 {
        let empty = Residency::new(board, cover, 0);
        let least = |slice| empty.least(&depth_needs(slice), depth::memory(board, slice));
        Slice::all(board, cover).into_iter().map(least).max().unwrap_or(0)
    }

    /// The least memory with which a slice and its twin can be solved.
    pub(crate) fn memory_of(board: &Board, cover: &Cover, slice: Slice) -> u64 {
        let empty = Residency::new(board, cover, 0);
        empty.least(&Builder::needs(slice), room_to_solve(board, slice))
    }

    /// Like [`BuildSession::memory_of`], but with the needed tables in files: one of these at a
    /// time is made in memory.
    fn memory_with_files(board: &Board, cover: &Cover, slice: Slice) -> u64 {
        let make = |need| Builder::table_memory(board, need) + Builder::work(board, need);
        let most = Builder::needs(slice).into_iter().map(make).max().unwrap_or(0);
        Builder::base_memory(board, cover) + most.max(room_to_solve(board, slice))
    }

    /// The least memory with which this session can build a database.
    pub(crate) fn least_memory_here(&self, cover: &Cover) -> u64 {
        let slices = Slice::all(self.board, cover).into_iter();
        slices.map(|slice| self.memory_here(cover, slice)).max().unwrap_or(0)
    }

    /// The least memory with which this session can solve a slice of a cover and its twin.
    fn memory_here(&self, cover: &Cover, slice: Slice) -> u64 {
        match self.placement {
            TablePlacement::Spilled { .. } => Self::memory_with_files(self.board, cover, slice),
            _ => Self::memory_of(self.board, cover, slice),
        }
    }

    /// Splits pairs with an equal number of pieces, in order, into those for which the memory
    /// suffices, and those for which it does not or that need such a one.
    pub(crate) fn split_by_memory(&self, pairs: Vec<Slice>) -> (Vec<Slice>, Vec<Slice>) {
        let (limit, mut left_out) = (self.resident.memory, HashSet::new());
        pairs.into_iter().partition(|&slice| {
            let fits = self.memory_here(&self.cover, slice) <= limit
                && !Builder::needs(slice).iter().any(|need| left_out.contains(need));
            if !fits {
                left_out.extend(slice.with_twin());
            }
            fits
        })
    }
}

/// The bytes that solving a slice and its twin takes besides the slices that it needs.
pub(crate) fn room_to_solve(board: &Board, slice: Slice) -> u64 {
    let tables: u64 = slice.with_twin().iter().map(|&s| Builder::table_memory(board, s)).sum();
    tables + Builder::work(board, slice)
}

/// The slices that finding the depths of a slice and its twin looks at.
pub(crate) fn depth_needs(slice: Slice) -> Vec<Slice> {
    [slice.with_twin(), Builder::needs(slice)].concat()
}
