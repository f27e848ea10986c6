// What the last call did, for whoever wants to know.
typedef struct {
    const char *mutation; // what was done
    const char *field;    // to what
    int kind;             // what it is to be refused with; 0 for nothing, -1 where nobody knows
    int64_t bit;          // the first bit that was changed; -1 where nobody knows
} pm_note;
static pm_note pm_did = {"", "", 0, -1};

static const char *pm_path(uint32_t path) { return path == PM_NO_PATH ? "" : pm_paths[path]; }

static void pm_say(const char *mutation, const char *field, int kind, int64_t bit) {
    pm_did.mutation = mutation;
    pm_did.field = field;
    pm_did.kind = kind;
    pm_did.bit = bit;
}

static const char *pm_field(const pm_record *r) {
    if (r->type == PM_T_LEAF || r->type == PM_T_NUMBER || r->type == PM_T_SUM || r->type == PM_T_FLAG) return pm_path(pm_leaves[r->leaf].path);
    return pm_path(pm_ops[r->op].path);
}

// pm_cut makes of one tape another, without the n records at `at` and with those of from, first … last-1, in their
// place.
static int pm_cut(const pm_tape *t, pm_tape *to, uint32_t at, uint32_t n, const pm_tape *from, uint32_t first, uint32_t last) {
    uint32_t added = last - first;
    if (t->n - n + added > PM_RECORDS) return 0;
    to->n = t->n - n + added;
    for (uint32_t i = 0; i < at; i++) {
        to->r[i] = t->r[i];
        if (t->r[i].end > at) to->r[i].end += added - n;
    }
    for (uint32_t i = 0; i < added; i++) {
        to->r[at + i] = from->r[first + i];
        to->r[at + i].end += at - first;
    }
    for (uint32_t i = at + n; i < t->n; i++) {
        to->r[i - n + added] = t->r[i];
        to->r[i - n + added].end += added - n;
    }
    return 1;
}

static uint32_t pm_list_of(const pm_tape *t, uint32_t element) { // the list that an element is in
    uint32_t list = element;
    while (list > 0 && !(t->r[list].type == PM_T_LIST && t->r[list].end > element)) list--;
    return list;
}

static uint32_t pm_count(const pm_tape *t, uint32_t list) {
    uint32_t n = 0;
    for (uint32_t i = list + 1; i < t->r[list].end; i = t->r[i].end) n += t->r[i].type == PM_T_ELEMENT;
    return n;
}

// pm_change changes one thing on a tape; what belongs to it changes when it is written. b is another packet's tape, or
// 0.
static int pm_change(pm_tape **tape, pm_tape **other, const pm_tape *b) {
    pm_tape *t = *tape, *o = *other;
    uint32_t at, list, n;
    pm_record *r;
    if (!t->n) return 0;
    at = (uint32_t)pm_below(t->n);
    r = &t->r[at];
    switch (r->type) {
    case PM_T_LEAF:
    case PM_T_NUMBER: {
        const pm_leaf *l = &pm_leaves[r->leaf];
        if (b && pm_below(2)) {
            for (uint32_t i = 0, from = (uint32_t)pm_below(b->n ? b->n : 1); i < b->n; i++) {
                const pm_record *x = &b->r[(from + i) % b->n];
                if (x->type != r->type || x->leaf != r->leaf) continue;
                r->code = x->code;
                pm_say("value of another packet", pm_field(r), 0, r->bit);
                return 1;
            }
        }
        r->code = pm_accepted(l, pm_below(3) ? pm_edge(l, (int)r->width) : r->code + pm_below(3) - 1, (int)r->width);
        pm_say("value", pm_field(r), 0, r->bit);
        return 1;
    }
    case PM_T_BLOB:
        if (pm_below(2) && r->width) {
            for (uint32_t i = 0; i < 1 + pm_below(3); i++) pm_pool[r->off + pm_below(r->width)] = (uint8_t)pm_random();
            pm_say("bytes", pm_field(r), 0, r->bit);
            return 1;
        }
        n = pm_blobs[r->leaf].max;
        r->n = pm_below(3) ? (uint32_t)pm_below(r->n + 3) : pm_below(2) ? n : n - (n > 0);
        r->flags |= PM_WANT;
        pm_say("length", pm_field(r), 0, r->bit);
        return 1;
    case PM_T_LIST:
        n = pm_count(t, at);
        if (b) {
            for (uint32_t i = 0, from = (uint32_t)pm_below(b->n ? b->n : 1); i < b->n; i++) {
                uint32_t k = (from + i) % b->n;
                if (b->r[k].type != PM_T_LIST || b->r[k].op != r->op) continue;
                if (!pm_cut(t, o, at + 1, r->end - at - 1, b, k + 1, b->r[k].end)) return 0;
                o->r[at].end = at + b->r[k].end - k;
                o->r[at].n = pm_count(b, k);
                o->r[at].flags |= PM_WANT;
                pm_say("elements of another packet", pm_field(&o->r[at]), 0, o->r[at].bit);
                *tape = o;
                *other = t;
                return 1;
            }
        }
        r->n = pm_below(3) ? (uint32_t)pm_below(n + 3) : pm_below(2) ? 0 : (uint32_t)(pm_ops[r->op].imm < 1 << 20 ? pm_ops[r->op].imm : n + 1);
        r->flags |= PM_WANT;
        pm_say("number of elements", pm_field(r), 0, r->bit);
        return 1;
    case PM_T_ELEMENT: {
        int ok;
        list = pm_list_of(t, at);
        n = pm_count(t, list);
        switch (pm_below(3)) {
        case 0:
            pm_say("element twice", pm_field(&t->r[list]), 0, r->bit);
            ok = pm_cut(t, o, at, 0, t, at, r->end);
            n++;
            break;
        case 1:
            pm_say("element removed", pm_field(&t->r[list]), 0, r->bit);
            ok = pm_cut(t, o, at, r->end - at, t, 0, 0);
            n--;
            break;
        default: { // the next one, and this one in its place
            uint32_t next = r->end, k = next;
            if (next >= t->r[list].end || t->r[next].type != PM_T_ELEMENT) return 0;
            pm_say("elements swapped", pm_field(&t->r[list]), 0, r->bit);
            *o = *t;
            for (k = next; k < t->r[next].end; k++) {
                o->r[at + k - next] = t->r[k];
                o->r[at + k - next].end -= next - at;
            }
            for (k = at; k < next; k++) {
                o->r[k + t->r[next].end - next] = t->r[k];
                o->r[k + t->r[next].end - next].end += t->r[next].end - next;
            }
            ok = 1;
            break;
        }
        }
        if (!ok) return 0;
        o->r[list].n = n;
        o->r[list].flags |= PM_WANT;
        *tape = o;
        *other = t;
        return 1;
    }
    default: return 0;
    }
}
