//! Text of a report, perhaps for a terminal of some width: longer lines continue below, indented.

use std::ops::{Deref, DerefMut};

/// Where the values of facts begin: after two spaces and the fact's name.
const FACTS: usize = 17;
/// The indentation of continued lines.
const INDENT: usize = 2;
/// No text becomes narrower than this.
const LEAST_WIDTH: usize = 60;
/// Sentences are not wider than this, however wide the terminal is.
const SENTENCES: usize = 110;

/// The text written so far; a `String` that knows the width of its lines.
#[derive(Debug, Default)]
pub struct TextLines {
    text: String,
    width: Option<usize>,
}

impl TextLines {
    /// `width` is that of a terminal; `None`: lines may have any length.
    pub(crate) fn new(width: Option<usize>) -> Self {
        Self {
            text: String::new(),
            width: width.map(|width| width.max(LEAST_WIDTH)),
        }
    }

    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Columns that sentences may have.
    pub(crate) fn sentence_width(&self) -> usize {
        self.width
            .map_or(SENTENCES, |width| (width - INDENT).min(SENTENCES))
    }

    /// The text, its long lines folded.
    pub(crate) fn finish(self) -> String {
        let Some(width) = self.width else {
            return self.text;
        };
        let mut out = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            for part in folded(line, width) {
                out.push_str(&part);
                out.push('\n');
            }
        }
        out
    }
}

impl Deref for TextLines {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}

impl DerefMut for TextLines {
    fn deref_mut(&mut self) -> &mut String {
        &mut self.text
    }
}

/// A line of words in lines of at most `width` letters. Commands stay whole, so that they can be copied.
fn folded(line: &str, width: usize) -> Vec<String> {
    let is_command = line.trim_start().starts_with("ducktrack ");
    if line.chars().count() <= width || is_command {
        return vec![line.to_owned()];
    }
    let indent = hanging(line);
    let start = line.len() - line.trim_start().len();
    let mut lines = vec![line[..start].to_owned()];
    let mut is_first_word = true;
    // Spaces between words stay, so that columns of facts stand where they stood.
    for word in line[start..].split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        let used = lines.last().map_or(0, |last| last.chars().count());
        if used + length > width && !is_first_word {
            lines.push(" ".repeat(indent));
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
        is_first_word = false;
    }
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// The column at which the rest of a line continues: after a fact's name, else a little further right than the line begins.
fn hanging(line: &str) -> usize {
    let start = line.chars().take_while(|letter| *letter == ' ').count();
    let name: Vec<char> = line.chars().take(FACTS).collect();
    let is_fact = start == 2 && name.len() == FACTS && name.ends_with(&[' ']);
    if is_fact { FACTS } else { start + INDENT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_go_on_below_their_beginning() {
        let mut text = TextLines::new(Some(60));
        text.push_str("  pauses         20 young and mixed, together 40.0 ms without the part of the agent: 1.8 ms each\n");
        text.push_str(
            "  short\n  ducktrack heap a/long/directory/of/a/recording --format html -o heap.html\n",
        );
        assert_eq!(
            text.finish(),
            "  pauses         20 young and mixed, together 40.0 ms\n\
            \x20                without the part of the agent: 1.8 ms each\n  short\n\
            \x20 ducktrack heap a/long/directory/of/a/recording --format html -o heap.html\n"
        );
    }

    #[test]
    fn without_a_width_nothing_changes() {
        let mut text = TextLines::new(None);
        text.push_str(&"word ".repeat(100));
        assert_eq!(text.finish(), "word ".repeat(100));
    }
}
