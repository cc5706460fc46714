//! A reader that shows how far it has come, so that an error can say where.

use std::cell::Cell;
use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

/// Reads bytes and tells `at` the position after each step.
pub(super) struct Tracked<'a> {
    bytes: Cursor<&'a [u8]>,
    at: &'a Cell<u64>,
}

impl<'a> Tracked<'a> {
    pub fn new(bytes: &'a [u8], at: &'a Cell<u64>) -> Self {
        Self {
            bytes: Cursor::new(bytes),
            at,
        }
    }
}

impl Read for Tracked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read(buffer);
        self.at.set(self.bytes.position());
        n
    }
}

impl BufRead for Tracked<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // The whole rest of a file at once would make every error point to its end.
        const PIECE: usize = 1 << 15;
        let rest = self.bytes.fill_buf()?;
        Ok(&rest[..rest.len().min(PIECE)])
    }

    fn consume(&mut self, n: usize) {
        self.bytes.consume(n);
        self.at.set(self.bytes.position());
    }
}

impl Seek for Tracked<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.bytes.seek(to);
        self.at.set(self.bytes.position());
        at
    }
}
