//! The lock that keeps a second writer out, and says who has it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::folder::{LOCK, WorldFolder};
use crate::StoreError;
use crate::disk::{Guard, Hold, Lock};

/// How often the lock file is looked at: who has just taken the lock has not yet written into it.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

impl WorldFolder {
    /// Takes the writer's lock, and writes into it who has it since when.
    ///
    /// # Errors
    /// [`StoreError::Locked`] names the holder; [`StoreError::NoLocks`], or an error of the system.
    pub fn lock(&self) -> Result<Guard, StoreError> {
        let path = self.join(LOCK);
        let holder = format!(
            "process {} on {} since {}\n",
            std::process::id(),
            host(),
            utc(SystemTime::now())
        );
        match self.files.lock(&path, Hold::Alone(&holder))? {
            Some(Lock::Held(guard)) => Ok(guard),
            Some(Lock::Unknown(source)) => Err(StoreError::NoLocks { path, source }),
            Some(Lock::Busy) | None => {
                // Where the lock also forbids reading, the holder stays nameless.
                let named = (0..LOOKS).find_map(|_| self.holder(&path));
                let holder = named.unwrap_or_else(|| "another process".to_owned());
                Err(StoreError::Locked { path, holder })
            }
        }
    }

    /// Who has the lock; `None` after a short while where it does not say so.
    fn holder(&self, path: &Path) -> Option<String> {
        let text = self.files.read(path).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        if text.is_empty() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The machine's name, for people.
fn host() -> String {
    let from_system = ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok());
    let from_shell = || {
        ["HOSTNAME", "COMPUTERNAME"]
            .iter()
            .find_map(|key| std::env::var(key).ok())
    };
    let name = from_system.or_else(from_shell).unwrap_or_default();
    match name.trim() {
        "" => "an unnamed host".to_owned(),
        name => name.to_owned(),
    }
}

/// A moment as people write it, such as `2026-02-28 23:59:59 UTC`.
fn utc(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs();
    let (days, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02} {h:02}:{m:02}:{s:02} UTC")
}

/// Year, month and day of a day counted from 1970-01-01 (H. Hinnant, `chrono`-compatible low-level date algorithms).
fn civil(days: i64) -> (i64, i64, i64) {
    // Years start in March, so that a leap day is the last of its year; eras have 400 years.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_868_799, "2000-02-29 23:59:59 UTC"),
            (1_709_251_199, "2024-02-29 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            let moment = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(utc(moment), text);
        }
    }
}
