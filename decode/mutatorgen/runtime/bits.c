// The three bit orders. A bit behind `room` is zero.
static uint64_t pm_high(const uint8_t *d, int64_t room, int64_t bit, int n) {
    uint64_t v = 0;
    while (n > 0) {
        int s = (int)(bit & 7), g = n < 8 - s ? n : 8 - s;
        uint64_t b = bit < room ? d[bit >> 3] : 0u;
        v = pm_shl(v, g) | ((b >> (8 - s - g)) & pm_mask(g));
        bit += g;
        n -= g;
    }
    return v;
}

static uint64_t pm_load(const uint8_t *d, int64_t room, int order, int64_t bit, int n) {
    uint64_t v = 0;
    if (order == PM_MSB) return pm_high(d, room, bit, n);
    for (int got = 0; got < n;) {
        int s = (int)(bit & 7), free = 8 - s, g = n - got;
        uint64_t b;
        if (order == PM_LSB) {
            if (g > free) g = free;
            b = bit < room ? ((uint64_t)d[bit >> 3] >> s) & pm_mask(g) : 0;
        } else {
            if (g > 8) g = 8;
            b = g <= free ? pm_high(d, room, bit, g) : pm_high(d, room, bit, free) | pm_high(d, room, bit + free, g - free) << free;
        }
        v |= b << got;
        got += g;
        bit += g;
    }
    return v;
}

static void pm_put(uint8_t *d, int64_t bit, int shift, int n, uint64_t v) {
    uint8_t mask = (uint8_t)(pm_mask(n) << shift);
    d[bit >> 3] = (uint8_t)((d[bit >> 3] & ~mask) | ((v << shift) & mask));
}

static void pm_high_store(uint8_t *d, int64_t bit, int n, uint64_t v) {
    while (n > 0) {
        int s = (int)(bit & 7), g = n < 8 - s ? n : 8 - s;
        pm_put(d, bit, 8 - s - g, g, (v >> (n - g)) & pm_mask(g));
        bit += g;
        n -= g;
    }
}

// pm_store overwrites n bits, which are inside d.
static void pm_store(uint8_t *d, int order, int64_t bit, int n, uint64_t v) {
    if (order == PM_MSB) {
        pm_high_store(d, bit, n, v);
        return;
    }
    while (n > 0) {
        int s = (int)(bit & 7), free = 8 - s, g;
        if (order == PM_LSB) {
            g = n < free ? n : free;
            pm_put(d, bit, s, g, v & pm_mask(g));
        } else {
            g = n < 8 ? n : 8;
            if (g <= free) {
                pm_high_store(d, bit, g, v & pm_mask(g));
            } else {
                pm_high_store(d, bit, free, v & pm_mask(free));
                pm_high_store(d, bit + free, g - free, (v & pm_mask(g)) >> free);
            }
        }
        v = g >= 64 ? 0 : v >> g;
        bit += g;
        n -= g;
    }
}

// pm_look is the n bits at p of which only those from `from` to `to` count.
static uint64_t pm_look(const pm_machine *m, int order, int64_t p, int n, int64_t from, int64_t to) {
    uint64_t v = 0;
    if (to > m->room) to = m->room;
    for (int k = 0; k < n; k++) {
        int64_t i;
        int flip = 7;
        if (order == PM_LSB) {
            i = p + k;
            flip = 0;
        } else if (order == PM_MSB) {
            i = p + n - 1 - k;
        } else {
            int64_t q = p + k / 8 * 8, g = pm_min(8, n - k / 8 * 8), b = k % 8, free = 8 - (q & 7);
            i = g <= free ? q + g - 1 - b : b < free ? q + free - 1 - b : q + free + g - 1 - b;
        }
        if (i >= from && i < to) v |= (uint64_t)((m->data[i >> 3] >> (flip ? 7 - (i & 7) : (i & 7))) & 1) << k;
    }
    return v;
}
