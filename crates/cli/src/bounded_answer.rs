//! The answer of another process: bounded in bytes and in time, and safe to print, because the process may be anybody's.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use ducktrack_printable::printable;
use serde_json::Value;

/// A longer answer is neither the agent's, which has a few kilobytes, nor the JVM's: a histogram of 100,000 classes has 10 MB.
const MOST_BYTES: usize = 16 << 20;

/// Where an answer ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Line,
    Closed,
}

/// Reads an answer.
///
/// # Errors
/// Of the connection; `TimedOut` if it is not there in time, `InvalidData` if it is too long or no text.
pub(crate) fn read_answer(
    stream: &mut UnixStream,
    end: End,
    patience: Duration,
) -> io::Result<String> {
    let deadline = Instant::now() + patience;
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = match stream.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // What a socket says when the time given to it is over.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            read => read?,
        };
        let new = piece.get(..read).unwrap_or(&[]);
        answer.extend_from_slice(new);
        if read == 0 || (end == End::Line && new.contains(&b'\n')) {
            return String::from_utf8(answer).map_err(|_| invalid("the answer is no text"));
        }
        if answer.len() > MOST_BYTES {
            return Err(invalid("the answer has more than 16 MB"));
        }
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The same document, with all its texts fit to print.
pub(crate) fn printable_texts(document: Value) -> Value {
    match document {
        Value::String(text) => printable(&text).into(),
        Value::Array(all) => all.into_iter().map(printable_texts).collect(),
        Value::Object(all) => all
            .into_iter()
            .map(|(key, value)| (printable(&key), printable_texts(value)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread;

    use serde_json::json;

    use super::*;

    fn answered(patience: Duration, end: End, write: fn(UnixStream)) -> io::Result<String> {
        let (mut ours, theirs) = UnixStream::pair().expect("sockets");
        let writer = thread::spawn(move || write(theirs));
        let answer = read_answer(&mut ours, end, patience);
        drop(ours);
        writer.join().expect("the writer");
        answer
    }

    #[test]
    fn an_answer_is_bounded_in_bytes_and_in_time() {
        let soon = Duration::from_secs(60);
        let line = |mut stream: UnixStream| {
            let _ = stream.write_all(b"{}\nmore");
        };
        assert_eq!(answered(soon, End::Closed, line).expect("text"), "{}\nmore");
        assert!(
            answered(soon, End::Line, line)
                .expect("text")
                .starts_with("{}\n")
        );
        let endless = |mut stream: UnixStream| while stream.write_all(&[b'A'; 4096]).is_ok() {};
        let error = answered(soon, End::Line, endless).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let slow = |mut stream: UnixStream| {
            while stream.write_all(b"A").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        };
        let error = answered(Duration::from_millis(200), End::Line, slow).expect_err("too slow");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn texts_do_not_steer_a_terminal() {
        let document = json!({"phase": "\u{1b}[31m", "all": ["a\nb", 3]});
        let expected = json!({"phase": "\\u{1b}[31m", "all": ["a\\u{a}b", 3]});
        assert_eq!(printable_texts(document), expected);
    }
}
