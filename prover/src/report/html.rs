//! What pages for a browser share.

/// The look of all pages.
pub(super) const STYLE: &str = "
:root { color-scheme: light dark; --win: #2e7d4f; --draw: #b9b9b0; --loss: #b5473c; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .15rem .6rem; white-space: nowrap }
th { font-weight: 600; border-bottom: 1px solid #8888 } td:first-child, th:first-child { text-align: left }
td.bar { width: 34%; min-width: 9rem }
.bar div { display: flex; height: .8rem; border-radius: .2rem; overflow: hidden }
.bar i { display: block } .w { background: var(--win) } .d { background: var(--draw) } .l { background: var(--loss) }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin: 0 .3rem 0 1rem }
tr.all td { font-weight: 600; border-top: 1px solid #8888 }
";

/// 1234567 as 1 234 567, with spaces that do not break.
pub(super) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Text that is not to be taken for HTML.
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
