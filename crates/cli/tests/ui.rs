//! `ducktrack ui`, over a socket and as a file. The run is that of `sample_events`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ducktrack_test_support::{Ended, Finished, printed_by, sample_events};

fn ducktrack() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ducktrack"))
}

/// A server; ended when the test is.
struct Served {
    _child: Ended,
    host: String,
    path: String,
}

impl Served {
    fn start(trace: &Path) -> Self {
        let mut child = ducktrack()
            .arg("ui")
            .arg(trace)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ducktrack ui");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut address)
            .expect("an address");
        let rest = address.trim().strip_prefix("http://").expect("an address");
        let (host, path) = rest.split_once('/').expect("a path");
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Self {
            _child: Ended(child),
            host: host.to_owned(),
            path: format!("/{path}"),
        }
    }

    /// The answer to these bytes, whole.
    fn answer(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).expect("a time");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        // A server that has answered may close while there is more to read.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str, host: &str) -> String {
        self.answer(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    }

    fn page(&self, name: &str) -> String {
        self.get(&format!("{}{name}", self.path), &self.host)
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or(answer)
}

#[test]
fn pages_are_served_to_who_knows_the_address_and_to_nobody_else() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let trace = folder.path().join("run");
    sample_events::write(&trace);
    let served = Served::start(&trace);
    for name in [
        "",
        "run.json",
        "page/report",
        "page/heap",
        "page/heap?at=2",
        "page/leaks?from=0&until=99",
    ] {
        let answer = served.page(name);
        assert_eq!(status(&answer), "200", "{name}: {answer}");
        for header in [
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            "frame-ancestors 'self'",
        ] {
            assert!(answer.contains(header), "{name}: {header}");
        }
    }
    assert!(served.page("page/heap?at=2").contains("after collection 2"));
    assert!(
        served
            .page("run.json")
            .contains("\"number\":3,\"kind\":\"full\"")
    );

    // Only with the whole address.
    let (host, path) = (served.host.as_str(), served.path.as_str());
    for other in [
        "/",
        "/run.json",
        "//",
        "/../",
        &path[..path.len() - 2],
        &format!("{path}../run.json"),
        &format!("{path}page/../../etc/passwd"),
        &format!("{path}page/nope"),
        &format!("{path}live.json"),
    ] {
        assert_eq!(status(&served.get(other, host)), "404", "{other}");
    }
    // Only under its own name: another's that points here is of a page elsewhere.
    let port = host.rsplit(':').next().expect("a port");
    assert_eq!(
        status(&served.get(path, &format!("localhost:{port}"))),
        "200"
    );
    for other in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("evil.example:{port}"),
        &format!("127.0.0.1:{port}.evil.example"),
    ] {
        assert_eq!(status(&served.get(path, other)), "403", "{other}");
    }
    // Only to GET and HEAD, and only to requests.
    for (request, expected) in [
        (
            format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\nab"),
            "405",
        ),
        (
            format!("DELETE {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            "405",
        ),
        (format!("GET {path} HTTP/1.1\r\n\r\n"), "400"),
        (
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n"),
            "400",
        ),
        ("\u{0}\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
        (
            format!("GET {path}page/heap?at=x HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            "400",
        ),
        (
            format!("GET {path}page/heap?at=77 HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            "500",
        ),
        (
            format!(
                "GET {path} HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n",
                "y".repeat(40_000)
            ),
            "431",
        ),
    ] {
        let answer = served.answer(&request);
        assert_eq!(status(&answer), expected, "{request:.80} {answer:.200}");
    }
    let head = served.answer(&format!("HEAD {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(
        status(&head) == "200" && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn one_file_holds_all_pages_and_loads_nothing() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (trace, file) = (folder.path().join("run"), folder.path().join("ui.html"));
    sample_events::write(&trace);
    printed_by(
        ducktrack()
            .arg("ui")
            .args([&trace, Path::new("--output"), &file]),
    );
    let page = std::fs::read_to_string(&file).expect("the file");
    for held in [
        "\"report\":",
        "\"timeline\":",
        "\"leaks\":",
        "\"heap?at=1\":",
        "\"heap?at=3\":",
    ] {
        assert!(page.contains(held), "{held}");
    }
    for foreign in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn bad_input_is_one_line() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for (words, expected) in [
        (vec!["ui", "/no/such/run"], "no directory"),
        (vec!["ui", folder.path().to_str().expect("UTF-8")], "no"),
    ] {
        Finished::of(ducktrack().args(&words)).must_refuse(&[expected]);
    }
}
