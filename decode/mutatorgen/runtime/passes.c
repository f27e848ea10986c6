// pm_run reads or writes a packet along the plan.
static void pm_run(pm_machine *m) {
    while (!m->stop) {
        const pm_op *op = &pm_ops[m->pc];
        uint64_t v;
        if (m->full || (m->writing && ++m->steps > PM_STEPS)) {
            m->full = 1;
            break;
        }
        switch (op->code) {
        case PM_END: {
            int64_t left = m->end - m->bit;
            if (!m->writing && left >= 8) pm_refuse(m, PM_K_TRAILING_BYTES, m->bit, left, PM_NO_PATH);
            m->stop = 1;
            break;
        }
        case PM_RUN: pm_run_step(m); break;
        case PM_SAVE: {
            const pm_record *r = &m->tape->r[m->run + op->b];
            m->reg[op->a] = pm_extend(r->code, op->c == 65 ? 2 : op->c != 0, (int)op->c, op->imm);
            m->src[op->a] = m->run + op->b + 1;
            m->let[op->a] = -1;
            break;
        }
        case PM_CRC: pm_checksum_step(m); break;
        case PM_ALIGN: pm_pad(m, op->a, op->flags & PM_FLAG_ANY); break;
        case PM_RESERVED: pm_zeros(m, op->a, op->flags & PM_FLAG_ANY, PM_K_RESERVED_NONZERO, 0); break;
        case PM_NUMBER: pm_number_step(m); break;
        case PM_UNIT: pm_unit_step(m); break;
        case PM_BLOB: pm_blob_step(m); break;
        case PM_WINDOW: pm_window_step(m); break;
        case PM_CLOSE: pm_close_step(m); break;
        case PM_ARRAY: pm_array_step(m); continue;
        case PM_REPEAT: pm_enter(m); break;
        case PM_MORE: pm_more_step(m); continue;
        case PM_SLOT: pm_slot_step(m); continue;
        case PM_UNTIL: {
            pm_loop *l = &m->loop[pm_ops[op->a].a];
            if (pm_ask(m, op->b, (uint64_t)!pm_child(m, l))) {
                pm_leave(m, l);
                continue;
            }
            break;
        }
        case PM_NEXT: {
            pm_loop *l = &m->loop[pm_ops[op->a].a];
            pm_close_element(m, l);
            if (pm_ops[op->a].code == PM_ARRAY) {
                if (l->left == 0) {
                    pm_leave(m, l);
                    continue;
                }
                l->left--;
                pm_element(m, l, 0);
            }
            m->pc = op->a;
            break;
        }
        case PM_IF:
            if (!pm_ask(m, op->a, m->frugal ? 0 : pm_below(2))) {
                m->pc = op->b;
                continue;
            }
            break;
        case PM_JUMP: m->pc = op->a; continue;
        case PM_SWITCH: pm_switch_step(m); continue;
        case PM_LET:
            v = op->flags & PM_FLAG_JUDGED ? pm_made(m, &pm_leaves[op->c], 64) : 0;
            v = pm_ask(m, op->b, v);
            if (op->flags & PM_FLAG_JUDGED && pm_judge(&pm_leaves[op->c], v, 0)) {
                if (m->writing && pm_solve(m, op->b, PM_PASSES, 0, op->c)) {
                    v = pm_eval(m, op->b);
                } else {
                    pm_refuse(m, pm_judge(&pm_leaves[op->c], v, 0), m->bit, 0, pm_leaves[op->c].path);
                    break;
                }
            }
            m->reg[op->a] = v;
            m->src[op->a] = 0;
            m->let[op->a] = pm_operands[op->b].looks ? -1 : (int32_t)op->b;
            break;
        case PM_REQUIRE:
            if (m->writing) {
                if (!pm_operands[op->a].looks && !pm_eval(m, op->a) && (m->repairs & PM_REPAIR_VALUES)) pm_solve(m, op->a, PM_HOLDS, 0, 0);
            } else if (!pm_eval(m, op->a)) {
                if (pm_bounds[op->b] && m->tape->n) {
                    m->tape->n--;
                    pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit - m->tape->r[m->tape->n].width, m->tape->r[m->tape->n].width, op->path);
                } else {
                    pm_refuse(m, PM_K_RULE_BROKEN, m->bit, 0, op->path);
                }
            }
            break;
        case PM_MARK: m->reg[op->a] = (uint64_t)m->bit; m->src[op->a] = 0; m->let[op->a] = -1; break;
        default: break; // what is recorded only
        }
        m->pc++;
    }
    while (m->loops > 0) { // of a packet that ended inside lists
        pm_loop *l = &m->loop[m->loops - 1];
        pm_leave(m, l);
    }
}

static pm_machine pm_m;
static pm_tape pm_tapes[4];
static uint8_t pm_buffers[2][PM_PACKET];

static void pm_begin(pm_tape *tape) {
    pm_machine *m = &pm_m;
    memset(m, 0, offsetof(pm_machine, loop));
    m->loops = m->windows = m->seals = 0;
    m->kind = 0;
    m->at = 0;
    m->path = PM_NO_PATH;
    m->width = 0;
    m->zero = m->clip = PM_FAR;
    m->tape = tape;
    tape->n = 0;
    for (int i = 0; i < PM_REGISTERS; i++) m->let[i] = -1;
}

// pm_parse reads a packet onto a tape as far as it goes, and judges it: 0, or the kind that it is refused with.
static int pm_parse(const uint8_t *data, size_t size, pm_tape *tape) {
    pm_begin(tape);
    pm_m.data = data;
    pm_m.room = pm_m.end = 8 * (int64_t)size;
    if (size > PM_PACKET) {
        pm_refuse(&pm_m, PM_K_DATAGRAM_SIZE, 0, 8 * (int64_t)size, PM_NO_PATH);
        return pm_m.kind;
    }
    pm_run(&pm_m);
    return pm_m.full ? -1 : pm_m.kind;
}

// pm_write writes a tape, and what is missing in it, into a buffer of room bytes, in at most 12 passes; it gives the
// size, 0 where that is not possible. The tape of what was written is *tape then.
static size_t pm_write(pm_tape **tape, pm_tape **other, uint8_t *out, size_t room, int repairs) {
    for (int frugal = 0; frugal < 2; frugal++) {
        for (int pass = 0; pass < 12; pass++) {
            pm_machine *m = &pm_m;
            pm_tape *t = *tape;
            size_t size;
            pm_begin(*other);
            memset(out, 0, room);
            m->writing = 1;
            m->frugal = frugal;
            m->repairs = repairs;
            m->data = m->out = out;
            m->room = 8 * (int64_t)room;
            m->end = PM_FAR;
            m->in = t;
            m->lim = t->n;
            pm_run(m);
            if (m->full || (m->kind && !m->again)) break;
            *tape = *other;
            *other = t;
            if (m->again && pass < 11) continue;
            size = (size_t)(m->bit + 7) / 8;
            if (repairs & PM_REPAIR_SUMS) pm_seal_all(m, out, (int64_t)size, -1);
            return size;
        }
    }
    return 0;
}
