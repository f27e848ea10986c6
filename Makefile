# pktscope: make help
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_SECONDS ?= 120

.PHONY: help build test race lint bench bench-1m fuzz-short gofuzz corpus

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/pktscope, without a C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/pktscope ./cmd/pktscope

test: ## all tests
	$(GO) test ./...

race: ## the concurrent packages under the race detector (needs a C compiler)
	$(GO) test -race ./cmd/... ./decode ./fuzz ./pcap/...

lint: ## gofmt, vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench: ## the benchmarks; ratios within one run are what counts
	$(GO) test -run '^$$' -bench . ./decode ./decode/bitio ./pcap

fuzz-short: ## every fuzz target for its share of FUZZ_SECONDS (120)
	GO="$(GO)" .ci/fuzz-short $(FUZZ_SECONDS)

corpus: ## makes the seeds and captures in corpus/ again
	$(GO) run ./corpus/gen
