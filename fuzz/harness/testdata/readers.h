// Readers of the zoo in C, each with a mistake that the environment chooses. They are broken on purpose.
#include <stdlib.h>
#include <string.h>

static int makes(const char *mistake) {
    const char *chosen = getenv("ZOO_MISTAKE");
    return chosen && strcmp(chosen, mistake) == 0;
}

struct bits {
    const uint8_t *data;
    size_t at, end;
    int failed;
};

// take reads n bits, the least significant first; 0 past the end.
static uint64_t take(struct bits *b, int n) {
    uint64_t v = 0;
    if (b->failed || (size_t)n > b->end - b->at) {
        b->failed = 1;
        return 0;
    }
    for (int i = 0; i < n; i++, b->at++) v |= (uint64_t)(b->data[b->at / 8] >> b->at % 8 & 1) << i;
    return v;
}

static int done(struct bits *b) { return !b->failed && b->end - b->at < 8; }

static int align(struct bits *b) { return take(b, (int)((8 - b->at % 8) % 8)) == 0 && !b->failed; }

static uint32_t crc_of(uint32_t crc, const uint8_t *data, size_t size) {
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

// The packets of "Reading and Writing Packets".
static int read_packets(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    uint32_t stored = (uint32_t)take(&b, 32);
    if (size > 256 || b.failed) return 0;
    static const uint8_t id[] = {0x78, 0x56, 0x34, 0x12}, zero[4] = {0, 0, 0, 0};
    uint32_t crc = crc_of(crc_of(makes("crc-without-id") ? 0 : crc_of(0, id, 4), zero, 4), data + 4, size - 4);
    if (stored != crc && !makes("crc-not-compared")) return 0;
    int type = (int)take(&b, 2);
    if (type > 2 && !makes("enum-unchecked")) return 0;
    pks_int("type", type);
    if (type == 1) {
        int32_t elements[64];
        int n = (int)take(&b, 6);
        if (n > 32 && !makes("count-too-wide")) return 0;
        if (take(&b, 32) != 0x12345678) return 0;
        for (int i = 0; i < n; i++) {
            elements[i] = (int32_t)take(&b, 32);
            if (b.failed) return 0;
            pks_int(pks_path("body.elements[%d]", i), elements[i]);
        }
    } else if (type == 0) {
        pks_int("body.x", (int32_t)take(&b, 32));
        pks_int("body.y", (int32_t)take(&b, 32));
        pks_int("body.z", (int32_t)take(&b, 32));
    } else if (type == 2) {
        pks_int("body.x", (long long)take(&b, 1));
        pks_int("body.y", (long long)take(&b, 16));
        pks_uint("body.z", take(&b, 32));
    }
    if (!align(&b)) return 0;
    if (take(&b, 32) != 0x9908ace2 && !makes("end-check-skipped")) return 0;
    pks_bits(b.at);
    return done(&b);
}

// The packed struct of the same article.
static int read_update(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    struct {
        int32_t elements[32];
    } update;
    if (size > 1200 || take(&b, 8) != 2) return 0;
    uint32_t count = (uint32_t)take(&b, 32);
    if (count > 32 && !makes("count-unchecked")) return 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t v = (int32_t)take(&b, 32);
        if (b.failed) return 0;
        update.elements[i] = v;
        pks_int(pks_path("elements[%u]", i), update.elements[i]);
    }
    return done(&b);
}

static int good_text(const uint8_t *s, size_t n) {
    for (size_t i = 0; i < n;) {
        int more = s[i] < 0x80 ? 0 : s[i] >= 0xc2 && s[i] < 0xe0 ? 1 : s[i] >> 4 == 0xe ? 2 : s[i] >= 0xf0 && s[i] < 0xf5 ? 3 : -1;
        if (s[i] == 0 && makes("nul-inside")) {
            i++;
            continue;
        }
        if (s[i] == 0) return 0;
        if (makes("utf8-unchecked")) {
            i++;
            continue;
        }
        if (more < 0 || n - i <= (size_t)more) return 0;
        uint32_t c = more == 0 ? s[i] : s[i] & (0x3f >> more);
        for (int k = 1; k <= more; k++) {
            if (s[i + k] >> 6 != 2) return 0;
            c = c << 6 | (s[i + k] & 0x3f);
        }
        if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff))) return 0;
        i += (size_t)more + 1;
    }
    return 1;
}

static int read_chat(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    char name[12];
    unsigned channel = (unsigned)take(&b, 3);
    if (size > 64 || channel > 4) return 0;
    size_t length = take(&b, 4);
    if (length > 11 && !(makes("no-terminator-room") && length == 12)) return 0;
    if (!align(&b) || length > (b.end - b.at) / 8) return 0;
    memcpy(name, data + b.at / 8, length);
    name[length] = 0;
    if (!good_text(data + b.at / 8, length)) return 0;
    b.at += 8 * length;
    pks_uint("channel", channel);
    pks_text("name", name);
    pks_uint("color", take(&b, 8));
    return done(&b);
}

// A list that counts its inputs in a byte.
static int read_frame(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    if (size > 256) return 0;
    pks_uint("number", take(&b, 16));
    unsigned count = (unsigned)take(&b, 8);
    if (b.failed || (makes("count-signed") ? (signed char)count > 32 : count > 32)) return 0;
    for (int i = 0; i < (signed char)count; i++) {
        uint64_t v = take(&b, 8);
        if (b.failed) return 0;
        pks_uint(pks_path("inputs[%d]", i), v);
    }
    return done(&b);
}

// Points, whose room is checked once for all of them.
static int read_points(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    static const char *const names[] = {"points[%u].x", "points[%u].y", "points[%u].z", "points[%u].time"};
    if (size > 1200) return 0;
    uint32_t count = (uint32_t)take(&b, 16), need = 16 * count;
    if (makes("count-times-size")) need = (uint16_t)need;
    if (b.failed || need > (b.end - b.at) / 8) return 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++, b.at += 32) {
            uint32_t v;
            memcpy(&v, data + b.at / 8, 4);
            pks_uint(pks_path(names[k], i), v);
        }
    }
    return done(&b);
}

// Samples, with nothing after them.
static int read_samples(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    if (size > 256) return 0;
    unsigned count = (unsigned)take(&b, 6);
    if (b.failed) return 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = take(&b, 12);
        if (b.failed && !makes("overflow-forgotten")) return 0;
        pks_uint(pks_path("samples[%u]", i), v);
    }
    return b.end - b.at < 8 || b.failed;
}

// Padding in front of bytes.
static int read_voice(const uint8_t *data, size_t size) {
    struct bits b = {data, 0, 8 * size, 0};
    if (size > 64) return 0;
    pks_uint("sequence", take(&b, 16));
    pks_uint("codec", take(&b, 3));
    if (makes("padding-ignored")) take(&b, 5);
    else if (!align(&b)) return 0;
    if (b.failed || b.end - b.at < 64) return 0;
    pks_bytes("frame", data + b.at / 8, 8);
    b.at += 64;
    return done(&b);
}

static int read_zoo(const uint8_t *data, size_t size) {
    const char *home = getenv("ZOO_HOME");
    if (strcmp(home, "packets") == 0) return read_packets(data, size);
    if (strcmp(home, "update") == 0) return read_update(data, size);
    if (strcmp(home, "chat") == 0) return read_chat(data, size);
    if (strcmp(home, "frame") == 0) return read_frame(data, size);
    if (strcmp(home, "points") == 0) return read_points(data, size);
    if (strcmp(home, "samples") == 0) return read_samples(data, size);
    if (strcmp(home, "voice") == 0) return read_voice(data, size);
    abort();
}
