//! The library inside the command: gzipped, from the file that `DUCKTRACK_BUNDLED_LIBRARY` names at build time; without it there is none
//! inside.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;

use super::LIBRARY;

/// Empty in a command without a library inside.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.gz"));

/// Whether this command has the library inside.
pub(super) fn is_there() -> bool {
    !PACKED.is_empty()
}

/// Writes the library into a folder. A JVM that has loaded the file that was there keeps it.
pub(super) fn unpack(folder: &Path) -> Result<PathBuf> {
    if !is_there() {
        bail!(
            "this command was built without the library inside; `ducktrack info --library` prints where it is"
        );
    }
    write(PACKED, folder)
}

fn write(packed: &[u8], folder: &Path) -> Result<PathBuf> {
    let cannot_write = || format!("cannot write {LIBRARY} into {}", folder.display());
    let mut library = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut library)
        .context("the library inside this command is damaged")?;
    fs::create_dir_all(folder).with_context(cannot_write)?;
    let path = folder.join(LIBRARY);
    // A new file takes the name at once: no process ever sees half of it.
    let part = folder.join(format!(".{LIBRARY}.{}", std::process::id()));
    let written = write_new(&part, &library).and_then(|()| fs::rename(&part, &path));
    if written.is_err() {
        let _gone = fs::remove_file(&part);
    }
    written.with_context(cannot_write)?;
    path.canonicalize().with_context(cannot_write)
}

/// A file that only its owner may change; never through a link that somebody has put there.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o755)
        .open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn the_library_comes_out_as_it_went_in() {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(b"a library").expect("memory");
        let packed = packer.finish().expect("memory");
        for _ in 0..2 {
            let path = write(&packed, &place.path().join("lib")).expect("a file");
            assert_eq!(fs::read(&path).expect("a file"), b"a library");
        }
        let files = fs::read_dir(place.path().join("lib")).expect("folder");
        assert_eq!(files.count(), 1);
        assert!(write(b"no gzip", place.path()).is_err());
    }
}
