// The other steps.
static void pm_run_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    int64_t start = m->bit;
    uint32_t run = m->tape->n;
    for (uint32_t i = 0; i < op->b; i++) {
        const pm_leaf *l = &pm_leaves[op->a + i];
        pm_record *r;
        uint64_t code;
        int kind = 0, forced = 0;
        m->bit = start + l->off;
        if (!pm_fits(m, l->width, l->path)) return;
        if (m->writing) {
            pm_record *was = pm_next(m, i);
            code = was ? was->code : pm_made(m, l, l->width);
            forced = was ? was->flags & PM_FORCED : 0;
            if (!was || ((m->repairs & PM_REPAIR_VALUES) && !forced)) code = pm_accepted(l, code, l->width);
            code &= pm_mask(l->width);
            pm_store(m->out, op->order, m->bit, l->width, l->swap ? pm_turn(code, l->width) : code);
        } else {
            code = pm_read(m, op->order, m->bit, l->width);
            if (l->swap) code = pm_turn(code, l->width);
            kind = pm_judge(l, code, l->width);
        }
        r = pm_add(m, PM_T_LEAF, i, m->bit, l->width, code);
        r->leaf = op->a + i;
        r->flags |= (uint8_t)forced;
        if (kind) {
            pm_refuse(m, kind, m->bit, l->width, l->path);
            return;
        }
    }
    m->run = run;
    m->bit = start + op->c;
}

static float pm_part_of(uint64_t code, int n) {
    const float most = 1.0f / 1.414214f, delta = 2.0f * most;
    volatile float t = (float)(uint32_t)code / (float)(uint32_t)pm_mask(n);
    t = t * delta;
    return t - most;
}

static void pm_unit_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_record *r = &m->tape->r[m->run + op->b + 1];
    volatile float left = 1.0f;
    for (int i = 0; i < 3; i++) {
        volatile float v = pm_part_of(r[i].code, (int)op->c);
        v = v * v;
        left = left - v;
    }
    if (left >= 0) return;
    if (m->writing) {
        for (int i = 0; i < 3 && (m->repairs & PM_REPAIR_VALUES); i++) {
            r[i].code = pm_mask(op->c) / 2;
            pm_store(m->out, op->order, r[i].bit, (int)r[i].width, pm_leaves[r[i].leaf].swap ? pm_turn(r[i].code, (int)r[i].width) : r[i].code);
        }
        return;
    }
    pm_refuse(m, PM_K_NON_UNIT, m->bit - (2 + 3 * (int64_t)op->c), 2 + 3 * (int64_t)op->c, op->path);
}

static void pm_window_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_window *w = &m->window[op->b];
    uint64_t size;
    if (!(op->flags & PM_FLAG_PACKED)) pm_pad(m, 8, 0);
    if (m->stop) return;
    pm_mark(m, op->a, PM_SIZES);
    size = pm_ask(m, op->a, 0);
    if (pm_operands[op->a].is_signed && size >> 63 && !m->writing) {
        pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
        return;
    }
    if (!m->writing && size > (uint64_t)(m->end - m->bit) / op->c) {
        pm_refuse(m, PM_K_PAST_END, m->bit, 0, op->path);
        return;
    }
    w->end = m->end;
    w->zero = m->zero;
    w->start = m->bit;
    w->run = m->run;
    w->seal = m->seals;
    w->size = size < (uint64_t)1 << 40 ? (int64_t)(size * op->c) : -1;
    m->windows = op->b + 1;
    if (m->writing) {
        if (pm_operands[op->a].kind == PM_CONSTANT && w->size >= 0) m->end = pm_min(m->end, m->bit + w->size);
        else m->end = PM_FAR;
        return;
    }
    m->end = m->bit + w->size;
    if (w->size < (int64_t)op->imm) { // all behind its end is zeros
        m->zero = m->clip = m->end;
        m->end = m->bit + (int64_t)op->imm;
    }
}

static void pm_close_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_window *w = &m->window[op->b];
    int64_t left = pm_min(m->end, m->clip) - m->bit;
    if (m->writing) {
        uint32_t open = m->pc, run = m->run;
        int64_t body = m->bit - w->start, unit;
        int short_of_zeros = 0;
        while (!(pm_ops[open].code == PM_WINDOW && pm_ops[open].b == op->b)) open--;
        unit = pm_ops[open].c;
        left = -body & (unit - 1);
        if (pm_ops[open].imm && w->size >= 0 && w->size < body + left && !(w->size & 7) && !(w->start & 7)) { // zeros may be left out
            int64_t at = (w->start + w->size) / 8;
            while (at < (m->bit + 7) / 8 && !m->out[at]) at++;
            short_of_zeros = at == (m->bit + 7) / 8;
        }
        if (short_of_zeros) {
            m->bit = w->start + w->size;
            left = 0;
        } else if (w->size >= body && (pm_operands[pm_ops[open].a].kind == PM_CONSTANT || w->size - body < 8)) {
            left = w->size - body;
        } else if (body + left != w->size && !pm_operands[pm_ops[open].a].looks && (m->repairs & PM_REPAIR_COUNTS)) {
            int64_t bit = m->bit;
            m->run = (uint32_t)w->run;
            m->bit = w->start;
            pm_solve(m, pm_ops[open].a, PM_IS, (uint64_t)((body + left) / unit), 0);
            m->run = run;
            m->bit = bit;
        }
        m->end = w->end;
        pm_zeros(m, left, 0, PM_K_NONZERO_PADDING, 0);
        for (uint32_t i = w->seal; i < m->seals; i++)
            if (m->seal[i].to == -2) m->seal[i].to = m->bit / 8;
        m->windows = op->b;
        return;
    }
    if (left >= 8) {
        pm_refuse(m, PM_K_TRAILING_BYTES, m->bit, left, op->path);
        return;
    }
    if (left > 0) pm_zeros(m, left, 0, PM_K_NONZERO_PADDING, 0);
    if (m->stop) return;
    m->bit = pm_min(m->end, m->clip);
    m->end = w->end;
    m->zero = w->zero;
    m->clip = PM_FAR;
    m->windows = op->b;
}

static void pm_array_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    uint64_t n;
    pm_loop *l;
    pm_mark(m, op->c, PM_SIZES);
    n = pm_ask(m, op->c, m->frugal ? 0 : pm_below(3));
    if (!m->writing && n > op->imm) {
        pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
        return;
    }
    l = pm_enter(m);
    if (m->writing && (m->repairs & PM_REPAIR_COUNTS)) {
        uint64_t aim = n, there = 0;
        for (uint32_t i = l->cur; l->have && i < l->lim; i = m->in->r[i].end) there += m->in->r[i].type == PM_T_ELEMENT;
        if (l->aim != ~(uint32_t)0) aim = l->aim;
        else if (n > op->imm || n > there + 8) aim = there;
        if (aim > op->imm) aim = op->imm;
        if (pm_forced(m, op->c)) aim = n;
        if (aim != n && pm_solve(m, op->c, PM_IS, aim, 0)) n = aim;
    }
    if (n > op->imm && !(m->writing && pm_forced(m, op->c))) {
        pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
        return;
    }
    if (n == 0) {
        pm_leave(m, l);
        return;
    }
    l->left = n - 1;
    pm_element(m, l, 0);
    m->pc++;
}

static void pm_slot_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_loop *l = &m->loop[pm_ops[op->a].a];
    pm_close_element(m, l);
    for (; l->left > 0; l->left--) {
        uint64_t slot = pm_ops[l->op].imm - l->left, flag;
        pm_record *r;
        if (!pm_fits(m, 1, op->path)) return;
        if (m->writing) {
            if (pm_child(m, l)) flag = m->in->r[l->cur].code <= slot;
            else flag = !l->have && !m->frugal && !pm_below(4);
            pm_store(m->out, op->order, m->bit, 1, flag);
        } else {
            flag = pm_read(m, op->order, m->bit, 1);
        }
        r = pm_add(m, PM_T_FLAG, 1, m->bit, 1, flag);
        r->leaf = op->b;
        m->bit++;
        if (!flag) continue;
        pm_element(m, l, slot);
        l->left--;
        m->pc++;
        return;
    }
    pm_leave(m, l);
}

static void pm_more_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_loop *l = &m->loop[pm_ops[op->a].a];
    int on = 1;
    if (op->c == PM_MORE_REST) on = m->writing && m->end >= PM_FAR ? pm_goes_on(m, l) : m->end - m->bit >= (int64_t)op->imm;
    if (op->c == PM_MORE_WHILE) on = m->writing && pm_operands[op->b].looks ? pm_goes_on(m, l) : pm_eval(m, op->b) != 0;
    if (!on) {
        pm_leave(m, l);
        return;
    }
    if (l->left == 0) {
        pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, pm_ops[l->op].path);
        return;
    }
    l->left--;
    pm_element(m, l, 0);
    m->pc++;
}

static void pm_switch_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    const pm_switch *s = &pm_switches[op->b];
    uint64_t tag = 0;
    const pm_row *row;
    if (s->n) {
        tag = pm_arms[s->first + pm_below(s->n)].lo;
        if (s->is_signed) tag ^= (uint64_t)1 << 63;
    }
    pm_mark(m, op->a, PM_TAG);
    tag = pm_ask(m, op->a, tag);
    row = pm_find_row(pm_arms + s->first, s->n, s->is_signed ? tag ^ ((uint64_t)1 << 63) : tag);
    if (!row && m->writing && pm_forced(m, op->a)) { // without a body
        m->pc = s->behind;
        return;
    }
    if (!row && m->writing && (m->repairs & PM_REPAIR_VALUES) && pm_solve(m, op->a, PM_HAS_ARM, 0, op->b)) {
        tag = pm_eval(m, op->a);
        row = pm_find_row(pm_arms + s->first, s->n, s->is_signed ? tag ^ ((uint64_t)1 << 63) : tag);
    }
    if (!row) {
        int64_t bit = m->bit;
        uint32_t width = s->look;
        if (s->tail) bit = m->end - (int64_t)s->look > bit ? m->end - (int64_t)s->look : bit;
        uint32_t at = s->reg >= 0 ? m->src[s->reg] : 0; // the record of the tag, and 1
        if (pm_operands[op->a].kind == PM_LEAF) at = m->run + pm_operands[op->a].a + 1;
        if (at) {
            bit = m->tape->r[at - 1].bit;
            width = m->tape->r[at - 1].width;
        }
        pm_refuse(m, PM_K_UNKNOWN_CASE, bit, width, op->path);
        return;
    }
    m->pc = (uint32_t)row->value;
}
