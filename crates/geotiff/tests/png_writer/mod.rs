//! A plain PNG writer for tests: it shares no code with the decoder, and writes what a test asks for, right or wrong.

use std::io::Write;

/// What to write.
#[derive(Clone, Debug)]
pub struct Png {
    pub width: usize,
    pub height: usize,
    /// Bits of a sample: 1, 2, 4, 8, 16.
    pub depth: usize,
    /// Colour type of the header: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    pub colour: u8,
    pub interlaced: bool,
    /// Further chunks before the pixels.
    pub chunks: Vec<([u8; 4], Vec<u8>)>,
}

impl Png {
    pub fn new(width: usize, height: usize, depth: usize) -> Self {
        Self {
            width,
            height,
            depth,
            colour: 0,
            interlaced: false,
            chunks: Vec::new(),
        }
    }

    pub fn n_bands(&self) -> usize {
        match self.colour {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// The scanlines of the pixels at every `dx`-th column and `dy`-th row, each behind its filter byte 0.
    fn scanlines(
        &self,
        [x0, dx, y0, dy]: [usize; 4],
        pixel: &impl Fn(usize, usize, usize) -> f64,
        out: &mut Vec<u8>,
    ) {
        if x0 >= self.width {
            return;
        }
        for y in (y0..self.height).step_by(dy) {
            out.push(0);
            let (mut byte, mut n_bits) = (0_u16, 0);
            for x in (x0..self.width).step_by(dx) {
                for band in 0..self.n_bands() {
                    let value = pixel(band, x, y) as u16;
                    match self.depth {
                        16 => out.extend(value.to_be_bytes()),
                        depth => {
                            byte = byte << depth | value;
                            n_bits += depth;
                        }
                    }
                    if n_bits == 8 {
                        out.push(byte as u8);
                        (byte, n_bits) = (0, 0);
                    }
                }
            }
            if n_bits > 0 {
                out.push((byte << (8 - n_bits)) as u8);
            }
        }
    }

    /// The file, its pixels given by band, column and row.
    pub fn bytes(&self, pixel: impl Fn(usize, usize, usize) -> f64) -> Vec<u8> {
        // The order of ISO/IEC 15948, figure 8.2: "1 6 4 6 2 6 4 6" and so on.
        const ADAM_7: [[usize; 4]; 7] = [
            [0, 8, 0, 8],
            [4, 8, 0, 8],
            [0, 4, 4, 8],
            [2, 4, 0, 4],
            [0, 2, 2, 4],
            [1, 2, 0, 2],
            [0, 1, 1, 2],
        ];
        let mut plain = Vec::new();
        if self.interlaced {
            for pass in ADAM_7 {
                self.scanlines(pass, &pixel, &mut plain);
            }
        } else {
            self.scanlines([0, 1, 0, 1], &pixel, &mut plain);
        }
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&plain).unwrap();
        self.around(&zlib.finish().unwrap())
    }

    /// A file around packed scanlines.
    pub fn around(&self, packed: &[u8]) -> Vec<u8> {
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        header.extend([
            self.depth as u8,
            self.colour,
            0,
            0,
            u8::from(self.interlaced),
        ]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(*b"IHDR", &header, &mut file);
        for (name, content) in &self.chunks {
            chunk(*name, content, &mut file);
        }
        // Two chunks, as long images have.
        let (first, second) = packed.split_at(packed.len() / 2);
        chunk(*b"IDAT", first, &mut file);
        chunk(*b"IDAT", second, &mut file);
        chunk(*b"IEND", &[], &mut file);
        file
    }
}

fn chunk(name: [u8; 4], content: &[u8], file: &mut Vec<u8>) {
    file.extend((content.len() as u32).to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&name);
    crc.update(content);
    file.extend(name);
    file.extend(content);
    file.extend(crc.sum().to_be_bytes());
}
