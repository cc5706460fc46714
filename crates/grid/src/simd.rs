//! Which vector instructions the kernels run on. Every choice makes the same bytes.

use std::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Simd {
    /// What every processor of the architecture has: SSE2 on x86-64, NEON on AArch64.
    Portable = 1,
    /// AVX2 with BMI1, BMI2 and POPCNT: x86-64 since 2013.
    Avx2 = 2,
    /// AVX-512 F, BW, DQ, VL and CD besides: x86-64 servers since 2017.
    Avx512 = 3,
}

/// The set in use as a number; 0 as long as nobody has asked.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Simd {
    /// All sets, the plainest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has all of it.
    pub fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = || {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            };
            let has_avx512 = || {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            };
            match self {
                Self::Portable => true,
                Self::Avx2 => has_avx2(),
                Self::Avx512 => has_avx2() && has_avx512(),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// The set that kernels run on from now on: the best of this processor, or the one that was forced.
    #[inline]
    pub fn current() -> Self {
        match CURRENT.load(Ordering::Relaxed) {
            1 => Self::Portable,
            2 => Self::Avx2,
            3 => Self::Avx512,
            _ => Self::best(),
        }
    }

    #[cold]
    fn best() -> Self {
        let best = Self::ALL.into_iter().rfind(|simd| simd.is_here());
        let best = best.unwrap_or(Self::Portable);
        CURRENT.store(best as u8, Ordering::Relaxed);
        best
    }

    /// Makes kernels run on this set in the whole process; returns whether the processor has it, without which nothing
    /// changes.
    pub fn force(self) -> bool {
        let is_here = self.is_here();
        if is_here {
            CURRENT.store(self as u8, Ordering::Relaxed);
        }
        is_here
    }
}

/// Makes a function that runs another, which must be `#[inline(always)]`, compiled for the instructions of
/// [`Simd::current`]: the same operations on as many numbers at a time as the processor takes.
///
/// ```
/// #[inline(always)]
/// fn write_sum(from: &[u16], to: &mut [u16]) {
///     to.iter_mut().zip(from).for_each(|(to, from)| *to = to.wrapping_add(*from));
/// }
///
/// ecotone_grid::by_simd! {
///     /// Adds one row to another.
///     pub fn sum(from: &[u16], to: &mut [u16]) = write_sum;
/// }
///
/// let mut row = [1, 2];
/// sum(&[3, 4], &mut row);
/// assert_eq!(row, [4, 6]);
/// ```
#[macro_export]
macro_rules! by_simd {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $out:ty)? = $body:path;) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn by_avx2($($arg: $ty),*) $(-> $out)? {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
                fn by_avx512($($arg: $ty),*) $(-> $out)? {
                    $body($($arg),*)
                }
                match $crate::Simd::current() {
                    // SAFETY: the set in use is one that the processor has, and the function enables nothing else.
                    $crate::Simd::Avx512 => return unsafe { by_avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::Simd::Avx2 => return unsafe { by_avx2($($arg),*) },
                    $crate::Simd::Portable => {}
                }
            }
            $body($($arg),*)
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn triple(numbers: &mut [f64]) -> f64 {
        numbers.iter_mut().for_each(|v| *v *= 3.0);
        numbers.iter().sum()
    }

    by_simd! {
        fn tripled(numbers: &mut [f64]) -> f64 = triple;
    }

    #[test]
    fn every_set_that_is_here_can_be_forced_and_makes_the_same() {
        let numbers = || (0..100).map(|k| 0.1 * f64::from(k)).collect::<Vec<_>>();
        let mut right = numbers();
        let sum = triple(&mut right);
        for simd in Simd::ALL {
            if simd.force() {
                assert_eq!(Simd::current(), simd);
                let mut found = numbers();
                assert_eq!((tripled(&mut found), &found), (sum, &right));
            } else {
                assert!(!simd.is_here() && Simd::current() != simd);
            }
        }
        assert!(Simd::Portable.is_here());
    }
}
