//! Links classes in a JVM that verifies everything.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::jdk::Corpus;

/// Links each class of a list without running any of them.
const LINKER: &str = r#"
import java.nio.file.*;
public class Linker {
    public static void main(String[] args) throws Exception {
        int linked = 0, failed = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
                linked++;
            } catch (Throwable t) {
                failed++;
                System.out.println("FAILED " + name + ": " + t);
            }
        }
        System.out.println("linked " + linked + " failed " + failed);
    }
}
"#;

/// Links all classes of `corpus` from the folder `edited`; fails if one of them does not link.
pub(crate) fn link(corpus: &Corpus, edited: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("Linker.java");
    std::fs::write(&source, LINKER)?;
    let javac = Command::new(corpus.home.join("bin/javac"))
        .arg("-d")
        .arg(folder.path())
        .arg(&source)
        .status()?;
    ensure!(javac.success(), "javac failed");
    let names = names(corpus)?;
    let list = folder.path().join("classes");
    std::fs::write(&list, names.join("\n"))?;

    let mut java = Command::new(corpus.home.join("bin/java"));
    java.args([
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationLocal",
        "-XX:+BytecodeVerificationRemote",
    ]);
    java.args(["-Xshare:off", "-XX:-UsePerfData"]);
    for module in &corpus.modules {
        java.arg("--patch-module")
            .arg(format!("{module}={}", edited.join(module).display()));
    }
    let output = java
        .arg("-cp")
        .arg(folder.path())
        .arg("Linker")
        .arg(&list)
        .output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = printed.lines().last().unwrap_or_default();
    let expected = format!("linked {} failed 0", names.len());
    ensure!(
        output.status.success() && last == expected,
        "{}: {}\n{}\n{errors}",
        corpus.name,
        last,
        printed.lines().take(10).collect::<Vec<_>>().join("\n")
    );
    println!("{}: {last}", corpus.name);
    Ok(())
}

/// Names of all classes that can be linked by name.
fn names(corpus: &Corpus) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for path in &corpus.classes {
        let relative = path.strip_prefix(&corpus.root)?.with_extension("");
        let mut parts = relative.iter();
        parts.next().context("a module")?;
        let name: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        if name != ["module-info"] {
            names.push(name.join("."));
        }
    }
    Ok(names)
}
