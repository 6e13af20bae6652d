/* Stands for libnuma on a machine of two nodes that have one processor each: so the VM cuts eden in two, wherever the test runs. Memory is left where it is. */
#include <string.h>

struct bitmask {
    unsigned long size;
    unsigned long *maskp;
};

static unsigned long both_nodes = 3, no_node = 0;
static struct bitmask both = {64, &both_nodes}, none = {64, &no_node};

unsigned long numa_all_nodes = 3;
struct bitmask *numa_all_nodes_ptr = &both, *numa_nodes_ptr = &both;

int numa_available(void) { return 0; }
int numa_max_node(void) { return 1; }
int numa_num_configured_nodes(void) { return 2; }
int numa_distance(int from, int to) { return from == to ? 10 : 20; }
struct bitmask *numa_get_membind(void) { return &both; }
struct bitmask *numa_get_run_node_mask(void) { return &both; }
struct bitmask *numa_get_interleave_mask(void) { return &none; }

int numa_bitmask_isbitset(const struct bitmask *mask, unsigned bit) {
    return bit < mask->size && (mask->maskp[bit / 64] >> bit % 64 & 1);
}

int numa_bitmask_equal(const struct bitmask *a, const struct bitmask *b) {
    return a->maskp[0] == b->maskp[0];
}

void numa_tonode_memory(void *start, size_t bytes, int node) { (void)start, (void)bytes, (void)node; }
void numa_interleave_memory(void *start, size_t bytes, void *mask) { (void)start, (void)bytes, (void)mask; }
void numa_set_bind_policy(int strict) { (void)strict; }
void numa_set_preferred(int node) { (void)node; }

long numa_move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags) {
    (void)pid, (void)pages, (void)nodes, (void)flags;
    memset(status, 0, count * sizeof *status);
    return 0;
}

/* The VM asks for both versions of this one. */
int processors_1(int node, unsigned long *words, int bytes) {
    memset(words, 0, (size_t)bytes);
    words[0] = 1UL << node;
    return 0;
}

int processors_2(int node, struct bitmask *mask) {
    memset(mask->maskp, 0, mask->size / 8);
    mask->maskp[0] = 1UL << node;
    return 0;
}

__asm__(".symver processors_1, numa_node_to_cpus@libnuma_1.1");
__asm__(".symver processors_2, numa_node_to_cpus@@libnuma_1.2");
