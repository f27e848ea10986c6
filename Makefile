# pktscope: make help
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_SECONDS ?= 120
TARGET ?= FuzzRType

.PHONY: help build man test race lint bench bench-1m fuzz-short gofuzz corpus

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/pktscope, without a C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/pktscope ./cmd/pktscope

man: build ## bin/man: a man page for each command and help topic, dated as the last commit
	SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}" bin/pktscope man bin/man

test: ## all tests
	$(GO) test ./...

race: ## the concurrent packages under the race detector (needs a C compiler)
	$(GO) test -race ./cmd/... ./decode ./decode/batch ./decode/filter ./fuzz ./pcap/... ./report/...

lint: ## gofmt, vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench: ## the benchmarks; ratios within one run are what counts
	$(GO) test -run '^$$' -bench . ./decode ./decode/bitio ./pcap ./report/stats

bench-1m: ## the whole program over a million R-Type packets, beside tshark with Lua where installed
	$(GO) test -run '^$$' -bench Million -benchtime 2x ./cmd/pktscope

fuzz-short: ## every fuzz target for its share of FUZZ_SECONDS (120)
	GO="$(GO)" .ci/fuzz-short $(FUZZ_SECONDS)

gofuzz: ## go-fuzz on TARGET (FuzzRType) for FUZZ_SECONDS; bitio is not instrumented, go-fuzz misplaces its directives
	@mkdir -p fuzz/workdir/$(TARGET)/corpus
	@case $(TARGET) in \
	FuzzSchema) find decode -name '*.pks' -size -16k -exec cp {} fuzz/workdir/$(TARGET)/corpus/ \; ;; \
	FuzzCapture) cp corpus/*.pcap fuzz/workdir/$(TARGET)/corpus/ ;; \
	esac
	$(GO) tool go-fuzz-build -preserve github.com/pktscope/pktscope/decode/bitio -o fuzz/workdir/fuzz.zip ./fuzz
	timeout -s INT $(FUZZ_SECONDS) $(GO) tool go-fuzz -bin=fuzz/workdir/fuzz.zip -func=$(TARGET) -workdir=fuzz/workdir/$(TARGET) -procs=2 || test $$? = 124
	@test -z "$$(ls fuzz/workdir/$(TARGET)/crashers)"

corpus: ## makes the seeds and captures in corpus/ again
	$(GO) run ./corpus/gen
