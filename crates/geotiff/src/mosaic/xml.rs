//! What a VRT file says about one of its bands.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ecotone_grid::Rect;
use roxmltree::{Document, Node, ParsingOptions};

use super::MosaicError;
use super::vrt::not_xml;
use crate::metadata::nodata;
use crate::{SampleType, SourceError};

/// Nodes of the XML, some 100 MiB; 2¹⁶ sources as GDAL writes them have 1.25 million.
const MOST_NODES: u32 = 11 << 17;
/// Attributes of all elements together, some 80 MiB; 2¹⁶ sources have a million.
const MOST_ATTRIBUTES: usize = 5 << 18;
/// Bytes of one tag: the parser compares each attribute of an element with all others.
const MOST_TAG_BYTES: usize = 1 << 12;
/// Bytes of a file name: longer ones no system opens.
const MOST_NAME_BYTES: usize = 1 << 12;
/// GDAL counts pixels in 32 bits.
const MOST_SIDE: u32 = i32::MAX as u32;

/// One band of a VRT, as its text has it.
#[derive(Debug)]
pub(super) struct Description {
    pub size: (u32, u32),
    /// In GDAL's order.
    pub transform: Option<[f64; 6]>,
    /// Whether its coordinate system is of degrees; where it says so.
    pub is_geographic: bool,
    /// The EPSG code of its coordinate system; where it says so.
    pub epsg: Option<u32>,
    pub n_bands: usize,
    pub sample: SampleType,
    pub nodata: Option<f64>,
    pub scale: f64,
    pub offset: f64,
    /// The name of the unit of its values.
    pub unit: Option<String>,
    /// At least one.
    pub sources: Vec<Borrowed>,
    /// The line of the coordinate system.
    system_line: u32,
}

/// A source: pixels of another file.
#[derive(Debug)]
pub(super) struct Borrowed {
    pub file: PathBuf,
    /// From 0.
    pub band: usize,
    /// Pixels of the source, all of them where it does not say.
    pub from: Option<Rect>,
    /// Pixels of the VRT.
    pub to: Option<Rect>,
    /// The raw value that is left out.
    pub nodata: Option<f64>,
    pub ratio: f64,
    pub offset: f64,
    /// Whether voids, too, hide what was there.
    pub hides: bool,
    line: u32,
}

impl Borrowed {
    pub fn refuse(
        &self,
        path: &Path,
        element: &str,
        reason: impl Into<Cow<'static, str>>,
    ) -> SourceError {
        vrt_error(path, self.line, element, reason)
    }
}

fn vrt_error(
    path: &Path,
    line: u32,
    element: &str,
    reason: impl Into<Cow<'static, str>>,
) -> SourceError {
    MosaicError::Vrt {
        path: path.to_owned(),
        line,
        element: format!("{element:.80}"),
        reason: reason.into(),
    }
    .into()
}

/// Refuses XML over which a parser would take too long or too much, before it is parsed.
fn check_shape(path: &Path, text: &str) -> Result<(), SourceError> {
    let n_attributes = text.bytes().filter(|&byte| byte == b'=').count();
    if n_attributes > MOST_ATTRIBUTES {
        let reason = format!("it has {n_attributes} attributes, and {MOST_ATTRIBUTES} are read");
        return Err(not_xml(path, reason));
    }
    // Comments and the like have no attributes.
    let tags = text.split('<').skip(1).filter(|tag| !tag.starts_with('!'));
    for tag in tags {
        let n_bytes = tag.find('>').unwrap_or(tag.len());
        if n_bytes > MOST_TAG_BYTES {
            let reason = format!("a tag has {n_bytes} bytes, and {MOST_TAG_BYTES} are read");
            return Err(not_xml(path, reason));
        }
    }
    Ok(())
}

impl Description {
    /// Reads the text of a VRT; `band` counts from 0.
    pub fn read(path: &Path, text: &str, band: usize) -> Result<Self, SourceError> {
        check_shape(path, text)?;
        let options = ParsingOptions {
            nodes_limit: MOST_NODES,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(text, options)
            .map_err(|error| not_xml(path, error.to_string()))?;
        let vrt = Reader {
            path,
            lines: Lines::new(text),
        };
        vrt.dataset(document.root_element(), band)
    }

    /// An error about the coordinate system.
    pub fn refuse(&self, path: &Path, reason: impl Into<Cow<'static, str>>) -> SourceError {
        vrt_error(path, self.system_line, "SRS", reason)
    }
}

/// The EPSG code of a whole coordinate system, not of a part of it; of neither compound nor bound ones.
fn epsg(text: &str) -> Option<u32> {
    const ROOTS: [&str; 4] = ["PROJCS", "PROJCRS", "GEOGCS", "GEOGCRS"];
    let text = text.trim();
    if let Some(code) = text.strip_prefix("EPSG:") {
        return code.parse().ok();
    }
    let (root, _) = text.split_once('[')?;
    if !ROOTS.contains(&root.trim_end()) {
        return None;
    }
    // The code of the whole is its last element: after it only the whole ends.
    let elements = text.strip_suffix(']')?.trim_end().strip_suffix(']')?;
    let (before, code) = elements.rsplit_once('[')?;
    let is_code = before.ends_with("AUTHORITY") || before.ends_with("ID");
    let (authority, number) = code.split_once(',')?;
    let number = number.trim().trim_matches('"').parse().ok();
    number.filter(|_| is_code && authority.trim() == "\"EPSG\"")
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line, from 1, of a byte.
    fn of(&self, at: usize) -> u32 {
        1 + self.0.partition_point(|&end| end < at) as u32
    }
}

struct Reader<'a> {
    path: &'a Path,
    lines: Lines,
}

impl Reader<'_> {
    fn line(&self, node: Node) -> u32 {
        self.lines.of(node.range().start)
    }

    fn refuse(&self, node: Node, reason: impl Into<Cow<'static, str>>) -> SourceError {
        vrt_error(self.path, self.line(node), node.tag_name().name(), reason)
    }

    fn dataset(&self, root: Node, band: usize) -> Result<Description, SourceError> {
        if root.tag_name().name() != "VRTDataset" {
            return Err(self.refuse(root, "is no <VRTDataset>"));
        }
        if let Some(kind) = root.attribute("subClass") {
            return Err(self.refuse(root, format!("is a {kind:.80}, which is not read")));
        }
        let size = (
            self.side(root, "rasterXSize")?,
            self.side(root, "rasterYSize")?,
        );
        let mut bands = Vec::new();
        let (mut transform, mut system) = (None, None);
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "VRTRasterBand" => bands.push(child),
                "GeoTransform" => transform = Some(self.transform(child)?),
                "SRS" => system = Some(child),
                "Metadata" | "OverviewList" | "GCPList" => {}
                _ => return Err(self.refuse(child, "is not read")),
            }
        }
        let n_bands = bands.len();
        let Some(&chosen) = bands.get(band) else {
            return Err(SourceError::NoBand {
                path: self.path.to_owned(),
                band,
                n_bands,
            });
        };
        let mut found = self.band(chosen)?;
        let text = system.and_then(|system| system.text()).unwrap_or_default();
        found.size = size;
        found.n_bands = n_bands;
        found.transform = transform;
        found.is_geographic = ["GEOGCS[", "GEOGCRS[", "EPSG:4326"]
            .iter()
            .any(|start| text.trim_start().starts_with(start));
        found.epsg = epsg(text);
        found.system_line = system.map_or(1, |system| self.line(system));
        Ok(found)
    }

    fn side(&self, root: Node, name: &str) -> Result<u32, SourceError> {
        let text = root.attribute(name).unwrap_or_default();
        let side = text.trim().parse().ok();
        side.filter(|side| (1..=MOST_SIDE).contains(side))
            .ok_or_else(|| {
                let reason = format!("has {name} \"{text:.80}\", and 1 to {MOST_SIDE} is expected");
                self.refuse(root, reason)
            })
    }

    fn transform(&self, node: Node) -> Result<[f64; 6], SourceError> {
        let text = node.text().unwrap_or_default();
        let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(|| self.refuse(node, "holds six numbers, and others are there"))
    }

    /// A band; what the whole file says is filled in afterwards.
    fn band(&self, node: Node) -> Result<Description, SourceError> {
        match node.attribute("subClass") {
            None | Some("VRTSourcedRasterBand") => {}
            Some(kind) => {
                return Err(self.refuse(node, format!("is a {kind:.80}, which is not read")));
            }
        }
        let mut band = Description {
            size: (0, 0),
            transform: None,
            is_geographic: false,
            epsg: None,
            n_bands: 0,
            sample: self.sample(node)?,
            nodata: None,
            scale: 1.0,
            offset: 0.0,
            unit: None,
            sources: Vec::new(),
            system_line: 1,
        };
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "SimpleSource" | "ComplexSource" => band.sources.push(self.source(child)?),
                "NoDataValue" => band.nodata = self.nodata(child)?,
                "Scale" => band.scale = self.number(child)?,
                "Offset" => band.offset = self.number(child)?,
                "UnitType" => band.unit = child.text().map(|text| text.trim().to_owned()),
                "ColorInterp" | "Description" | "Metadata" | "Histograms" | "CategoryNames"
                | "ColorTable" | "HideNoDataValue" | "Overview" => {}
                _ => return Err(self.refuse(child, "is not read")),
            }
        }
        if band.sources.is_empty() {
            return Err(self.refuse(node, "has no source"));
        }
        Ok(band)
    }

    fn sample(&self, band: Node) -> Result<SampleType, SourceError> {
        // GDAL's own default.
        Ok(match band.attribute("dataType").unwrap_or("Byte") {
            "Byte" | "UInt8" => SampleType::U8,
            "Int8" => SampleType::I8,
            "UInt16" => SampleType::U16,
            "Int16" => SampleType::I16,
            "UInt32" => SampleType::U32,
            "Int32" => SampleType::I32,
            "UInt64" => SampleType::U64,
            "Int64" => SampleType::I64,
            "Float16" | "Float32" => SampleType::F32,
            "Float64" => SampleType::F64,
            other => {
                let reason = format!("holds {other:.80} samples, which are not read");
                return Err(self.refuse(band, reason));
            }
        })
    }

    fn source(&self, node: Node) -> Result<Borrowed, SourceError> {
        let is_complex = node.tag_name().name() == "ComplexSource";
        let mut source = Borrowed {
            file: PathBuf::new(),
            band: 0,
            from: None,
            to: None,
            nodata: None,
            ratio: 1.0,
            offset: 0.0,
            hides: true,
            line: self.line(node),
        };
        for child in node.children().filter(Node::is_element) {
            match (child.tag_name().name(), is_complex) {
                ("SourceFilename", _) => source.file = self.file(child)?,
                ("SourceBand", _) => source.band = self.source_band(child)?,
                ("SrcRect", _) => source.from = Some(self.rect(child)?),
                ("DstRect", _) => source.to = Some(self.rect(child)?),
                ("SourceProperties", _) => {}
                ("NODATA", true) => {
                    source.nodata = self.nodata(child)?;
                    source.hides = false;
                }
                ("UseMaskBand", true) => {
                    source.hides &= child.text().map(str::trim) != Some("true");
                }
                ("ScaleRatio", true) => source.ratio = self.number(child)?,
                ("ScaleOffset", true) => source.offset = self.number(child)?,
                _ => return Err(self.refuse(child, "of a source is not read")),
            }
        }
        if source.file.as_os_str().is_empty() {
            return Err(self.refuse(node, "has no <SourceFilename>"));
        }
        Ok(source)
    }

    fn file(&self, node: Node) -> Result<PathBuf, SourceError> {
        let name = node.text().unwrap_or_default();
        if name.starts_with("/vsi") || name.trim_start().starts_with('<') {
            let reason = format!("names {name:.80}, and only files are read");
            return Err(self.refuse(node, reason));
        }
        if name.len() > MOST_NAME_BYTES {
            let reason = format!("has {} bytes, and {MOST_NAME_BYTES} are read", name.len());
            return Err(self.refuse(node, reason));
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Ok(match node.attribute("relativeToVRT").map(str::trim) {
            Some("1") => folder.join(name),
            _ => PathBuf::from(name),
        })
    }

    fn source_band(&self, node: Node) -> Result<usize, SourceError> {
        let text = node.text().unwrap_or_default().trim();
        match text.parse::<usize>() {
            Ok(band) if band > 0 => Ok(band - 1),
            _ => Err(self.refuse(
                node,
                format!("is \"{text:.80}\", and a number from 1 is expected"),
            )),
        }
    }

    fn number(&self, node: Node) -> Result<f64, SourceError> {
        let text = node.text().unwrap_or_default().trim();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| {
            self.refuse(node, format!("is \"{text:.80}\", and a number is expected"))
        })
    }

    fn nodata(&self, node: Node) -> Result<Option<f64>, SourceError> {
        nodata(node.text().unwrap_or_default()).map_err(|()| self.refuse(node, "is no number"))
    }

    /// A rectangle of whole pixels; GDAL writes them as decimals, with rounding.
    fn rect(&self, node: Node) -> Result<Rect, SourceError> {
        const TOLERANCE_PX: f64 = 0.01;
        let side = |name: &str| {
            let text = node.attribute(name).unwrap_or_default();
            let number: Option<f64> = text.trim().parse().ok();
            let whole = number.filter(|number| {
                (number - number.round()).abs() <= TOLERANCE_PX
                    && number.abs() <= f64::from(MOST_SIDE)
            });
            whole.map(|number| number.round() as i64).ok_or_else(|| {
                // The remedy that follows moves heights.
                let resampled = match number.is_some_and(|number| number.fract() != 0.0) {
                    true => ", as nothing is resampled here, which `gdal_translate` does",
                    false => "",
                };
                let reason =
                    format!("has {name} \"{text:.80}\", and whole pixels are expected{resampled}");
                self.refuse(node, reason)
            })
        };
        let (x, y) = (side("xOff")?, side("yOff")?);
        let (width, height) = (side("xSize")?, side("ySize")?);
        if width < 1 || height < 1 {
            return Err(self.refuse(node, "holds no pixel"));
        }
        Ok(Rect::new(x, y, x + width, y + height))
    }
}

#[cfg(test)]
mod tests {
    use super::epsg;

    #[test]
    fn the_code_of_a_system_is_that_of_its_root() {
        for (text, right) in [
            ("EPSG:3857", Some(3857)),
            (
                "PROJCS[\"a\",GEOGCS[\"b\",AUTHORITY[\"EPSG\",\"4326\"]],AUTHORITY[\"EPSG\",\"32632\"]]",
                Some(32632),
            ),
            (
                "\n PROJCRS[\"a\",\n  BASEGEOGCRS[\"b\",ID[\"EPSG\",4326]],\n  ID[\"EPSG\",32632]]\n",
                Some(32632),
            ),
            ("GEOGCRS[\"b\",ID[\"EPSG\",4326]]", Some(4326)),
            ("GEOGCS[\"b\",AUTHORITY[\"ESRI\",\"37001\"]]", None),
            (
                "PROJCS[\"a\",UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]]]",
                None,
            ),
            (
                "COMPD_CS[\"c\",PROJCS[\"a\"],VERT_CS[\"v\",AUTHORITY[\"EPSG\",\"5703\"]]]",
                None,
            ),
            ("GEOGCS[\"WGS 84\"]", None),
            ("LOCAL_CS[\"x\"]", None),
            ("", None),
        ] {
            assert_eq!(epsg(text), right, "{text}");
        }
    }
}
