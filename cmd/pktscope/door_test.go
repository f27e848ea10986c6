package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// doorServer is the server of fuzz/zoo/door as a program.
func doorServer() {
	err := func() error {
		if os.Args[1] == "files" {
			for name, text := range map[string]string{"door.pks": door.Schema, "door.pkd": door.Dialogue, "token": door.Token + "\n"} {
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
		return door.Serve(conn, door.Mistakes(mistakes))
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
