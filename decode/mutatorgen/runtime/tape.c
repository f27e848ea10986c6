// The tape.
static pm_record *pm_add(pm_machine *m, int type, uint32_t sub, int64_t bit, int64_t width, uint64_t code) {
    pm_tape *t = m->tape;
    pm_record *r;
    if (t->n == PM_RECORDS) {
        m->full = 1;
        t->n--;
    }
    r = &t->r[t->n++];
    memset(r, 0, sizeof *r);
    r->op = m->pc;
    r->sub = sub;
    r->end = t->n;
    r->leaf = PM_NO_LEAF;
    r->width = (uint32_t)width;
    r->type = (uint8_t)type;
    r->bit = bit;
    r->code = code;
    if (bit + width * (type == PM_T_BLOB ? 8 : 1) > m->clip) r->flags = PM_BEHIND;
    return r;
}

// pm_next finds what the tape that is written from has for an op: those of a level ascend.
static pm_record *pm_next(pm_machine *m, uint32_t sub) {
    while (m->cur < m->lim) {
        pm_record *r = &m->in->r[m->cur];
        if (r->op > m->pc || (r->op == m->pc && r->sub > sub)) return 0;
        m->cur = r->end;
        if (r->op == m->pc && r->sub == sub) return r;
    }
    return 0;
}

static void pm_refuse(pm_machine *m, int kind, int64_t bit, int64_t width, uint32_t path) {
    m->kind = kind;
    m->at = pm_min(bit, m->clip);
    m->width = (uint32_t)width;
    m->path = path;
    m->stop = 1;
}

// pm_bitsleft refuses what does not fit.
static int pm_fits(pm_machine *m, int64_t n, uint32_t path) {
    if (n <= m->end - m->bit && (!m->writing || n <= m->room - m->bit)) return 1;
    if (m->writing) m->full = 1;
    pm_refuse(m, PM_K_PAST_END, m->bit, n, path);
    return 0;
}

static uint64_t pm_read(const pm_machine *m, int order, int64_t bit, int n) {
    return pm_load(m->data, pm_min(m->room, m->zero), order, bit, n);
}

// pm_zeros skips or writes n bits that must be zero. `any` says that they may be any.
static void pm_zeros(pm_machine *m, int64_t n, int any, int kind, uint32_t sub) {
    const pm_op *op = &pm_ops[m->pc];
    pm_record *r, *was = m->writing && (any || !(m->repairs & PM_REPAIR_PADDING)) ? pm_next(m, sub) : 0;
    if (n <= 0 || !pm_fits(m, n, op->path)) return;
    r = pm_add(m, PM_T_GAP, sub, m->bit, n, 0);
    r->leaf = PM_NO_LEAF;
    r->n = (uint32_t)any;
    for (int64_t at = 0; at < n; at += 64) {
        int part = (int)pm_min(64, n - at);
        uint64_t code = was && n <= 64 ? was->code & pm_mask(n) : 0;
        if (m->writing) {
            pm_store(m->out, op->order, m->bit + at, part, code);
        } else {
            code = pm_read(m, op->order, m->bit + at, part);
        }
        if (at == 0) r->code = code;
        if (!m->writing && code && !any) {
            int64_t first = m->bit + at;
            if (kind == PM_K_NONZERO_PADDING) {
                while (!pm_read(m, op->order == PM_LSB ? PM_LSB : PM_MSB, first, 1)) first++;
                pm_refuse(m, kind, first, 1, op->path);
            } else {
                pm_refuse(m, kind, m->bit, n, op->path);
            }
            return;
        }
    }
    m->bit += n;
}

static void pm_pad(pm_machine *m, int64_t n, int any) { pm_zeros(m, -m->bit & (n - 1), any, PM_K_NONZERO_PADDING, 0); }

// pm_mark marks the numbers that an operand reads.
static void pm_mark(pm_machine *m, uint32_t operand, uint8_t flag) {
    const pm_operand *o = &pm_operands[operand];
    if (o->kind == PM_REGISTER && m->src[o->a]) m->tape->r[m->src[o->a] - 1].flags |= flag;
    if (o->kind == PM_LEAF && m->run + o->a < m->tape->n) m->tape->r[m->run + o->a].flags |= flag;
    if (o->kind == PM_EXPRESSION)
        for (uint32_t i = o->a; i < o->b; i++)
            if (pm_insts[i].code == PM_I_REGISTER && m->src[pm_insts[i].a]) m->tape->r[m->src[pm_insts[i].a] - 1].flags |= flag;
}

// pm_ask computes an operand. What looks at bits that a writer has not written yet is what it was on the tape.
static uint64_t pm_ask(pm_machine *m, uint32_t operand, uint64_t otherwise) {
    uint64_t v;
    if (!pm_operands[operand].looks) return pm_eval(m, operand);
    if (m->writing) {
        pm_record *was = pm_next(m, 1);
        v = was ? was->code : otherwise;
    } else {
        v = pm_eval(m, operand);
    }
    pm_add(m, PM_T_LOOK, 1, m->bit, 0, v);
    return v;
}
