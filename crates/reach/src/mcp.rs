//! The reports of recordings below a folder as tools of the Model Context Protocol, over standard input and output.
//!
//! A tool runs `ducktrack` and gives what it prints, so its figures are the command's. Tools only read; answers and their time are bounded;
//! no path leads out of the folder.

mod bounded_run;
mod folder;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, schemars, tool, tool_router};
use serde::Deserialize;

use folder::Folder;

/// `command`: the path of `ducktrack`.
pub(crate) fn serve(command: &str, folder: &str) -> Result<ExitCode> {
    let server = Tools {
        command: command.to_owned(),
        folder: Folder::open(Path::new(folder))?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    runtime.block_on(async {
        let running = server.serve(rmcp::transport::stdio()).await?;
        running.waiting().await?;
        anyhow::Ok(())
    })?;
    // The thread that reads standard input may still wait for a line.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// The folder that is served.
#[derive(Clone, Debug)]
struct Tools {
    command: String,
    folder: Folder,
}

/// A recording, and the part of it that is wanted.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Sites {
    /// The recording: a path below the folder, as the tool `recordings` lists them
    recording: String,
    /// Only this package or class
    only: Option<String>,
    /// Only objects of this type: String, byte[], *Node
    #[serde(rename = "type")]
    ty: Option<String>,
    /// Rows; at most 100
    top: Option<u32>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Moment {
    #[serde(flatten)]
    sites: Sites,
    /// The number of a collection, `last` or `end`
    at: Option<String>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Leaks {
    /// The recording: a path below the folder
    recording: String,
    /// A heap dump of the same program: a path below the folder
    dump: Option<String>,
    /// Candidates; at most 100
    top: Option<u32>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Holders {
    /// The recording: a path below the folder
    recording: String,
    /// A heap dump of the same program: a path below the folder
    dump: String,
    /// Only objects of this type
    #[serde(rename = "type")]
    ty: Option<String>,
    /// Rows; at most 100
    top: Option<u32>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Two {
    /// The first recording, or a report as JSON: a path below the folder
    before: String,
    /// The second
    after: String,
    /// Only this package or class
    only: Option<String>,
    /// Rows; at most 100
    top: Option<u32>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Code {
    /// A class file or a jar: a path below the folder
    file: String,
    /// run, com.acme.Main.run, 'run(I)V'
    method: Option<String>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Nothing {}

#[tool_router(server_handler)]
impl Tools {
    #[tool(
        description = "List the recordings below the folder, newest first",
        annotations(read_only_hint = true)
    )]
    async fn recordings(
        &self,
        Parameters(Nothing {}): Parameters<Nothing>,
    ) -> Result<String, String> {
        self.folder.recordings()
    }

    #[tool(
        description = "Who allocates what: exact objects and bytes by type, place in the code and caller",
        annotations(read_only_hint = true)
    )]
    async fn report(&self, Parameters(sites): Parameters<Sites>) -> Result<String, String> {
        self.ask("report", &sites, &["--full"]).await
    }

    #[tool(
        description = "Which requests, queries, jobs and tests allocate: exact objects and bytes by context, each with its places, and bytes of one execution",
        annotations(read_only_hint = true)
    )]
    async fn contexts(&self, Parameters(sites): Parameters<Sites>) -> Result<String, String> {
        self.ask("report", &sites, &["--by", "context"]).await
    }

    #[tool(
        description = "What a recording contains, how the program ended, and what is missing",
        annotations(read_only_hint = true)
    )]
    async fn info(&self, Parameters(sites): Parameters<Sites>) -> Result<String, String> {
        let recording = self.folder.path(&sites.recording)?;
        bounded_run::run(self.command.clone(), vec!["info".into(), recording]).await
    }

    #[tool(
        description = "The live heap of a traced recording after a collection, by type, site and age",
        annotations(read_only_hint = true)
    )]
    async fn heap(&self, Parameters(moment): Parameters<Moment>) -> Result<String, String> {
        let at = moment.at.as_deref().unwrap_or("end");
        self.ask("heap", &moment.sites, &["--at", at]).await
    }

    #[tool(
        description = "What leaks in a traced recording: which site, how fast, and with a heap dump who holds the objects",
        annotations(read_only_hint = true)
    )]
    async fn leaks(&self, Parameters(leaks): Parameters<Leaks>) -> Result<String, String> {
        let mut arguments = vec!["leaks".into(), self.folder.path(&leaks.recording)?];
        if let Some(dump) = &leaks.dump {
            arguments.extend(["--dump".into(), self.folder.path(dump)?]);
        }
        arguments.extend(rows(leaks.top));
        bounded_run::run(self.command.clone(), arguments).await
    }

    #[tool(
        description = "Who holds the objects of a heap dump, and who allocated them",
        annotations(read_only_hint = true)
    )]
    async fn holders(&self, Parameters(holders): Parameters<Holders>) -> Result<String, String> {
        let (recording, dump) = (&holders.recording, &holders.dump);
        let (recording, dump) = (self.folder.path(recording)?, self.folder.path(dump)?);
        let mut arguments = vec!["holders".into(), recording, "--dump".into(), dump];
        arguments.extend(flag("--type", holders.ty.as_deref()));
        arguments.extend(rows(holders.top));
        bounded_run::run(self.command.clone(), arguments).await
    }

    #[tool(
        description = "Two recordings compared: which sites allocate more or less",
        annotations(read_only_hint = true)
    )]
    async fn diff(&self, Parameters(two): Parameters<Two>) -> Result<String, String> {
        let (before, after) = (
            self.folder.path(&two.before)?,
            self.folder.path(&two.after)?,
        );
        let mut arguments = vec!["diff".into(), before, after];
        arguments.extend(flag("--only", two.only.as_deref()));
        arguments.extend(rows(two.top));
        bounded_run::run(self.command.clone(), arguments).await
    }

    #[tool(
        description = "How the allocations of a method are counted: its blocks, paths and counters",
        annotations(read_only_hint = true)
    )]
    async fn explain(&self, Parameters(code): Parameters<Code>) -> Result<String, String> {
        let mut arguments = vec!["info".into(), self.folder.path(&code.file)?];
        arguments.extend(flag("--method", code.method.as_deref()));
        bounded_run::run(self.command.clone(), arguments).await
    }

    async fn ask(&self, command: &str, sites: &Sites, more: &[&str]) -> Result<String, String> {
        let mut arguments = vec![command.to_owned(), self.folder.path(&sites.recording)?];
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        arguments.extend(flag("--only", sites.only.as_deref()));
        arguments.extend(flag("--type", sites.ty.as_deref()));
        arguments.extend(rows(sites.top));
        bounded_run::run(self.command.clone(), arguments).await
    }
}

/// `--flag=value`: a value is no flag, whatever it begins with.
fn flag(name: &str, value: Option<&str>) -> Option<String> {
    value.map(|value| format!("{name}={value}"))
}

fn rows(top: Option<u32>) -> Option<String> {
    top.map(|top| format!("--top={}", top.clamp(1, 100)))
}
