//! Noise on lattices of hashed cells: the same bits on every machine, at any distance from the origin.

use ecotone_grid::{floor, mix};

/// A point or a vector in metres, or in cells of a lattice: x east, y south.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Vector {
    pub x: f64,
    pub y: f64,
}

impl Vector {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }

    pub fn minus(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }

    pub fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }

    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Not `hypot`: its last bit differs between platforms.
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
}

/// Rotations by the angles of Pythagorean triples: two octaves of one noise never share a lattice direction.
const TURNS: [Vector; 8] = [
    Vector::new(15.0 / 17.0, 8.0 / 17.0),
    Vector::new(3.0 / 5.0, 4.0 / 5.0),
    Vector::new(12.0 / 13.0, -5.0 / 13.0),
    Vector::new(20.0 / 29.0, 21.0 / 29.0),
    Vector::new(7.0 / 25.0, -24.0 / 25.0),
    Vector::new(35.0 / 37.0, 12.0 / 37.0),
    Vector::new(28.0 / 53.0, 45.0 / 53.0),
    Vector::new(40.0 / 41.0, -9.0 / 41.0),
];

/// A turned square lattice with a random draw for each cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    key: u64,
    /// The east unit vector, turned, over the wavelength.
    axis: Vector,
}

impl Lattice {
    /// Lattice number `purpose` of a seed, its cells `wavelength_m` wide.
    pub fn new(seed: u64, purpose: u64, wavelength_m: f64) -> Self {
        let turn = TURNS[(purpose % TURNS.len() as u64) as usize];
        Self {
            key: mix(mix(seed).wrapping_add(purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
            axis: turn.times(1.0 / wavelength_m),
        }
    }

    /// A vector in metres in the lattice's own axes and unit.
    pub fn to_cells(self, v: Vector) -> Vector {
        Vector::new(self.axis.dot(v), self.axis.x * v.y - self.axis.y * v.x)
    }

    /// 64 random bits for a cell.
    pub fn draw(self, x: i64, y: i64) -> u64 {
        let east = (x as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let south = (y as u64).wrapping_mul(0xa076_1d64_78bd_642f);
        mix(self.key ^ east.wrapping_add(south.rotate_left(32)))
    }

    /// Gradient noise in about [−0.7, 0.7] at a point in metres (K. Perlin, *Improving Noise*, 2002).
    pub fn gradient(self, at: Vector) -> f64 {
        let p = self.to_cells(at);
        let (x, y) = (floor(p.x), floor(p.y));
        Corners::of(self, x, y).at((p.x - x as f64) as f32, (p.y - y as f64) as f32) as f64
    }
}

/// 64 unit vectors all around.
static DIRECTIONS: [[f32; 2]; 64] = {
    let mut directions = [[0.0; 2]; 64];
    let mut k = 0;
    while k < 64 {
        let turns = k as f64 / 64.0;
        directions[k] = [cosine(turns) as f32, cosine(turns - 0.25) as f32];
        k += 1;
    }
    directions
};

/// The gradients at the corners of a lattice cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners([[f32; 2]; 4]);

impl Corners {
    /// Of the cell whose north-west corner is lattice point `x`, `y`.
    pub fn of(lattice: Lattice, x: i64, y: i64) -> Self {
        let gradient = |x, y| DIRECTIONS[(lattice.draw(x, y) >> 58) as usize];
        Self([
            gradient(x, y),
            gradient(x + 1, y),
            gradient(x, y + 1),
            gradient(x + 1, y + 1),
        ])
    }

    /// The noise at a place in the cell, both coordinates in [0, 1].
    #[inline]
    pub fn at(&self, x: f32, y: f32) -> f32 {
        let [a, b, c, d] = self.0;
        let (tx, ty) = (fade(x), fade(y));
        let north_west = a[0] * x + a[1] * y;
        let north_east = b[0] * (x - 1.0) + b[1] * y;
        let south_west = c[0] * x + c[1] * (y - 1.0);
        let south_east = d[0] * (x - 1.0) + d[1] * (y - 1.0);
        let north = north_west + tx * (north_east - north_west);
        let south = south_west + tx * (south_east - south_west);
        north + ty * (south - north)
    }
}

/// The quintic step 6t⁵ − 15t⁴ + 10t³.
#[inline]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Cosine of an angle in turns, within 0.002, from parabolas: the system's own differs between platforms.
#[inline]
pub(super) const fn cosine(turns: f64) -> f64 {
    let t = turns + 0.25;
    let t = t - floor(t + 0.5) as f64;
    let parabola = t * (8.0 - 16.0 * t.abs());
    parabola * (0.775 + 0.225 * parabola.abs())
}

/// 0 below `lo`, 1 above `hi`, 3t² − 2t³ between.
pub(super) fn smooth_step(lo: f64, hi: f64, v: f64) -> f64 {
    let t = ((v - lo) / (hi - lo)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_is_the_cosine() {
        for k in -4000..4000 {
            let turns = f64::from(k) / 1000.0;
            let right = (turns * std::f64::consts::TAU).cos();
            assert!((cosine(turns) - right).abs() < 0.002, "{turns} turns");
        }
    }

    #[test]
    fn a_lattice_turns_and_scales_but_never_shears() {
        for purpose in 0..8 {
            let lattice = Lattice::new(3, purpose, 170.0);
            let east = lattice.to_cells(Vector::new(170.0, 0.0));
            let south = lattice.to_cells(Vector::new(0.0, 170.0));
            assert!((east.length() - 1.0).abs() < 1e-12);
            assert!((south.length() - 1.0).abs() < 1e-12);
            assert!(east.dot(south).abs() < 1e-12);
        }
    }

    #[test]
    fn noise_is_centred_and_has_no_jump() {
        let lattice = Lattice::new(7, 1, 40.0);
        let (mut sum, mut last) = (0.0, lattice.gradient(Vector::new(-5000.0, 17.0)));
        for k in 1..100_000 {
            let v = lattice.gradient(Vector::new(-5000.0 + 0.1 * f64::from(k), 17.0));
            assert!((v - last).abs() < 0.01, "a jump at step {k}");
            assert!(v.abs() <= 1.0);
            sum += v;
            last = v;
        }
        assert!((sum / 100_000.0_f64).abs() < 0.05);
    }
}
