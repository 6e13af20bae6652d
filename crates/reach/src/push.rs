//! A profile from standard input to a collector: `http://` and `https://` by HTTP, `grpc://` by gRPC.

use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use opentelemetry_proto::tonic::collector::profiles::v1development::ExportProfilesServiceRequest;
use opentelemetry_proto::tonic::collector::profiles::v1development::profiles_service_client::ProfilesServiceClient;
use prost::Message;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use tokio::runtime::Builder;
use tonic::transport::Endpoint;

/// Where collectors take profiles.
const PATH: &str = "/v1development/profiles";
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends it once; a collector that takes only a part is an error. The bytes of a `ProfilesData` are those of a request.
pub(crate) fn push(url: &str) -> Result<ExitCode> {
    let mut request = Vec::new();
    io::stdin().read_to_end(&mut request)?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    runtime.block_on(async {
        match url.split_once("://") {
            Some(("grpc", host)) => by_grpc(host, &request).await,
            Some(("http" | "https", _)) => by_http(url, request).await,
            _ => bail!("{url}: give http://HOST:4318, https://HOST:4318 or grpc://HOST:4317"),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn by_grpc(host: &str, request: &[u8]) -> Result<()> {
    let request = ExportProfilesServiceRequest::decode(request)?;
    let endpoint = Endpoint::from_shared(format!("http://{host}"))
        .with_context(|| format!("grpc://{host}"))?
        .timeout(PATIENCE);
    let channel = endpoint
        .connect()
        .await
        .with_context(|| format!("grpc://{host} cannot be reached"))?;
    let answer = ProfilesServiceClient::new(channel)
        .export(request)
        .await
        .map_err(|status| {
            anyhow::anyhow!(
                "grpc://{host} refuses: {} {}",
                status.code(),
                status.message()
            )
        })?;
    match answer.into_inner().partial_success {
        Some(partial) if partial.rejected_profiles > 0 => bail!(
            "grpc://{host} has refused {} profiles: {}",
            partial.rejected_profiles,
            partial.error_message
        ),
        _ => Ok(()),
    }
}

async fn by_http(url: &str, request: Vec<u8>) -> Result<()> {
    // Whoever else has chosen one has chosen the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = match url.trim_end_matches('/') {
        whole if whole.ends_with(PATH) => whole.to_owned(),
        host => format!("{host}{PATH}"),
    };
    let client = Client::builder().timeout(PATIENCE).build()?;
    let answer = client
        .post(&url)
        .header(CONTENT_TYPE, "application/x-protobuf")
        .body(request)
        .send()
        .await
        .with_context(|| format!("{url} cannot be reached"))?;
    let status = answer.status();
    if !status.is_success() {
        let text = answer.text().await.unwrap_or_default();
        bail!("{url} refuses: {status} {}", text.trim().replace('\n', " "));
    }
    Ok(())
}
