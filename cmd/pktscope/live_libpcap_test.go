//go:build libpcap && linux

package main

func init() { waitingIsKept = false }
