//! `ducktrack snapshot PID|DIR --dump`: a heap dump of a traced JVM, by the JVM itself.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::attach::listener::{Listener, Request};
use crate::attach::loaded_library;
use crate::jvm_process::JvmProcess;
use crate::output::write as write_out;
use crate::owned_socket::NO_LINK;
use crate::records::load_records;
use crate::target::folder;

/// Only the owner may read a dump: it holds the program's data.
const PRIVATE: u32 = 0o600;

/// Writes a dump of the traced process, or of that which writes the recording in a directory.
pub(crate) fn write(target: &str, output: Option<PathBuf>) -> Result<ExitCode> {
    let ended = "the next run leaves a dump with `ducktrack run --mode trace --dump`";
    let pid = process(target, ended)?;
    let jvm = JvmProcess::find(pid)?;
    if loaded_library(&jvm).is_none() {
        bail!("process {pid} has no agent: its dump could not be joined with a trace");
    }
    let output = output.unwrap_or_else(|| PathBuf::from(format!("heap-{pid}.hprof")));
    let output = std::path::absolute(&output).context("the working directory cannot be told")?;
    if output.exists() {
        bail!("{} exists: name another file with -o", output.display());
    }
    jvm.become_its_user()?;
    let folder = folder(target)?;
    collect_beside(&jvm, &folder)?;
    take(&jvm, &output)?;
    collect_beside(&jvm, &folder)?;
    announce(&output, target)?;
    Ok(ExitCode::SUCCESS)
}

/// A cycle of ZGC; nothing elsewhere. Before a dump, because HotSpot 17 makes none for it; after it, because what was made between the two
/// is known only then.
pub(crate) fn collect_beside(jvm: &JvmProcess, folder: &Path) -> Result<()> {
    let run = load_records(folder)?.finish().run;
    if run.collector == "ZGC" {
        Listener::reach(jvm)?.ask(&Request::Diagnostic("GC.run"))?;
    }
    Ok(())
}

/// The JVM dumps its heap into a file that does not exist yet (an absolute path). We must be its user.
pub(crate) fn take(jvm: &JvmProcess, output: &Path) -> Result<()> {
    let folder = output.parent().unwrap_or(Path::new("/"));
    if jvm.sees_other(folder) {
        dump_elsewhere(jvm, output)?;
    } else {
        ask(jvm, output)?;
    }
    fs::set_permissions(output, Permissions::from_mode(PRIVATE))
        .with_context(|| output.display().to_string())
}

/// The process with this number, or the one that writes the recording in this directory. `ended` is what to do if it has ended.
pub(crate) fn process(target: &str, ended: &str) -> Result<u32> {
    match target.parse() {
        Ok(pid) if !Path::new(target).is_dir() => Ok(pid),
        _ => {
            let pid = load_records(Path::new(target))?.finish().run.pid;
            if !Path::new("/proc").join(pid.to_string()).exists() {
                bail!("{target}: process {pid} has ended; {ended}");
            }
            Ok(pid)
        }
    }
}

/// The JVM writes the file.
fn ask(jvm: &JvmProcess, file: &Path) -> Result<()> {
    let file = file
        .to_str()
        .context("the file's path is not UTF-8: the JVM cannot be told")?;
    let reply = Listener::reach(jvm)?.ask(&Request::Dump { file })?;
    if reply.code != 0 || !jvm.inside(Path::new(file)).exists() {
        bail!("the JVM did not write the dump: {}", reply.reason(jvm));
    }
    Ok(())
}

/// The JVM does not see our directory: it writes into its own /tmp, and the file is fetched.
fn dump_elsewhere(jvm: &JvmProcess, output: &Path) -> Result<()> {
    let name = format!("/tmp/.ducktrack-heap-{}.hprof", std::process::id());
    let theirs = Path::new(&name);
    ask(jvm, theirs)?;
    let here = jvm.inside(theirs);
    let fetch = || -> io::Result<u64> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(PRIVATE);
        io::copy(
            &mut OpenOptions::new()
                .read(true)
                .custom_flags(NO_LINK)
                .open(&here)?,
            &mut options.open(output)?,
        )
    };
    let fetched = fetch().with_context(|| format!("cannot write {}", output.display()));
    fs::remove_file(&here).with_context(|| format!("cannot remove {name} of the JVM"))?;
    fetched.map(|_| ())
}

fn announce(output: &Path, target: &str) -> Result<()> {
    let bytes = fs::metadata(output)?.len();
    let output = output.display();
    let trace = match Path::new(target).is_dir() {
        true => target,
        false => "DIR",
    };
    let text = format!(
        "{output}: {bytes} bytes, all live objects after a full collection\n\
         next: ducktrack holders {trace} --dump {output}, ducktrack leaks {trace} --dump {output}\n"
    );
    write_out(&text, None)
}
