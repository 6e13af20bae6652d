//! Class metadata by class of loader, from `VM.classloader_stats`.
//!
//! ```text
//! ClassLoader         Parent              CLD*               Classes   ChunkSz   BlockSz  Type
//! 0x0000000800052d60  0x0000000000000000  0x00007f67542316f0       1      6144      2952  java.net.URLClassLoader
//! 0x0000000000000000  0x0000000000000000  0x00007fe57c21aed0     648   4628480   4463440  <boot class loader>
//!                                                                  1      2048      1240   + hidden classes
//! ```

/// Bytes of a word: HotSpot 17 prints sizes in words.
const WORD: u64 = 8;

/// The loaders of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadersOfClass {
    /// Their class; of the VM's own `<boot class loader>`.
    pub class: String,
    /// How many there are.
    pub loaders: u64,
    /// Classes that they have defined, hidden ones included.
    pub classes: u64,
    /// Bytes of class metadata that they have.
    pub bytes: u64,
}

/// The classes of loaders, those with most bytes first. `used`: bytes of all class metadata, which tells bytes from words.
pub fn loaders_by_class(classloader_stats: &str, used: u64) -> Vec<LoadersOfClass> {
    let mut all: Vec<LoadersOfClass> = Vec::new();
    let mut last = None;
    for line in classloader_stats.lines() {
        let Some((row, is_loader)) = row(line) else {
            continue;
        };
        let found = match is_loader {
            true => all.iter().position(|known| known.class == row.class),
            false => last,
        };
        let at = found.unwrap_or(all.len());
        match all.get_mut(at) {
            Some(known) => {
                known.loaders += row.loaders;
                known.classes += row.classes;
                known.bytes += row.bytes;
            }
            None => all.push(row),
        }
        last = Some(at);
    }
    let unit = unit(all.iter().map(|row| row.bytes).sum(), used);
    for row in &mut all {
        row.bytes *= unit;
    }
    all.sort_by_key(|row| core::cmp::Reverse(row.bytes));
    all
}

/// A line of a loader, or of the hidden classes of the loader above it.
fn row(line: &str) -> Option<(LoadersOfClass, bool)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_loader = words.first()?.starts_with("0x");
    let figures = words.get(if is_loader { 3 } else { 0 }..)?;
    let [classes, _, blocks, class @ ..] = figures else {
        return None;
    };
    let is_hidden = class.first() == Some(&"+");
    let row = LoadersOfClass {
        class: class.join(" "),
        loaders: u64::from(is_loader),
        classes: classes.parse().ok()?,
        bytes: blocks.parse().ok()?,
    };
    (is_loader || is_hidden).then_some((row, is_loader))
}

/// Blocks are what is used, but for what changed between two answers: the unit that comes nearer to it.
fn unit(sum: u64, used: u64) -> u64 {
    let off = |unit: u64| (sum * unit).abs_diff(used);
    if off(WORD) < off(1) { WORD } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: &str = "4711:
ClassLoader         Parent              CLD*               Classes   ChunkSz   BlockSz  Type
0x0000000800052d60  0x0000000000000000  0x00007f67542316f0       1      6144      2952  java.net.URLClassLoader
0x0000000000000000  0x0000000000000000  0x00007fe57c21aed0     648   4628480   4463440  <boot class loader>
                                                                 1      2048      1240   + hidden classes
0x0000000800052d60  0x0000000000000000  0x00007f675423c1e0       2      6144      2952  java.net.URLClassLoader
Total = 3                                                      652   4642816   4469584  
ChunkSz: Total size of all allocated metaspace chunks";

    fn loaders(class: &str, loaders: u64, classes: u64, bytes: u64) -> LoadersOfClass {
        let class = class.to_owned();
        LoadersOfClass {
            class,
            loaders,
            classes,
            bytes,
        }
    }

    #[test]
    fn loaders_of_one_class_are_one_row() {
        let expected = [
            loaders("<boot class loader>", 1, 649, 4_464_680),
            loaders("java.net.URLClassLoader", 2, 3, 5_904),
        ];
        assert_eq!(loaders_by_class(BYTES, 4_470_584), expected);
    }

    #[test]
    fn words_are_bytes_where_the_sum_says_so() {
        let all = loaders_by_class(BYTES, 35_764_672);
        assert_eq!(all[1].bytes, 5_904 * WORD);
        assert_eq!(loaders_by_class("", 1), []);
    }
}
