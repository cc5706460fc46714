//! A cache of decoded tiles and pattern blocks, shared by all workers, under a byte budget.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// Least-recently-used values of one kind; workers who ask for one that is being made wait for it.
pub(crate) struct Cache<K, V> {
    slots: Mutex<Slots<K, V>>,
    /// Values that had to go and that nobody reads any more, for the next ones to be made in their memory.
    spares: Mutex<Vec<V>>,
    budget_bytes: usize,
}

/// Spare values that are kept: about one for each worker.
const MOST_SPARES: usize = 2;

struct Slots<K, V> {
    entries: LruCache<K, Entry<V>>,
    used_bytes: usize,
}

struct Entry<V> {
    value: Arc<Mutex<Option<Arc<V>>>>,
    bytes: usize,
}

impl<K: Hash + Eq + Copy, V> Cache<K, V> {
    /// An empty cache that keeps values up to `budget_bytes` in all.
    pub(crate) fn new(budget_bytes: usize) -> Self {
        Self {
            slots: Mutex::new(Slots {
                entries: LruCache::unbounded(),
                used_bytes: 0,
            }),
            spares: Mutex::new(Vec::new()),
            budget_bytes,
        }
    }

    /// The value of `key`, made by `make` where it is not there; `size` tells its bytes.
    pub(crate) fn get<E>(
        &self,
        key: K,
        size: impl Fn(&V) -> usize,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let slot = self.slot(key);
        // Others who want this key wait here; those who want another are not held up.
        let mut value = lock(&slot);
        if let Some(value) = value.as_ref() {
            return Ok(value.clone());
        }
        let made = Arc::new(make()?);
        *value = Some(made.clone());
        drop(value);
        self.charge(key, size(&made));
        Ok(made)
    }

    /// The value of `key`, made by `make` where it is not there, which cannot fail.
    pub(crate) fn get_or_make(
        &self,
        key: K,
        size: impl Fn(&V) -> usize,
        make: impl FnOnce() -> V,
    ) -> Arc<V> {
        self.get(key, size, || Ok::<V, Infallible>(make()))
            .unwrap_or_else(|never| match never {})
    }

    /// Whether a value is there, or is being made.
    pub(crate) fn holds(&self, key: K) -> bool {
        lock(&self.slots).entries.contains(&key)
    }

    /// Puts a value that has just been computed.
    pub(crate) fn put(&self, key: K, value: Arc<V>, bytes: usize) {
        *lock(&self.slot(key)) = Some(value);
        self.charge(key, bytes);
    }

    /// A value that had to go, as memory for the next.
    pub(crate) fn take_spare(&self) -> Option<V> {
        lock(&self.spares).pop()
    }

    /// Keeps the memory of a value that has to go, unless somebody still reads it.
    fn let_go(&self, entry: Entry<V>) {
        let value = Arc::into_inner(entry.value).map(Mutex::into_inner);
        let value = value.and_then(|value| value.unwrap_or_else(PoisonError::into_inner));
        let mut spares = lock(&self.spares);
        if spares.len() < MOST_SPARES {
            spares.extend(value.and_then(Arc::into_inner));
        }
    }

    fn slot(&self, key: K) -> Arc<Mutex<Option<Arc<V>>>> {
        let mut slots = lock(&self.slots);
        let entry = slots.entries.get_or_insert_mut(key, || Entry {
            value: Arc::default(),
            bytes: 0,
        });
        entry.value.clone()
    }

    fn charge(&self, key: K, bytes: usize) {
        let mut slots = lock(&self.slots);
        if bytes > self.budget_bytes {
            // It would push out everything else and then itself.
            if let Some(entry) = slots.entries.pop(&key) {
                slots.used_bytes -= entry.bytes;
                self.let_go(entry);
            }
            return;
        }
        if let Some(entry) = slots.entries.get_mut(&key) {
            let before = std::mem::replace(&mut entry.bytes, bytes);
            slots.used_bytes = slots.used_bytes - before + bytes;
        }
        while slots.used_bytes > self.budget_bytes {
            let Some((key, entry)) = slots.entries.pop_lru() else {
                break;
            };
            if entry.bytes == 0 {
                // It is being made, and others wait for it.
                slots.entries.put(key, entry);
            } else {
                slots.used_bytes -= entry.bytes;
                self.let_go(entry);
            }
        }
    }
}

/// A lock whose holder panicked still guards whole values here: each is replaced in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(cache: &Cache<u32, u32>, key: u32, made: &mut u32) -> u32 {
        *cache
            .get(
                key,
                |_| 10,
                || {
                    *made += 1;
                    Ok::<_, Infallible>(key * 2)
                },
            )
            .unwrap_or_else(|never| match never {})
    }

    #[test]
    fn a_value_is_made_once_and_the_oldest_goes_first() {
        let cache = Cache::new(30);
        let mut made = 0;
        for key in [1, 2, 3, 1, 2, 3] {
            assert_eq!(ask(&cache, key, &mut made), key * 2);
        }
        assert_eq!(made, 3);
        ask(&cache, 4, &mut made); // 1 goes
        ask(&cache, 2, &mut made);
        assert_eq!(made, 4);
        ask(&cache, 1, &mut made);
        assert_eq!(made, 5);
    }

    #[test]
    fn what_is_larger_than_the_budget_is_not_kept_and_pushes_nothing_out() {
        let cache = Cache::<u32, u32>::new(30);
        let mut made = 0;
        ask(&cache, 1, &mut made);
        cache.put(2, Arc::new(7), 31);
        ask(&cache, 1, &mut made);
        assert_eq!(made, 1);
        assert_eq!(cache.get(2, |_| 31, || Ok::<_, &str>(8)), Ok(Arc::new(8)));
        assert_eq!(cache.get(2, |_| 31, || Ok::<_, &str>(9)), Ok(Arc::new(9)));
    }

    #[test]
    fn a_failure_leaves_room_for_another_try() {
        let cache = Cache::<u32, u32>::new(30);
        assert_eq!(cache.get(1, |_| 1, || Err("no")), Err("no"));
        assert_eq!(cache.get(1, |_| 1, || Ok::<_, &str>(5)), Ok(Arc::new(5)));
    }
}
