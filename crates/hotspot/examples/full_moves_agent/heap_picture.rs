//! Every object of the heap at one moment.

use ducktrack_hotspot::{Address, ClassId, ClassTable, ObjectSizes, ObjectWalk, Space, SpaceKind};

/// Words in which the test program's objects may hold an id, from the second on: the first one is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;

/// An object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) address: Address,
    pub(crate) bytes: usize,
    pub(crate) class: ClassId,
    /// 0: none.
    pub(crate) id: u64,
    /// In a region for new objects.
    pub(crate) young: bool,
}

/// All objects, ascending by address.
#[derive(Debug, Default)]
pub(crate) struct HeapPicture {
    pub(crate) objects: Vec<Seen>,
    /// Spaces that could not be read to their ends.
    pub(crate) unread: u64,
}

impl HeapPicture {
    /// Reads the heap. Archives are left out.
    ///
    /// # Safety
    /// The world is stopped; memory below the tops is committed, and headers are whole, apart from marks.
    pub(crate) unsafe fn take(spaces: &[Space], classes: &ClassTable, sizes: &ObjectSizes) -> Self {
        let mut picture = Self::default();
        for space in spaces {
            if space.kind == SpaceKind::Archive {
                continue;
            }
            // SAFETY: passed on to the caller.
            for object in unsafe { ObjectWalk::new(space, classes, sizes) } {
                let Ok(object) = object else {
                    picture.unread += 1;
                    break;
                };
                picture.objects.push(Seen {
                    address: object.address,
                    bytes: object.bytes,
                    class: object.class,
                    // SAFETY: an object of the heap.
                    id: unsafe { id_of(object.address, object.bytes, object.class, classes) },
                    young: space.kind.is_young(),
                });
            }
        }
        picture
            .objects
            .sort_unstable_by_key(|object| object.address);
        picture
    }

    /// The object at an address.
    pub(crate) fn at(&self, address: Address) -> Option<&Seen> {
        let index = self
            .objects
            .binary_search_by_key(&address, |object| object.address);
        self.objects.get(index.ok()?)
    }
}

/// The id in an object of the test program. Others may show the id of an object that was there before: the last bytes of an array are not cleared, nor
/// what a filler covers.
unsafe fn id_of(object: Address, bytes: usize, class: ClassId, classes: &ClassTable) -> u64 {
    let name = classes.class(class).map(|class| class.name.as_slice());
    if !name.is_some_and(|name| name == b"[J" || name.starts_with(b"FullMovesProbe$")) {
        return 0;
    }
    for word in WORDS.take_while(|&word| (word + 1) * 8 <= bytes) {
        // SAFETY: inside the object.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER {
            return value;
        }
    }
    0
}
