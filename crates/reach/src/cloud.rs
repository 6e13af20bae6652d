//! Object stores: `s3://`, `gs://`, `az://`, with the credentials of the environment (`AWS_*`, `GOOGLE_*`, `AZURE_*`).
//!
//! Files above a limit go up in parts; the store shows none of them before the last,
//! so a process that is killed between parts leaves nothing that a reader sees.

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart};
use tokio::runtime::{Builder, Runtime};

/// A longer file is uploaded in parts of this length, the least that S3 accepts.
const PART: usize = 5 << 20;

pub(crate) struct Cloud {
    root: String,
    prefix: String,
    store: Box<dyn ObjectStore>,
    runtime: Runtime,
}

impl Cloud {
    pub(crate) fn open(root: &str) -> Result<Self> {
        // Whoever else has chosen one has chosen the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            root: root.to_owned(),
            prefix: prefix(root).to_owned(),
            store: store(root)?,
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    pub(crate) fn put(&self, path: &str, bytes: Bytes) -> Result<()> {
        let place = match self.prefix.is_empty() {
            true => Path::from(path),
            false => Path::from(format!("{}/{path}", self.prefix)),
        };
        self.runtime
            .block_on(self.upload(&place, bytes))
            .with_context(|| format!("{}: {place}", self.root))
    }

    async fn upload(&self, path: &Path, bytes: Bytes) -> object_store::Result<()> {
        if bytes.len() <= PART {
            self.store.put(path, PutPayload::from(bytes)).await?;
            return Ok(());
        }
        let upload = self.store.put_multipart(path).await?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART);
        parts.put(bytes);
        parts.finish().await?;
        Ok(())
    }
}

/// The path after the bucket.
fn prefix(root: &str) -> &str {
    let after = root.split_once("://").map_or(root, |(_, after)| after);
    after
        .split_once('/')
        .map_or("", |(_, prefix)| prefix.trim_matches('/'))
}

fn store(root: &str) -> Result<Box<dyn ObjectStore>> {
    let (scheme, _) = root.split_once("://").unwrap_or_default();
    Ok(match scheme {
        "s3" => Box::new(AmazonS3Builder::from_env().with_url(root).build()?),
        "gs" => Box::new(
            GoogleCloudStorageBuilder::from_env()
                .with_url(root)
                .build()?,
        ),
        "az" => Box::new(MicrosoftAzureBuilder::from_env().with_url(root).build()?),
        _ => return Err(anyhow!("give a folder, s3://, gs:// or az://")),
    })
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn prefixes() {
        assert_eq!(prefix("s3://bucket"), "");
        assert_eq!(prefix("s3://bucket/"), "");
        assert_eq!(prefix("s3://bucket/a/b/"), "a/b");
    }
}
