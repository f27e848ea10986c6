package seal

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// TestOthersOpenWhatIsSealed lets node's crypto (OpenSSL) open what was sealed, and libsodium, through python's ctypes,
// what XChaCha sealed: each must find the plaintext, and refuse it with one bit flipped.
func TestOthersOpenWhatIsSealed(t *testing.T) {
	judges := map[string]struct{ program, script string }{
		"chacha20poly1305":  {"node", node},
		"aes128gcm":         {"node", node},
		"aes256gcm":         {"node", node},
		"xchacha20poly1305": {"python3", sodium},
	}
	r := rand.New(rand.NewChaCha8([32]byte{21}))
	for i := range Algorithms {
		a := &Algorithms[i]
		judge, ok := judges[a.Name]
		if !ok {
			continue // xor: nothing to know
		}
		t.Run(a.Name, func(t *testing.T) {
			need.Program(t, need.Node, judge.program)
			var rows []map[string]string
			var want []string
			for n := range 40 {
				part := func(n int) []byte {
					b := make([]byte, n)
					for i := range b {
						b[i] = byte(r.Uint32())
					}
					return b
				}
				key, nonce, ad, plain := part(a.Key), part(a.Nonce), part(r.IntN(40)), part(r.IntN(1<<(n%11)))
				c, err := New(a, key)
				if err != nil {
					t.Fatal(err)
				}
				sealed := c.Seal(nil, nonce, plain, ad, 0)
				answer := hex.EncodeToString(plain)
				if n%4 == 3 {
					sealed[r.IntN(len(sealed))] ^= 1 << r.IntN(8)
					answer = "refused"
				}
				want = append(want, answer)
				rows = append(rows, map[string]string{"algorithm": a.Name, "key": hex.EncodeToString(key), "nonce": hex.EncodeToString(nonce),
					"ad": hex.EncodeToString(ad), "sealed": hex.EncodeToString(sealed)})
			}
			in, err := json.Marshal(rows)
			if err != nil {
				t.Fatal(err)
			}
			flag := "-e"
			if judge.program == "python3" {
				flag = "-c"
			}
			cmd := exec.Command(judge.program, flag, judge.script)
			cmd.Stdin = strings.NewReader(string(in))
			out, err := cmd.CombinedOutput()
			if err != nil && strings.Contains(string(out), "no libsodium") {
				need.Skip(t, need.Node, "no libsodium")
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s opens %q, want %q", judge.program, got, want)
			}
		})
	}
}

const node = `
const crypto = require('crypto')
const names = {chacha20poly1305: 'chacha20-poly1305', aes128gcm: 'aes-128-gcm', aes256gcm: 'aes-256-gcm'}
for (const row of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  const bytes = (name) => Buffer.from(row[name], 'hex')
  const sealed = bytes('sealed'), text = sealed.subarray(0, -16)
  const d = crypto.createDecipheriv(names[row.algorithm], bytes('key'), bytes('nonce'), {authTagLength: 16})
  d.setAuthTag(sealed.subarray(-16))
  d.setAAD(bytes('ad'), {plaintextLength: text.length})
  try {
    console.log(Buffer.concat([d.update(text), d.final()]).toString('hex'))
  } catch {
    console.log('refused')
  }
}`

const sodium = `
import ctypes, ctypes.util, json, sys
name = ctypes.util.find_library('sodium')
if not name:
    sys.exit('no libsodium')
lib = ctypes.CDLL(name)
for row in json.load(sys.stdin):
    key, nonce, ad, sealed = (bytes.fromhex(row[k]) for k in ('key', 'nonce', 'ad', 'sealed'))
    out, n = ctypes.create_string_buffer(len(sealed)), ctypes.c_ulonglong()
    failed = lib.crypto_aead_xchacha20poly1305_ietf_decrypt(out, ctypes.byref(n), None, sealed, ctypes.c_ulonglong(len(sealed)),
        ad, ctypes.c_ulonglong(len(ad)), nonce, key)
    print('refused' if failed else out.raw[:n.value].hex())
`
