//! The common parts of pages, which are self-contained.

use super::board_picture::SHAPES;

/// The style sheet of all pages: dark or light as the browser prefers, for any width. The colours
/// can be told apart with any colour vision, and no information is given by a colour alone.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --faint: #8886; --soft: #7773;
--win: #1f5fa8; --draw: #d9d9d2; --loss: #b3541e; --on: #fff; --on-draw: #1b1b1b; --square: #8a9a72; --light: #efe6d0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #16181a; --win: #74aef0; --draw: #4a4d50;
--loss: #f0995c; --on: #101214; --on-draw: #e6e6e6; --square: #5d6b4c; --light: #b9b099 } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; color: var(--ink);
background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 .5rem } h2 { font-size: 1.2rem; margin: 2rem 0 .4rem }
h3 { font-size: 1rem; margin: 0 0 .3rem } .lead { font-size: 1.15rem } .small { font-size: .85rem }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: .3rem; white-space: pre-wrap; margin: .4rem 0 }
code { font-family: ui-monospace, monospace; font-size: .92em } .word { white-space: nowrap }
.side { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem 2rem;
align-items: start }
figure { margin: 0 } figcaption { font-size: .85rem; margin-top: .3rem } .shapes { position: absolute }
.board { display: block; width: 100%; max-width: 22rem } .board .light { fill: var(--light); stroke: #0005; stroke-width: .4 }
.board .dark { fill: var(--square) } .board text { font: 2.6px sans-serif; fill: #000a }
.board .black { fill: #151515; stroke: #f4f4f4; stroke-width: .5 } .board .white { fill: #fbfbfb; stroke: #151515; stroke-width: .5 }
#king path { stroke-width: .45; fill: none; stroke: currentColor } .board .black { color: #fff } .board .white { color: #000 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .4rem 0 }
th, td { text-align: right; padding: .15rem .5rem; vertical-align: top } th { font-weight: 600; border-bottom: 1px solid var(--faint) }
td:first-child, th:first-child { text-align: left; padding-left: 0 } tr.all td { font-weight: 600; border-top: 1px solid var(--faint) }
.moves td { text-align: left } .chart { display: block; width: 100%; max-width: 40rem } .chart text { font: 10px sans-serif; fill: var(--ink) }
.chart .end { text-anchor: end } .chart .middle { text-anchor: middle } .grid { stroke: var(--faint); stroke-width: .6; fill: none }
.line path { fill: none; stroke-width: 1.8 } .line0 path { stroke: var(--win) } .line0 circle { fill: var(--win) }
.line1 path { stroke: var(--loss); stroke-dasharray: 5 3 } .line1 circle { fill: var(--loss) }
.sample { white-space: nowrap; margin-right: 1rem } .sample svg { width: 2rem; height: .6rem }
.bar { display: flex; height: 1.35rem; border-radius: .25rem; overflow: hidden; font: 600 .8rem/1.35rem sans-serif;
border: 1px solid var(--faint); margin: .2rem 0 } .bar i { font-style: normal; text-align: center; overflow: hidden; flex: none }
.w { background: var(--win); color: var(--on) } .d { background: var(--draw); color: var(--on-draw) }
.l { background: repeating-linear-gradient(45deg, var(--loss) 0 .45rem, color-mix(in srgb, var(--loss) 78%, var(--paper)) .45rem .9rem);
color: var(--on) }
.slices { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem 1.5rem }
.slices p { margin: .2rem 0; font-size: .85rem } details { margin: .3rem 0 } summary { cursor: pointer } summary h2 { display: inline-block; margin: .8rem 0 .4rem }
";

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
