//! The page around the pack.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mpiscope_query::view::ViewError;

use crate::assets::Page;

/// The parts of the built page that go into it.
struct Parts {
    script: String,
    script_hash: String,
    style: String,
    style_hash: String,
    worker: Vec<u8>,
    icon: Vec<u8>,
}

fn parts() -> Result<Parts, ViewError> {
    let file = |name: &str| {
        Page::get(name)
            .ok_or_else(|| ViewError::NotThere(format!("this mpiscope was built without {name}, a file of the page")))
    };
    let text = |name: &str, end: &str| -> Result<(String, String), ViewError> {
        let file = file(name)?;
        let hash = STANDARD.encode(file.metadata.sha256_hash());
        let text = String::from_utf8_lossy(&file.data).into_owned();
        // A browser would take this for the end of the element and show the rest as text.
        if text.to_ascii_lowercase().contains(end) || text.contains("<!--") {
            return Err(ViewError::NotThere(format!("{name} cannot be embedded in a page: it contains '{end}'")));
        }
        Ok((text, hash))
    };
    let (script, script_hash) = text("app.js", "</script")?;
    let (style, style_hash) = text("style.css", "</style")?;
    let worker = file("raster.worker.js")?.data.into_owned();
    let icon = file("icon.svg")?.data.into_owned();
    Ok(Parts { script, script_hash, style, style_hash, worker, icon })
}

/// The element that shows what is in the pack.
pub(crate) const RUN: &str = "mp-app";
pub(crate) const MACHINE: &str = "mp-machine";

/// The page of a run or a machine profile with a name.
pub(crate) fn html(name: &str, element: &str, pack: &[u8]) -> Result<Vec<u8>, ViewError> {
    let parts = parts()?;
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'",
        parts.script_hash, parts.style_hash
    );
    let title = escaped(name);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"mpiscope {version}\">\n\
         <title>{title} – mpiscope</title>\n\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\n\
         <style>{style}</style>\n</head>\n<body>\n\
         <{element}><header class=\"shell\"><b>mpiscope</b><span>opening …</span></header></{element}>\n\
         <noscript>This page needs JavaScript. Its scripts are part of the page.</noscript>\n\
         <script type=\"application/octet-stream\" id=\"mpiscope-worker\">{worker}</script>\n",
        version = env!("CARGO_PKG_VERSION"),
        icon = STANDARD.encode(&parts.icon),
        style = parts.style,
        worker = STANDARD.encode(&parts.worker),
    );
    html += "<script type=\"application/octet-stream\" id=\"mpiscope-pack\">";
    html += &STANDARD.encode(pack);
    html += "</script>\n<script type=\"module\">";
    html += &parts.script;
    html += "</script>\n</body>\n</html>\n";
    Ok(html.into_bytes())
}

/// Text inside an element.
fn escaped(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => to += "&amp;",
            '<' => to += "&lt;",
            '>' => to += "&gt;",
            '"' => to += "&quot;",
            '\'' => to += "&#39;",
            c if c.is_control() => to.push('\u{fffd}'),
            c => to.push(c),
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        let hostile = "</title><script>alert(1)</script>\u{2028}'\"&\r\n";
        let page = String::from_utf8(html(hostile, RUN, b"</script><script>").unwrap()).unwrap();
        assert_eq!(page.matches("<script").count(), 3, "worker, pack, page");
        assert_eq!(page.matches("</script").count(), 3);
        // The page's script writes titles into SVG documents.
        let head = page.split("<script").next().unwrap();
        assert_eq!(head.matches("</title").count(), 1);
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        for line in ["http-equiv=\"Content-Security-Policy\"", "default-src 'none'"] {
            assert!(page.contains(line), "{line}");
        }
        let before_script = page.split("<script type=\"module\">").next().unwrap();
        assert!(!before_script.contains("src=") && !before_script.contains("http:"), "nothing is loaded");
    }
}
