//! The number types of pixels.

use crate::ByteOrder;

/// The type of a file's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    /// 8-bit unsigned.
    U8,
    /// 8-bit signed.
    I8,
    /// 16-bit unsigned.
    U16,
    /// 16-bit signed.
    I16,
    /// 32-bit unsigned.
    U32,
    /// 32-bit signed.
    I32,
    /// 64-bit unsigned.
    U64,
    /// 64-bit signed.
    I64,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

impl SampleType {
    /// Bytes of one sample.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Its name as numpy and rasterio have it, such as "int16".
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "uint8",
            Self::I8 => "int8",
            Self::U16 => "uint16",
            Self::I16 => "int16",
            Self::U32 => "uint32",
            Self::I32 => "int32",
            Self::U64 => "uint64",
            Self::I64 => "int64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The largest value of an integer type, by which integer masks are divided; `None` for floats.
    pub fn max(self) -> Option<f64> {
        Some(match self {
            Self::U8 => f64::from(u8::MAX),
            Self::I8 => f64::from(i8::MAX),
            Self::U16 => f64::from(u16::MAX),
            Self::I16 => f64::from(i16::MAX),
            Self::U32 => f64::from(u32::MAX),
            Self::I32 => f64::from(i32::MAX),
            Self::U64 => u64::MAX as f64,
            Self::I64 => i64::MAX as f64,
            Self::F32 | Self::F64 => return None,
        })
    }

    /// The smallest value of an integer type; `None` for floats.
    pub fn min(self) -> Option<f64> {
        let max = self.max()?;
        let is_signed = matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64);
        Some(if is_signed { -max - 1.0 } else { 0.0 })
    }
}

/// A number that a file can hold. Sealed: the ten types of [`SampleType`].
pub trait Sample: Copy + PartialEq + Send + Sync + sealed::Sealed + 'static {
    /// Which type it is.
    const TYPE: SampleType;

    /// From its bytes; `bytes` has exactly its size.
    fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self;

    /// As a double; exact but for 64-bit integers beyond 2⁵³.
    fn to_f64(self) -> f64;

    /// As a single, rounded to nearest.
    fn to_f32(self) -> f32;

    /// The nearest number of this type; NaN is 0 for an integer.
    fn from_f64(value: f64) -> Self;

    /// The sample that stands for a void where the file's nodata value is `value`.
    ///
    /// Nodata is written as a decimal double: for a float it is rounded to the samples' own precision; an integer
    /// that it is not, or that is out of range, has none. NaN needs none, being void anyhow.
    fn void(value: f64) -> Option<Self> {
        if Self::TYPE.is_float() {
            return (!value.is_nan()).then(|| Self::from_f64(value));
        }
        let void = Self::from_f64(value);
        (void.to_f64() == value).then_some(void)
    }
}

mod sealed {
    /// Keeps [`Sample`](super::Sample) to the types of this file.
    pub trait Sealed {}
}

macro_rules! sample {
    ($($ty:ident $variant:ident),*) => {$(
        impl sealed::Sealed for $ty {}

        impl Sample for $ty {
            const TYPE: SampleType = SampleType::$variant;

            #[inline]
            fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self {
                let bytes = bytes.try_into().expect("as many bytes as a sample has");
                match order {
                    ByteOrder::Little => Self::from_le_bytes(bytes),
                    ByteOrder::Big => Self::from_be_bytes(bytes),
                }
            }

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn to_f32(self) -> f32 {
                self as f32
            }

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
        }
    )*};
}

sample!(u8 U8, i8 I8, u16 U16, i16 I16, u32 U32, i32 I32, u64 U64, i64 I64, f32 F32, f64 F64);

/// Evaluates an expression with `$ty` bound to the Rust type of a [`SampleType`].
macro_rules! with_sample {
    ($sample:expr, $ty:ident => $body:expr) => {
        match $sample {
            $crate::SampleType::U8 => {
                type $ty = u8;
                $body
            }
            $crate::SampleType::I8 => {
                type $ty = i8;
                $body
            }
            $crate::SampleType::U16 => {
                type $ty = u16;
                $body
            }
            $crate::SampleType::I16 => {
                type $ty = i16;
                $body
            }
            $crate::SampleType::U32 => {
                type $ty = u32;
                $body
            }
            $crate::SampleType::I32 => {
                type $ty = i32;
                $body
            }
            $crate::SampleType::U64 => {
                type $ty = u64;
                $body
            }
            $crate::SampleType::I64 => {
                type $ty = i64;
                $body
            }
            $crate::SampleType::F32 => {
                type $ty = f32;
                $body
            }
            $crate::SampleType::F64 => {
                type $ty = f64;
                $body
            }
        }
    };
}
pub(crate) use with_sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodata_is_compared_in_the_samples_own_precision() {
        // GDAL prints the lowest float with too few or too many digits.
        assert_eq!(f32::void(-3.4028234663852886e38), Some(f32::MIN));
        assert_eq!(f32::void(-3.40282346638529e38), Some(f32::MIN));
        assert_eq!(f32::void(0.1), Some(0.1_f32));
        assert_eq!(f32::void(f64::NAN), None);
        assert_eq!(f64::void(0.1), Some(0.1));
    }

    #[test]
    fn nodata_outside_an_integer_type_never_matches() {
        assert_eq!(i16::void(-9999.0), Some(-9999));
        assert_eq!(u8::void(-9999.0), None);
        assert_eq!(u8::void(256.0), None);
        assert_eq!(i16::void(-0.5), None);
        assert_eq!(u16::void(f64::NAN), None);
        assert_eq!(i32::void(f64::INFINITY), None);
        assert_eq!(u16::void(65535.0), Some(65535));
    }
}
