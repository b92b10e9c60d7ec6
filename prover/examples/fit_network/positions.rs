//! Positions of games with their scores and results, in a file.
//!
//! A record has 28 bytes: the bit sets of Black's pieces, of White's and of kings as the program
//! has them (8 bytes each, little-endian), the side to move (0 for Black), the result for that side
//! (0 lost, 1 drawn, 2 won), and its score in hundredths of a man (2 bytes).

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use draughtproof_game::{Position, Side};

use crate::play::Sample;

const BYTES: usize = 28;

/// Appends positions to a file.
pub fn append(path: &Path, samples: &[Sample]) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().append(true).create(true).open(path)?);
    for sample in samples {
        let Position { black, white, kings, turn } = sample.position;
        for set in [black, white, kings] {
            out.write_all(&set.to_le_bytes())?;
        }
        out.write_all(&[turn as u8, (2.0 * sample.result) as u8])?;
        out.write_all(&(sample.score.clamp(-30_000, 30_000) as i16).to_le_bytes())?;
    }
    out.flush()
}

/// All positions of a file.
pub fn read(path: &Path) -> io::Result<Vec<Sample>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes.chunks_exact(BYTES).map(record).collect())
}

fn record(bytes: &[u8]) -> Sample {
    let set = |at: usize| (0..8).fold(0, |set, i| set | u64::from(bytes[at + i]) << (8 * i));
    let turn = if bytes[24] == 0 { Side::Black } else { Side::White };
    Sample {
        position: Position { black: set(0), white: set(8), kings: set(16), turn },
        score: i16::from_le_bytes([bytes[26], bytes[27]]).into(),
        result: f64::from(bytes[25]) / 2.0,
    }
}
