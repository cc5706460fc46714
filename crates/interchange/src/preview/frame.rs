//! What stands around the ground of a picture: title, legend, scale.

use super::canvas::{Canvas, Face};
use super::palette::{Rgb, mix};
use super::picture::Picture;
use super::ticks;
use super::view::View;
use crate::Finished;

const PAPER: Rgb = [250.0, 249.0, 246.0];
const INK: Rgb = [44.0, 47.0, 52.0];
const GREY: Rgb = [112.0, 115.0, 120.0];

/// What a picture means.
pub(super) struct Legend {
    pub(super) title: String,
    pub(super) sections: Vec<Section>,
}

/// A part of a legend.
pub(super) enum Section {
    /// Colours and their names, under a heading.
    Rows(String, Vec<Row>),
    /// A colour map.
    Bar(Bar),
    /// Lines of text.
    Notes(Vec<String>),
}

/// A colour, what it stands for, and how much of it there is.
pub(super) struct Row {
    colour: Rgb,
    round: bool,
    name: String,
    amount: String,
}

impl Row {
    /// A colour of the ground.
    pub(super) fn square(colour: Rgb, name: &str, amount: String) -> Self {
        let (round, name) = (false, shortened(name));
        Self {
            colour,
            round,
            name,
            amount,
        }
    }

    /// A colour of plants.
    pub(super) fn disc(colour: Rgb, name: &str, amount: String) -> Self {
        let (round, name) = (true, shortened(name));
        Self {
            colour,
            round,
            name,
            amount,
        }
    }
}

/// A colour map with its scale.
pub(super) struct Bar {
    pub(super) title: String,
    /// The colour from 0 (bottom) to 1 (top).
    pub(super) colour: Box<dyn Fn(f32) -> Rgb>,
    /// Places from 0 to 1, and what stands there.
    pub(super) ticks: Vec<(f32, String)>,
}

/// Names as long as a legend can hold.
fn shortened(name: &str) -> String {
    const MOST: usize = 22;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 2).chain("..".chars()).collect()
}

/// The kinds of text of one picture.
struct Faces {
    title: Face,
    heading: Face,
    body: Face,
    faint: Face,
}

impl Faces {
    fn new(picture_px: usize) -> Self {
        Self {
            title: Face::new(picture_px, 1, true, INK),
            heading: Face::new(picture_px, 0, true, INK),
            body: Face::new(picture_px, 0, false, INK),
            faint: Face::new(picture_px, 0, false, GREY),
        }
    }

    /// Pixels from one line of a legend to the next.
    fn line(&self) -> usize {
        self.body.height() * 3 / 2
    }

    fn bar_height(&self) -> usize {
        self.line() * 12
    }
}

/// The ground with title, legend and scale around it.
pub(super) fn around(world: &Finished, view: &View, ground: &Canvas, legend: &Legend) -> Picture {
    let faces = Faces::new(view.width.max(view.height));
    let margin = faces.line();
    let head = faces.title.height() + faces.line() + margin / 2;
    let foot = faces.line() * 2;
    let name = world
        .world()
        .dir()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let title = if name.is_empty() {
        legend.title.clone()
    } else {
        format!("{} · {name}", legend.title)
    };
    let extent = extent(view);

    let [panel_width, panel_height] = legend_size(legend, &faces);
    let ground_width = view.width.max(scale_bar(view, &faces).1 as usize);
    let body_width = ground_width + margin + panel_width;
    let head_width = faces.title.width(&title).max(faces.body.width(&extent));
    let width = 2 * margin + body_width.max(head_width);
    let body_height = (view.height + foot).max(panel_height);
    let mut canvas = Canvas::new(width, margin * 2 + head + body_height, PAPER);

    canvas.text([margin, margin], &title, &faces.title);
    canvas.text(
        [margin, margin + faces.title.height() + 4],
        &extent,
        &faces.faint,
    );
    let corner = [margin, margin + head];
    canvas.paste(corner, ground);
    canvas.outline(corner, [view.width, view.height], mix(PAPER, INK, 0.55));
    draw_scale(
        &mut canvas,
        view,
        [margin, corner[1] + view.height + faces.line() / 2],
        &faces,
    );
    draw_legend(
        &mut canvas,
        legend,
        [margin * 2 + ground_width, corner[1]],
        &faces,
    );
    canvas.picture()
}

fn extent(view: &View) -> String {
    let [west, south, east, north] = view.bounds;
    let m = |v: f64| ticks::trimmed(v, 1);
    let scale = ticks::trimmed(view.metres_per_pixel(), 3);
    format!(
        "{} × {}   x {} to {}   y {} to {}   {scale} m per pixel",
        ticks::metres(east - west),
        ticks::metres(north - south),
        m(west),
        m(east),
        m(south),
        m(north),
    )
}

/// Metres and pixels of the scale bar: about a quarter of the ground, but not so short that it says nothing.
fn scale_bar(view: &View, faces: &Faces) -> (f64, f64) {
    let scale = view.pixel_m()[0];
    let wanted = (view.width as f64 / 4.0).max(faces.body.width("1000 km") as f64);
    let metres = ticks::round_down(wanted * scale);
    (metres, metres / scale)
}

fn draw_scale(canvas: &mut Canvas, view: &View, [x, y]: [usize; 2], faces: &Faces) {
    let (metres, length) = scale_bar(view, faces);
    let length = (length.round() as usize).max(1);
    let thick = (faces.body.height() / 4).max(4);
    canvas.fill([x, y], [length, thick], INK);
    // Four fields, dark and light in turn.
    for quarter in [1, 3] {
        let (from, to) = (length * quarter / 4, length * (quarter + 1) / 4);
        let inner = [
            (to - from).saturating_sub(usize::from(quarter == 3)),
            thick.saturating_sub(2),
        ];
        canvas.fill([x + from, y + 1], inner, PAPER);
    }
    let below = y + thick + 3;
    let label = ticks::metres(metres);
    canvas.text([x, below], "0", &faces.body);
    let end = (x + length).saturating_sub(faces.body.width(&label));
    let after_zero = x + faces.body.width("0 ");
    canvas.text([end.max(after_zero), below], &label, &faces.body);
}

fn legend_size(legend: &Legend, faces: &Faces) -> [usize; 2] {
    let sizes = legend
        .sections
        .iter()
        .map(|section| section_size(section, faces));
    sizes.fold([0, 0], |[width, height], [w, h]| {
        [width.max(w), height + h + faces.line() / 2]
    })
}

fn section_size(section: &Section, faces: &Faces) -> [usize; 2] {
    let line = faces.line();
    match section {
        Section::Rows(title, rows) => {
            let [name, amount] = columns(rows, faces);
            let row = line + name + faces.body.width("  ") + amount;
            [row.max(faces.heading.width(title)), line * (rows.len() + 1)]
        }
        Section::Bar(bar) => {
            let labels = bar
                .ticks
                .iter()
                .map(|(_, label)| faces.body.width(label))
                .max();
            let width = line * 2 + labels.unwrap_or(0);
            let height = line * 2 + faces.bar_height();
            [width.max(faces.heading.width(&bar.title)), height]
        }
        Section::Notes(notes) => {
            let width = notes.iter().map(|note| faces.body.width(note)).max();
            [width.unwrap_or(0), line * notes.len()]
        }
    }
}

/// The width of the widest name and of the widest amount.
fn columns(rows: &[Row], faces: &Faces) -> [usize; 2] {
    let widest = |of: fn(&Row) -> &str| rows.iter().map(|row| faces.body.width(of(row))).max();
    [widest(|row| &row.name), widest(|row| &row.amount)].map(Option::unwrap_or_default)
}

fn draw_legend(canvas: &mut Canvas, legend: &Legend, [x, mut y]: [usize; 2], faces: &Faces) {
    for section in &legend.sections {
        match section {
            Section::Rows(title, rows) => draw_rows(canvas, title, rows, [x, y], faces),
            Section::Bar(bar) => draw_bar(canvas, bar, [x, y], faces),
            Section::Notes(notes) => {
                for (idx, note) in notes.iter().enumerate() {
                    canvas.text([x, y + idx * faces.line()], note, &faces.faint);
                }
            }
        }
        y += section_size(section, faces)[1] + faces.line() / 2;
    }
}

fn draw_rows(canvas: &mut Canvas, title: &str, rows: &[Row], [x, y]: [usize; 2], faces: &Faces) {
    canvas.text([x, y], title, &faces.heading);
    let [name, amount] = columns(rows, faces);
    let side = faces.body.height();
    for (idx, row) in rows.iter().enumerate() {
        let y = y + (idx + 1) * faces.line();
        if row.round {
            disc(canvas, [x, y], side, row.colour);
        } else {
            canvas.fill([x + 1, y + 1], [side - 2, side - 2], row.colour);
            canvas.outline(
                [x + 1, y + 1],
                [side - 2, side - 2],
                mix(row.colour, INK, 0.35),
            );
        }
        let at = x + faces.line();
        canvas.text([at, y], &row.name, &faces.body);
        let end = at + name + faces.body.width("  ") + amount;
        canvas.text(
            [end - faces.body.width(&row.amount), y],
            &row.amount,
            &faces.faint,
        );
    }
}

fn disc(canvas: &mut Canvas, [x, y]: [usize; 2], side: usize, colour: Rgb) {
    let (middle, radius) = (side as f32 / 2.0, side as f32 / 2.0 - 2.0);
    for row in 0..side {
        for column in 0..side {
            let (dx, dy) = (column as f32 + 0.5 - middle, row as f32 + 0.5 - middle);
            let alpha = (radius + 0.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
            canvas.blend(x + column, y + row, colour, alpha);
        }
    }
}

fn draw_bar(canvas: &mut Canvas, bar: &Bar, [x, y]: [usize; 2], faces: &Faces) {
    canvas.text([x, y], &bar.title, &faces.heading);
    let (top, width, height) = (y + faces.line() * 3 / 2, faces.line(), faces.bar_height());
    for row in 0..height {
        let t = 1.0 - (row as f32 + 0.5) / height as f32;
        canvas.fill([x + 1, top + row], [width, 1], (bar.colour)(t));
    }
    let line = mix(PAPER, INK, 0.55);
    canvas.outline([x + 1, top], [width, height], line);
    for (t, label) in &bar.ticks {
        let at = top + ((1.0 - t) * height as f32).round() as usize;
        canvas.fill(
            [x + 1 + width, at.min(top + height)],
            [faces.line() / 4, 1],
            line,
        );
        let text = [
            x + 1 + width + faces.line() / 2,
            at - faces.body.height() / 2,
        ];
        canvas.text(text, label, &faces.body);
    }
}
