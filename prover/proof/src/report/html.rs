//! The common parts of pages, which are self-contained.

use super::board_picture::SHAPES;

/// The style sheet of all pages: dark or light as the browser prefers, for any width. The colours
/// can be told apart with any colour vision, and no information is given by a colour alone.
const STYLE: &str = include_str!("page.css");

/// The beginning of a page.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\n{SHAPES}"
    )
}

/// The end of a page, with the versions of program, format and rules.
pub(super) fn foot() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let format = certificate_spec::VERSION;
    let rules = certificate_spec::RULES;
    format!(
        "<p class=\"small\">Page by prove {version}; format {format}, rules <code>{rules}</code>.</p>\n\
         </body></html>\n"
    )
}

/// A text in which characters with a meaning in HTML are escaped.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
