//! Calls methods of edited classes in a JVM.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Per line of a file (class, argument): calls `m`, prints the result and the counters.
const DRIVER: &str = r#"
import java.lang.reflect.*;
import java.nio.file.*;
public class Driver {
    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] call = line.split(" ");
            String result;
            StringBuilder counters = new StringBuilder();
            try {
                Class<?> type = Class.forName(call[0]);
                for (Field field : type.getFields()) field.setInt(null, 0);
                try {
                    result = String.valueOf(type.getMethod("m", int.class).invoke(null, Integer.parseInt(call[1])));
                } catch (InvocationTargetException e) {
                    result = e.getCause().getClass().getSimpleName();
                }
                for (Field field : type.getFields()) counters.append(' ').append(field.getName()).append('=').append(field.getInt(null));
            } catch (Throwable t) {
                result = t.toString().replace('\n', ' ');
            }
            System.out.println(line + " -> " + result + counters);
        }
    }
}
"#;

/// Homes of JDKs with a compiler, each once.
pub(crate) fn homes() -> Result<Vec<PathBuf>> {
    let named: Vec<PathBuf> = match std::env::var("DUCKTRACK_JDKS") {
        Ok(list) => list
            .split(':')
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .collect(),
        Err(_) => match std::fs::read_dir("/usr/lib/jvm") {
            Ok(entries) => entries
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<_>>()?,
            Err(_) => Vec::new(),
        },
    };
    let named = named
        .into_iter()
        .filter_map(|home| home.canonicalize().ok());
    let mut homes: Vec<PathBuf> = named
        .filter(|home| home.join("bin/javac").is_file())
        .collect();
    homes.sort();
    homes.dedup();
    Ok(homes)
}

/// The driver's output for `calls` of the classes in `folder`.
pub(crate) fn run(home: &Path, folder: &Path, calls: &[String]) -> Result<Vec<String>> {
    let source = folder.join("Driver.java");
    std::fs::write(&source, DRIVER)?;
    let javac = Command::new(home.join("bin/javac"))
        .arg("-d")
        .arg(folder)
        .arg(&source)
        .status()?;
    ensure!(javac.success(), "javac failed");
    let list = folder.join("calls");
    std::fs::write(&list, calls.join("\n"))?;
    let output = Command::new(home.join("bin/java"))
        .arg("-cp")
        .arg(folder)
        .arg("Driver")
        .arg(&list)
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {errors}", home.display());
    let printed = String::from_utf8(output.stdout).context("the driver prints text")?;
    Ok(printed.lines().map(str::to_owned).collect())
}
