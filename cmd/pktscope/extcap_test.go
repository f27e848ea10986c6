//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/fuzz/udp/udptest"
)

// nobody is the user as which tshark runs where the test is root, from whom it takes no folder.
const nobody = 65534

// tshark lists our interfaces, and captures on the relay, and as root on lo, what is sent.
func TestExtcapInTshark(t *testing.T) {
	if testing.Short() {
		t.Skip("tshark asks every interface on its way")
	}
	program := need.Program(t, need.Tshark, "tshark")
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Chmod(filepath.Dir(home), 0o755); err != nil { // others are to run what is in it
		t.Fatal(err)
	}
	self := filepath.Join(home, "pktscope")
	if found, err := exec.LookPath("pktscope"); err != nil {
		t.Fatal(err)
	} else if data, err := os.ReadFile(found); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(self, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(self, "extcap", "--install").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.WaitDelay = home, 5*time.Second
		cmd.Env = append(os.Environ(), "HOME=/tmp", "WIRESHARK_EXTCAP_DIR="+filepath.Join(home, ".local/lib/wireshark/extcap"))
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return cmd
	}
	out, err := run("-D").Output()
	if err != nil || !strings.Contains(string(out), " pktscope:tap (pktscope: relay between a client and a server)\n") || !strings.Contains(string(out), " pktscope-lo (") {
		t.Fatalf("%v: tshark lists\n%s", err, out)
	}
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	spare, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := spare.LocalAddr().String()
	spare.Close()
	schema := filepath.Join(home, "own.pks")
	_, port, _ := net.SplitHostPort(listen)
	if err := os.WriteFile(schema, fmt.Appendf(nil, "protocol own\norder msb\nport %s\npacket { a uint32 }\n", port), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"pktscope:tap", "-o", "extcap.pktscope_tap.listen:" + listen, "-o", "extcap.pktscope_tap.to:" + server.LocalAddr().String(),
		"-o", "extcap.pktscope_tap.protocol:" + schema}}
	if os.Getuid() == 0 && exec.Command("setcap", "cap_net_raw+ep", self).Run() == nil {
		rows = append(rows, []string{"pktscope-lo", "-o", "extcap.pktscope_lo.protocol:" + schema})
	}
	for _, row := range rows {
		t.Run(row[0], func(t *testing.T) {
			done := make(chan struct{})
			go func() { // until tshark has enough
				conn, err := net.Dial("udp4", listen)
				if err != nil {
					return
				}
				defer conn.Close()
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					case <-time.After(50 * time.Millisecond):
						_, _ = fmt.Fprintf(conn, "no%02d", i%100)
					}
				}
			}()
			out, err := run(append([]string{"-n", "-c", "3", "-T", "fields", "-e", "udp.payload", "-i"}, row...)...).Output()
			close(done)
			lines := strings.Fields(string(out))
			if err != nil || len(lines) < 3 {
				t.Fatalf("%v: %q", err, out)
			}
			for _, line := range lines[:3] {
				if !strings.HasPrefix(line, "6e6f3") { // "no" and a digit
					t.Errorf("tshark has %s", line)
				}
			}
		})
	}
}

// One signal ends a capture whose pipe nobody reads, and one whose reader has it.
func TestExtcapSignal(t *testing.T) {
	self, err := exec.LookPath("pktscope")
	if err != nil {
		t.Fatal(err)
	}
	at, release, err := udptest.Port()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	try := func(read bool, lead time.Duration) error {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		var pipe *os.File
		if read {
			if pipe, err = os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, self, "extcap", "--extcap-interface", tapName, "--capture", "--fifo", fifo, "--listen", at.String(), "--to", "127.0.0.1:9", "--protocol", "rtype")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lead)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || !read {
			return err
		}
		if err := pipe.SetReadDeadline(time.Now().Add(time.Second)); err != nil { // what it wrote waits in the pipe
			t.Fatal(err)
		}
		start := make([]byte, 28)
		if _, err := io.ReadFull(pipe, start); err != nil || string(start[:4]) != "\n\r\r\n" {
			return fmt.Errorf("%q is no start of a capture: %v", start, err)
		}
		return nil
	}
	for _, read := range []bool{false, true} {
		lead := 500 * time.Millisecond // until it waits for a reader, or relays: nothing shows when
		err := try(read, lead)
		for ; err != nil && lead < 10*time.Second; err = try(read, lead) {
			lead *= 2
		}
		if err != nil {
			t.Errorf("read %t: %v", read, err)
		}
	}
}
