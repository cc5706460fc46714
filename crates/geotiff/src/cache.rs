//! Decoded blocks, kept while they fit in one budget for all sources.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// A source and one of its blocks.
pub(crate) type Key = (u64, u64);

/// The samples of one block in this machine's byte order.
pub(crate) type Block = Arc<Vec<u8>>;

/// The most recently used decoded blocks of all sources that share it, never more than its budget.
///
/// A block larger than the budget is decoded for its reader and not kept. Two readers that want the same block at the
/// same time decode it once: the second waits for the first.
#[derive(Debug)]
pub struct BlockCache {
    shelf: Mutex<Shelf>,
    decoded: Condvar,
}

#[derive(Debug)]
struct Shelf {
    budget_bytes: usize,
    blocks: LruCache<Key, Block>,
    held_bytes: usize,
    /// Blocks that a reader is decoding now.
    pending: HashSet<Key>,
}

impl BlockCache {
    /// A cache of at most `budget_bytes` of decoded samples.
    pub fn new(budget_bytes: usize) -> Self {
        Self {
            shelf: Mutex::new(Shelf {
                budget_bytes,
                blocks: LruCache::unbounded(),
                held_bytes: 0,
                pending: HashSet::new(),
            }),
            decoded: Condvar::new(),
        }
    }

    /// Gives the cache another budget: how much is wanted may be known only once the sources are open.
    pub fn resize(&self, budget_bytes: usize) {
        let mut shelf = self.lock();
        shelf.budget_bytes = budget_bytes;
        shelf.make_room(0);
    }

    /// Bytes held now; never more than the budget.
    pub fn held_bytes(&self) -> usize {
        self.lock().held_bytes
    }

    /// A block from the cache, or decoded outside its lock and then kept.
    pub(crate) fn get_or_decode<E>(
        &self,
        key: Key,
        decode: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Block, E> {
        let mut shelf = self.lock();
        loop {
            if let Some(block) = shelf.blocks.get(&key) {
                return Ok(Arc::clone(block));
            }
            if shelf.pending.insert(key) {
                break;
            }
            shelf = self
                .decoded
                .wait(shelf)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(shelf);
        // Dropped on every way out, so that nobody waits for a reader that failed.
        let _pending = Pending { cache: self, key };
        let block = Arc::new(decode()?);
        self.lock().keep(key, &block);
        Ok(block)
    }

    /// Drops the blocks of one source.
    pub(crate) fn forget(&self, source: u64) {
        let mut shelf = self.lock();
        shelf.blocks.retain(|key, _| key.0 != source);
        shelf.held_bytes = shelf.blocks.iter().map(|(_, block)| block.len()).sum();
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        // Nothing under the lock can leave it half changed.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    fn keep(&mut self, key: Key, block: &Block) {
        if block.len() > self.budget_bytes {
            return;
        }
        self.make_room(block.len());
        self.held_bytes += block.len();
        if let Some(old) = self.blocks.put(key, Arc::clone(block)) {
            self.held_bytes -= old.len();
        }
    }

    /// Drops the oldest blocks until `len` bytes, at most the budget, fit in.
    fn make_room(&mut self, len: usize) {
        while self.held_bytes > self.budget_bytes - len {
            let Some((_, oldest)) = self.blocks.pop_lru() else {
                break;
            };
            self.held_bytes -= oldest.len();
        }
    }
}

struct Pending<'a> {
    cache: &'a BlockCache,
    key: Key,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.cache.lock().pending.remove(&self.key);
        self.cache.decoded.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn get(cache: &BlockCache, key: Key, len: usize) -> bool {
        let mut decoded = false;
        cache
            .get_or_decode(key, || {
                decoded = true;
                Ok::<_, ()>(vec![0; len])
            })
            .unwrap();
        decoded
    }

    #[test]
    fn the_least_recently_used_block_goes_first() {
        let cache = BlockCache::new(30);
        assert!(get(&cache, (0, 1), 10));
        assert!(get(&cache, (0, 2), 10));
        assert!(get(&cache, (0, 3), 10));
        assert!(!get(&cache, (0, 1), 10));
        assert!(get(&cache, (1, 4), 15));
        assert_eq!(cache.held_bytes(), 25);
        assert!(!get(&cache, (0, 1), 10));
        assert!(get(&cache, (0, 2), 5));
        cache.forget(1);
        assert_eq!(cache.held_bytes(), 15);
    }

    #[test]
    fn a_smaller_budget_drops_the_oldest_and_a_larger_one_holds_more() {
        let cache = BlockCache::new(30);
        for block in 1..=3 {
            get(&cache, (0, block), 10);
        }
        cache.resize(25);
        assert_eq!(cache.held_bytes(), 20);
        assert!(!get(&cache, (0, 2), 10));
        cache.resize(40);
        assert!(get(&cache, (0, 1), 10));
        assert!(get(&cache, (0, 4), 10));
        assert_eq!(cache.held_bytes(), 40);
    }

    #[test]
    fn a_block_beyond_the_budget_is_not_kept() {
        let cache = BlockCache::new(30);
        assert!(get(&cache, (0, 1), 31));
        assert!(get(&cache, (0, 1), 31));
        assert_eq!(cache.held_bytes(), 0);
    }

    #[test]
    fn a_failed_decode_leaves_nothing_behind() {
        let cache = BlockCache::new(30);
        assert!(cache.get_or_decode((0, 1), || Err(())).is_err());
        assert!(get(&cache, (0, 1), 3));
    }

    #[test]
    fn readers_of_one_block_decode_it_once() {
        let cache = BlockCache::new(1000);
        let n_decoded = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for block in 0..50 {
                        let decode = || {
                            n_decoded.fetch_add(1, Ordering::Relaxed);
                            Ok::<_, ()>(vec![0; 10])
                        };
                        cache.get_or_decode((0, block), decode).unwrap();
                    }
                });
            }
        });
        assert_eq!(n_decoded.into_inner(), 50);
    }
}
