// Checksums.
static uint64_t pm_crc_tables[PM_SUMS][256];
static uint8_t pm_crc_made[PM_SUMS];

typedef struct {
    uint64_t a, b;
    int odd;
    uint8_t last;
} pm_adder;

static void pm_sum_byte(const pm_checksum *c, uint32_t which, pm_adder *s, uint8_t b) {
    uint64_t mask = pm_mask(c->width);
    switch (c->sum) {
    case PM_SUM_CRC:
        if (!pm_crc_made[which]) {
            uint64_t poly = pm_reverse(c->poly, c->width);
            for (uint32_t i = 0; i < 256; i++) {
                uint64_t v = c->ref_in ? i : (uint64_t)i << (c->width - 8);
                for (int k = 0; k < 8; k++) v = c->ref_in ? (v >> 1) ^ (poly & (0 - (v & 1))) : (v << 1) ^ (c->poly & (0 - ((v >> (c->width - 1)) & 1)));
                pm_crc_tables[which][i] = v & mask;
            }
            pm_crc_made[which] = 1;
        }
        if (c->ref_in) s->a = pm_crc_tables[which][(uint8_t)s->a ^ b] ^ (s->a >> 8);
        else s->a = (pm_crc_tables[which][(uint8_t)(s->a >> (c->width - 8)) ^ b] ^ (s->a << 8)) & mask;
        break;
    case PM_SUM_BYTES: s->a += b; break;
    case PM_SUM_XOR: s->a ^= b; break;
    case PM_SUM_FLETCHER:
        s->a = (s->a + b) % c->poly;
        s->b = (s->b + s->a) % c->poly;
        break;
    default:
        if (!s->odd) {
            s->odd = 1;
            s->last = b;
            break;
        }
        s->odd = 0;
        if (c->sum == PM_SUM_INTERNET) {
            s->a += (uint64_t)s->last << 8 | b;
        } else {
            s->a = (s->a + s->last + ((uint64_t)b << 8)) % 0xffff;
            s->b = (s->b + s->a) % 0xffff;
        }
    }
}

static uint64_t pm_sum(const pm_seal *s, const uint8_t *data, int64_t size) {
    const pm_checksum *c = &pm_checksums[s->sum];
    int64_t to = s->to >= 0 && s->to < size ? s->to : size, from = s->from < to ? s->from : to, own = s->bit / 8, wide = c->width / 8;
    int zero = own >= from && own + wide <= to;
    pm_adder a;
    a.a = c->sum == PM_SUM_CRC && c->ref_in ? pm_reverse(c->init, c->width) : c->init;
    a.b = 0;
    a.odd = 0;
    a.last = 0;
    for (uint32_t i = 0; i < c->prefixes + c->suffixes; i++) {
        const pm_part *p = &pm_parts[c->part + i];
        if (i == c->prefixes)
            for (int64_t k = from; k < to; k++) pm_sum_byte(c, s->sum, &a, zero && k >= own && k < own + wide ? 0 : data[k]);
        for (int k = 0; k < p->size; k++) pm_sum_byte(c, s->sum, &a, (uint8_t)(s->value[i] >> (8 * (p->big ? p->size - 1 - k : k))));
    }
    if (!c->suffixes)
        for (int64_t k = from; k < to; k++) pm_sum_byte(c, s->sum, &a, zero && k >= own && k < own + wide ? 0 : data[k]);
    if ((c->sum == PM_SUM_INTERNET || c->sum == PM_SUM_FLETCHER32) && a.odd) pm_sum_byte(c, s->sum, &a, 0);
    switch (c->sum) {
    case PM_SUM_CRC:
        if (c->ref_in != c->ref_out) a.a = pm_reverse(a.a, c->width);
        a.a ^= c->final;
        break;
    case PM_SUM_BYTES: a.a = (c->ref_in ? 0 - a.a : a.a) & pm_mask(c->width); break; // ref_in: negated
    case PM_SUM_FLETCHER:
    case PM_SUM_FLETCHER32: a.a |= a.b << (c->width / 2); break;
    case PM_SUM_INTERNET:
        while (a.a > 0xffff) a.a = (a.a >> 16) + (a.a & 0xffff);
        a.a = ~a.a & 0xffff;
        break;
    default: break;
    }
    return a.a ^ c->x;
}

static void pm_seal_here(pm_machine *m, uint32_t sum) {
    const pm_checksum *c = &pm_checksums[sum];
    pm_seal *s = &m->seal[m->seals];
    memset(s, 0, sizeof *s);
    s->sum = sum;
    s->bit = m->bit;
    s->to = m->bit / 8;
    if (c->from >= 0) s->from = (int64_t)m->reg[c->from] / 8;
    else if (c->own) s->from = (m->bit + c->width) / 8;
    if (c->to >= 0) s->to = (int64_t)m->reg[c->to] / 8;
    else if (c->around) s->to = !c->windowed ? -1 : m->writing ? -2 : m->end / 8;
    for (uint32_t i = 0; i < c->prefixes + c->suffixes; i++) {
        const pm_part *p = &pm_parts[c->part + i];
        s->value[i] = p->reg >= 0 ? m->reg[p->reg] : p->value;
    }
}

// pm_seal_all writes the checksums of a packet, those first that others cover.
static void pm_seal_all(pm_machine *m, uint8_t *data, int64_t size, int64_t but) {
    uint8_t done[PM_SEALS];
    memset(done, 0, sizeof done);
    for (uint32_t n = 0; n < m->seals; n++) {
        uint32_t best = PM_SEALS;
        int64_t due = 0;
        for (uint32_t i = 0; i < m->seals; i++) {
            const pm_seal *s = &m->seal[i];
            int64_t end = (s->bit + pm_checksums[s->sum].width) / 8, d = s->to < 0 ? PM_FAR : s->to > end ? s->to : end;
            if (!done[i] && (best == PM_SEALS || d < due || (d == due && s->bit > m->seal[best].bit))) best = i, due = d;
        }
        done[best] = 1;
        if (m->seal[best].bit != but && (m->seal[best].bit + pm_checksums[m->seal[best].sum].width) / 8 <= size) {
            const pm_checksum *c = &pm_checksums[m->seal[best].sum];
            uint64_t v = pm_sum(&m->seal[best], data, size);
            pm_store(data, pm_sum_orders[m->seal[best].sum], m->seal[best].bit, c->width, c->swap ? pm_turn(v, c->width) : v);
        }
    }
}

static void pm_checksum_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    const pm_checksum *c = &pm_checksums[op->b];
    uint64_t stored = 0;
    if (m->end - m->bit < c->width || (m->writing && m->room - m->bit < c->width)) {
        pm_fits(m, c->width, pm_leaves[op->a].path);
        return;
    }
    if (m->seals == PM_SEALS) {
        m->full = m->stop = 1;
        return;
    }
    pm_seal_here(m, op->b);
    m->seals++;
    if (m->writing) {
        pm_record *was = pm_next(m, 2);
        if (was) stored = was->code;
        pm_store(m->out, op->order, m->bit, c->width, c->swap ? pm_turn(stored, c->width) : stored);
    } else {
        stored = pm_read(m, op->order, m->bit, c->width);
        if (c->swap) stored = pm_turn(stored, c->width);
        if (stored != pm_sum(&m->seal[m->seals - 1], m->data, m->room / 8)) {
            pm_refuse(m, PM_K_CRC_MISMATCH, m->bit, c->width, pm_leaves[op->a].path);
            return;
        }
    }
    pm_add(m, PM_T_SUM, 2, m->bit, c->width, stored)->leaf = op->a;
    m->bit += c->width;
}
