// Lists.
static void pm_close_element(pm_machine *m, pm_loop *l) {
    if (l->element) m->tape->r[l->element - 1].end = m->tape->n;
    l->element = 0;
}

static int pm_child(pm_machine *m, pm_loop *l) { // is there another element on the tape that is written from?
    while (l->cur < l->lim && m->in->r[l->cur].type != PM_T_ELEMENT) l->cur = m->in->r[l->cur].end;
    return l->cur < l->lim;
}

static pm_loop *pm_enter(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    pm_loop *l = &m->loop[op->a];
    pm_record *was = m->writing ? pm_next(m, 2) : 0;
    memset(l, 0, sizeof *l);
    l->op = m->pc;
    l->left = op->imm;
    l->outer_cur = m->cur;
    l->outer_lim = m->lim;
    l->aim = ~(uint32_t)0;
    if (was) {
        l->have = 1;
        l->cur = (uint32_t)(was - m->in->r) + 1;
        l->lim = was->end;
        if (was->flags & PM_WANT) l->aim = was->n;
    }
    pm_add(m, PM_T_LIST, 2, m->bit, 0, 0);
    l->rec = m->tape->n - 1;
    if (l->aim != ~(uint32_t)0) m->tape->r[l->rec].flags |= PM_WANT;
    m->loops = op->a + 1;
    return l;
}

static void pm_leave(pm_machine *m, pm_loop *l) {
    pm_record *r = &m->tape->r[l->rec];
    pm_close_element(m, l);
    r->end = m->tape->n;
    r->n = (uint32_t)l->n;
    r->width = (uint32_t)(m->bit - r->bit);
    m->cur = l->outer_cur;
    m->lim = l->outer_lim;
    m->loops = pm_ops[l->op].a;
    m->pc = pm_ops[l->op].b;
}

static void pm_element(pm_machine *m, pm_loop *l, uint64_t slot) {
    uint32_t pc = m->pc;
    pm_close_element(m, l);
    m->cur = m->lim = 0;
    if (m->writing && pm_child(m, l)) {
        m->cur = l->cur + 1;
        m->lim = l->cur = m->in->r[l->cur].end;
    }
    m->pc = l->op;
    pm_add(m, PM_T_ELEMENT, 3, m->bit, 0, slot);
    m->pc = pc;
    l->element = m->tape->n;
    l->n++;
}

// pm_goes_on says whether a writer adds another element to a list that finds its end on the way.
static int pm_goes_on(pm_machine *m, pm_loop *l) {
    if (l->aim != ~(uint32_t)0) return l->n < l->aim;
    if (l->have) return pm_child(m, l);
    return l->n == 0 ? !m->frugal || pm_below(2) : !m->frugal && l->n < 4 && pm_below(2);
}
