//! The control group of a process: what it is charged, and its limit.
//!
//! | | version 2 | version 1 |
//! |---|---|---|
//! | charge | `memory.current` | `memory.usage_in_bytes` |
//! | limit | `memory.max` (`max`: none) | `memory.limit_in_bytes` (from 2^62 on: none) |
//! | files | `file` less `shmem` of `memory.stat` | `total_cache` less `total_shmem` |
//! | kernel | `kernel` (older: `kernel_stack`, `pagetables`, `percpu`, `sock`, `slab`) | `memory.kmem.usage_in_bytes` |

/// Which files a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupVersion {
    /// Each controller has a tree of its own.
    One,
    /// One tree.
    Two,
}

/// The memory of a group, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// What its processes are charged.
    pub charged: u64,
    /// What they may be charged; `None`: nothing stops them.
    pub limit: Option<u64>,
    /// Files in memory, which the kernel takes back.
    pub files: u64,
    /// Memory of the kernel.
    pub kernel: u64,
}

/// The group of a process, from `/proc/PID/cgroup`: its version, and its path below the root of the controller.
pub fn group_path(cgroup: &str) -> Option<(GroupVersion, &str)> {
    let lines = || cgroup.lines().filter_map(parts);
    let of_memory =
        lines().find(|(controllers, _)| controllers.split(',').any(|name| name == "memory"));
    let one = of_memory.map(|(_, path)| (GroupVersion::One, path));
    one.or_else(|| {
        let whole = lines().find(|(controllers, _)| controllers.is_empty());
        whole.map(|(_, path)| (GroupVersion::Two, path))
    })
}

fn parts(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(':')?;
    rest.split_once(':')
}

impl Group {
    /// The group whose files `read` reads; `None`: it has no figures of memory.
    pub fn read(version: GroupVersion, read: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        let stat = read("memory.stat")?;
        let of = |key: &str| figure(&stat, key).unwrap_or(0);
        Some(match version {
            GroupVersion::Two => Self {
                charged: number("memory.current")?,
                limit: number("memory.max"),
                files: of("file").saturating_sub(of("shmem")),
                kernel: figure(&stat, "kernel").unwrap_or_else(|| {
                    let parts = ["kernel_stack", "pagetables", "percpu", "sock", "slab"];
                    parts.iter().map(|key| of(key)).sum()
                }),
            },
            GroupVersion::One => Self {
                charged: number("memory.usage_in_bytes")?,
                limit: number("memory.limit_in_bytes").filter(|limit| *limit < 1 << 62),
                files: of("total_cache").saturating_sub(of("total_shmem")),
                kernel: number("memory.kmem.usage_in_bytes").unwrap_or(0),
            },
        })
    }

    /// What the kernel cannot take back before it kills.
    pub fn held(&self) -> u64 {
        self.charged.saturating_sub(self.files)
    }
}

fn figure(stat: &str, key: &str) -> Option<u64> {
    let mut lines = stat.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(name, _)| *name == key)?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_have_the_same_figures() {
        let one = |name: &str| {
            Some(match name {
                "memory.usage_in_bytes" => "5000\n".to_owned(),
                "memory.limit_in_bytes" => "9223372036854771712\n".to_owned(),
                "memory.kmem.usage_in_bytes" => "200\n".to_owned(),
                "memory.stat" => "cache 1\ntotal_cache 1500\ntotal_shmem 500\n".to_owned(),
                _ => return None,
            })
        };
        let two = |name: &str| {
            Some(match name {
                "memory.current" => "5000\n".to_owned(),
                "memory.max" => "max\n".to_owned(),
                "memory.stat" => "anon 3\nfile 1500\nkernel 200\nshmem 500\n".to_owned(),
                _ => return None,
            })
        };
        let expected = Group {
            charged: 5000,
            limit: None,
            files: 1000,
            kernel: 200,
        };
        assert_eq!(Group::read(GroupVersion::One, one), Some(expected));
        assert_eq!(Group::read(GroupVersion::Two, two), Some(expected));
    }

    #[test]
    fn the_controller_of_memory_comes_first() {
        let mixed = "4:memory:/pods/a\n1:cpu:/\n0::/\n";
        assert_eq!(group_path(mixed), Some((GroupVersion::One, "/pods/a")));
        assert_eq!(group_path("0::/b\n"), Some((GroupVersion::Two, "/b")));
    }
}
