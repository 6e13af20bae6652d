//! The server: it listens on loopback only, requires a secret in the path, and answers only requests for this host's name.
//!
//! The name guards against a page elsewhere whose name was made to point here (DNS rebinding); the secret against other users and
//! pages of this machine. All answers are to GET and change nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ValueEnum;
use ducktrack_reports::{UiDocument, ui_page};

use super::connection::{Answer, Asked};
use super::connections::answer_each;
use super::live_looks::LiveLooks;
use super::page_kind::PageKind;
use super::recording::{PageQuery, Recording};
use crate::top::columns::RowOrder;
use crate::top::grouping::By;

/// A port that is listened at.
pub(crate) struct Server {
    listener: TcpListener,
    port: u16,
    secret: String,
}

impl Server {
    pub(crate) fn bind(port: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot listen at 127.0.0.1:{port}"))?;
        let port = listener.local_addr().context("no address")?.port();
        Ok(Self {
            listener,
            port,
            secret: secret()?,
        })
    }

    /// An answer to a browser.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.secret)
    }

    /// Answers until the process is ended.
    pub(crate) fn run(self, recording: Recording) -> Result<ExitCode> {
        let site = Site {
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port)),
            secret: self.secret,
            live: LiveLooks::open(recording.directory()),
            recording,
        };
        answer_each(&self.listener, move |asked| site.answer(asked));
        Ok(ExitCode::SUCCESS)
    }
}

/// A number that cannot be guessed, as text.
fn secret() -> Result<String> {
    let mut bytes = [0; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .context("the system has no random numbers")?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The served recording.
struct Site {
    hosts: [String; 2],
    secret: String,
    recording: Recording,
    live: Option<LiveLooks>,
}

impl Site {
    fn answer(&self, asked: &Asked) -> Answer {
        if !self
            .hosts
            .iter()
            .any(|host| host.eq_ignore_ascii_case(&asked.host))
        {
            let line = "this is not the host that the address names: open the address that `ducktrack ui` prints";
            return Answer::refusal("403 Forbidden", line);
        }
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        let inside = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(self.secret.as_str()))
            .and_then(|path| path.strip_prefix('/'));
        let Some(inside) = inside else {
            return Answer::refusal(
                "404 Not Found",
                "not here: open the whole address that `ducktrack ui` prints",
            );
        };
        let answer = match inside {
            "" => self.frame(),
            "run.json" => self
                .document()
                .and_then(|run| Ok(Answer::json(run.json()?))),
            "live.json" => self.live(&Query::of(query)),
            other => self.page(other, &Query::of(query)),
        };
        answer.unwrap_or_else(|error| {
            Answer::refusal("500 Internal Server Error", &format!("{error:#}"))
        })
    }

    fn document(&self) -> Result<UiDocument> {
        let mut document = self.recording.document()?;
        document.served = true;
        if self.live.is_some() {
            let trace = self.recording.directory().display().to_string();
            document
                .tabs
                .insert(0, PageKind::Live.tab(&trace, None, None));
        }
        Ok(document)
    }

    fn frame(&self) -> Result<Answer> {
        Ok(Answer::page(ui_page(&self.document()?, &BTreeMap::new())?))
    }

    fn page(&self, path: &str, query: &Query) -> Result<Answer> {
        let Some(kind) = path.strip_prefix("page/").and_then(PageKind::named) else {
            return Ok(Answer::refusal("404 Not Found", "there is no such page"));
        };
        let at = query.get("at").map(|at| at.parse());
        let Ok(at) = at.transpose() else {
            return Ok(Answer::refusal(
                "400 Bad Request",
                "at: the number of a collection is needed",
            ));
        };
        let query = PageQuery {
            at,
            from: query.get("from").map(str::to_owned),
            until: query.get("until").map(str::to_owned),
        };
        let page = self.recording.page(kind, &query)?;
        Ok(Answer::page(page.to_string()))
    }

    fn live(&self, query: &Query) -> Result<Answer> {
        let Some(live) = &self.live else {
            return Ok(Answer::refusal("404 Not Found", "the run has ended"));
        };
        let by = query.get("by").and_then(|by| By::from_str(by, true).ok());
        let order = query
            .get("sort")
            .and_then(|sort| RowOrder::from_str(sort, true).ok());
        let filter = query.get("filter").unwrap_or_default();
        let document = live.document(by.unwrap_or_default(), order.unwrap_or_default(), filter)?;
        Ok(Answer::json(document.json()?))
    }
}

/// `a=b&c=d`, decoded; empty values are as none.
struct Query(BTreeMap<String, String>);

impl Query {
    fn of(text: &str) -> Self {
        let pairs = form_urlencoded::parse(text.as_bytes()).into_owned();
        Self(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let query = Query::of("by=types&filter=byte%5B%5D+x&at=&bad=%zz%4");
        assert_eq!(query.get("by"), Some("types"));
        assert_eq!(query.get("filter"), Some("byte[] x"));
        assert_eq!(query.get("at"), None);
        assert_eq!(query.get("bad"), Some("%zz%4"));
    }

    #[test]
    fn secrets_differ() {
        let (one, other) = (secret().expect("random"), secret().expect("random"));
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
