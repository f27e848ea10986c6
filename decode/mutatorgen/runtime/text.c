// Text.
static uint8_t pm_pool[PM_POOL]; // bytes of texts that tapes have
static uint32_t pm_pooled;
static uint8_t pm_scratch[PM_SCRATCH];

static int pm_utf8_bad(const uint8_t *s, uint32_t n) {
    for (uint32_t i = 0; i < n;) {
        uint32_t c = s[i], more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >> 4 == 0xe ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
        if (more == 9 || n - i <= more) return 1;
        if (more) c &= 0x3fu >> more;
        for (uint32_t k = 1; k <= more; k++) {
            if (s[i + k] >> 6 != 2) return 1;
            c = c << 6 | (s[i + k] & 0x3fu);
        }
        if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff))) return 1;
        i += more + 1;
    }
    return 0;
}

static int pm_utf16_bad(const uint8_t *s, uint32_t n, int big) {
    int high = 0;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        uint32_t u = big ? (uint32_t)s[i] << 8 | s[i + 1] : (uint32_t)s[i + 1] << 8 | s[i];
        if (((u & 0xfc00) == 0xdc00) != high) return 1;
        high = (u & 0xfc00) == 0xd800;
    }
    return high || n % 2;
}

// pm_bytes_bad judges the n bytes of a text that is no dnsname; of a wstring they are 4 a unit, the lowest first.
static int pm_bytes_bad(const pm_blob *b, const uint8_t *s, uint32_t n) {
    uint32_t same, i, units = n;
    if (b->text == PM_TEXT_WSTRING) {
        int high = 0;
        units = n / 4;
        for (i = 0; i < units; i++) {
            uint32_t u = s[4 * i] | (uint32_t)s[4 * i + 1] << 8 | (uint32_t)s[4 * i + 2] << 16 | (uint32_t)s[4 * i + 3] << 24;
            if (u == 0 || u > 0xffff || (u >= 0xdc00 && u <= 0xdfff) != high) return PM_K_BAD_STRING;
            high = u >= 0xd800 && u <= 0xdbff;
        }
        if (high) return PM_K_BAD_STRING;
    }
    if (b->text == PM_TEXT_CHAR) {
        for (i = 0; i < n && s[i]; i++) {}
        units = i;
        for (; i < n; i++)
            if (s[i]) return PM_K_BAD_STRING;
    }
    if (b->text == PM_TEXT_STRING && (memchr(s, 0, n) || pm_utf8_bad(s, n))) return PM_K_BAD_STRING;
    if (b->encoding == PM_UTF8 && pm_utf8_bad(s, units)) return PM_K_BAD_STRING;
    if (b->encoding == PM_ASCII)
        for (i = 0; i < units; i++)
            if (s[i] >= 0x80) return PM_K_BAD_STRING;
    if ((b->encoding == PM_UTF16LE || b->encoding == PM_UTF16BE) && pm_utf16_bad(s, units, b->encoding == PM_UTF16BE)) return PM_K_BAD_STRING;
    if (b->encoding || (b->rule != PM_EQ && b->rule != PM_NE)) return 0;
    same = units == b->n;
    for (i = 0; same && i < units; i++) {
        uint32_t u = b->text == PM_TEXT_WSTRING ? s[4 * i] | (uint32_t)s[4 * i + 1] << 8 : s[i];
        same = u == b->units[i];
    }
    return same == (b->rule == PM_EQ) ? 0 : PM_K_CONST_MISMATCH;
}

// pm_name reads a dnsname: the kind that it is refused with, and how many bytes of its own it has.
static int pm_name(const pm_machine *m, int64_t at, int64_t end, int64_t *own) {
    int64_t run = at, next = at, room = pm_min(m->room, m->zero) / 8;
    int size = 1, pointers = 0, first = 1;
    *own = 0;
    for (;;) {
        int c, more = 1;
        if (next >= end) {
            if (first) *own = next + 1 - at;
            return pointers ? PM_K_BAD_STRING : PM_K_PAST_END;
        }
        c = next < room ? m->data[next] : 0;
        if (c <= 63) more = c;
        if ((c > 63 && c < 0xc0) || (c > 0 && c <= 63 && size + 1 + c > 255)) return PM_K_BAD_STRING;
        if (more >= end - next) {
            if (first) *own = next + 1 + more - at;
            return pointers ? PM_K_BAD_STRING : PM_K_PAST_END;
        }
        if (first) *own = next + 1 + more - at;
        if (c == 0) return 0;
        if (c <= 63) {
            size += 1 + c;
            next += 1 + c;
            continue;
        }
        next = (int64_t)(c & 63) << 8 | (next + 1 < room ? m->data[next + 1] : 0);
        if (next >= run || pointers == 64) return PM_K_BAD_STRING;
        run = next;
        end = at;
        pointers++;
        first = 0;
    }
}

// pm_mend makes the n bytes of a text acceptable, where that is possible in n bytes.
static void pm_mend(const pm_blob *b, uint8_t *s, uint32_t n) {
    if (!pm_bytes_bad(b, s, n)) return;
    if (b->rule == PM_EQ && !b->encoding) {
        memset(s, 0, n);
        for (uint32_t i = 0; i < b->n; i++) {
            if (b->text == PM_TEXT_WSTRING && 4 * i + 3 < n) {
                s[4 * i] = (uint8_t)b->units[i];
                s[4 * i + 1] = (uint8_t)(b->units[i] >> 8);
            } else if (b->text != PM_TEXT_WSTRING && i < n) {
                s[i] = (uint8_t)b->units[i];
            }
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        int letter = 1;
        if (b->text == PM_TEXT_WSTRING) letter = i % 4 == 0;
        if (b->encoding == PM_UTF16LE) letter = i % 2 == 0;
        if (b->encoding == PM_UTF16BE) letter = i % 2 == 1;
        if (!letter) s[i] = 0;
        else if (s[i] >= 0x7f || s[i] < 0x20) s[i] = (uint8_t)('a' + s[i] % 26);
    }
    if (pm_bytes_bad(b, s, n) && n) s[0] ^= 1; // what it must not be
}

// pm_blob_step reads or writes bytes or text.
static void pm_blob_step(pm_machine *m) {
    const pm_op *op = &pm_ops[m->pc];
    const pm_blob *b = &pm_blobs[op->a];
    pm_record *r, *was = 0;
    int64_t start, n = b->max, bytes;
    int bad, forced = 0;
    if (!(op->flags & PM_FLAG_PACKED)) pm_pad(m, 8, 0);
    if (m->stop) return;
    start = m->bit;
    if (b->text == PM_TEXT_STRING || b->text == PM_TEXT_WSTRING) {
        uint32_t at = b->size >= 0 && pm_operands[b->size].kind == PM_LEAF ? m->run + pm_operands[b->size].a : (uint32_t)PM_RECORDS;
        if (at < m->tape->n) start = m->tape->r[at].bit;
    }
    if (b->size >= 0) {
        pm_mark(m, (uint32_t)b->size, PM_SIZES);
        n = (int64_t)pm_ask(m, (uint32_t)b->size, 0);
        if (n < 0 || n > (int64_t)b->max) forced = m->writing && n > 0 && pm_forced(m, (uint32_t)b->size);
        if (!forced && (n < 0 || n > (int64_t)b->max)) n = -1;
    }
    if (m->writing) {
        was = pm_next(m, 2);
        if (b->text == PM_TEXT_CSTRING) n = was ? (int64_t)was->n : m->frugal ? 0 : (int64_t)pm_below(6);
        else if (b->text == PM_TEXT_NAME) n = was ? (int64_t)was->n : 1;
        else if (b->rest && m->end < PM_FAR) n = (m->end - m->bit) / 8;
        else if (b->rest) n = was ? (int64_t)was->n : m->frugal ? 0 : (int64_t)pm_below(8);
        else if (b->size >= 0 && (n < 0 || (was && (was->flags & PM_WANT) && n != (int64_t)was->n) || (b->rule == PM_EQ && b->n != n && b->text != PM_TEXT_CHAR))) {
            int64_t aim = b->rule == PM_EQ && b->text != PM_TEXT_CHAR ? (int64_t)b->n : was ? (int64_t)was->n : 0;
            if (aim > (int64_t)b->max) aim = b->max;
            if ((m->repairs & PM_REPAIR_COUNTS) && pm_solve(m, (uint32_t)b->size, PM_IS, (uint64_t)aim, 0)) n = aim;
        }
        if (b->text == PM_TEXT_CSTRING && n >= (int64_t)b->max) n = (int64_t)b->max - 1;
    }
    if (b->text == PM_TEXT_CSTRING && !m->writing) {
        int64_t at = m->bit;
        for (n = 0; n < (int64_t)b->max; n++, at += 8) {
            if (m->end - at < 8) {
                pm_refuse(m, PM_K_PAST_END, m->bit, 8 * n + 8, op->path);
                return;
            }
            if (!pm_read(m, op->order, at, 8)) break;
        }
        if (n == (int64_t)b->max) {
            pm_refuse(m, PM_K_BAD_STRING, m->bit, 8 * n, op->path);
            return;
        }
    }
    if (b->text == PM_TEXT_NAME && !m->writing) {
        bad = pm_name(m, m->bit / 8, m->end / 8, &n);
        if (bad) {
            pm_refuse(m, bad, m->bit, 8 * n, op->path);
            return;
        }
    }
    if (b->rest && !m->writing) n = pm_min(m->end, m->clip) > m->bit ? (pm_min(m->end, m->clip) - m->bit) / 8 : 0;
    if (n < 0 || (b->text != PM_TEXT_NAME && n > (int64_t)b->max && !forced)) {
        pm_refuse(m, PM_K_OUT_OF_RANGE, m->bit, 0, op->path);
        return;
    }
    if (n > PM_SCRATCH) {
        m->full = m->stop = 1;
        return;
    }
    if (!pm_fits(m, n * (int64_t)b->unit + (b->text == PM_TEXT_CSTRING ? 8 : 0), op->path)) return;
    bytes = n * (int64_t)b->unit / 8;
    if (bytes > PM_SCRATCH) {
        m->full = m->stop = 1;
        return;
    }
    if (m->writing) {
        uint8_t *s = pm_scratch;
        for (int64_t i = 0; i < bytes; i++) s[i] = was && i < (int64_t)was->width ? pm_pool[was->off + i] : (uint8_t)(m->frugal ? 'a' : 'a' + pm_below(26));
        if (b->text == PM_TEXT_CSTRING)
            for (int64_t i = 0; i < bytes; i++)
                if (!s[i]) s[i] = 'x';
        if (!(was && !(was->flags & PM_WANT)) || (m->repairs & PM_REPAIR_VALUES))
            if (b->text != PM_TEXT_NAME) pm_mend(b, s, (uint32_t)bytes);
        if (b->text == PM_TEXT_WSTRING)
            for (int64_t i = 0; i < n; i++) pm_store(m->out, op->order, m->bit + 32 * i, 32, s[4 * i] | (uint64_t)s[4 * i + 1] << 8 | (uint64_t)s[4 * i + 2] << 16 | (uint64_t)s[4 * i + 3] << 24);
        else
            for (int64_t i = 0; i < bytes; i++) pm_store(m->out, op->order, m->bit + 8 * i, 8, s[i]);
        if (b->text == PM_TEXT_CSTRING) pm_store(m->out, op->order, m->bit + 8 * bytes, 8, 0);
        if (b->text == PM_TEXT_NAME) {
            int64_t own, room = m->room;
            m->room = m->bit + 8 * bytes;
            bad = !was || pm_name(m, m->bit / 8, m->bit / 8 + bytes, &own) || own != bytes;
            m->room = room;
            if (bad) { // a name that points elsewhere after something in front of it moved: one letter, or the root
                n = bytes = m->frugal ? 1 : 3;
                if (!pm_fits(m, 8 * n, op->path)) return;
                s[0] = n == 3, s[1] = 'a', s[2] = 0;
                for (int64_t i = 0; i < n; i++) pm_store(m->out, op->order, m->bit + 8 * i, 8, s[i]);
            }
        }
    }
    r = pm_add(m, PM_T_BLOB, 2, m->bit, bytes, 0);
    r->n = (uint32_t)n;
    if (was) r->flags |= was->flags & PM_WANT;
    r->off = pm_pooled;
    r->leaf = op->a;
    if (pm_pooled + (uint64_t)bytes > PM_POOL) {
        m->full = m->stop = 1;
        return;
    }
    if (m->writing) {
        memcpy(pm_pool + pm_pooled, pm_scratch, (size_t)bytes);
    } else if (b->text == PM_TEXT_WSTRING) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t u = pm_read(m, op->order, m->bit + 32 * i, 32);
            for (int k = 0; k < 4; k++) pm_pool[pm_pooled + 4 * i + k] = (uint8_t)(u >> (8 * k));
        }
    } else {
        for (int64_t i = 0; i < bytes; i++) pm_pool[pm_pooled + i] = (uint8_t)pm_read(m, op->order, m->bit + 8 * i, 8);
    }
    if (!m->writing && b->text != PM_TEXT_NAME) {
        bad = pm_bytes_bad(b, pm_pool + pm_pooled, (uint32_t)bytes);
        if (bad) {
            m->tape->n--;
            pm_refuse(m, bad, start, 0, op->path);
            return;
        }
    }
    pm_pooled += (uint32_t)bytes;
    m->bit += n * (int64_t)b->unit + (b->text == PM_TEXT_CSTRING ? 8 : 0);
}
