// Numbers whose width is found on the way.
static uint64_t pm_take(pm_machine *m, int n, uint64_t code) { // reads n bits, or writes those of code
    const pm_op *op = &pm_ops[m->pc];
    if (m->stop || !pm_fits(m, n, op->path)) return 0;
    if (m->writing) pm_store(m->out, op->order, m->bit, n, code & pm_mask(n));
    else code = pm_read(m, op->order, m->bit, n);
    m->bit += n;
    return code & pm_mask(n);
}

typedef struct { uint64_t lo, hi; } pm_rung;
static const pm_rung pm_relative[6] = {{1, 1}, {2, 6}, {7, 23}, {24, 280}, {281, 4377}, {4378, 69914}};
static const pm_rung pm_index[6] = {{1, 1}, {2, 5}, {6, 13}, {14, 29}, {30, 61}, {62, 125}};

// pm_climb reads or writes a step; -1 on the last rung.
static int64_t pm_climb(pm_machine *m, const pm_rung *rung, uint64_t step, int *kind) {
    for (int i = 0; i < 6 && !m->stop; i++) {
        uint64_t here = m->writing && rung[i].lo <= step && step <= rung[i].hi, code;
        if (!pm_take(m, 1, here)) continue;
        if (m->stop) return 0;
        code = pm_take(m, pm_bits(rung[i].hi - rung[i].lo), step - rung[i].lo);
        if (code > rung[i].hi - rung[i].lo) *kind = PM_K_OUT_OF_RANGE;
        return (int64_t)(code + rung[i].lo);
    }
    return -1;
}

static void pm_number_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    const pm_number *x = &pm_numbers[op->b];
    const pm_leaf *l = &pm_leaves[op->a];
    pm_record *r, *was = m->writing ? pm_next(m, 2) : 0;
    int64_t start = m->bit, step;
    uint64_t code = was ? was->code : 0, low = 0, previous = 0, v;
    int kind = 0, width, forced = was ? was->flags & PM_FORCED : 0;
    int fix = m->writing && (!was || ((m->repairs & PM_REPAIR_VALUES) && !forced)), ended = 0;
    pm_loop *list = m->loops ? &m->loop[m->loops - 1] : 0;
    switch (x->kind) {
    case PM_SIZED:
        v = pm_ask(m, x->operand, 8);
        if (v > 64) {
            pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
            return;
        }
        if (m->writing && !was) code = pm_made(m, l, (int)v);
        if (fix) code = pm_accepted(l, code, (int)v);
        code = pm_take(m, (int)v, code);
        break;
    case PM_RANGED:
        v = pm_ask(m, x->operand, x->lo);
        if (x->is_signed ? pm_less(v, x->lo, 1, 1) : v < x->lo) {
            if (m->writing && (m->repairs & PM_REPAIR_COUNTS)) pm_solve(m, x->operand, PM_IS, x->lo + pm_below(4), 0);
            v = m->writing ? pm_eval(m, x->operand) : v;
            if (x->is_signed ? pm_less(v, x->lo, 1, 1) : v < x->lo) {
                pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
                return;
            }
        }
        v -= x->lo;
        if (m->writing && !was) code = pm_made(m, l, pm_bits(v));
        if (fix) {
            if (code > v) code = v == ~(uint64_t)0 ? code : code % (v + 1);
            code = pm_accepted(l, code, pm_bits(v));
        }
        code = pm_take(m, pm_bits(v), code);
        if (code > v) kind = PM_K_OUT_OF_RANGE;
        break;
    case PM_VARINT: {
        int over = 0, overlong = 0, most = (x->bits + 6) / 7;
        if (m->writing && !was) code = pm_made(m, l, x->bits);
        if (fix) code = pm_accepted(l, code, x->bits);
        v = code & pm_mask(x->bits);
        code = 0;
        for (int g = 0; !m->stop; g++) {
            uint64_t b = pm_take(m, 8, (v & 0x7f) | (v >> 7 ? 0x80 : 0)), part = b & 0x7f;
            v >>= 7;
            if (m->stop) return;
            over |= pm_bits(part) + 7 * g > x->bits;
            if (g < 9 || part <= 1) code |= part << (7 * g);
            else code = ~(uint64_t)0;
            if (b < 0x80) {
                overlong = b == 0 && g > 0;
                break;
            }
            if (g == most - 1) {
                over = 1;
                break;
            }
        }
        kind = overlong ? PM_K_NON_CANONICAL : over ? PM_K_OUT_OF_RANGE : 0;
        break;
    }
    case PM_BELOW: {
        uint64_t limit = pm_ask(m, x->operand, 1), got = 0;
        if (m->writing && !was) code = pm_made(m, l, 32);
        if (fix) code = pm_accepted(l, code >= limit && limit ? code % limit : code, 32);
        for (int i = 0; got + ((uint64_t)1 << i) < limit && i < 40 && !m->stop; i++) got |= pm_take(m, 1, code >> i & 1) << i;
        if (m->stop) return;
        code = got;
        break;
    }
    case PM_LADDER: {
        previous = pm_ask(m, x->operand, 0);
        if (fix && (code <= previous || code > 0x7fffffff)) code = previous + 1 + (m->frugal ? 0 : pm_below(8));
        if (fix && pm_judge(l, code, 64)) {
            v = pm_accepted(l, code, 31);
            if (v > previous) code = v;
        }
        step = pm_climb(m, pm_relative, code - previous, &kind);
        if (m->stop) return;
        if (step < 0) code = pm_take(m, 32, code);
        else code = previous + (uint64_t)step;
        if (m->stop) return;
        if (step >= 0 && code < previous) kind = PM_K_OUT_OF_RANGE;
        else if (kind) {
        } else if (code > 0x7fffffff) kind = PM_K_OUT_OF_RANGE;
        else if (code <= previous) kind = PM_K_NOT_INCREASING;
        break;
    }
    default: // an index of a subset
        previous = m->reg[x->previous];
        if (m->writing) {
            int last = x->ends && list && !pm_goes_on(m, list) && list->n > 0 && !was;
            low = previous + 1;
            if (!was) code = last || m->frugal ? (x->ends ? x->most : low) : low + pm_below(2);
            if (fix && (code > x->most || (int64_t)code <= (int64_t)previous)) code = low;
            if (fix && code > x->most) code = x->most;
        }
        if (x->kind == PM_INDEX) {
            code = pm_take(m, x->bits, code);
        } else {
            step = pm_climb(m, pm_index, code - previous, &kind);
            if (m->stop) return;
            if (step >= 0) {
                code = previous + (uint64_t)step;
            } else if (x->most + 1 < 126) {
                kind = PM_K_OUT_OF_RANGE;
            } else {
                v = x->most + 1 - 126;
                code = pm_take(m, pm_bits(v), code - previous - 126);
                if (code > v) kind = PM_K_OUT_OF_RANGE;
                code += 126 + previous;
            }
        }
        if (m->stop) return;
        ended = x->ends && code == x->most;
        if (kind) {
        } else if (code > x->most || (x->any && x->ends && !ended && list && list->n > x->most)) kind = PM_K_OUT_OF_RANGE;
        else if ((int64_t)code <= (int64_t)previous) kind = PM_K_NOT_INCREASING;
        if (!kind && !x->any) m->reg[x->previous] = code;
        break;
    }
    if (m->stop) return;
    width = (int)(m->bit - start);
    if (x->kind < PM_INDEX) {
        if (!kind) kind = pm_judge(l, code, width);
        else if (kind == PM_K_OUT_OF_RANGE && l->kind == PM_CASES) kind = PM_K_UNKNOWN_CASE;
        else if (kind == PM_K_OUT_OF_RANGE && l->kind == PM_FLAGS && (code & ~l->want)) kind = PM_K_RESERVED_NONZERO;
    }
    if (kind && !forced) {
        m->bit = start;
        pm_refuse(m, kind, start, width, op->path);
        return;
    }
    r = pm_add(m, PM_T_NUMBER, 2, start, width, code);
    r->leaf = op->a;
    r->flags |= (uint8_t)forced;
    if (x->reg >= 0) {
        m->reg[x->reg] = pm_extend(code, l->sign, width, l->base);
        m->src[x->reg] = m->tape->n;
        m->let[x->reg] = -1;
    }
    if (ended && list) {
        list->n--;
        pm_leave(m, list);
        m->pc--; // the loop of pm_run goes on behind
    }
}
