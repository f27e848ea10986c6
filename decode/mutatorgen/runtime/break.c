// pm_break_written gives a count, a length, a tag or a case a code that is not allowed, and writes the packet with as
// many elements or bytes as it says, or without the arm that there is not. It gives the size, 0 where that is not
// possible.
static size_t pm_break_written(pm_tape **tape, pm_tape **other, uint8_t *out, size_t room, int repairs) {
    pm_tape *t = *tape;
    for (int tries = 0; tries < 24 && t->n; tries++) {
        pm_record *r = &t->r[pm_below(t->n)];
        const pm_leaf *l;
        uint64_t code;
        int tag;
        size_t n;
        pm_note did;
        if (r->type != PM_T_LEAF && r->type != PM_T_NUMBER) continue;
        l = &pm_leaves[r->leaf];
        tag = (r->flags & PM_TAG) || l->kind == PM_CASES;
        if (!(r->flags & PM_SIZES) && !tag) continue;
        code = pm_edge(l, (int)r->width);
        if ((r->flags & PM_SIZES) && pm_below(2)) code = l->span + 1 + pm_below(2);
        if (code > pm_mask(r->width)) continue;
        if (!pm_judge(l, code, (int)r->width) && pm_below(8)) continue;
        r->code = code;
        r->flags |= PM_FORCED;
        pm_say(tag ? "unknown case" : "too many", pm_field(r), -1, -1);
        did = pm_did;
        n = pm_write(tape, other, out, room, repairs);
        pm_did = did;
        return n;
    }
    return 0;
}

// pm_break breaks one rule of one field of a packet that was parsed last, in place; it gives the size.
static size_t pm_break(const pm_tape *t, uint8_t *data, size_t size, size_t room, int repairs) {
    int64_t but = -1;
    size_t now = size;
    const pm_record *r;
    uint64_t how = pm_below(16);
    if (!t->n || !size) return size;
    r = &t->r[pm_below(t->n)];
    if (how == 0) {
        now = (size_t)(r->bit / 8);
        if (now >= size || now == 0) now = size - 1;
        pm_say("truncated", pm_field(r), -1, 8 * (int64_t)now);
    } else if (how == 1) {
        size_t more = (size_t)(1 + pm_below(8));
        if (size + more > room) more = room - size;
        for (size_t i = 0; i < more; i++) data[size + i] = (uint8_t)pm_random();
        now = size + more;
        pm_say("trailing bytes", "", -1, 8 * (int64_t)size);
    } else {
        for (int tries = 0; tries < 16; tries++, r = &t->r[pm_below(t->n)]) {
            int order = pm_ops[r->op].order;
            if ((r->flags & PM_BEHIND) || r->bit + (int64_t)r->width * (r->type == PM_T_BLOB ? 8 : 1) > 8 * (int64_t)size) continue;
            if (r->type == PM_T_LEAF || (r->type == PM_T_NUMBER && pm_numbers[pm_ops[r->op].b].kind <= PM_RANGED)) {
                const pm_leaf *l = &pm_leaves[r->leaf];
                uint64_t code = r->code;
                int kind = 0, sizes = (r->flags & PM_SIZES) && pm_below(2);
                for (int i = 0; i < 24 && !kind; i++) {
                    code = sizes ? r->code + (pm_below(2) ? 1 : ~(uint64_t)0) : pm_edge(l, (int)r->width);
                    if (sizes && i > 2) code = pm_mask(r->width);
                    code &= pm_mask(r->width);
                    kind = pm_judge(l, code, (int)r->width);
                    if (sizes) break;
                }
                if (code == r->code) continue;
                if (!kind && !sizes && pm_below(4)) continue;
                pm_store(data, order, r->bit, (int)r->width, l->swap ? pm_turn(code, (int)r->width) : code);
                pm_say(sizes ? "count or length" : kind ? "value that is not allowed" : "another value", pm_field(r), kind ? kind : -1, r->bit);
            } else if (r->type == PM_T_NUMBER) {
                if (pm_numbers[pm_ops[r->op].b].kind == PM_VARINT && r->width >= 16 && pm_below(2)) {
                    pm_store(data, order, r->bit + r->width - 8, 8, 0);
                    pm_say("overlong", pm_field(r), PM_K_NON_CANONICAL, r->bit);
                } else {
                    if (!r->width) continue;
                    pm_store(data, order, r->bit, (int)pm_min(64, r->width), pm_random() & pm_mask(pm_min(64, r->width)));
                    pm_say("bits", pm_field(r), -1, r->bit);
                }
            } else if (r->type == PM_T_GAP) {
                int64_t bit;
                if (r->n || !r->width) continue;
                bit = r->bit + (int64_t)pm_below(r->width);
                pm_store(data, order == PM_LSB ? PM_LSB : PM_MSB, bit, 1, 1);
                if (pm_ops[r->op].code == PM_RESERVED) pm_say("reserved bit", pm_field(r), PM_K_RESERVED_NONZERO, r->bit);
                else pm_say("padding bit", pm_field(r), PM_K_NONZERO_PADDING, bit);
            } else if (r->type == PM_T_SUM) {
                uint64_t code = r->code ^ ((uint64_t)1 << pm_below(r->width));
                const pm_checksum *c = &pm_checksums[pm_ops[r->op].b];
                pm_store(data, order, r->bit, (int)r->width, c->swap ? pm_turn(code, (int)r->width) : code);
                pm_say("checksum", pm_field(r), PM_K_CRC_MISMATCH, r->bit);
                but = r->bit;
            } else if (r->type == PM_T_FLAG) {
                pm_store(data, order, r->bit, 1, !r->code);
                pm_say("flag", pm_field(r), -1, r->bit);
            } else if (r->type == PM_T_BLOB && r->width) {
                static const uint8_t nasty[] = {0, 0xff, 0x80, 0xc0, 0xed, 0xf5, 0x41, 0x3f};
                int64_t bit = r->bit + 8 * (int64_t)pm_below(r->width);
                pm_store(data, order, bit, 8, pm_below(2) ? nasty[pm_below(sizeof nasty)] : pm_random() & 0xff);
                pm_say("byte", pm_field(r), -1, bit);
            } else {
                continue;
            }
            break;
        }
    }
    if (repairs & PM_REPAIR_SUMS) pm_seal_all(&pm_m, data, (int64_t)now, but);
    return now;
}
