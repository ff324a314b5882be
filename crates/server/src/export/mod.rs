//! A run as one self-contained page: the page's own code, and a pack of answers instead of the server.
//!
//! The pack has the report, the zoomed-out timeline at several zooms, statistics of the whole run, and one window with
//! individual calls. It is deflated and written in base64, so that no name in a trace can end the element that contains it.

mod levels;
pub(crate) mod pack;
pub(crate) mod page;
mod window;

use mpiscope_query::view::{Cancel, ViewError, ViewSession};

use pack::Pack;

/// Most individual calls of the window.
pub(crate) const CALLS_MOST: usize = 16_000;
/// Limit of the zoomed-out timeline, deflated.
const LEVELS_BYTES: usize = 1_300_000;

/// Options of an exported page.
#[derive(Clone, Debug, Default)]
pub struct ExportWish {
    /// Window with individual calls, or as much of its middle as fits; without it, the proof of the most
    /// costly finding.
    pub window_ns: Option<(u64, u64)>,
    /// The initial view, as given behind `#` in the address of the page.
    pub view: String,
}

/// The written page.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The whole page, in UTF-8.
    pub html: Vec<u8>,
    /// The window with individual calls.
    pub window_ns: (u64, u64),
    /// Their number.
    pub calls: u64,
    /// Narrowest bins of the whole timeline.
    pub bin_ns: u64,
}

/// Makes the page. The run must be read and explained: [`ViewError::NotYet`] otherwise.
///
/// # Errors
///
/// [`ViewError::NotYet`] until then; if the store cannot be read, or the request is cancelled.
pub fn export(viewing: &ViewSession, wish: &ExportWish, cancel: &Cancel) -> Result<Exported, ViewError> {
    viewing.id().ok_or(ViewError::NotYet)?;
    let scene = viewing.scene()?;
    let info = viewing.info();
    let report = pack::report(&viewing.report()?);
    let window = window::choose(&scene, &report, wish.window_ns, cancel)?;
    let mut pack = Pack::default();
    let levels = levels::put(viewing, &info, LEVELS_BYTES, &mut pack, cancel)?;
    pack.put_statistics(viewing, &info, cancel)?;
    pack.put_orders(viewing, &info, cancel)?;
    pack.put_window(viewing, &info, (window.from_ns, window.until_ns), cancel)?;
    pack.put("report", report.to_string().into_bytes());
    pack.put("run", crate::ask::answer(viewing, "run", "", cancel)?.into_bytes());
    if let Some(notes) = crate::notes::for_export(viewing.path()) {
        pack.put("notes", notes);
    }
    pack.put_about(&serde_json::json!({
        "schema": "mpiscope.pack/1",
        "mpiscope": env!("CARGO_PKG_VERSION"),
        "from_ns": window.from_ns,
        "until_ns": window.until_ns,
        "calls": window.calls,
        "bin_ns": levels,
        "view": wish.view,
        "functions_with_data": pack::functions_with_data(&info),
    }));
    cancel.check()?;
    let html = page::html(&info.name, page::RUN, &pack.into_bytes())?;
    Ok(Exported { html, window_ns: (window.from_ns, window.until_ns), calls: window.calls, bin_ns: levels })
}

/// A file name for the page of a run: without any character that a shell or a browser would interpret.
pub(crate) fn file_name(run: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain: String = run.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
    format!("{}.html", plain.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn file_names_are_plain() {
        assert_eq!(super::file_name("a.out.mpiscope"), "a.out.mpiscope.html");
        assert_eq!(super::file_name("../\"x\r\ny\u{2028}"), "__x__y_.html");
    }
}
