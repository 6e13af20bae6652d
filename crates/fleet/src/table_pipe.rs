//! Tables to another process, which gives them their format and writes them: `ducktrack-reach`.
//!
//! A message is its length in eight bytes, little-endian, and a value in the form of postcard. The process answers once when it can write
//! to its root, and then each table with the bytes that it has written.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{FleetError, Table, TableWriter};

/// The bytes that were written, or why none were.
pub type Answer = Result<u64, String>;

/// Sends a message.
///
/// # Errors
/// When the other side is gone.
pub fn send(into: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_allocvec(message).map_err(io::Error::other)?;
    into.write_all(&(bytes.len() as u64).to_le_bytes())?;
    into.write_all(&bytes)?;
    into.flush()
}

/// Waits for a message; `None` when the other side has closed the pipe.
///
/// # Errors
/// When the pipe ends within a message, or the message is of another version.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let message = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
    Ok(Some(message))
}

/// The process and the pipes to it.
#[derive(Debug)]
pub struct TablePipe {
    root: String,
    child: Child,
    tables: Option<ChildStdin>,
    answers: ChildStdout,
}

impl TablePipe {
    /// Starts the process, and waits until it can write to the root.
    ///
    /// # Errors
    /// When it cannot.
    pub fn start(mut command: Command, root: &str) -> Result<Self, FleetError> {
        let refused = |reason: String| FleetError::Store {
            place: root.to_owned(),
            reason,
        };
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| refused(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(tables), Some(answers)) = pipes else {
            return Err(refused("no pipe".to_owned()));
        };
        let mut this = Self {
            root: root.to_owned(),
            child,
            tables: Some(tables),
            answers,
        };
        this.answer().map_err(refused)?;
        Ok(this)
    }

    fn answer(&mut self) -> Answer {
        match receive(&mut self.answers) {
            Ok(Some(answer)) => answer,
            Ok(None) => Err("the process that writes has ended".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl TableWriter for TablePipe {
    fn write(&mut self, table: &Table) -> Result<u64, FleetError> {
        // A process that is gone has answered why, or answers no more.
        let _ = self.tables.as_mut().map(|tables| send(tables, table));
        self.answer().map_err(|reason| FleetError::Store {
            place: self.root.clone(),
            reason,
        })
    }
}

impl Drop for TablePipe {
    fn drop(&mut self) {
        self.tables = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, SiteId, Values};

    #[test]
    fn a_table_arrives_as_it_was_sent() {
        let table = Table {
            path: "v1/sites/a.parquet".to_owned(),
            columns: vec![
                Column {
                    name: "site".into(),
                    values: Values::Sites(vec![Some(SiteId([7; 16])), None]),
                },
                Column {
                    name: "file".into(),
                    values: Values::Texts(vec![None, Some("A.java".into())]),
                },
            ],
            sorted_by: vec![0],
        };
        let mut pipe = Vec::new();
        send(&mut pipe, &table).expect("memory");
        let whole = pipe.len();
        send(&mut pipe, &Answer::Err("full".to_owned())).expect("memory");
        let mut from = pipe.as_slice();
        assert_eq!(receive(&mut from).expect("a table"), Some(table));
        let answer: Option<Answer> = receive(&mut from).expect("an answer");
        assert_eq!(answer, Some(Err("full".to_owned())));
        assert!(receive::<Answer>(&mut from).expect("the end").is_none());
        assert!(receive::<Table>(&mut &pipe[..whole - 1]).is_err());
    }
}
