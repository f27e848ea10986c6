package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pktscope/pktscope/corpus/need"
)

// The scripts under testdata/script hold what each command prints, exactly, as a user meets it.
//
//	capture TEXT FILE   writes a capture: each line of TEXT is a packet (see appendPacket)
//	truncate FILE N     cuts the last N bytes off a file
//	escape FILE         replaces ESC in a file by an escape byte
//	freeport NAME       finds a free port of the loopback
//	duel-server PORT    a program: a server that dies of two packets
//	vault-server PORT MISTAKES  a program: a netcode server (fuzz/zoo/vault); `vault-server files` writes its files
//	door-server PORT MISTAKES  a program: a server that lets clients in (fuzz/zoo/door); `door-server files` writes its files
//	exits CODE ARGS...  runs pktscope and checks its exit code, in the test's own process, which takes a tenth. Without
//	                    -short a script's first has a process, and what waits for a server; under .ci/all long each has
//	process CODE ARGS...  runs it in a process of its own in any case, for what reads stdin

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pktscope": main, "duel-server": duelServer, "door-server": doorServer, "vault-server": vaultServer, "strange-server": strangeServer})
}

func TestScripts(t *testing.T) {
	session, err := filepath.Abs("testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	stun, err := filepath.Abs("testdata/stun")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Abs("testdata/script") // whatever directory a command line runs in: see runHere
	if err != nil {
		t.Fatal(err)
	}
	processes := need.Rounds(1, 0)
	if need.Required(t, need.Long) {
		processes = math.MaxInt
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			if err := skipUnderRace(env, scripts); err != nil {
				return err
			}
			env.Setenv("SESSION", session)
			env.Setenv("STUN", stun)
			env.Setenv("CAPTURES", filepath.Join(filepath.Dir(session), "captures"))
			env.Setenv("STRANGE", filepath.Join(filepath.Dir(session), "infer", "strange.pcapng.gz"))
			env.Setenv("GORACE", os.Getenv("GORACE")) // a race build waits a second at each exit where it is not told otherwise
			env.Setenv("NO_COLOR", "")
			env.Setenv("TERM", "xterm")
			env.Setenv("GOCACHE", goCache()) // a script's home is none
			left := processes
			env.Values[processesLeft{}] = &left
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"capture":  captureCommand,
			"truncate": truncateCommand,
			"escape":   escapeCommand,
			"exits":    exitsCommand,
			"process":  processCommand,
			"freeport": freePortCommand,
		},
	})
}

// concurrent is what a script has that starts goroutines which share memory: commands that attack, wait or show, workers
// that are asked for, several captures, a process beside others.
var concurrent = regexp.MustCompile(`(?m)^(\[.*\] )*(! )?((exits|process) [0-9]|exec pktscope) (audit|fuzz|live|tap|view|extcap)\b|` +
	`^exits .* -j |^exits [01] (decode|report|stats|diff|budget) .*\.pcap .*\.pcap|^(! )?exec .*&$`)

// skipUnderRace skips most of the scripts in which the race detector has nothing to see that the others do not have.
func skipUnderRace(env *testscript.Env, dir string) error {
	if !need.Race {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-") + ".txtar"
	i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == name })
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil && !concurrent.Match(text) && !need.UnderRace(i, 5) {
		env.T().Skip("the race detector sees one in five of the scripts that share nothing")
	}
	return err
}

// goCache is the build cache, so that scripts that build something need not build all of Go.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // what builds says so
	}
	return filepath.Join(dir, "go-build")
}

// processesLeft is the key to how many command lines of a script still have a process of their own.
type processesLeft struct{}

// exitsCommand runs pktscope and checks its exit code: `exits 2 decode missing.pcap`.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	left := ts.Value(processesLeft{}).(*int)
	waits := !testing.Short() && (slices.Contains(args, "--server") || slices.Contains(args, "--stop-after"))
	if *left > 0 || waits { // others would wait for what runs here
		*left--
		processCommand(ts, neg, args)
		return
	}
	checkExit(ts, neg, args, runHere)
}

// processCommand is exitsCommand with a process.
func processCommand(ts *testscript.TestScript, neg bool, args []string) {
	checkExit(ts, neg, args, func(ts *testscript.TestScript, args []string) int {
		err := ts.Exec("pktscope", args...)
		if err == nil {
			return exitDone
		}
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("pktscope %s: %v", strings.Join(args, " "), err)
		}
		return exit.ExitCode()
	})
}

func checkExit(ts *testscript.TestScript, neg bool, args []string, run func(*testscript.TestScript, []string) int) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := run(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// here is held by the one command line that runs in this process: it has the directory and the environment for itself.
// Scripts that run meanwhile go by full names.
var here sync.Mutex

// runHere runs a command line in this process, where the script is, with nothing on stdin.
func runHere(ts *testscript.TestScript, args []string) int {
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before) // it was there
	for _, key := range []string{"HOME", "PATH", "TMPDIR", "GOCACHE", "NO_COLOR", "TERM", "COLUMNS", "SOURCE_DATE_EPOCH"} {
		old, was := os.LookupEnv(key)
		ts.Check(os.Setenv(key, ts.Getenv(key)))
		defer func() {
			if was {
				os.Setenv(key, old)
			} else {
				os.Unsetenv(key)
			}
		}()
	}
	stdin, err := os.Open(os.DevNull)
	ts.Check(err)
	defer stdin.Close()
	stdout, outDone := pipeTo(ts, ts.Stdout())
	stderr, errDone := pipeTo(ts, ts.Stderr())
	code := run(args, stdin, stdout, stderr)
	signal.Reset() // of what run ignores
	outDone()
	errDone()
	return code
}

// pipeTo is a pipe whose other end is copied to w. done waits for all of it.
func pipeTo(ts *testscript.TestScript, w io.Writer) (in *os.File, done func()) {
	out, in, err := os.Pipe()
	ts.Check(err)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(w, out) // into memory
	}()
	return in, func() {
		in.Close()
		<-copied
		out.Close()
	}
}

// captureCommand writes a capture from a text file: `capture packets.txt a.pcap`.
func captureCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture TEXT FILE")
	}
	out := pcapHeader()
	for i, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = appendPacket(ts, out, i, line)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o600))
}

// pcapHeader begins a classic capture of raw IP packets, in microseconds.
func pcapHeader() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = binary.LittleEndian.AppendUint32(b, 65535)
	return binary.LittleEndian.AppendUint32(b, 101)
}

// appendPacket appends the packet that a line describes: ports, options and the payload in hex.
//
//	5000>4124 0001 0001 …          a datagram from 10.0.0.2 to 10.0.0.1
//	5000>4124 cut=2 …              the last 2 bytes are not in the capture
//	5000>4124 udplen=9 …           a UDP length that IP does not agree with
//	tcp                            no UDP
func appendPacket(ts interface{ Check(error) }, out []byte, n int, line string) []byte {
	words := strings.Fields(line)
	cut, udpLength, protocol := 0, -1, byte(17)
	var src, dst uint64
	var payload []byte
	for _, w := range words {
		var err error
		if a, b, ok := strings.Cut(w, ">"); ok {
			src, err = strconv.ParseUint(a, 10, 16)
			ts.Check(err)
			dst, err = strconv.ParseUint(b, 10, 16)
		} else if a, ok := strings.CutPrefix(w, "cut="); ok {
			cut, err = strconv.Atoi(a)
		} else if a, ok := strings.CutPrefix(w, "udplen="); ok {
			udpLength, err = strconv.Atoi(a)
		} else if w == "tcp" {
			protocol = 6
		} else {
			var more []byte
			more, err = hex.DecodeString(w)
			payload = append(payload, more...)
		}
		ts.Check(err)
	}
	if udpLength < 0 {
		udpLength = 8 + len(payload)
	}
	ip := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1}
	binary.BigEndian.PutUint16(ip[2:], uint16(28+len(payload)))
	ip = binary.BigEndian.AppendUint16(ip, uint16(src))
	ip = binary.BigEndian.AppendUint16(ip, uint16(dst))
	ip = binary.BigEndian.AppendUint16(ip, uint16(udpLength))
	ip = append(append(ip, 0, 0), payload...)
	out = binary.LittleEndian.AppendUint32(out, 1767362841)
	out = binary.LittleEndian.AppendUint32(out, uint32(1000*n))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(ip)-cut))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(ip)))
	return append(out, ip[:len(ip)-cut]...)
}

// truncateCommand cuts bytes off a file's end: `truncate a.pcap 5`.
func truncateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:len(data)-n]), 0o600))
}

// escapeCommand replaces ESC in a file by an escape byte.
func escapeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: escape FILE")
	}
	data := bytes.ReplaceAll([]byte(ts.ReadFile(args[0])), []byte("ESC"), []byte{0x1b})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
