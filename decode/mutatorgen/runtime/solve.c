// pm_solve changes one number that is already on the tape so that an operand becomes what is wanted. The next pass over
// the tape writes it. What is computed on the way is computed again.
enum { PM_IS, PM_HOLDS, PM_HAS_ARM, PM_PASSES };
typedef struct {
    uint32_t operand, which;
    int mode;
    uint64_t want;
} pm_goal;

static int pm_reached(const pm_machine *m, const pm_goal *g) {
    uint64_t v = pm_eval(m, g->operand);
    if (g->mode == PM_IS) return v == g->want;
    if (g->mode == PM_HOLDS) return v != 0;
    if (g->mode == PM_PASSES) return !pm_judge(&pm_leaves[g->which], v, 0);
    return pm_find_row(pm_arms + pm_switches[g->which].first, pm_switches[g->which].n, pm_switches[g->which].is_signed ? v ^ ((uint64_t)1 << 63) : v) != 0;
}

typedef struct {
    uint32_t reg[16], base[16], nregs, nbases; // base: a record
    int32_t base_reg[16];
} pm_inputs;

static void pm_input(const pm_machine *m, pm_inputs *in, uint32_t operand) {
    const pm_operand *o = &pm_operands[operand];
    uint32_t from = o->kind == PM_EXPRESSION ? o->a : 0, to = o->kind == PM_EXPRESSION ? o->b : 1;
    if (o->kind == PM_CONSTANT || o->looks) return;
    if (o->kind == PM_LEAF) {
        if (m->run + o->a < m->tape->n && in->nbases < 16) {
            in->base_reg[in->nbases] = -1;
            in->base[in->nbases++] = m->run + o->a;
        }
        return;
    }
    for (uint32_t i = from; i < to; i++) {
        uint32_t reg = o->kind == PM_REGISTER ? o->a : pm_insts[i].a, k;
        if (o->kind == PM_EXPRESSION && pm_insts[i].code != PM_I_REGISTER) continue;
        for (k = 0; k < in->nregs && in->reg[k] != reg; k++) {}
        if (k < in->nregs || in->nregs == 16) continue;
        in->reg[in->nregs++] = reg;
        if (m->let[reg] >= 0) pm_input(m, in, (uint32_t)m->let[reg]);
        else if (m->src[reg] && in->nbases < 16) {
            in->base_reg[in->nbases] = (int32_t)reg;
            in->base[in->nbases++] = m->src[reg] - 1;
        }
    }
}

// pm_try gives a number another value and reports whether the goal is reached; it undoes what does not help.
static int pm_try(pm_machine *m, const pm_inputs *in, uint32_t base, uint64_t v, const pm_goal *g) {
    pm_record *r = &m->tape->r[in->base[base]];
    const pm_leaf *l = &pm_leaves[r->leaf];
    uint64_t code, was = r->code, old[16];
    int ok, width = r->type == PM_T_LEAF ? (int)r->width : 64;
    if (r->type == PM_T_NUMBER && pm_numbers[pm_ops[r->op].b].kind == PM_RANGED) width = 64;
    code = pm_code_of(l, v, width);
    if (code > pm_mask(width) || pm_judge(l, code, width) || pm_extend(code, l->sign, width, l->base) != v) return 0;
    for (uint32_t i = 0; i < in->nregs; i++) old[i] = m->reg[in->reg[i]];
    r->code = code;
    if (in->base_reg[base] >= 0) m->reg[in->base_reg[base]] = v;
    for (uint32_t i = in->nregs; i-- > 0;)
        if (m->let[in->reg[i]] >= 0 && !pm_operands[m->let[in->reg[i]]].looks) m->reg[in->reg[i]] = pm_eval(m, (uint32_t)m->let[in->reg[i]]);
    ok = pm_reached(m, g);
    if (!ok) {
        r->code = was;
        for (uint32_t i = 0; i < in->nregs; i++) m->reg[in->reg[i]] = old[i];
    }
    return ok;
}

// pm_forced reports whether what an operand reads is wrong on purpose.
static int pm_forced(const pm_machine *m, uint32_t operand) {
    pm_inputs in;
    memset(&in, 0, sizeof in);
    pm_input(m, &in, operand);
    for (uint32_t k = 0; k < in.nbases; k++)
        if (m->tape->r[in.base[k]].flags & PM_FORCED) return 1;
    return 0;
}

static int pm_solve(pm_machine *m, uint32_t operand, int mode, uint64_t want, uint32_t which) {
    pm_inputs in;
    pm_goal g;
    if (++m->solved > 64) return 0; // each takes thousands of tries at most
    g.operand = operand;
    g.which = which;
    g.mode = mode;
    g.want = want;
    memset(&in, 0, sizeof in);
    pm_input(m, &in, operand);
    for (uint32_t k = 0; k < in.nbases; k++) {
        pm_record *r = &m->tape->r[in.base[k]];
        uint64_t old, f0 = pm_eval(m, operand), d = want - f0;
        const pm_leaf *l;
        if (r->leaf == PM_NO_LEAF || (r->flags & PM_FORCED)) continue;
        l = &pm_leaves[r->leaf];
        old = pm_extend(r->code, l->sign, (int)r->width, l->base);
        if (mode == PM_IS) {
            for (int step = 0; step < 7; step++) { // slopes of 1, 2, 4 … and their inverses
                uint64_t wide = pm_divide(d, (uint64_t)1 << step, 1, 0, 0);
                if (pm_try(m, &in, k, old + wide, &g) || pm_try(m, &in, k, old + (d << step), &g) || pm_try(m, &in, k, old - wide, &g) ||
                    pm_try(m, &in, k, old + wide + 1, &g) || pm_try(m, &in, k, old + wide - 1, &g))
                    goto done;
            }
            if (pm_try(m, &in, k, want, &g)) goto done;
        }
        if (mode == PM_HAS_ARM)
            for (int i = 0; i < 8; i++) {
                const pm_row *row = &pm_arms[pm_switches[which].first + pm_below(pm_switches[which].n)];
                uint64_t v = pm_switches[which].is_signed ? row->lo ^ ((uint64_t)1 << 63) : row->lo;
                if (pm_try(m, &in, k, v, &g)) goto done;
            }
        for (uint32_t i = pm_operands[operand].kind == PM_EXPRESSION ? pm_operands[operand].a : 0; i < pm_operands[operand].b && pm_operands[operand].kind == PM_EXPRESSION; i++) {
            uint64_t v = pm_insts[i].code == PM_I_CONST ? pm_insts[i].imm : pm_insts[i].code == PM_I_REGISTER ? m->reg[pm_insts[i].a] : 0;
            if (pm_insts[i].code != PM_I_CONST && pm_insts[i].code != PM_I_REGISTER) continue;
            if (pm_try(m, &in, k, v, &g) || pm_try(m, &in, k, v + 1, &g) || pm_try(m, &in, k, v - 1, &g)) goto done;
        }
        for (uint64_t v = 0; v < 300; v++)
            if (pm_try(m, &in, k, v, &g) || (v < 16 && pm_try(m, &in, k, 0 - v, &g))) goto done;
    }
    return 0;
done:
    m->again = 1;
    return 1;
}
