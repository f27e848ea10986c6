package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
	"github.com/pktscope/pktscope/fuzz/zoo/vault"
)

// doorServer is the server of fuzz/zoo/door as a program.
func doorServer() {
	serve(map[string]string{"door.pks": door.Schema, "door.pkd": door.Dialogue, "token": door.Token + "\n"}, func(conn net.PacketConn, m int) error {
		return door.Serve(conn, door.Mistakes(m))
	})
}

// vaultServer is the server of fuzz/zoo/vault as a program.
func vaultServer() {
	netcode, _ := examples.Source("netcode")
	schema, _ := vault.Put(string(netcode))
	serve(map[string]string{"vault.pks": schema, "vault.keys": "private " + vault.Private + "\n"}, func(conn net.PacketConn, m int) error {
		return vault.Serve(conn, vault.Mistakes(m))
	})
}

// serve is a server of the zoo as a program: with `files` it writes its files.
func serve(files map[string]string, run func(conn net.PacketConn, mistakes int) error) {
	err := func() error {
		if os.Args[1] == "files" {
			for name, text := range files {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					return err
				}
			}
			return nil
		}
		mistakes, err := strconv.Atoi(os.Args[2])
		if err != nil {
			return err
		}
		conn, err := net.ListenPacket("udp", "127.0.0.1:"+os.Args[1])
		if err != nil {
			return err
		}
		return run(conn, mistakes)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
