#ifdef PKTSCOPE_MUTATOR_MAIN
#include <stdio.h>
// A program for trying it: packets come on stdin, each behind 4 bytes of length. The first argument is judge, repair or
// mutate; behind it are the number of mutations of each, the most bytes, and what is repaired. A line of its output is
// a packet in hex, what was done to which field, the kind that was aimed at and the bit, and what the protocol says: a
// kind, a bit and a field.
int main(int argc, char **argv) {
    static uint8_t in[1 << 16], out[1 << 16];
    uint8_t head[4];
    size_t last = 0;
    static uint8_t before[1 << 16];
    unsigned long rounds = argc > 2 ? strtoul(argv[2], 0, 10) : 1, most = argc > 3 ? strtoul(argv[3], 0, 10) : sizeof out;
    uint64_t seed = 1;
    if (most > sizeof out) most = sizeof out;
    if (argc > 4) pktscope_mutator_repairs(atoi(argv[4]));
    while (fread(head, 1, 4, stdin) == 4) {
        size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16, n;
        if (size > sizeof in || fread(in, 1, size, stdin) != size) return 3;
        for (unsigned long i = 0; i < (argc > 1 && argv[1][0] == 'm' ? rounds : 1); i++) {
            long bit;
            const char *field, *kind;
            pm_note did;
            memcpy(out, in, size < sizeof out ? size : sizeof out);
            n = size;
            pm_say("-", "", 0, -1);
            if (argc > 1 && argv[1][0] == 'r') {
                pm_state = seed++;
                n = pktscope_mutator_repair(in, size, out, most);
            } else if (argc > 1 && argv[1][0] == 'm') {
                uint8_t *exact = (uint8_t *)malloc(most ? most : 1); // so that a byte too many is seen
                if (!exact) return 3;
                n = size < most ? size : most;
                memcpy(exact, in, n);
                n = pktscope_mutator_mutate(exact, n, most, seed % 3 ? 0 : before, last, seed);
                seed++;
                if (n > most) return 4;
                memcpy(out, exact, n);
                free(exact);
            }
            did = pm_did;
            kind = pktscope_mutator_judge(out, n, &bit, &field);
            for (size_t k = 0; k < n; k++) printf("%02x", out[k]);
            printf("%s\t%s\t%s\t%s\t%ld\t%s\t%ld\t%s\n", n ? "" : "-", did.mutation, did.field, did.kind < 0 ? "any" : did.kind ? pm_kinds[did.kind] : "none", (long)did.bit, kind ? kind : "none", kind ? bit : -1L, field);
        }
        last = size;
        memcpy(before, in, size);
    }
    return 0;
}
#endif
