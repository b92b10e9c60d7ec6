//! A cursor over bytes that knows where it is, for error messages.

use crate::WireError;

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

    /// Reads bytes that can have one value only.
    pub(crate) fn expect(&mut self, want: &[u8], what: &str) -> Result<(), WireError> {
        let offset = self.offset();
        let found = self.take(want.len())?;
        if found != want {
            let found = format!("bytes {}", hex(found));
            return Err(WireError::syntax(offset, what, found));
        }
        Ok(())
    }

    pub(crate) fn zeros(&mut self, len: usize) -> Result<(), WireError> {
        const ZEROS: [u8; 8] = [0; 8];
        self.expect(&ZEROS[..len], "reserved bytes of zero")
    }

    /// Reads a magic number and the version after it. The version is judged first among all that
    /// may be wrong in a file that does carry the magic number.
    pub(crate) fn head(&mut self, magic: &[u8; 8], version: u32) -> Result<(), WireError> {
        self.expect(magic, &format!("the magic bytes {}", hex(magic)))?;
        let offset = self.offset();
        let found = self.u32()?;
        if found != version {
            return Err(WireError::Version {
                offset,
                expected: version.to_string(),
                found: found.to_string(),
            });
        }
        Ok(())
    }

    /// The number of records that `count` announces, only if `size` bytes for each are there and
    /// nothing is left over.
    pub(crate) fn exact_count(&self, count: u64, size: u64) -> Result<usize, WireError> {
        let rest = self.rest().len();
        match count.checked_mul(size) {
            Some(want) if want == rest as u64 => Ok(rest / usize::try_from(size).unwrap_or(1)),
            _ => Err(WireError::syntax(
                self.offset(),
                format!("{count} records of {size} bytes"),
                format!("{rest} bytes"),
            )),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
