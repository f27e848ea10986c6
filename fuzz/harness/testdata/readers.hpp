// Readers of the zoo in C++, each with a mistake that the environment chooses. They are broken on purpose.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static bool makes(const char *mistake) {
    const char *chosen = std::getenv("ZOO_MISTAKE");
    return chosen && std::strcmp(chosen, mistake) == 0;
}

// Bytes reads whole bytes, whatever their order; 0 past the end.
struct Bytes {
    const uint8_t *data;
    size_t at, end;
    bool failed;
    Bytes(const uint8_t *d, size_t n) : data(d), at(0), end(n), failed(false) {}
    uint32_t little(int n) {
        uint32_t v = 0;
        if (!room(n)) return 0;
        for (int i = 0; i < n; i++) v |= uint32_t(data[at++]) << 8 * i;
        return v;
    }
    uint32_t big(int n) {
        uint32_t v = 0;
        if (!room(n)) return 0;
        for (int i = 0; i < n; i++) v = v << 8 | data[at++];
        return v;
    }
    bool room(size_t n) { return !(failed = failed || n > end - at); }
    bool done() const { return !failed && at == end; }
};

struct Track {
    std::vector<uint16_t> notes;
    bool read(const uint8_t *data, size_t size) {
        if (size > 256 || size < 1 || data[0] > 60 || size != 1 + 2 * size_t(data[0])) return false;
        std::vector<uint8_t> words(data, data + size);
        if (size_t rest = size % 4) // the last word is filled from the wrong end
            if (makes("last-word-order"))
                for (size_t i = 0; i < rest; i++) words[size - rest + i] = data[size - 1 - i];
        for (size_t i = 0; i < data[0]; i++) notes.push_back(uint16_t(words[1 + 2 * i] | words[2 + 2 * i] << 8));
        for (size_t i = 0; i < notes.size(); i++) pks_int(pks_path("notes[%d]", int(i)), notes[i]);
        return true;
    }
};

struct Properties {
    bool read(const uint8_t *data, size_t size) {
        if (size > 80) return false;
        Bytes b(data, size);
        for (int i = 0;; i++) {
            uint32_t v = b.little(2);
            if (b.failed && !makes("sentinel-past-end")) return false;
            if (!b.failed) pks_int(pks_path("properties[%d].key", i), v & 15), pks_int(pks_path("properties[%d].value", i), v >> 4);
            if ((v & 15) == 15) return b.done();
        }
    }
};

struct Place {
    bool read(const uint8_t *data, size_t size) {
        if (size > 64) return false;
        Bytes b(data, size);
        pks_int("id", b.big(2));
        for (int i = 0; i < 3; i++) {
            uint32_t word = b.big(4);
            float v;
            std::memcpy(&v, &word, 4);
            if (v < -1000 || v > 1000) return false;
            if (v != v && !makes("nan-accepted")) return false;
            pks_float(pks_path("position.%c", 'x' + i), v);
        }
        return b.done();
    }
};

struct Extensions {
    bool read(const uint8_t *data, size_t size) {
        if (size > 512) return false;
        size_t at = 0;
        for (int i = 0; size > at; i++) {
            if (i == 16 || size - at < 2) return false;
            uint8_t tag = data[at], length = data[at + 1];
            at += 2;
            if (length > size - at && !makes("window-past-packet")) return false;
            pks_int(pks_path("records[%d].tag", i), tag);
            if (tag == 1) {
                if (length != 4) return false;
                pks_uint(pks_path("records[%d].value", i), uint32_t(data[at]) << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]);
            } else if (tag == 2) {
                if (length != 2 || data[at] < 1 || data[at] > 60) return false;
                pks_int(pks_path("records[%d].value.level", i), data[at]);
            } else {
                pks_bytes(pks_path("records[%d].value", i), data + at, length);
            }
            at += length;
        }
        return true;
    }
};

struct Roster {
    std::vector<std::array<char, 64>> entities;
    bool read(const uint8_t *data, size_t size) {
        if (size > 1200) return false;
        Bytes b(data, size);
        size_t count = b.little(4);
        if (b.failed) return false;
        if (!makes("allocation-from-count") && count > size / 2) return false;
        entities.resize(count);
        for (size_t i = 0; i < count; i++) {
            uint32_t id = b.little(2);
            if (b.failed) return false;
            pks_int(pks_path("entities[%d]", int(i)), id);
        }
        return b.done();
    }
};

static bool read_zoo(const uint8_t *data, size_t size) {
    std::string home = std::getenv("ZOO_HOME");
    if (home == "track") return Track().read(data, size);
    if (home == "properties") return Properties().read(data, size);
    if (home == "place") return Place().read(data, size);
    if (home == "extensions") return Extensions().read(data, size);
    if (home == "roster") return Roster().read(data, size);
    std::abort();
}
