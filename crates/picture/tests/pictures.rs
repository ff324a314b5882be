//! Pictures of small runs, pixel by pixel. `MPISCOPE_BLESS=1` writes the expected ones: inspect them afterwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mpiscope_ingest::testing;
use mpiscope_picture::{Theme, Wish, draw};
use mpiscope_query::view::ViewSession;
use mpiscope_run::{Resolver, Run};

struct Made {
    _folder: tempfile::TempDir,
    viewing: ViewSession,
}

fn made(text: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.mpiscope");
    std::fs::create_dir(&path).unwrap();
    testing::write(text, &path);
    let run = Run::open(&path, &Default::default()).unwrap();
    let viewing = ViewSession::new(run, Resolver::default(), path.join("store"));
    viewing.build(&|| true);
    assert!(viewing.progress().failure.is_none(), "{:?}", viewing.progress());
    Made { _folder: folder, viewing }
}

fn wish(width: u32, height: u32) -> Wish {
    Wish {
        width,
        height,
        theme: Theme::Light,
        from_ns: None,
        until_ns: None,
        ranks: None,
        has_regions: false,
        has_path: false,
    }
}

struct Image {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Image {
    fn of(bytes: &[u8]) -> Image {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        Image { width: info.width as usize, height: info.height as usize, rgb }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Colours in a part of the picture.
    fn colours(&self, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> BTreeSet<[u8; 3]> {
        y.flat_map(|y| x.clone().map(move |x| (x, y))).map(|(x, y)| self.at(x, y)).collect()
    }
}

impl Made {
    fn draw(&self, wish: &Wish) -> Vec<u8> {
        draw(&self.viewing.scene().unwrap(), &self.viewing.info(), wish).unwrap()
    }

    fn refused(&self, wish: &Wish) -> String {
        draw(&self.viewing.scene().unwrap(), &self.viewing.info(), wish).unwrap_err().to_string()
    }
}

fn golden(name: &str, bytes: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.png"));
    if std::env::var_os("MPISCOPE_BLESS").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    let wanted =
        std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}; MPISCOPE_BLESS=1 writes it", path.display()));
    let (made, wanted) = (Image::of(bytes), Image::of(&wanted));
    assert_eq!((made.width, made.height), (wanted.width, wanted.height), "{name}");
    let differs = made.rgb.chunks(3).zip(wanted.rgb.chunks(3)).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let file: PathBuf = std::env::temp_dir().join(format!("mpiscope-{name}.png"));
        std::fs::write(&file, bytes).unwrap();
        panic!("{name} differs at {},{}; see {}", at % made.width, at / made.width, file.display());
    }
}

/// Ranks that exchange in a ring, rank 2 late, and reduce.
fn ring(ranks: u64, rounds: u64) -> String {
    let mut text = String::new();
    for round in 0..rounds {
        for rank in 0..ranks {
            let at = 1000 * round + if rank == 2 { 300 } else { 0 };
            let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            text += &format!("{rank} {at} {} Irecv from={before} tag=1 bytes=800 request=1\n", at + 5);
            text += &format!("{rank} {} {} Send to={next} tag=1 bytes=800\n", at + 10, at + 40);
            let arrived = 1000 * round + if before == 2 { 345 } else { 60 };
            text += &format!("{rank} {} {} Waitall requests=1 status={before}:1:800\n", at + 50, arrived.max(at + 55));
            text +=
                &format!("{rank} {} {} Allreduce bytes=8\n", 1000 * round + 500 + 20 * (rank % 8), 1000 * round + 700);
        }
    }
    text
}

#[test]
fn single_calls_with_messages_operations_and_waits() {
    let made = made(&ring(4, 3));
    let bytes = made.draw(&wish(900, 320));
    golden("near", &bytes);
    assert_eq!(bytes, made.draw(&wish(900, 320)), "the same wish gives the same bytes");
    let dark = made.draw(&Wish { theme: Theme::Dark, ..wish(900, 320) });
    golden("near-dark", &dark);
}

#[test]
fn a_window_and_some_ranks() {
    let made = made(&ring(6, 4));
    let from = made.viewing.info().ranks.first_ns[0];
    let part = Wish {
        from_ns: Some(from + 900_000),
        until_ns: Some(from + 1_800_000),
        ranks: Some(vec![1, 2, 5]),
        ..wish(700, 240)
    };
    golden("window", &made.draw(&part));
}

#[test]
fn cells_from_afar() {
    // More calls than are drawn individually.
    let made = made(&ring(8, 1400));
    golden("afar", &made.draw(&wish(800, 300)));
    // More ranks than pixels.
    let many = self::made(&ring(600, 20));
    golden("blocks", &many.draw(&wish(640, 200)));
}

/// Every function that occurs has a pixel of its colour in the plot, however short and rare its calls are.
#[test]
fn every_function_has_a_pixel() {
    let rare =
        ["Barrier", "Bcast root=0 bytes=4", "Scan bytes=8", "Comm_rank", "Wtime", "Type_commit", "Allgather bytes=16"];
    let mut text = ring(40, 300);
    for (n, call) in rare.iter().enumerate() {
        for rank in 0..40 {
            let at = 1000 * (20 + 30 * n) + 800;
            text += &format!("{rank} {at} {}.2 {call}\n", at);
        }
    }
    let made = made(&text);
    let info = made.viewing.info();
    assert_eq!(info.functions.len(), 4 + rare.len(), "{:?}", info.functions);
    let colours = mpiscope_picture::Colours::from_functions(&info.functions, Theme::Light);
    // As tall as usual, with hardly a pixel per rank.
    for (width, height) in [(1200, 700), (500, 200)] {
        let image = Image::of(&made.draw(&wish(width, height)));
        let right = if width >= 640 { width as usize - 250 } else { width as usize - 12 };
        let shown = image.colours(62..right, 80..height as usize - 10);
        for f in &info.functions {
            let colour = colours.function(f.id).0;
            assert!(shown.contains(&colour), "{} in {width}x{height}", f.name);
        }
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let made = made(&ring(4, 2));
    assert!(made.refused(&wish(100, 100)).contains("at least 400x200"));
    assert!(made.refused(&wish(100_000, 900)).contains("at most"));
    let past = Wish { from_ns: Some(u64::MAX / 2), ..wish(800, 300) };
    assert!(made.refused(&past).contains("the run, which lasts"));
    let nobody = Wish { ranks: Some(vec![7, 8, 9, 40]), ..wish(800, 300) };
    assert_eq!(made.refused(&nobody), "the run has none of the ranks 7-9,40");
}

#[test]
fn one_rank_with_one_call() {
    let made = made("0 0 10 Barrier");
    golden("one", &made.draw(&wish(640, 200)));
}

#[test]
fn regions_and_the_critical_path() {
    let mut text = ring(4, 3);
    for rank in 0..4 {
        text += &format!("{rank} 0 2800 region region=solve\n");
    }
    let made = made(&text);
    let plain = Image::of(&made.draw(&wish(900, 320)));
    let path = Image::of(&made.draw(&Wish { has_path: true, ..wish(900, 320) }));
    let regions = Image::of(&made.draw(&Wish { has_regions: true, ..wish(900, 320) }));
    let changed = |other: &Image| plain.rgb.chunks(3).zip(other.rgb.chunks(3)).filter(|(a, b)| a != b).count();
    assert!(changed(&path) > 300, "{} pixels of the path", changed(&path));
    assert!(changed(&regions) > 3000, "{} pixels of regions", changed(&regions));
}
