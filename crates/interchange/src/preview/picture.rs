//! A finished picture.

use std::io;
use std::path::Path;

use crate::InterchangeError;
use crate::whole::write_whole;

/// Pixels in sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row from the top: 3 · width · height bytes.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Writes it as PNG, whole or not at all.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write_png(&self, path: &Path) -> Result<(), InterchangeError> {
        write_whole(path, |out| {
            self.encode(out).map_err(|error| {
                let error = match error {
                    png::EncodingError::IoError(error) => error,
                    other => io::Error::other(other),
                };
                InterchangeError::io("write", path)(error)
            })
        })
    }

    /// The bytes of a PNG file of it.
    ///
    /// # Errors
    /// Where `rgb` is not as long as the size says.
    pub fn to_png(&self) -> Result<Vec<u8>, InterchangeError> {
        let mut bytes = Vec::new();
        let encoded = self.encode(&mut bytes);
        encoded.map_err(|error| {
            InterchangeError::io("encode", Path::new("a picture"))(io::Error::other(error))
        })?;
        Ok(bytes)
    }

    fn encode(&self, out: impl io::Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // A tenth larger than the default and several times as fast.
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }
}
