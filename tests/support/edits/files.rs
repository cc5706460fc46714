//! The files and the config of a state.

use super::{Dice, Patch, Rules, State};
use crate::support::writer::{Tiff, Value};
use crate::support::{NODATA, Place};

impl State {
    /// Writes the files that are not as they were in `before`, and some that are.
    pub fn write(&self, place: &Place, before: Option<&Self>, dice: &mut Dice) {
        let mut is_new = |differs: fn(&Self, &Self) -> bool| {
            before.is_none_or(|before| differs(self, before) || dice.chance(3))
        };
        let (w, h) = (self.size.0 as usize, self.size.1 as usize);
        let tiff = |sample| Tiff::new(w, h, sample).placed(self.pixel, self.corner);
        if is_new(|a, b| !a.same_heights(b)) {
            let nodata = tiff((3, 32)).tag(42113, Value::Text("-9999"));
            place.write("heights.tif", &nodata, |x, y| self.height(y * w + x));
        }
        for (name, pixels, differs) in [
            ("mask.tif", &self.mask, is_new(|a, b| a.mask != b.mask)),
            ("paint.tif", &self.paint, is_new(|a, b| a.paint != b.paint)),
        ] {
            if differs {
                place.write(name, &tiff((1, 8)), |x, y| pixels[y * w + x].into());
            }
        }
        for patch in &self.patches {
            if !place.path(&patch.name()).exists() {
                self.write_patch(place, patch);
            }
        }
        if is_new(|a, b| a.road != b.road) {
            std::fs::write(place.path("road.geojson"), self.geojson()).unwrap();
        }
    }

    fn same_heights(&self, other: &Self) -> bool {
        let bits = |state: &Self| {
            state
                .heights
                .iter()
                .map(|h| h.to_bits())
                .collect::<Vec<_>>()
        };
        bits(self) == bits(other)
    }

    fn height(&self, i: usize) -> f64 {
        let height = f64::from(self.heights[i]);
        if height.is_nan() { NODATA } else { height }
    }

    fn world(&self, x: f64, y: f64) -> (f64, f64) {
        let (x0, y0) = self.corner;
        (x0 + x * self.pixel.0, y0 - y * self.pixel.1)
    }

    fn write_patch(&self, place: &Place, patch: &Patch) {
        let corner = self.world(patch.at.x0 as f64, patch.at.y0 as f64);
        let tiff = Tiff::new(patch.at.width(), patch.at.height(), (3, 32))
            .placed(self.pixel, corner)
            .tag(42113, Value::Text("-9999"));
        place.write(&patch.name(), &tiff, |x, y| {
            let is_void = patch.is_ragged && (x + y) % 3 == 0;
            if is_void { NODATA } else { patch.height.into() }
        });
    }

    fn geojson(&self) -> String {
        let corners = self.road.0.iter().map(|&(x, y)| {
            let (x, y) = self.world(x as f64 + 0.3, y as f64 + 0.4);
            format!("[{x},{y}]")
        });
        let corners: Vec<_> = corners.collect();
        format!(
            "{{\"type\":\"LineString\",\"coordinates\":[{}]}}",
            corners.join(",")
        )
    }

    /// The config.
    pub fn text(&self) -> String {
        let rules = &self.rules;
        let patches: String = self
            .patches
            .iter()
            .map(|p| {
                format!(
                    "[[terrain.patch]]\nfile = '{}'\nmode = '{}'\n",
                    p.name(),
                    p.mode
                )
            })
            .collect();
        let species = rules.species_text();
        let altitude = rules.altitude.map_or(String::new(), |top| {
            format!("altitude = {{ band = [-99, {top}], blend = 3 }}\n")
        });
        let noise = rules.noise.map_or(String::new(), |wavelength| {
            format!("noise = {{ wavelength = {wavelength}, amplitude = 6 }}\n")
        });
        let curvature = match rules.curvature {
            true => "curvature = { band = [-0.5, 0.05], blend = 0.02 }\n",
            false => "",
        };
        let Rules {
            seed,
            tile,
            chunk,
            gradient,
            smoothing,
            threshold,
            max_distance,
            compression,
            fields,
            split,
            blend,
            ..
        } = rules;
        format!(
            "seed = {seed}\n[terrain]\nheights = ['heights.tif']\n{patches}\
             [tiles]\nsize = {tile}\n[normals]\ngradient = '{gradient}'\nsmoothing = {smoothing:?}\n\
             [edges]\nthreshold = {threshold}\nmax_distance = {max_distance:?}\n\
             [output]\nchunk = {chunk:?}\ncompression = '{compression}'\nfields = [{fields}]\n\
             [[stratum]]\nname = 'meadow'\nslope = [0, {split}]\nblend = {blend}\n{altitude}{curvature}\
             [[stratum]]\nname = 'rock'\nslope = [{split}, 90]\nblend = {blend}\nfallback = true\n{noise}\
             [[stratum]]\nname = 'field'\nmask = 'mask.tif'\n\
             [[stratum]]\nname = 'road'\nmask = 'road.geojson'\nwidth = {:?}\nfeather = {:?}\n\
             [[stratum]]\nname = 'brush'\nmask = 'paint.tif'\nmode = 'add'\ntarget = 'meadow'\n{species}",
            self.road.1,
            0.5 * self.pixel.0,
        )
    }
}

impl Patch {
    fn name(&self) -> String {
        format!("patch{}.tif", self.id)
    }
}
