//! `ducktrack export DIR --to otlp`: profiles of OpenTelemetry into a file, or with `--push` to a collector.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ducktrack_count_model::{ContextNames, CountModel, CountModelBuilder};
use ducktrack_exports::otlp;
use ducktrack_profile::profile_in_contexts;
use ducktrack_reports::{Filter, view};
use opentelemetry_proto::tonic::profiles::v1development::ProfilesData;
use prost::Message;

use super::exported::Exported;
use crate::followed_run::FollowedRun;
use crate::live_sites::{self, LiveSites};
use crate::loading;
use crate::reach;
use crate::window_args::WindowArgs;

/// The messages that are written.
const SPOKEN: &str = "profiles v1development of opentelemetry-proto 1.10";

#[derive(Args)]
pub(crate) struct OtlpArgs {
    /// With --to otlp: send it to a collector, http://HOST:4318, https://HOST:4318 or grpc://HOST:4317, instead of into a file
    #[arg(long, value_name = "URL", conflicts_with = "output")]
    push: Option<String>,
}

impl OtlpArgs {
    /// Exports a recording, or a program while it runs.
    pub(super) fn export(
        &self,
        trace: &Path,
        follow: Option<u64>,
        windows: &WindowArgs,
        output: Option<&Path>,
    ) -> Result<ExitCode> {
        if let Some(seconds) = follow {
            return self.follow(trace, seconds);
        }
        let model = loading::load_windows(trace, windows)?;
        let live = live_sites::at_end(trace)?;
        let profiles = profiles(trace, &model, &mut ContextNames::default(), live.as_ref());
        self.deliver(profiles, output)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Each window as a profile of its own.
    fn follow(&self, trace: &Path, seconds: u64) -> Result<ExitCode> {
        if self.push.is_none() {
            bail!("--follow needs --push URL: there is a profile for each window");
        }
        let mut run = FollowedRun::open(trace, seconds * 1000)?;
        let mut builder = CountModelBuilder::new();
        let mut names = ContextNames::default();
        while let Some(window) = run.next_window()? {
            for record in window.records {
                builder.fold(record);
            }
            let model = builder.clone().finish();
            builder.begin_window();
            if model.total.count > 0 {
                self.deliver(profiles(trace, &model, &mut names, None), None)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Sends a profile, or writes it.
    fn deliver(&self, profiles: ProfilesData, output: Option<&Path>) -> Result<()> {
        let samples: usize = profiles
            .resource_profiles
            .iter()
            .flat_map(|resource| &resource.scope_profiles)
            .flat_map(|scope| &scope.profiles)
            .map(|profile| profile.samples.len())
            .sum();
        let place = match (&self.push, output) {
            (Some(url), _) => {
                reach::push(url, &profiles.encode_to_vec())?;
                url.clone()
            }
            (None, Some(file)) => {
                std::fs::write(file, profiles.encode_to_vec())
                    .with_context(|| format!("cannot write {}", file.display()))?;
                file.display().to_string()
            }
            (None, None) => bail!("give --output FILE or --push URL"),
        };
        eprintln!("{place}: {samples} samples, {SPOKEN} (alpha)");
        Ok(())
    }
}

/// The profiles of a model. `names`: the contexts that have been named before.
fn profiles(
    trace: &Path,
    model: &CountModel,
    names: &mut ContextNames,
    live: Option<&LiveSites>,
) -> ProfilesData {
    let mut view = view(model, &trace.display().to_string(), &Filter::default());
    if !model.contexts.is_empty() {
        names.learn(&model.contexts);
        view.stacks = profile_in_contexts(model, names);
    }
    let exported = Exported::of(&view, &model.off_heap, live);
    let mut export = exported.export();
    if let (Some(chosen), Some(last)) = (&view.chosen_windows, &view.snapshot) {
        export.duration_millis = chosen.millis;
        export.start_unix_millis = last.unix_millis.saturating_sub(chosen.millis);
    }
    let run = &view.run;
    let main = run.command.split_whitespace().next().unwrap_or("java");
    otlp(
        &export,
        &[
            ("service.name".to_owned(), main.to_owned()),
            (
                "process.runtime.version".to_owned(),
                run.java_version.clone(),
            ),
            ("process.command_line".to_owned(), run.command.clone()),
        ],
    )
}
