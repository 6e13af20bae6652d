//! JSON with one key of the document per line, and one element of its lists per line, so that line tools work on it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::error::ReportError;

/// The document as text.
pub(crate) fn lines(document: &impl Serialize) -> Result<String, ReportError> {
    write(document, Lines::default())
}

/// One key per line, and one element of the lists of these keys.
pub(crate) fn lines_of(
    document: &impl Serialize,
    keys: &'static [&'static str],
) -> Result<String, ReportError> {
    let lines = Lines {
        keys: Some(keys),
        ..Lines::default()
    };
    write(document, lines)
}

fn write(document: &impl Serialize, lines: Lines) -> Result<String, ReportError> {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, lines);
    document
        .serialize(&mut serializer)
        .map_err(ReportError::NoJsonForm)?;
    out.push(b'\n');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// How deep the writer stands, and which of the levels above are lists.
#[derive(Default)]
struct Lines {
    levels: Vec<Level>,
    /// Lists of lines; `None`: all that have objects.
    keys: Option<&'static [&'static str]>,
    /// The document's key that is being written.
    key: Option<String>,
    is_of_lines: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Object,
    List,
    /// A list that has an object (or a list) in it: one element per line.
    ListOfLines,
}

impl Lines {
    fn close(&mut self, writer: &mut (impl Write + ?Sized), end: &[u8]) -> io::Result<()> {
        let level = self.levels.pop();
        if level == Some(Level::ListOfLines)
            || (level == Some(Level::Object) && self.levels.is_empty())
        {
            writer.write_all(b"\n")?;
        }
        writer.write_all(end)
    }

    /// Before an object: if it is an element of a list of the document, the list's elements are lines.
    fn element_is_object(&mut self) -> bool {
        if self.levels.len() != 2 || self.keys.is_some() {
            return false;
        }
        match self.levels.last_mut() {
            Some(level @ Level::List) => {
                *level = Level::ListOfLines;
                true
            }
            _ => false,
        }
    }
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.element_is_object() {
            writer.write_all(b"\n")?;
        }
        self.levels.push(Level::Object);
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.levels.len() == 1 {
            writer.write_all(b"\n")?;
            self.key = Some(String::new());
        }
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if let Some(key) = &mut self.key {
            key.push_str(fragment);
        }
        writer.write_all(fragment.as_bytes())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        if let Some(key) = self.key.take() {
            self.is_of_lines = self.keys.is_some_and(|keys| keys.contains(&key.as_str()));
        }
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let is_of_lines = self.levels.len() == 1 && self.is_of_lines;
        self.levels.push(match is_of_lines {
            true => Level::ListOfLines,
            false => Level::List,
        });
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        // Without keys, the first element is on its line already.
        let has_line = self.levels.last() == Some(&Level::ListOfLines);
        if has_line && (!first || self.keys.is_some()) {
            writer.write_all(b"\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_rows_are_lines() {
        let document = serde_json::json!({
            "a": 1, "b": [], "c": [1, 2], "d": [{"x": [1, {"y": 2}]}, {}], "e": {"f": [{"g": 1}, {"g": 2}]}, "h": [[1], [2]]
        });
        let text = lines(&document).expect("JSON");
        assert_eq!(
            text,
            "{\n\"a\":1,\n\"b\":[],\n\"c\":[1,2],\n\"d\":[\n{\"x\":[1,{\"y\":2}]},\n{}\n],\n\
             \"e\":{\"f\":[{\"g\":1},{\"g\":2}]},\n\"h\":[[1],[2]]\n}\n"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).expect("JSON"),
            document
        );
    }
}
