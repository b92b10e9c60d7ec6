//! Imports of most tests.

pub(crate) use crate::any::Any;
pub(crate) use certificate_spec::bits::{BitWriter, width};
pub(crate) use certificate_spec::claim::{Claim, Question, Value};
pub(crate) use certificate_spec::coding::{Decoder, Frequencies, TOTAL, encode};
pub(crate) use certificate_spec::cover::Cover;
pub(crate) use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
pub(crate) use certificate_spec::leaves::Leaf;
pub(crate) use certificate_spec::manifest::{Kind, Manifest, Object};
pub(crate) use certificate_spec::nodes::{Node, WirePosition};
pub(crate) use certificate_spec::object::ObjectHead;
pub(crate) use certificate_spec::payload::{self, Part};
pub(crate) use certificate_spec::provenance::{
    Asked, Iteration, Mode, Provenance, Request, Resources, Thresholds,
};
pub(crate) use certificate_spec::slice::{SliceHead, SliceHeader, Unit};
pub(crate) use certificate_spec::{Digest, WireError, value};
pub(crate) use quickcheck::{Arbitrary, Gen, QuickCheck};
