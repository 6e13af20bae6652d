//! Reads class files from the user's input: a class file, or a jar with many.

use std::io::{Cursor, Read};

use crate::error::Error;

/// No class file is larger than this in practice; jar entries that claim more are refused unread.
const MOST_CLASS_BYTES: u64 = 64 << 20;

/// The classes of an input, each as the bytes of its class file.
#[derive(Clone, Debug)]
pub struct ClassSource {
    classes: Vec<Vec<u8>>,
}

impl ClassSource {
    /// Reads the bytes of a class file or a jar. Of a multi-release jar, the base version is used.
    ///
    /// # Errors
    /// If it is neither, or the jar is damaged.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        match bytes.get(..4) {
            Some([0xCA, 0xFE, 0xBA, 0xBE]) => Ok(Self {
                classes: vec![bytes],
            }),
            Some(b"PK\x03\x04") => Self::from_jar(name, bytes),
            _ => Err(Error::NotClassOrJar {
                name: name.to_owned(),
            }),
        }
    }

    /// The class files.
    pub fn classes(&self) -> &[Vec<u8>] {
        &self.classes
    }

    fn from_jar(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        let failed = |source| Error::Jar {
            name: name.to_owned(),
            source,
        };
        let mut jar = zip::ZipArchive::new(Cursor::new(bytes)).map_err(failed)?;
        let mut classes = Vec::new();
        for position in 0..jar.len() {
            let mut entry = jar.by_index(position).map_err(failed)?;
            let entry_name = entry.name().map_err(failed)?.into_owned();
            if !entry_name.ends_with(".class") || entry_name.starts_with("META-INF/") {
                continue;
            }
            if entry.size() > MOST_CLASS_BYTES {
                let (name, size) = (name.to_owned(), entry.size());
                return Err(Error::EntryTooLarge {
                    name,
                    entry: entry_name,
                    size,
                });
            }
            let mut class = Vec::new();
            let mut limited = (&mut entry).take(MOST_CLASS_BYTES);
            limited
                .read_to_end(&mut class)
                .map_err(|error| failed(error.into()))?;
            classes.push(class);
        }
        Ok(Self { classes })
    }
}
