//! One request over one connection: HTTP/1.1, GET only, a bounded head, closed afterwards.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use httparse::{EMPTY_HEADER, Request, Status};

/// A longer head is no request of a browser's.
const LONGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// For the whole head.
const PATIENCE: Duration = Duration::from_secs(10);

/// The request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) target: String,
    /// `Host`, exactly one.
    pub(crate) host: String,
    /// Without a body.
    pub(crate) is_head: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn page(body: String) -> Self {
        Self {
            status: "200 OK",
            kind: "text/html; charset=utf-8",
            body,
        }
    }

    pub(crate) fn json(body: String) -> Self {
        Self {
            status: "200 OK",
            kind: "application/json",
            body,
        }
    }

    /// One line with the fault.
    pub(crate) fn refusal(status: &'static str, line: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: format!("{line}\n"),
        }
    }
}

/// Reads the head of the request; `Err`: the answer to one that is none.
pub(crate) fn read_request(stream: &mut TcpStream) -> io::Result<Result<Asked, Answer>> {
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Ok(Err(bad("the request ends before its head does")));
        }
        head.extend_from_slice(&piece[..read]);
        if let Some(asked) = parse(&head) {
            return Ok(asked);
        }
        if head.len() > LONGEST_HEAD {
            let status = "431 Request Header Fields Too Large";
            return Ok(Err(Answer::refusal(
                status,
                "the head of the request is too long",
            )));
        }
    }
}

fn bad(line: &str) -> Answer {
    Answer::refusal("400 Bad Request", line)
}

/// `None`: there must be more.
fn parse(head: &[u8]) -> Option<Result<Asked, Answer>> {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut request = Request::new(&mut headers);
    match request.parse(head) {
        Ok(Status::Partial) => return None,
        Ok(Status::Complete(_)) => {}
        Err(error) => return Some(Err(bad(&format!("no request: {error}")))),
    }
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => {
            let refusal = Answer::refusal("405 Method Not Allowed", "only GET is answered");
            return Some(Err(refusal));
        }
    };
    let mut hosts = request.headers.iter();
    let mut hosts = hosts
        .by_ref()
        .filter(|header| header.name.eq_ignore_ascii_case("host"));
    let host = hosts
        .next()
        .and_then(|host| std::str::from_utf8(host.value).ok());
    let (Some(host), None) = (host, hosts.next()) else {
        return Some(Err(bad("one Host is needed")));
    };
    Some(Ok(Asked {
        target: request.path.unwrap_or_default().to_owned(),
        host: host.to_owned(),
        is_head,
    }))
}

/// Writes the answer. Nothing may keep it, frame it in another page, or take it for something else.
pub(crate) fn write_answer(
    stream: &mut TcpStream,
    answer: &Answer,
    is_head: bool,
) -> io::Result<()> {
    let allow = match answer.status.starts_with("405") {
        true => "Allow: GET, HEAD\r\n",
        false => "",
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{allow}Connection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'self'\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len(),
    );
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(head.as_bytes())?;
    if !is_head {
        stream.write_all(answer.body.as_bytes())?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> Option<&'static str> {
        match parse(head.as_bytes())? {
            Ok(_) => Some("asked"),
            Err(answer) => Some(answer.status),
        }
    }

    #[test]
    fn heads_are_taken_refused_or_waited_for() {
        let good = "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n";
        let asked = parse(good.as_bytes()).expect("whole").expect("a request");
        assert_eq!(
            (asked.target.as_str(), asked.host.as_str()),
            ("/a?b=c", "127.0.0.1:80")
        );
        for cut in 1..good.len() {
            assert_eq!(status(&good[..cut]), None, "{cut}");
        }
        for (head, expected) in [
            (
                "POST / HTTP/1.1\r\nHost: a\r\n\r\n",
                "405 Method Not Allowed",
            ),
            ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request"),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "400 Bad Request",
            ),
            ("\u{1}\u{2}\r\n\r\n", "400 Bad Request"),
            ("GET / HTTP/9.9\r\n\r\n", "400 Bad Request"),
        ] {
            assert_eq!(status(head), Some(expected), "{head:?}");
        }
    }
}
