//! Calls methods of edited classes in a JVM.

use std::path::Path;

use anyhow::Result;
use ducktrack_tests::{Jdk, printed_by};

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

/// The driver's output for `calls` of the classes in `folder`.
pub(crate) fn run(jdk: &Jdk, folder: &Path, calls: &[String]) -> Result<Vec<String>> {
    let source = folder.join("Driver.java");
    std::fs::write(&source, DRIVER)?;
    printed_by(jdk.tool("javac").arg("-d").arg(folder).arg(&source));
    let list = folder.join("calls");
    std::fs::write(&list, calls.join("\n"))?;
    let printed = printed_by(jdk.java(folder).arg("Driver").arg(&list));
    Ok(printed.lines().map(str::to_owned).collect())
}
