//! Memory of encoded files, which goes from the workers to the writer and back.

use std::sync::{Mutex, PoisonError};

/// Buffers that wait for their next file: as many as are usually under way at once.
const MOST: usize = 4;

/// Empty buffers of files that were written.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// An empty buffer, with the memory of an earlier file where there is one.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop().unwrap_or_default()
    }

    /// Takes back the memory of a file that was written.
    pub(crate) fn give(&self, mut bytes: Vec<u8>) {
        bytes.clear();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push(bytes);
        }
    }
}
