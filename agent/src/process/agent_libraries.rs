//! Finds libraries of other agents in this process: those that have agent entry points.

use std::collections::BTreeSet;
use std::ffi::CString;

/// The entry points of a library that the VM can load as an agent.
const ENTRY_POINTS: [&std::ffi::CStr; 2] = [c"Agent_OnLoad", c"Agent_OnAttach"];

/// The file name of the first foreign agent found, except those of the JDK in `java_home`.
pub(crate) fn foreign(java_home: &str) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let own = own_entry_points();
    mapped_libraries(&maps)
        .into_iter()
        .filter(|path| java_home.is_empty() || !path.starts_with(java_home))
        .find(|path| is_foreign_agent(path, own))
        .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned())
}

/// The files with `.so` in their names, from `/proc/self/maps`.
fn mapped_libraries(maps: &str) -> BTreeSet<&str> {
    maps.lines()
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)))
        .filter(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.ends_with(".so") || name.contains(".so.")
        })
        .collect()
}

fn own_entry_points() -> [usize; 2] {
    [
        crate::Agent_OnLoad as *const () as usize,
        crate::Agent_OnAttach as *const () as usize,
    ]
}

fn is_foreign_agent(path: &str, own: [usize; 2]) -> bool {
    let Ok(path) = CString::new(path) else {
        return false;
    };
    // SAFETY: with RTLD_NOLOAD nothing is loaded and no code of the library runs; the handle is closed below.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return false;
    }
    let found = ENTRY_POINTS.iter().any(|name| {
        // SAFETY: the handle is open, and the name is NUL-terminated.
        let symbol = unsafe { libc::dlsym(handle, name.as_ptr()) } as usize;
        symbol != 0 && !own.contains(&symbol)
    });
    // SAFETY: the handle is from `dlopen` above and not used again; the library stays loaded through its own loader's reference.
    unsafe { libc::dlclose(handle) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_the_list_of_mappings() {
        let maps = "7f00-7f01 r-xp 00000000 08:01 17 /usr/lib/libc.so.6\n\
            7f01-7f02 rw-p 00000000 00:00 0\n\
            7f02-7f03 r-xp 00000000 08:01 18 /opt/a tool/libtool.so\n\
            7f03-7f04 r--s 00000000 08:01 19 /opt/jdk/lib/modules\n";
        let found: Vec<&str> = mapped_libraries(maps).into_iter().collect();
        assert_eq!(found, ["/opt/a tool/libtool.so", "/usr/lib/libc.so.6"]);
    }

    #[test]
    fn libraries_that_are_no_agents_are_not_foreign() {
        assert_eq!(foreign("/no/such/home"), None);
    }
}
