// Expressions: the stack machine of the plan over 64-bit values.
static int pm_less(uint64_t x, uint64_t y, int sx, int sy) {
    int nx = sx && (x >> 63), ny = sy && (y >> 63);
    return nx != ny ? nx : x < y;
}

static uint64_t pm_divide(uint64_t x, uint64_t y, int sx, int sy, int rest) {
    int nx = sx && (x >> 63), ny = sy && (y >> 63), negative;
    uint64_t v;
    if (nx) x = 0 - x;
    if (ny) y = 0 - y;
    if (!y) return 0;
    v = rest ? x % y : x / y;
    negative = rest ? nx : nx != ny;
    return negative ? 0 - v : v;
}

static const pm_row *pm_find_row(const pm_row *rows, uint32_t n, uint64_t key) {
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (rows[mid].hi < key) lo = mid + 1;
        else hi = mid;
    }
    return lo < n && rows[lo].lo <= key ? &rows[lo] : 0;
}

static uint64_t pm_eval(const pm_machine *m, uint32_t operand) {
    const pm_operand *o = &pm_operands[operand];
    uint64_t stack[PM_STACK], x, y;
    const pm_row *row;
    int sp = 0;
    if (o->kind == PM_CONSTANT) return o->value;
    if (o->kind == PM_REGISTER) return m->reg[o->a];
    if (o->kind == PM_LEAF) {
        uint32_t at = m->run + o->a;
        return at < m->tape->n ? pm_extend(m->tape->r[at].code, o->extend == 65 ? 2 : o->extend != 0, o->extend, o->value) : 0;
    }
    for (uint32_t i = o->a; i < o->b; i++) {
        const pm_inst *in = &pm_insts[i];
        switch (in->code) {
        case PM_I_CONST: stack[sp++] = in->imm; continue;
        case PM_I_REGISTER: stack[sp++] = m->reg[in->a]; continue;
        case PM_I_REST: stack[sp++] = m->end > m->bit ? (uint64_t)(m->end - m->bit) / 8 : 0; continue;
        case PM_I_PEEK: stack[sp++] = pm_look(m, (int)in->imm, m->bit, (int)in->a, m->bit, m->end); continue;
        case PM_I_TAIL: stack[sp++] = pm_look(m, (int)in->imm, m->end - (int64_t)in->a, (int)in->a, m->bit, m->end); continue;
        case PM_I_FROM: stack[sp++] = PKTSCOPE_MUTATOR_FROM != 0 && in->a == PKTSCOPE_MUTATOR_FROM; continue;
        case PM_I_HERE: stack[sp++] = (uint64_t)m->bit + ((0 - (uint64_t)m->bit) & (in->a - 1)); continue;
        default: break;
        }
        x = stack[--sp];
        switch (in->code) {
        case PM_I_FLAG: stack[sp++] = (x & in->imm) != 0; continue;
        case PM_I_NEG: stack[sp++] = 0 - x; continue;
        case PM_I_NOT: stack[sp++] = x ^ 1; continue;
        case PM_I_IN: stack[sp++] = pm_find_row(pm_rows + in->a, in->n, in->sx ? x ^ ((uint64_t)1 << 63) : x) != 0; continue;
        case PM_I_TABLE:
            row = pm_find_row(pm_rows + in->a, in->n, in->sx ? x ^ ((uint64_t)1 << 63) : x);
            stack[sp++] = row ? row->value : in->imm;
            continue;
        default: break;
        }
        y = x;
        x = stack[--sp];
        switch (in->code) {
        case PM_I_ADD: x += y; break;
        case PM_I_SUB: x -= y; break;
        case PM_I_MUL: x *= y; break;
        case PM_I_DIV: x = pm_divide(x, y, in->sx, in->sy, 0); break;
        case PM_I_MOD: x = pm_divide(x, y, in->sx, in->sy, 1); break;
        case PM_I_AND: x &= y; break;
        case PM_I_OR: x |= y; break;
        case PM_I_XOR: x ^= y; break;
        case PM_I_SHL: x <<= y & 63; break;
        case PM_I_SHR: x = in->sx && (x >> 63) ? ~(~x >> (y & 63)) : x >> (y & 63); break;
        case PM_I_EQ: x = x == y && (!(x >> 63) || in->sx == in->sy); break;
        case PM_I_LT: x = (uint64_t)pm_less(x, y, in->sx, in->sy); break;
        case PM_I_LE: x = (uint64_t)!pm_less(y, x, in->sy, in->sx); break;
        default: break;
        }
        stack[sp++] = x;
    }
    return stack[0];
}
