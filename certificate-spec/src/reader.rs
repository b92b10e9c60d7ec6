//! A cursor over bytes that knows its offset, for error messages.

use crate::wire::append;
use crate::{VERSION, WireError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;

/// The advice for a certificate of another version.
pub(crate) const REMAKE: &str = "make the certificate again with: prove --emit";
/// The advice for a database of another version.
pub(crate) const REBUILD: &str = "make the database again with: prove db";

/// The error for a file of another version, with this advice for its user.
pub(crate) fn wrong_version(offset: u64, found: String, advice: &str) -> WireError {
    WireError::Version { offset, expected: format!("{VERSION} ({advice})"), found }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], WireError> {
        let rest = self.rest();
        if rest.len() < len {
            return Err(WireError::syntax(
                self.offset(),
                format!("{len} bytes"),
                format!("{} bytes before the end", rest.len()),
            ));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, WireError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads bytes that can have only one value, named `what` in an error.
    pub(crate) fn expect(&mut self, want: &[u8], what: &str) -> Result<(), WireError> {
        let offset = self.offset();
        let found = self.take(want.len())?;
        if found != want {
            let found = format!("bytes {}", hex(found));
            return Err(WireError::syntax(offset, what, found));
        }
        Ok(())
    }

    /// Reads magic and version. Of all errors in a file with the right magic, that of the version
    /// comes first.
    pub(crate) fn head(&mut self, magic: &[u8; 8], advice: &str) -> Result<(), WireError> {
        self.expect(magic, &format!("the magic bytes {}", hex(magic)))?;
        let offset = self.offset();
        let found = self.u32()?;
        match found == VERSION {
            true => Ok(()),
            false => Err(wrong_version(offset, found.to_string(), advice)),
        }
    }

    /// Reads a value in postcard, in its only encoding; `what` names it in an error.
    pub(crate) fn postcard<T>(&mut self, what: &str) -> Result<T, WireError>
    where
        T: Serialize + DeserializeOwned,
    {
        let (offset, rest) = (self.offset(), self.rest());
        let Ok((value, left)) = postcard::take_from_bytes::<T>(rest) else {
            return Err(WireError::syntax(offset, what, "bytes that are not one"));
        };
        let taken = &rest[..rest.len() - left.len()];
        let mut again = Vec::with_capacity(taken.len());
        append(&mut again, &value);
        if taken != again {
            let same = taken.iter().zip(&again).take_while(|(a, b)| a == b).count();
            let want = format!("{what} in its shortest encoding");
            return Err(WireError::syntax(offset + same as u64, want, "another encoding"));
        }
        self.at += taken.len();
        Ok(value)
    }

    /// Reads the number of records that follow. It must be at most `most`, and the bytes left (of a
    /// file of `length` bytes) must be possible for as many records of these sizes.
    pub(crate) fn count(
        &mut self,
        most: u64,
        sizes: RangeInclusive<u64>,
        length: u64,
    ) -> Result<usize, WireError> {
        let offset = self.offset();
        let count: u64 = self.postcard("a number of records")?;
        if count > most {
            return Err(WireError::syntax(offset, format!("at most {most} records"), count));
        }
        let (start, least) = (self.offset(), count * sizes.start());
        let possible = start + least..=start + count * sizes.end();
        if !possible.contains(&length) {
            let (least, most) = (possible.start(), possible.end());
            let want = format!("{least} to {most} bytes for {count} records");
            return Err(WireError::syntax(offset, want, format!("{length} bytes")));
        }
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Checks that exactly `size` bytes for each of `count` records are left of a file of `length`
    /// bytes.
    pub(crate) fn exact_count(&self, count: u64, size: u64, length: u64) -> Result<(), WireError> {
        let rest = length.saturating_sub(self.offset());
        match count.checked_mul(size) {
            Some(want) if want == rest => Ok(()),
            _ => Err(WireError::syntax(
                self.offset(),
                format!("{count} records of {size} bytes"),
                format!("{rest} bytes"),
            )),
        }
    }

    /// Checks that no bytes are left.
    pub(crate) fn end(&self) -> Result<(), WireError> {
        match self.rest().len() {
            0 => Ok(()),
            n => Err(WireError::syntax(self.offset(), "the end", format!("{n} more bytes"))),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
