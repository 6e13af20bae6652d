//! The same requests to a service, and what it answers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Rounds of requests; the first ones meet code that is not compiled.
const ROUNDS: usize = 12;
const BOOKS: usize = 6;
const MOST_SECONDS: u64 = 120;

/// All requests with their responses.
pub(crate) struct Conversation(Vec<Exchange>);

#[derive(PartialEq, Eq)]
struct Exchange {
    request: String,
    /// As it came, without what differs by the clock.
    response: String,
}

impl Conversation {
    pub(crate) fn with(port: u16) -> Self {
        let mut exchanges = Vec::new();
        for round in 0..ROUNDS {
            for request in requests(round) {
                let response = ask(port, &request);
                exchanges.push(Exchange { request, response });
            }
        }
        Self(exchanges)
    }

    /// Every response must be the expected one.
    pub(crate) fn compare(&self, expected: &Self, name: &str) {
        assert_eq!(self.0.len(), expected.0.len());
        for (found, expected) in self.0.iter().zip(&expected.0) {
            assert!(
                found == expected,
                "{name}: to {}\n  {}\nand not\n  {}",
                found.request,
                found.response,
                expected.response
            );
        }
    }
}

fn requests(round: usize) -> Vec<String> {
    let mut requests = vec![plain("DELETE", "/books")];
    for number in 0..BOOKS {
        let book = format!(
            r#"{{"id":{number},"title":"Book {number} of round {round}","price":{round}.{number},"published":"20{number:02}-02-03","authors":["Ann {number}","Bob"]}}"#
        );
        requests.push(with_body("/books", &book));
    }
    // It is there: a constraint of the database is broken, and the transaction rolled back.
    requests.push(with_body(
        "/books",
        r#"{"id":1,"title":"again","price":1,"published":"2001-01-01","authors":["Eve"]}"#,
    ));
    let paths = [
        "/books",
        "/search?words=of%20round",
        "/years",
        "/greeting?name=Ann",
        "/lines",
        "/nowhere",
        "/search",
    ];
    requests.extend(paths.map(|path| plain("GET", path)));
    requests
}

fn plain(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n")
}

fn with_body(path: &str, json: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: service\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{json}",
        json.len()
    )
}

/// What the service answers to a request that changes nothing.
pub(crate) fn greeting(port: u16) -> String {
    ask(port, &plain("GET", "/greeting?name=Ann"))
}

/// Everything that comes back until the service closes the connection.
fn ask(port: u16, request: &str) -> String {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).expect("the service");
    let patience = Some(Duration::from_secs(MOST_SECONDS));
    connection.set_read_timeout(patience).expect("a time-out");
    connection.write_all(request.as_bytes()).expect("a request");
    let mut response = Vec::new();
    connection
        .read_to_end(&mut response)
        .expect("the whole response");
    without_clock(&String::from_utf8_lossy(&response))
}

/// A response without the line of its date and the timestamp of an error.
fn without_clock(response: &str) -> String {
    let lines = response
        .split("\r\n")
        .filter(|line| !line.starts_with("Date: "));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    const STAMP: &str = "\"timestamp\":\"";
    if let Some(start) = text.find(STAMP).map(|place| place + STAMP.len())
        && let Some(length) = text.get(start..).and_then(|rest| rest.find('"'))
    {
        text.replace_range(start..start + length, "");
    }
    text
}
