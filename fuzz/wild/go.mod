module github.com/pktscope/pktscope/fuzz/wild

go 1.26.0

require (
	github.com/beevik/ntp v1.6.0
	github.com/hypebeast/go-osc v0.0.0-20220308234300-cec5a8a1e5f5
	github.com/miekg/dns v1.1.73
	github.com/netsampler/goflow2/v2 v2.2.6
	github.com/pion/rtcp v1.2.20
	github.com/plgd-dev/go-coap/v3 v3.8.0
	github.com/rumblefrog/go-a2s v1.0.2
	github.com/sandertv/go-raknet v1.14.2
)

require (
	github.com/pion/dtls/v3 v3.1.15 // indirect
	github.com/pion/logging v0.2.4 // indirect
	github.com/pion/transport/v5 v5.1.4 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp v0.0.0-20261014143641-f0251eb4aa3e // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
