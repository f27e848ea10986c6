// What a number's code means, and which are accepted.
static uint64_t pm_extend(uint64_t code, int sign, int width, uint64_t base) {
    if (sign == 2) return (code >> 1) ^ (0 - (code & 1));
    if (sign == 1 && width > 0) {
        uint64_t v = (code + base) & pm_mask(width), top = (uint64_t)1 << (width - 1);
        return (v ^ top) - top;
    }
    return code + base;
}

static uint64_t pm_code_of(const pm_leaf *l, uint64_t v, int width) {
    if (l->sign == 2) return (v << 1) ^ (0 - (v >> 63));
    if (l->sign == 1 && width > 0 && width < 64 && pm_extend(v & pm_mask(width), 1, width, 0) == v) return v & pm_mask(width);
    return v - l->base;
}

static int pm_has(const pm_range *set, uint32_t n, uint64_t key) {
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (set[mid].hi < key) lo = mid + 1;
        else hi = mid;
    }
    return lo < n && set[lo].lo <= key;
}

static uint64_t pm_key(const pm_leaf *l, uint64_t code, int width) {
    uint64_t v;
    if (l->in_codes) return code;
    v = pm_extend(code, l->sign, width, l->base);
    return l->sign == 1 || l->negative ? v ^ ((uint64_t)1 << 63) : v;
}

// pm_judge is the kind that a code is refused with, 0 of an accepted one.
static int pm_judge(const pm_leaf *l, uint64_t code, int width) {
    int in;
    if (l->kind == PM_SEALED) return 0;
    if (l->kind == PM_CHECK) return code != l->want ? PM_K_CHECK_MISMATCH : 0;
    if (l->kind == PM_RESERVED_BITS) return code && !l->any ? PM_K_RESERVED_NONZERO : 0;
    if (l->kind == PM_CASES && !pm_has(pm_ranges + l->cases, l->ncases, code)) return PM_K_UNKNOWN_CASE;
    if (l->kind == PM_FLAGS && (code & ~l->want)) return PM_K_RESERVED_NONZERO;
    if (code > l->span) return PM_K_OUT_OF_RANGE;
    if (l->rule == PM_NO_RULE) return 0;
    if ((l->rule == PM_FINITE || l->rule == PM_FLOAT_IN) && l->exponent && (code & l->exponent) == l->exponent) return PM_K_NOT_FINITE;
    if (l->rule == PM_FINITE) return 0;
    in = pm_has(pm_ranges + l->set, l->nset, pm_key(l, code, width));
    if (l->rule == PM_IN || l->rule == PM_FLOAT_IN) return in ? 0 : PM_K_OUT_OF_RANGE;
    return in == (l->rule == PM_EQ) ? 0 : PM_K_CONST_MISMATCH;
}

// pm_edge is a code at an end of what is accepted, or next to one, or any.
static uint64_t pm_edge(const pm_leaf *l, int width) {
    uint64_t code, delta = pm_below(3) - 1;
    if (l->ncases && pm_below(2)) {
        const pm_range *r = &pm_ranges[l->cases + pm_below(l->ncases)];
        code = pm_below(2) ? r->lo : r->hi;
    } else if (l->nset && pm_below(4)) {
        const pm_range *r = &pm_ranges[l->set + pm_below(l->nset)];
        uint64_t v = pm_below(2) ? r->lo : r->hi;
        if (r->hi - r->lo > 1 && !pm_below(3)) v = r->lo + pm_below(r->hi - r->lo);
        if (l->in_codes) code = v;
        else code = pm_code_of(l, l->sign == 1 || l->negative ? v ^ ((uint64_t)1 << 63) : v, width);
    } else {
        switch (pm_below(6)) {
        case 0: code = 0; break;
        case 1: code = l->span; break;
        case 2: code = pm_mask(width); break;
        case 3: code = (uint64_t)1 << pm_below((uint64_t)(width > 0 ? width : 1)); break;
        case 4: code = l->want; break;
        default: code = pm_random(); break;
        }
    }
    if (pm_below(2)) code += delta;
    return code & pm_mask(width);
}

// pm_accepted is a code that is accepted: the given one if it is, else one like it.
static uint64_t pm_accepted(const pm_leaf *l, uint64_t code, int width) {
    code &= pm_mask(width);
    if (!pm_judge(l, code, width)) return code;
    if (l->kind == PM_CHECK) return l->want & pm_mask(width);
    if (l->kind == PM_FLAGS && !pm_judge(l, code & l->want, width)) return code & l->want;
    if (l->kind == PM_CASES && l->ncases) {
        const pm_range *r = &pm_ranges[l->cases + pm_below(l->ncases)];
        uint64_t c = r->lo + pm_below(r->hi - r->lo + 1);
        if (c <= pm_mask(width) && !pm_judge(l, c, width)) return c;
    }
    if (l->span != ~(uint64_t)0 && !pm_judge(l, code % (l->span + 1), width)) return code % (l->span + 1);
    for (int i = 0; i < 64; i++) {
        uint64_t c = pm_edge(l, width);
        if (!pm_judge(l, c, width)) return c;
    }
    for (uint64_t c = 0; c < 64; c++)
        if (c <= pm_mask(width) && !pm_judge(l, c, width)) return c;
    return code;
}

static uint64_t pm_made(const pm_machine *m, const pm_leaf *l, int width) {
    uint64_t code;
    if (m->frugal || pm_below(4)) code = m->frugal ? 0 : pm_below(4);
    else code = pm_edge(l, width);
    return pm_accepted(l, code, width);
}
