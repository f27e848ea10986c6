static int pm_repairs = PM_REPAIR_ALL;

// pktscope_mutator_repairs says what is repaired from now on: PM_REPAIR_VALUES + PM_REPAIR_COUNTS + PM_REPAIR_SUMS +
// PM_REPAIR_PADDING are all, which is how it begins. What is broken on purpose is never repaired.
PM_API void pktscope_mutator_repairs(int repairs);
PM_API void pktscope_mutator_repairs(int repairs) { pm_repairs = repairs & PM_REPAIR_ALL; }

// pktscope_mutator_judge gives the word for which the protocol refuses a packet, 0 where it accepts it; *bit is where.
PM_API const char *pktscope_mutator_judge(const uint8_t *data, size_t size, long *bit, const char **field);
PM_API const char *pktscope_mutator_judge(const uint8_t *data, size_t size, long *bit, const char **field) {
    int kind;
    pm_pooled = 0;
    kind = pm_parse(data, size, &pm_tapes[0]);
    *bit = (long)pm_m.at;
    *field = pm_path(pm_m.path);
    return kind < 0 ? "too-large" : kind ? pm_kinds[kind] : 0;
}

// pktscope_mutator_repair makes a packet of any bytes: it keeps what it can of them, and everything else follows from
// that. It gives the size, 0 where there is no packet in room bytes.
PM_API size_t pktscope_mutator_repair(const uint8_t *data, size_t size, uint8_t *out, size_t room);
PM_API size_t pktscope_mutator_repair(const uint8_t *data, size_t size, uint8_t *out, size_t room) {
    pm_tape *t = &pm_tapes[0], *other = &pm_tapes[1];
    pm_pooled = 0;
    pm_say("repaired", "", 0, -1);
    if (size > PM_PACKET) size = PM_PACKET;
    if (room > PM_PACKET) room = PM_PACKET;
    if (pm_parse(data, size, t) < 0) return 0;
    return pm_write(&t, &other, out, room, pm_repairs);
}

static size_t pm_havoc(uint8_t *data, size_t size, size_t room) {
    pm_say("havoc", "", -1, -1);
    if (!size) {
        if (!room) return 0;
        data[0] = (uint8_t)pm_random();
        return 1;
    }
    for (uint64_t n = 1 + pm_below(4); n > 0; n--) {
        size_t at = (size_t)pm_below(size);
        switch (pm_below(5)) {
        case 0: data[at] ^= (uint8_t)(1u << pm_below(8)); break;
        case 1: data[at] = (uint8_t)pm_random(); break;
        case 2: data[at] = (uint8_t)(data[at] + pm_below(3) - 1); break;
        case 3:
            if (size < room) data[size++] = (uint8_t)pm_random();
            break;
        default:
            if (size > 1) size--;
        }
    }
    return size;
}

// pktscope_mutator_mutate mutates a packet in place, in at most room bytes, and gives its size. The same arguments give
// the same packet. Some calls break nothing, most break one rule. more is another packet, or 0.
PM_API size_t pktscope_mutator_mutate(uint8_t *data, size_t size, size_t room, const uint8_t *more, size_t more_size, uint64_t seed);
PM_API size_t pktscope_mutator_mutate(uint8_t *data, size_t size, size_t room, const uint8_t *more, size_t more_size, uint64_t seed) {
    pm_tape *b = 0, *made = &pm_tapes[3], *spare = &pm_tapes[1];
    uint8_t *out = pm_buffers[0];
    size_t limit = room < PM_PACKET ? room : (size_t)PM_PACKET, n = 0;
    uint32_t pooled;
    pm_state = seed * 0x9e3779b97f4a7c15u + 1;
    pm_pooled = 0;
    if (size > room) size = room;
    if (!room) return 0;
    if (size > PM_PACKET || !pm_below(24)) return pm_havoc(data, size, room);
    if (more && more_size <= PM_PACKET && pm_parse(more, more_size, &pm_tapes[2]) >= 0) b = &pm_tapes[2];
    pooled = pm_pooled;
    for (int attempt = 0; attempt < 4; attempt++) { // a change can make a packet that is too large, or that is refused: the last is none
        pm_tape *t = &pm_tapes[0], *other = &pm_tapes[1];
        int changes = attempt == 3 ? 0 : (int)pm_below(4);
        pm_pooled = pooled;
        if (pm_parse(data, size, t) < 0) return pm_havoc(data, size, room);
        if (b && !changes && attempt < 3) changes = 1;
        pm_say("repaired", "", 0, -1);
        for (int i = 0; i < changes; i++) {
            for (int tries = 0; tries < 8; tries++)
                if (pm_change(&t, &other, b)) break;
        }
        n = pm_write(&t, &other, out, limit, pm_repairs);
        if (n && (pm_parse(out, n, made) == 0 || pm_repairs != PM_REPAIR_ALL)) break;
    }
    if (!n || pm_m.full) return pm_havoc(data, size, room);
    if (pm_below(4)) {
        pm_note did = pm_did;
        size_t forced = pm_below(3) ? 0 : pm_break_written(&made, &spare, pm_buffers[1], limit, pm_repairs);
        if (forced) {
            memcpy(data, pm_buffers[1], forced);
            return forced;
        }
        if (made != &pm_tapes[3] || pm_m.writing) pm_parse(out, n, &pm_tapes[3]); // what was tried has used the machine
        pm_did = did;
        n = pm_break(&pm_tapes[3], out, n, limit, pm_repairs);
    }
    if (!n) return pm_havoc(data, size, room);
    memcpy(data, out, n);
    return n;
}

#ifndef PKTSCOPE_MUTATOR_JUDGE_ONLY // for a target that asks what the protocol says, under a fuzzer with its own mutations
// libFuzzer: link this file with your target. Its own mutations have their share, half of them repaired.
PM_API size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
PM_API size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    if (PM_LIBFUZZER && seed % 4 == 0) {
        size_t n = LLVMFuzzerMutate(data, size, max_size), fixed;
        pm_state = seed;
        if (seed % 8 || !(fixed = pktscope_mutator_repair(data, n, pm_buffers[0], max_size))) return n;
        memcpy(data, pm_buffers[0], fixed);
        return fixed;
    }
    return pktscope_mutator_mutate(data, size, max_size, 0, 0, seed);
}

PM_API size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out, size_t max_out, unsigned int seed);
PM_API size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out, size_t max_out, unsigned int seed) {
    if (size1 > max_out) size1 = max_out;
    if (size1) memcpy(out, data1, size1);
    return pktscope_mutator_mutate(out, size1, max_out, data2, size2, seed);
}

// AFL++: build this file as a shared library and name it in AFL_CUSTOM_MUTATOR_LIBRARY.
static uint8_t pm_afl_out[PM_PACKET + 8];
static uint64_t pm_afl_seed;

PM_API void *afl_custom_init(void *afl, unsigned int seed);
PM_API void *afl_custom_init(void *afl, unsigned int seed) {
    (void)afl;
    pm_afl_seed = seed;
    return pm_afl_out;
}

PM_API size_t afl_custom_fuzz(void *state, uint8_t *buf, size_t size, uint8_t **out, uint8_t *more, size_t more_size, size_t max_size);
PM_API size_t afl_custom_fuzz(void *state, uint8_t *buf, size_t size, uint8_t **out, uint8_t *more, size_t more_size, size_t max_size) {
    (void)state;
    if (max_size > sizeof pm_afl_out) max_size = sizeof pm_afl_out;
    if (size > max_size) size = max_size;
    if (size) memcpy(pm_afl_out, buf, size);
    *out = pm_afl_out;
    pm_afl_seed++;
    return pktscope_mutator_mutate(pm_afl_out, size, max_size, pm_afl_seed % 4 ? 0 : more, more_size, pm_afl_seed);
}

PM_API void afl_custom_deinit(void *state);
PM_API void afl_custom_deinit(void *state) { (void)state; }
#endif
