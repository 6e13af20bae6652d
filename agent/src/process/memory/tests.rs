use super::*;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 8).expect("layout")
}

/// Fills the block, and checks all of its bytes.
fn fill(block: *mut u8, size: usize, byte: u8) {
    // SAFETY: the test's own block of this size.
    unsafe { block.write_bytes(byte, size) };
}

fn all_are(block: *const u8, size: usize, byte: u8) -> bool {
    // SAFETY: the test's own block of this size, which `fill` has written.
    let bytes = unsafe { std::slice::from_raw_parts(block, size) };
    bytes.iter().all(|found| *found == byte)
}

#[test]
fn what_one_thread_frees_another_one_takes() {
    let memory = Box::new(Memory::new());
    let size = 2 * MAPPED + 1;
    for round in 0..100 {
        // SAFETY: the size is not 0.
        let block = unsafe { memory.alloc(layout(size)) };
        fill(block, size, round);
        let address = block.expose_provenance();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let block = with_exposed_provenance_mut(address);
                assert!(all_are(block, size, round));
                // SAFETY: a block of this layout, which is no longer used.
                unsafe { memory.dealloc(block, layout(size)) };
            });
        });
    }
    assert_eq!(memory.in_use(), (0, 0));
}

#[test]
fn blocks_grow_and_shrink_through_all_sizes() {
    let memory = Box::new(Memory::new());
    let sizes = [
        100,
        MAPPED - 1,
        MAPPED,
        MAPPED + 1,
        3 * MAPPED,
        2 << 20,
        3 << 20,
        MAPPED + 2,
        9_000,
        70,
    ];
    let mut size = 10;
    // SAFETY: the size is not 0.
    let mut block = unsafe { memory.alloc_zeroed(layout(size)) };
    // SAFETY: the size, `MAPPED`, is not 0.
    let neighbour = unsafe { memory.alloc_zeroed(layout(MAPPED)) };
    for after in sizes {
        fill(block, size, 7);
        // SAFETY: a block of this layout.
        block = unsafe { memory.realloc(block, layout(size), after) };
        assert!(all_are(block, size.min(after), 7), "{size} to {after}");
        size = after;
    }
    assert!(all_are(neighbour, MAPPED, 0));
    // SAFETY: both are blocks of these layouts.
    unsafe {
        memory.dealloc(block, layout(size));
        memory.dealloc(neighbour, layout(MAPPED));
    }
    assert_eq!(memory.in_use(), (0, 0));
}

#[test]
fn used_memory_is_zeroed() {
    let memory = Box::new(Memory::new());
    for _ in 0..2 {
        // SAFETY: the size is not 0.
        let block = unsafe { memory.alloc_zeroed(layout(200_000)) };
        assert!(all_are(block, 200_000, 0));
        fill(block, 200_000, 1);
        // SAFETY: a block of this layout.
        unsafe { memory.dealloc(block, layout(200_000)) };
    }
}
