//! Imports of most tests.

pub use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub use std::fs;
pub use std::io::{BufRead, BufReader, Write};
pub use std::ops::ControlFlow;
pub use std::path::{Path, PathBuf};
pub use std::process::{Child, Command, ExitCode, Output, Stdio};
pub use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
pub use std::sync::{Arc, Mutex};
pub use std::thread;
pub use std::time::{Duration, Instant};

pub use certificate_spec::Digest;
pub use certificate_spec::claim::{Claim, Question};
pub use certificate_spec::coding::Frequencies;
pub use certificate_spec::cover::Cover;
pub use certificate_spec::database::{DatabaseManifest, SliceName};
pub use certificate_spec::leaves::Leaf;
pub use certificate_spec::manifest::{Kind, Manifest};
pub use certificate_spec::nodes::{Node, WirePosition, kind};
pub use certificate_spec::object::ObjectHead;
pub use certificate_spec::wire::HEAD;
pub use draughtproof_egdb::{Slice, Table, Values, decode_slice, encode_slice, position_at};
pub use draughtproof_game::{Board, Game, Position, Side};
pub use quickcheck::{Arbitrary, Gen};

pub use crate::corpus::rows;
pub use crate::draft::{Draft, Part};
pub use crate::farm::{Broker, Job, Running, free_port, wait_for};
pub use crate::files::{Scratch, copy, read_all};
pub use crate::positions::Rules;
pub use crate::positions::{database, random};
pub use crate::programs::{
    Said, Signal, ask, check, check_with, fails, path, prove, run, signal, start, texts,
};
