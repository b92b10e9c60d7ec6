//! Escaping of untrusted text before it is printed: names of files, and the words of notes and
//! certificates.

/// Whether a character ends a line, is a command to a terminal, or turns the direction of writing.
fn is_hostile(c: char) -> bool {
    let turns = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    let embeds = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns.contains(&c) || embeds
}

/// The text on one line. Hostile characters are escaped as in verdicts, byte by byte as `%` and two
/// hexadecimal digits.
pub fn one_line(text: &str) -> String {
    let (mut line, mut bytes) = (String::new(), [0; 4]);
    for c in text.chars() {
        if is_hostile(c) {
            let bytes = c.encode_utf8(&mut bytes).bytes();
            bytes.for_each(|byte| line += &format!("%{byte:02x}"));
        } else {
            line.push(c);
        }
    }
    line
}
