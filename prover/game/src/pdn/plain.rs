//! Characters that stand for characters of the standard: dashes of all kinds, `×`, non-breaking
//! blanks, full-width forms. Only characters are listed that stand for exactly one character of
//! PDN; all others stay as they are, and a text with one of them that may be a move is a fault.

/// The character of PDN for which `c` stands; mostly `c` itself.
pub(super) fn plain(c: char) -> char {
    match c {
        '\u{b}' | '\u{c}' => ' ',
        _ if c.is_ascii() => c,
        // Dashes and minus signs; the first two are those of Windows-1252 as control characters of
        // Latin-1.
        '\u{96}'
        | '\u{97}'
        | '\u{ad}'
        | '\u{2d7}'
        | '\u{58a}'
        | '\u{5be}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{207b}'
        | '\u{208b}'
        | '\u{2212}'
        | '\u{2500}'
        | '\u{2501}'
        | '\u{2796}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{30fc}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{ff0d}'
        | '\u{ff70}' => '-',
        // Times signs, and the letter of Cyrillic that looks like x.
        '\u{d7}' | '\u{425}' | '\u{445}' | '\u{2715}' | '\u{2716}' | '\u{2a09}' | '\u{2a2f}'
        | '\u{ff38}' | '\u{ff58}' => 'x',
        '\u{2236}' | '\u{a789}' | '\u{fe55}' => ':',
        '\u{2024}' | '\u{2026}' | '\u{fe52}' => '.',
        // Full-width forms of the digits and signs of moves, their numbers and results.
        '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}'..='\u{ff1a}' | '\u{ff1f}' => full_width(c),
        _ if c.is_whitespace() || is_invisible(c) => ' ',
        _ => c,
    }
}

/// The character of ASCII whose full-width form this is.
fn full_width(c: char) -> char {
    u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from)
}

/// Whether a character has no width. (The soft hyphen is among the dashes.)
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character separates words.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Whether a character is a blank within a line.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Whether a character belongs to a word. Characters beyond ASCII do: they are letters of some
/// script, or may be meant as a part of a move.
pub(super) fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii() || "-/:'_".contains(c)
}

/// Whether a character stands between the squares of a move.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '-' | 'x' | 'X' | ':')
}
