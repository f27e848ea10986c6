# pktscope: make help
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_SECONDS ?= 120
TARGET ?= FuzzRType
FUZZTIME ?= 3600
ZOO_SECONDS ?= 20
ZOO_PACKETS ?= 10000000
WILD_SECONDS ?= 60
PACKETS ?= 100000000
ROUND ?= 0
BASE ?= last
SCHEMAS ?= 0+100000
WRITTEN ?= 0+10000
BUILT ?= 0+480
GOFUZZ_PACKAGE = $(if $(filter FuzzRender,$(TARGET)),./report,./fuzz/selffuzz)

.PHONY: help build man completions dist test test-libpcap race lint bench bench-history bench-compare bench-micro bench-1m fuzz fuzz-short gofuzz ossfuzz zoo ports wild engines bench-scale differential anyschema corpus picture

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/pktscope, without a C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/pktscope ./cmd/pktscope

man: build ## bin/man: a man page for each command and help topic, dated as the last commit
	SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}" bin/pktscope man bin/man

completions: build ## bin/completions: for bash, zsh and fish
	mkdir -p bin/completions
	for shell in bash zsh fish; do bin/pktscope completion $$shell > bin/completions/pktscope.$$shell; done

dist: ## dist: what a release has, of this commit: archives, packages, images, checksums, SBOMs; nothing is published
	GO="$(GO)" .ci/dist

test: ## the tests that need Go alone, the same on every machine
	$(GO) test ./...

test-libpcap: ## live capture as on other systems, with the build tag libpcap (needs a C compiler and libpcap's headers)
	$(GO) vet -tags libpcap ./pcap/live ./cmd/pktscope
	$(GO) test -tags libpcap ./pcap/live
	$(GO) test -tags libpcap -run 'TestLive|TestScripts/live' ./cmd/pktscope

race: export GORACE = atexit_sleep_ms=0
race: ## the packages that start goroutines or share memory, under the race detector (needs a C compiler)
	$(GO) test -race -short -timeout 20m $$($(GO) run .ci/lint/concurrent.go .ci/lint/walk.go)

lint: ## gofmt, vet, staticcheck, switches that lack cases, the number of switches over types
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	GO="$(GO)" .ci/exhaustive
	GO="$(GO)" .ci/switches

bench: ## the tables of the README, all in one run: reads and writes of a packet, a million packets beside other programs
	$(GO) run ./cmd/pktscope/bench

bench-history: ## bench, and appends its times to cmd/pktscope/bench/history.txt
	$(GO) run ./cmd/pktscope/bench -history

bench-compare: ## the commit BASE (that of the history's last entry) and this tree, measured in turns; fails at a loss of 5 %
	$(GO) run ./cmd/pktscope/bench -compare $(BASE) -micro-rounds 20 -rounds 8

bench-micro: ## its first table: the interpreter, generated code and by hand
	$(GO) run ./cmd/pktscope/bench -only micro

bench-1m: ## its second: the whole program beside tcpdump, tshark, scapy and Kaitai where installed
	$(GO) run ./cmd/pktscope/bench -only million

bench-scale: ## Parquet, shards, parts and merges of a million packets beside the plain pass (155 MB in a temporary directory)
	GO="$(GO)" .ci/bench-scale

fuzz-short: ## every native fuzz target for its share of FUZZ_SECONDS (120), from the seeds
	GO="$(GO)" .ci/fuzz $(FUZZ_SECONDS)

fuzz: ## every native fuzz target for its share of FUZZTIME (3600 s), from what the last run left in fuzz/workdir/native
	GO="$(GO)" FUZZCACHE=fuzz/workdir/native .ci/fuzz $(FUZZTIME)

gofuzz: ## go-fuzz on TARGET (FuzzRType) for FUZZ_SECONDS; wire is not instrumented, go-fuzz misplaces its directives
	@mkdir -p fuzz/workdir/$(TARGET)/corpus
	PKTSCOPE_SEEDS=$(CURDIR)/fuzz/workdir $(GO) test -count=1 -run '^TestWriteSeeds$$' ./fuzz/ossfuzz
	$(GO) tool go-fuzz-build -preserve github.com/pktscope/pktscope/decode/wire -o fuzz/workdir/fuzz.zip $(GOFUZZ_PACKAGE)
	timeout -s INT $(FUZZ_SECONDS) $(GO) tool go-fuzz -bin=fuzz/workdir/fuzz.zip -func=$(TARGET) -workdir=fuzz/workdir/$(TARGET) -procs=2 || test $$? = 124
	@for input in fuzz/workdir/$(TARGET)/crashers/*; do [ ! -e "$$input" ] || { echo "crasher: $$input"; exit 1; }; done

ossfuzz: ## builds what fuzz/ossfuzz/build.sh builds, as far as it goes without clang and the image of OSS-Fuzz
	PKTSCOPE_REQUIRE=long $(GO) test -count=1 -v -run '^TestBuild' ./fuzz/ossfuzz

zoo: ## every tool on every flawed reader of fuzz/zoo for ZOO_SECONDS (20) each; false alarms in ZOO_PACKETS (10 million) packets
	ZOO_GOFUZZ=1 ZOO_SECONDS=$(ZOO_SECONDS) ZOO_PACKETS=$(ZOO_PACKETS) $(GO) test -run '^TestZoo' -v -timeout 0 ./fuzz/zoo
	ZOO_SECONDS=$(ZOO_SECONDS) $(GO) test -count=1 -run "^TestZooFuzzers$$" -v -timeout 0 ./fuzz/harness

ports: ## the zoo's readers in C and C++, found from outside: also those whose every packet costs several processes
	PKTSCOPE_PORTS=1 $(GO) test -count=1 -run '^TestPorts' -v ./fuzz/harness

wild: ## audit and WILD_SECONDS (60) of fuzz on each reader of fuzz/wild, which others wrote: needs the Go proxy, a C compiler, libenet
	cd fuzz/wild && $(GO) vet . && $(GO) test -count=1 . && $(GO) run . -seconds $(WILD_SECONDS)

engines: ## DuckDB and ClickHouse, embedded, count in Parquet what JSON has (installs them with npm, 600 MB)
	GO="$(GO)" .ci/all engines

picture: ## the README's picture of the page, .github/page.png (needs chromium)
	PKTSCOPE_REQUIRE=chromium PKTSCOPE_PICTURE="$(CURDIR)/.github/page.png" $(GO) test -count=1 -run 'TestPictureInChromium$$' ./report/page

corpus: ## makes the seeds and captures in corpus/ again
	$(GO) run ./corpus/gen

differential: ## interpreter, generated code and reference: all vectors, 96 drawn schemas, PACKETS (100 million) packets over the built-ins from ROUND (0) on
	DIFFERENTIAL_PACKETS=$(PACKETS) DIFFERENTIAL_FROM=$(ROUND) ANYSCHEMA=0+96 $(GO) test -count=1 -run '^TestVectorsAgree$$|^TestAnySchemaAgrees$$|^TestDifferential$$' -v -timeout 0 ./fuzz/generated

anyschema: ## the drawn schemas SCHEMAS (0+100000) under reader and reference, WRITTEN (0+10000) under writer and mutators, BUILT (0+480) under generated code and changed; counts by form
	ANYSCHEMA=$(SCHEMAS) $(GO) test -count=1 -run '^TestAnySchema$$' -v -timeout 0 ./fuzz/oracle
	ANYSCHEMA=$(WRITTEN) $(GO) test -count=1 -run '^TestAnySchema$$' -v -timeout 0 ./fuzz
	ANYSCHEMA=$(BUILT) $(GO) test -count=1 -run '^TestAnySchemaAgrees$$' -v -timeout 0 ./fuzz/generated
	ANYSCHEMA=$(BUILT) $(GO) test -count=1 -run '^TestRandomChanges$$' -v -timeout 0 ./report/wirediff
