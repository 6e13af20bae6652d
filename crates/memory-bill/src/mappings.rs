//! The mappings of a process (`/proc/PID/smaps`).
//!
//! ```text
//! f3800000-100000000 rw-p 00000000 00:00 0                [heap]
//! Rss:               10240 kB
//! Pss:               10240 kB
//! Anonymous:         10240 kB
//! ```

/// Addresses, the end not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressRange {
    /// The first.
    pub start: u64,
    /// The first behind it.
    pub end: u64,
}

impl AddressRange {
    /// True if a mapping begins inside of these addresses.
    pub fn has(&self, mapping: &Mapping) -> bool {
        self.has_address(mapping.range.start)
    }

    /// True if the address is inside.
    pub fn has_address(&self, address: u64) -> bool {
        self.start <= address && address < self.end
    }
}

/// A mapping, and how much of it is in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Its addresses.
    pub range: AddressRange,
    /// Its file; empty if it has none.
    pub name: String,
    /// Bytes in memory.
    pub resident: u64,
    /// Bytes in memory, those of pages that others map too in equal shares.
    pub share: u64,
    /// Bytes in memory that belong to no file.
    pub anonymous: u64,
}

impl Mapping {
    /// Bytes that the kernel charges to the process and cannot take back: without a file, or in one that exists in memory alone.
    pub fn charged(&self) -> u64 {
        match self.is_in_memory_alone() {
            true => self.share,
            false => self.anonymous,
        }
    }

    /// Bytes of files in memory.
    pub fn of_file(&self) -> u64 {
        match self.is_in_memory_alone() {
            true => 0,
            false => self.resident.saturating_sub(self.anonymous),
        }
    }

    /// Whether its file has no place on a disk.
    fn is_in_memory_alone(&self) -> bool {
        self.name.starts_with("/memfd:") || self.name.starts_with("/dev/shm/")
    }
}

/// All mappings of the text of `smaps`, in its order.
pub fn mappings(smaps: &str) -> Vec<Mapping> {
    let mut all: Vec<Mapping> = Vec::new();
    for line in smaps.lines() {
        if let Some(mapping) = head(line) {
            all.push(mapping);
        } else if let (Some(mapping), Some((key, bytes))) = (all.last_mut(), field(line)) {
            match key {
                "Rss" => mapping.resident = bytes,
                "Pss" => mapping.share = bytes,
                "Anonymous" => mapping.anonymous = bytes,
                _ => {}
            }
        }
    }
    all
}

fn head(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let address = |text: &str| u64::from_str_radix(text, 16).ok();
    let name: Vec<&str> = words.skip(4).collect();
    Some(Mapping {
        range: AddressRange {
            start: address(start)?,
            end: address(end)?,
        },
        name: name.join(" "),
        ..Mapping::default()
    })
}

fn field(line: &str) -> Option<(&str, u64)> {
    let (key, value) = line.split_once(':')?;
    let value = value.trim().strip_suffix("kB")?;
    Some((key, value.trim().parse::<u64>().ok()? * 1024))
}

/// The stack pointer of a thread that waits (`/proc/PID/task/TID/syscall`); `None` of one that runs.
pub fn stack_pointer(syscall: &str) -> Option<u64> {
    let mut words = syscall.split_ascii_whitespace().rev();
    let pointer = words.nth(1)?.strip_prefix("0x")?;
    u64::from_str_radix(pointer, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
f3800000-f7aa0000 rw-p 00000000 00:00 0 
Size:              68224 kB
Rss:               20000 kB
Pss:               20000 kB
Anonymous:         20000 kB
7f0000000000-7f0000010000 rw-s 00000000 00:01 1024     /memfd:java_heap (deleted)
Rss:                  64 kB
Pss:                  32 kB
Anonymous:             0 kB
7f1000000000-7f1000010000 r-xp 00000000 08:01 99       /lib/libjvm.so
Rss:                  40 kB
Pss:                  20 kB
Anonymous:             4 kB
";

    #[test]
    fn what_cannot_be_taken_back_is_charged() {
        let all = mappings(SMAPS);
        let charged: Vec<u64> = all.iter().map(Mapping::charged).collect();
        assert_eq!(charged, [20_000 * 1024, 32 * 1024, 4 * 1024]);
        let of_files: Vec<u64> = all.iter().map(Mapping::of_file).collect();
        assert_eq!(of_files, [0, 0, 36 * 1024]);
        assert_eq!(all[1].name, "/memfd:java_heap (deleted)");
    }

    #[test]
    fn a_waiting_thread_shows_its_stack() {
        let text =
            "202 0x7f5ec19ff990 0x109 0x10e3 0x0 0x0 0xffffffff 0x7ffc55687a00 0x7f5ec3487f16";
        assert_eq!(stack_pointer(text), Some(0x7ffc_5568_7a00));
        assert_eq!(stack_pointer("running"), None);
    }
}
