//go:build unix

package process_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The nasty targets are this test's own program, run again with a word in its environment.

const nastyWord = "PKTSCOPE_NASTY"

// nastyFile is the variable with the file that a target makes which is another the second time.
const nastyFile = "PKTSCOPE_NASTY_FILE"

func TestMain(m *testing.M) {
	if word := os.Getenv(nastyWord); word != "" {
		debug.SetGCPercent(100) // its memory is measured: garbage is no leak
		nasty(word)
		os.Exit(0)
	}
	_ = os.Setenv(runWord, strconv.Itoa(os.Getpid()))
	os.Exit(m.Run())
}

// runWord is in the environment of what these tests start, with the process that they run in: what another run leaves
// behind on the same machine, because it was killed, is none of theirs.
const runWord = "PKTSCOPE_TEST_RUN"

// dozing is longer than the patience of most tests, and shorter than twice that.
const dozing = 1500 * time.Millisecond

// Packets that nasty targets know.
const (
	packetRefuse  = "refuse"
	packetBad     = "bad"     // what the target does when it has it is its nature
	packetTrigger = "trigger" // the second of two
)

func nasty(word string) {
	in, out := bufio.NewReader(os.Stdin), os.Stdout
	switch word {
	case "never-read":
		time.Sleep(time.Hour)
	case "close-stdin":
		os.Stdin.Close()
		time.Sleep(time.Hour)
	case "close-stdout":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "end-at-once":
		fmt.Fprintln(os.Stderr, "usage: reader FILE")
		os.Exit(3)
	case "garbage-next", "end-next": // the first process does not answer at all
		if f, err := os.OpenFile(os.Getenv(nastyFile), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			time.Sleep(time.Hour)
		}
		if word == "end-next" {
			os.Exit(3)
		}
		fmt.Println("hello, I am a reader")
	case "garbage":
		fmt.Println("hello, I am a reader")
	case "flood":
		for {
			fmt.Println("reading…")
		}
	case "ignore-signals":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "single":
		packet, _ := io.ReadAll(in)
		single(string(packet))
	}
	previous := ""
	var eaten [][]byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if word == "linger" || word == "close-stdin-later" && err != io.EOF {
				time.Sleep(time.Hour)
			}
			return
		}
		data := make([]byte, binary.LittleEndian.Uint32(head[:]))
		if _, err := io.ReadFull(in, data); err != nil {
			return
		}
		packet := string(data)
		switch packet {
		case "stuck":
			time.Sleep(time.Hour)
		case "doze":
			time.Sleep(dozing)
		}
		if packet == packetBad {
			switch word {
			case "crash":
				die()
			case "hang", "ignore-signals":
				time.Sleep(time.Hour)
			case "slow-report":
				slowReport()
			case "slow-names":
				slowNames()
			case "eat":
				for {
					b := make([]byte, 1<<20)
					for i := range b {
						b[i] = 1
					}
					eaten = append(eaten, b)
					runtime.KeepAlive(eaten)
					time.Sleep(time.Millisecond)
				}
			case "eat-slowly":
				b := make([]byte, 16<<20)
				for i := range b {
					b[i] = 1
				}
				eaten = append(eaten, b)
			case "garbage-later":
				fmt.Fprint(out, "\x1b[2Jwhat?")
			case "twice":
				fmt.Fprint(out, "RR")
			case "twice-in-lines":
				fmt.Fprint(out, "R\r\nR\n")
			case "line-ends":
				fmt.Fprint(out, strings.Repeat("\n", 1<<16))
				time.Sleep(time.Hour)
			case "flood-stderr":
				for range 1 << 14 {
					fmt.Fprintln(os.Stderr, strings.Repeat("x", 100))
				}
				fmt.Fprintln(os.Stderr, "the last words")
				die()
			case "fork":
				fork()
			case "escape":
				escape()
				time.Sleep(time.Hour)
			case "fork-children":
				for range 16 {
					if err := exec.Command("sleep", "1000").Start(); err != nil {
						time.Sleep(time.Hour)
					}
				}
			case "endless-values":
				out.WriteString("A{")
				for {
					out.WriteString(strings.Repeat(" ", 1<<12))
				}
			}
		}
		late := word == "late" && previous == packetBad || word == "pair" && previous == packetBad && packet == packetTrigger
		if late {
			die()
		}
		if word == "hang-pair" && previous == packetBad && packet == packetTrigger {
			time.Sleep(time.Hour)
		}
		if word == "close-stdin-later" && packet == packetBad {
			os.Stdin.Close() // what it has read of it by now is answered
		}
		previous = packet
		switch {
		case word == "reasons" && strings.HasPrefix(packet, packetRefuse):
			fmt.Fprintf(out, "R%s\n", strings.TrimPrefix(packet, packetRefuse))
		case word == "reasons-late" && packet == packetRefuse:
			out.WriteString("R")
			time.Sleep(5 * time.Millisecond)
			out.WriteString("{\"kind\":\"past-end\"}\n")
		case word == "lines" && packet == packetRefuse:
			out.WriteString("R\r\n")
		case word == "lines":
			fmt.Fprintln(out, "A")
		case packet == packetRefuse:
			out.WriteString("R")
		case word == "pid":
			fmt.Fprintf(out, "A{\"pid\":%d}\n", os.Getpid())
		case word == "values-in-lines":
			fmt.Fprintf(out, "A\r\n{\"size\":%d,\"@bits\":%d}\r\n\n", len(packet), 8*len(packet))
		case word == "values":
			fmt.Fprintf(out, "A{\"size\":%d,\"@bits\":%d}\n", len(packet), 8*len(packet))
		case word == "values-late":
			out.WriteString("A")
			time.Sleep(5 * time.Millisecond)
			fmt.Fprintf(out, "{\"size\":%d}\n", len(packet))
		default:
			out.WriteString("A")
		}
	}
}

// die ends the program by a signal that Go does not print a page about.
func die() {
	fmt.Fprintln(os.Stderr, "about to die")
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	time.Sleep(time.Second)
	os.Exit(4)
}

// slowReport dies as with a sanitizer that looks up the names of its stack for longer than a packet may take.
func slowReport() {
	fmt.Fprintln(os.Stderr, "reader.c:3:2: runtime error: index 4 out of bounds")
	time.Sleep(400 * time.Millisecond)
	os.Exit(99)
}

// slowNames dies as with a sanitizer whose first process that is to look up names does not come to an end with it.
func slowNames() {
	const begin = "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x5500017e4 "
	if strings.Contains(os.Getenv("ASAN_OPTIONS"), "symbolize=0") {
		fmt.Fprintln(os.Stderr, begin+" (/tmp/reader+0x17e4)")
		os.Exit(99)
	}
	if f, err := os.OpenFile(os.Getenv(nastyFile), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close()
		time.Sleep(time.Hour)
	}
	fmt.Fprintln(os.Stderr, begin+"in copy /tmp/reader.c:14:3")
	os.Exit(99)
}

func single(packet string) {
	switch packet {
	case packetBad:
		die()
	case "slow-report":
		slowReport()
	case "hang":
		time.Sleep(time.Hour)
	case "report":
		fmt.Fprintln(os.Stderr, "noise\nreader.c:3:2: runtime error: index 4 out of bounds\nmore")
	case "leak":
		fmt.Fprintln(os.Stderr, "==1==ERROR: LeakSanitizer: detected memory leaks")
		os.Exit(99)
	case "odd":
		os.Exit(7)
	case "fork":
		fork()
	case packetRefuse:
		os.Exit(1)
	}
	fmt.Println("a reader may print what it likes")
	os.Exit(0)
}

// escape leaves a process behind that left the group and holds the pipes open.
func escape() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nastyWord+"=never-read")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// fork leaves two processes after: one in the group, one that left it.
func fork() {
	for _, leave := range []bool{false, true} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), nastyWord+"=never-read")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: leave}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
