//! Boxes, lines and text on a picture.

use tiny_skia::{
    Color, FillRule, LineCap, Paint, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::PictureError;
use crate::palette::{Ink, Rgb};
use crate::raster::Raster;

/// DejaVu Sans, the required part: see font/LICENSE.
const FONT: &[u8] = include_bytes!("../font/DejaVuSans-subset.ttf");

/// Alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A picture being drawn. Anything outside it is clipped.
pub struct Canvas {
    pixmap: Pixmap,
    face: Face<'static>,
}

impl Canvas {
    /// A picture of one colour.
    pub fn new(width: u32, height: u32, ground: Rgb) -> Result<Canvas, PictureError> {
        let mut pixmap = Pixmap::new(width, height).ok_or(PictureError::Size(width, height))?;
        pixmap.fill(colour(ground.into()));
        let face = Face::parse(FONT, 0).map_err(|why| PictureError::Font(why.to_string()))?;
        Ok(Canvas { pixmap, face })
    }

    /// A box.
    pub fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, ink: impl Into<Ink>) {
        let Some(rect) = Rect::from_xywh(x as f32, y as f32, width.max(0.0) as f32, height.max(0.0) as f32) else {
            return;
        };
        self.pixmap.fill_rect(rect, &paint(ink.into()), Transform::identity(), None);
    }

    /// A line through points; `dash` are lengths of line and gap.
    pub fn line(&mut self, points: &[(f64, f64)], width: f64, dash: Option<[f32; 2]>, ink: impl Into<Ink>) {
        let mut path = PathBuilder::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            // Beyond a few thousand pixels, 32-bit floats would lose the direction.
            if i == 0 { path.move_to(x as f32, y as f32) } else { path.line_to(x as f32, y as f32) }
        }
        let Some(path) = path.finish() else { return };
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Butt,
            dash: dash.and_then(|d| StrokeDash::new(d.to_vec(), 0.0)),
            ..Stroke::default()
        };
        self.pixmap.stroke_path(&path, &paint(ink.into()), &stroke, Transform::identity(), None);
    }

    /// A filled shape.
    pub fn shape(&mut self, points: &[(f64, f64)], ink: impl Into<Ink>) {
        let mut path = PathBuilder::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            if i == 0 { path.move_to(x as f32, y as f32) } else { path.line_to(x as f32, y as f32) }
        }
        path.close();
        if let Some(path) = path.finish() {
            self.pixmap.fill_path(&path, &paint(ink.into()), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Text whose middle is at `y`.
    pub fn text(&mut self, text: &str, x: f64, y: f64, size: f64, align: Align, ink: impl Into<Ink>) {
        let width = self.width_of(text, size);
        let left = match align {
            Align::Left => x,
            Align::Right => x - width,
        };
        // Middle of lower-case letters and digits, as on the page.
        let baseline = (y + size * 0.36).round();
        let scale = size / f64::from(self.face.units_per_em());
        let mut outline = Outline { path: PathBuilder::new(), x: left.round(), y: baseline, scale };
        for letter in text.chars() {
            let glyph = glyph(&self.face, letter);
            self.face.outline_glyph(glyph, &mut outline);
            outline.x += f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
        if let Some(path) = outline.path.finish() {
            self.pixmap.fill_path(&path, &paint(ink.into()), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Width of a text.
    pub fn width_of(&self, text: &str, size: f64) -> f64 {
        let scale = size / f64::from(self.face.units_per_em());
        let advance = |letter| f64::from(self.face.glyph_hor_advance(glyph(&self.face, letter)).unwrap_or(0));
        text.chars().map(advance).sum::<f64>() * scale
    }

    /// As much of a text as fits; nothing if that is less than three letters.
    pub fn fitted(&self, text: &str, size: f64, room: f64) -> String {
        if self.width_of(text, size) <= room {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let shorter = (3..letters.len()).rev().map(|n| letters[..n].iter().collect::<String>() + "…");
        shorter.into_iter().find(|short| self.width_of(short, size) <= room).unwrap_or_default()
    }

    /// A raster, stretched to a place; `column` and `row` map a pixel of the place to one of the raster.
    pub fn raster(&mut self, raster: &Raster, width: usize, height: usize, column: impl Fn(usize) -> Option<usize>) {
        let stride = self.pixmap.width() as usize;
        let pixels = self.pixmap.pixels_mut();
        let columns: Vec<Option<usize>> = (0..width).map(|x| column(x).filter(|&x| x < raster.width)).collect();
        for y in 0..height.min(raster.height) {
            for (x, column) in columns.iter().enumerate().take(stride) {
                if let Some(Rgb([r, g, b])) = column.and_then(|at| raster.pixels[y * raster.width + at])
                    && let Some(pixel) = tiny_skia::PremultipliedColorU8::from_rgba(r, g, b, 255)
                    && let Some(to) = pixels.get_mut(y * stride + x)
                {
                    *to = pixel;
                }
            }
        }
    }

    /// Lines at 45 degrees over a box, eight pixels apart.
    pub fn hatch(&mut self, x: f64, y: f64, width: f64, height: f64, ink: Ink) {
        let (x0, y0) = (x.round().max(0.0) as usize, y.round().max(0.0) as usize);
        let (x1, y1) = ((x + width).round().max(0.0) as usize, (y + height).round().max(0.0) as usize);
        for y in y0..y1.min(self.pixmap.height() as usize) {
            for x in x0..x1.min(self.pixmap.width() as usize) {
                if (x + y).is_multiple_of(8) {
                    self.fill(x as f64, y as f64, 1.0, 1.0, ink);
                }
            }
        }
    }

    /// Draws another picture over this one.
    pub fn put(&mut self, other: &Canvas, x: i32, y: i32) {
        let paint = PixmapPaint::default();
        self.pixmap.draw_pixmap(x, y, other.pixmap.as_ref(), &paint, Transform::identity(), None);
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        (f64::from(self.pixmap.width()), f64::from(self.pixmap.height()))
    }

    /// Red, green, blue of each pixel.
    pub fn into_rgb(self) -> Vec<u8> {
        let opaque = self.pixmap.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]);
        opaque.collect()
    }
}

fn colour(ink: Ink) -> Color {
    let [r, g, b] = ink.rgb.0;
    Color::from_rgba8(r, g, b, (ink.alpha * 255.0).round() as u8)
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(ink));
    paint
}

/// A character that the font lacks is drawn as a box with a question mark.
fn glyph(face: &Face<'_>, letter: char) -> GlyphId {
    face.glyph_index(letter).or_else(|| face.glyph_index('\u{fffd}')).unwrap_or(GlyphId(0))
}

struct Outline {
    path: PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.scale) as f32, (self.y - f64::from(y) * self.scale) as f32)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}
