# Everything that is done to this repository is a target here; 'make' lists them.

SHELL       := /bin/bash
GO          ?= go
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
# 'make VERSION=v1.2.3' builds another version in. It may be the name of a tag, which anybody chose, and reaches shells.
ifeq ($(origin VERSION),command line)
ifneq ($(shell printf '%s' '$(subst ','\'',$(value VERSION))' | grep -qzxE '[0-9A-Za-z.+_-]+' && echo ok),ok)
$(error VERSION may have letters, digits and . + _ - only)
endif
endif
LDFLAGS := -X sotto/cmd/internal/cli.buildVersion=$(VERSION) -X sotto/cmd/internal/cli.buildCommit=$(COMMIT)

# The packages where goroutines share something. What they call is instrumented, too, so that packages without goroutines need no
# tests of their own under the race detector.
RACE_PACKAGES ?= ./processor ./processor/demo ./processor/erasure ./processor/ingest ./processor/partition ./processor/topic ./anonymize ./schemas/... \
	./serve/... ./review/... ./detectors/remote/... ./files ./risk/adversary ./internal/testkit/kubetest

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets.
	@echo "Targets:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Variables: ARGS for demo, FUZZTIME (5s), BENCHTIME (1s), ROUNDS (3), DURATION (10m) for soak, (1m) for test-hostile, BASE for check, FAULTS for test-chaos, KAFKA_BROKERS for test-kafka."

# 'make' says how far it is: with empty caches, a build compiles hundreds of packages, which takes minutes. The tests use what it
# has compiled; with -trimpath, as in releases, they could not.
built = set -o pipefail; $(GO) build -v -ldflags '$(LDFLAGS)' -o bin/$(1) ./cmd/$(1) 2>&1 | awk '/ / { print; next } \
	!n++ { print "Building $(1); the first time, it compiles about $(2) packages, for some minutes." } n % 50 == 0 { print n " packages compiled ..." } { fflush() }'

.PHONY: build
build: ## Build bin/sotto.
	@$(call built,sotto,600)

# It builds only what the demo needs.
.PHONY: demo
demo: ## Play calls through an embedded broker and the processor, raw beside clean. ARGS='--calls 50 --speed 1'.
	@$(call built,sotto-demo,400)
	@bin/sotto-demo demo $(ARGS)

# Tests of the stream spend most of their time waiting for timers, so more of them than cores may run.
# The race detector makes them need more of the processor.
PARALLEL      := -parallel 8
RACE_PARALLEL := -parallel 4

# The package that takes longest comes first. It waits a lot, so that one more package than a small
# machine has cores runs beside it.
.PHONY: test
test: ## Run all tests on the embedded broker.
	@$(GO) test -p 3 $(PARALLEL) ./processor ./...

# 'make test' and the linters vet the same packages; here, every dependency would be vetted once more.
.PHONY: test-race
test-race: ## Run the tests of the concurrent packages under the race detector.
	@CGO_ENABLED=1 $(GO) test -race -vet=off -short -p 3 $(RACE_PARALLEL) $(RACE_PACKAGES)
	@CGO_ENABLED=1 $(GO) test -race -vet=off -short -run 'Run|Review|Dashboard|Serve|Ingest|Topics' ./cmd/sotto

.PHONY: kafka-fetch
kafka-fetch: ## Fetch Apache Kafka from Maven Central into .cache, unless it is there (JDK 17 and Maven needed).
	@hack/kafka/fetch

# The packages whose tests run on Apache Kafka.
KAFKA_PACKAGES := ./processor ./processor/erasure ./processor/ingest ./internal/testkit/brokertest/... ./review/topic ./examples/consumers

# Kafka comes first, so that a missing tool fails here. The tests wait for brokers most of
# the time. Two packages at a time: each starts a broker of its own.
.PHONY: test-kafka
test-kafka: $(if $(KAFKA_BROKERS),,kafka-fetch) ## Run the stream's tests on Apache Kafka; KAFKA_BROKERS=... takes a cluster that is there.
	@$(if $(KAFKA_BROKERS),,hack/helm/tools prometheus)
	@hack/consumers
	@SOTTO_TEST_BROKER=kafka SOTTO_TEST_PROMETHEUS=$(CURDIR)/.cache/tools/bin $(GO) test -count=1 -p 2 $(PARALLEL) -timeout 20m $(KAFKA_PACKAGES)

# The packages for Python come from PyPI, as the page says. It takes a minute, most of it waiting.
.PHONY: test-first-hour
test-first-hour: build ## Do what docs/consumers.md shows, from the messages of a recognizer to rows in DuckDB (Python 3.10 and PyPI needed); with SOTTO_TEST_BROKER=kafka after 'make kafka-fetch', on Apache Kafka.
	@SOTTO_TEST_FIRST_HOUR=1 $(GO) test -count=1 -v ./examples/duckdb

.PHONY: test-chaos
test-chaos: kafka-fetch ## Kill processors and brokers, and change versions, under load on Apache Kafka; nothing may be lost, doubled or renumbered. FAULTS=200 for half an hour of it.
	@SOTTO_TEST_BROKER=kafka SOTTO_TEST_CHAOS=1 SOTTO_TEST_FAULTS=$(FAULTS) $(GO) test -count=1 $(if $(FAULTS),-timeout 90m,-timeout 30m -short) \
		-run Chaos -v ./processor/chaos

.PHONY: soak
soak: kafka-fetch ## Run for DURATION (10m) at a steady load on Apache Kafka, with rotations, reloads and rebalances; nothing may grow.
	@SOTTO_TEST_BROKER=kafka SOTTO_TEST_SOAK=$(or $(DURATION),10m) $(GO) test -count=1 -timeout 100m -run 'TestSoak$$' -v ./processor/chaos

.PHONY: test-hostile
test-hostile: ## Send sotto serve, with 512 MiB, every hostile request that is known at once, for DURATION (1m); then every hostile file to it and to sotto anonymize, and every hostile record to the stream.
	@SOTTO_TEST_HOSTILE=$(or $(DURATION),1m) $(GO) test -count=1 -timeout 30m -parallel $(if $(DURATION),6,3) -run 'Hostile|Bombs' -v ./cmd/sotto

.PHONY: test-review
test-review: build ## Test sotto review in Chromium and on PostgreSQL, which it installs if they are missing; SCREENSHOTS=FOLDER keeps pictures.
	@axe=$$(hack/review/tools) && SOTTO_TEST_BROWSER=1 SOTTO_TEST_AXE=$$axe SOTTO_TEST_SCREENSHOTS='$(SCREENSHOTS)' \
		SOTTO_TEST_POSTGRES=1 $(GO) test -count=1 -timeout 10m -run 'Browser|Replica|LongQueue' ./review/web
	@SOTTO_TEST_POSTGRES=1 $(GO) test -count=1 ./review/store ./processor/erasure
	@$(GO) run ./hack/readme docs/review.md

.PHONY: review-picture
review-picture: ## Take the picture of docs/review.md, with the Chromium that is there; the same one takes the same picture.
	@hack/review/tools >/dev/null && SOTTO_TEST_BROWSER=1 SOTTO_TEST_PICTURE=$(CURDIR)/docs/review.png $(GO) test -count=1 -run BrowserPicture ./review/web

.PHONY: test-helm
test-helm: ## Check the chart: lint, unit tests, schemas, Strimzi, alerts (JDK 17 and Maven needed). The first time builds its tools into .cache.
	@hack/helm/test

.PHONY: test-k8s
test-k8s: kafka-fetch ## Run the chart on a real Kubernetes control plane and Apache Kafka. The first time builds them into .cache.
	@hack/k8s/tools
	@SOTTO_TEST_BROKER=kafka SOTTO_TEST_K8S=1 $(GO) test -count=1 -timeout 20m -run 'Kubernetes' -v ./processor/chaos

.PHONY: test-python
test-python: build ## Test serve/clients/python against the real service, the driver of 'make compare', and the encoder's exporter (Python 3.11 and PyPI needed).
	@hack/python-test
	@cd hack/compare && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q
	@cd training/encoder && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q

.PHONY: test-audio
test-audio: build ## Cut what is masked out of synthesized speech; installs espeak-ng and ffmpeg if they are missing (Debian, Ubuntu).
	@command -v espeak-ng >/dev/null && command -v ffmpeg >/dev/null || hack/apt espeak-ng ffmpeg
	@python3 hack/audio-test

.PHONY: test-proxy
test-proxy: ## Test the nginx and Envoy of helm/deploy/proxy before two replicas of sotto serve; installs what is missing (amd64).
	@envoy=$$(hack/proxy/tools) && SOTTO_TEST_ENVOY=$$envoy $(GO) test -count=1 -run ProxyExamples ./serve

.PHONY: playground
playground: ## Build the page that anonymizes in the browser into bin/playground.
	@GO='$(GO)' hack/playground/build

.PHONY: test-playground
test-playground: playground ## Test that page in headless Chromium, and take the screenshot bin/playground.png.
	@cd hack/playground && $(GO) test -count=1 .

.PHONY: test-presidio
test-presidio: ## Run the tests of the remote tiers with Presidio's analyzer, which is installed from PyPI into .cache.
	@hack/presidio/install
	@SOTTO_TEST_PRESIDIO=1 $(GO) test -count=1 ./detectors/remote/presidio

.PHONY: test-llm
test-llm: ## Run the tests of language models with the server of llama.cpp, which is installed from PyPI into .cache, and a tiny model of random weights.
	@hack/llm/install
	@SOTTO_TEST_LLM=1 $(GO) test -count=1 ./detectors/remote/llm ./risk/adversary

.PHONY: remote-curve
remote-curve: ## Print the recall that each share of sent utterances buys, on GOLD='calls.jsonl ...'; with Presidio at PRESIDIO=http://localhost:3000, or the model LLM_MODEL=name at LLM=http://localhost:8000/v1.
	@SOTTO_REMOTE_CURVE='$(abspath $(GOLD))' SOTTO_REMOTE_CURVE_URL='$(or $(LLM),$(PRESIDIO))' SOTTO_REMOTE_CURVE_MODEL='$(and $(LLM),$(or $(LLM_MODEL),default))' $(GO) test -count=1 -v -run RemoteCurve ./training/eval

.PHONY: test-dlp
test-dlp: ## Run the tests of Google Sensitive Data Protection on the real service, with your credentials: SOTTO_TEST_DLP_PARENT=projects/PROJECT.
	@test -n "$$SOTTO_TEST_DLP_PARENT" || { echo "set SOTTO_TEST_DLP_PARENT=projects/PROJECT, and credentials with 'gcloud auth application-default login'"; exit 2; }
	@$(GO) test -count=1 -v ./detectors/remote/dlp

.PHONY: vulnerabilities
vulnerabilities: ## Look for known vulnerabilities in the code and its modules; needs https://vuln.go.dev.
	@hack/vulnerabilities

.PHONY: scan-images
scan-images: ## Look for known vulnerabilities in bin/image and bin/image-full; needs the database of grype.
	@hack/scan-images

.PHONY: cross
cross: ## Build bin/cross/sotto-OS-ARCH for every platform in hack/platforms, or for those in PLATFORMS.
	@set -e; for platform in $(or $(PLATFORMS),$$(<hack/platforms)); do \
		out=bin/cross/sotto-$${platform/\//-}; [[ $$platform != windows/* ]] || out+=.exe; echo "$$out"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
			$(GO) build -trimpath -buildvcs=false -ldflags '-s -w -buildid= $(LDFLAGS)' -o "$$out" ./cmd/sotto; \
	done

.PHONY: fused
fused: ## Check that the engine and the risk estimate round alike on every processor.
	@hack/fused ./detectors/... ./anonymize/... ./training/tagger ./training/head ./risk/estimate

.PHONY: image
image: ## Build the container image of the stream without a daemon: bin/image (an OCI layout) and bin/image.sbom.json.
	@$(GO) run ./hack/image -o bin/image -sbom bin/image.sbom.json -version '$(VERSION)' -commit '$(COMMIT)'

.PHONY: image-full
image-full: ## Build the image with all commands, for 'sotto serve' and 'sotto review': bin/image-full and its SBOM.
	@$(GO) run ./hack/image -program sotto -o bin/image-full -sbom bin/image-full.sbom.json -version '$(VERSION)' -commit '$(COMMIT)'

.PHONY: test-image
test-image: ## Build the image twice, compare, and run the binary from its files as nobody on a read-only root.
	@hack/image/check

.PHONY: check
check: ## Before a push: format, build, layers, linters and short tests of what has changed since BASE (origin/main, or the commit before).
	@GO='$(GO)' GOLANGCI='$(GOLANGCI)' hack/check $(BASE)

# The cheapest comes first.
.PHONY: lint
lint: ## Check format, file lengths, which package imports which, pinned versions, documents, workflows, linters (.golangci.yml).
	@unformatted=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); test -z "$$unformatted" || { echo "not gofmt'ed: $$unformatted"; exit 1; }
	@long=$$(git ls-files -z '*.go' | xargs -0 wc -l | awk '$$2 != "total" && $$1 > 500 { print $$2 }'); test -z "$$long" || { echo "over 500 lines: $$long"; exit 1; }
	@$(GO) test ./hack/layers ./hack/pins ./hack/readme ./hack/results
	@$(GO) run $(ACTIONLINT) -shellcheck= -pyflakes=
	@$(GO) run $(GOLANGCI) run ./...
	@cd training/research && $(GO) run $(GOLANGCI) run ./...
	@cd hack/playground && $(GO) vet ./...

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME.
	@hack/fuzz $(or $(FUZZTIME),5s)

.PHONY: bench
bench: ## Measure engine, stream and restore, and print the figures with their ratios. ROUNDS=3.
	@hack/bench $(or $(ROUNDS),3)

.PHONY: bench-kafka
bench-kafka: kafka-fetch ## Measure the stream on Apache Kafka in other processes, one broker and three. ROUNDS=3.
	@hack/bench $(or $(ROUNDS),3) kafka

.PHONY: bench-all
bench-all: ## Run every benchmark, for BENCHTIME (1s).
	@$(GO) test -run '^$$' -bench . -benchtime $(or $(BENCHTIME),1s) -benchmem ./...

.PHONY: bench-calls
bench-calls: ## Restore a million open calls in one process of two threads; print time and memory. CALLS=100000 for fewer.
	@SOTTO_TEST_OPEN_CALLS=$(or $(CALLS),1000000) $(GO) test -run '^$$' -bench OpenCalls -benchtime 1x -timeout 60m ./processor

.PHONY: bench-detect
bench-detect: ## Time the engine on one core beside a pass of forty regular expressions (needs ../shared/corpora).
	@$(GO) test -run '^$$' -bench 'AllConversations|FortyRegexps|Plain' -benchtime $(or $(BENCHTIME),1s) -benchmem -cpu 1 ./anonymize

.PHONY: measure
measure: ## Measure the figures behind 'sotto size' again, and put them into docs/scaling.md. ARGS=-sizes keeps the speeds, which need a quiet machine.
	@$(GO) run ./hack/measure $(ARGS)
	@$(GO) run ./hack/generate

.PHONY: licences
licences: ## List the licences of everything in the binary; fails if one is not permissive, or THIRD_PARTY_NOTICES is old.
	@$(GO) run ./hack/licences

.PHONY: notices
notices: ## Generate THIRD_PARTY_NOTICES from the modules in go.mod and the sources of the data.
	@$(GO) run ./hack/licences -w >/dev/null

CORPORA := ../shared/corpora/train
DEV     := ../shared/corpora/dev
LISTS   := $(wildcard ../shared/corpora/wordlists)
# The repository's own calls, and other sets where they are present. Two noisy copies add nothing, and
# restaurant8k labels numbers of guests.
OWN_CALLS   := $(sort $(wildcard training/corpora/calls/train/*.txt))
OTHER_CALLS := $(filter-out %/calls.jsonl %/multidogo_asr.jsonl %/restaurant8k.jsonl,$(sort $(wildcard $(CORPORA)/*.jsonl)))
# Chosen on dev, see docs/tagger.md.
MODEL_SEED  := 3
# The licence of each set, for the model card.
MODEL_LICENCES := $(addprefix --licence ,abcd=MIT abcd_asr=MIT btc=CC-BY-4.0 callgen=ours callgen_asr=ours ckm=MIT evi=CC-BY-4.0 \
	fakevcons=MIT fakevcons_asr=MIT multidogo=CDLA-Permissive-1.0 presidio_synth=MIT presidio_synth_asr=MIT wikigold=CC-BY-4.0 \
	wnut17=CC-BY-4.0 $(addsuffix =CC-BY-4.0,$(basename $(notdir $(OWN_CALLS))))) --licence 'composed=ours; names of lists, see tagger.md'

.PHONY: model
model: ## Train the built-in tagger again, from training/corpora and, if present, ../shared/corpora; equal input gives an equal file.
	@$(GO) run ./cmd/sotto train tagger $(OTHER_CALLS) $(OWN_CALLS) $(if $(LISTS),--lists $(LISTS) --composed 20000) \
		--seed $(MODEL_SEED) -o detectors/ner/model.bin --card docs/model.md $(MODEL_LICENCES)
	@$(MAKE) notices

.PHONY: learn
learn: ## Train the encoder from labelled calls, write its model file, and measure it on other calls; takes three hours on two processors, and goes on where it was interrupted. ARGS='--minutes 60'.
	@training/encoder/learn $(ARGS)
	@$(MAKE) notices

.PHONY: numbered-tags
numbered-tags: build ## Learn from raw calls, from redacted ones, from tags with and without numbers, and from surrogates, and print how well it goes (needs ../shared/corpora and PyPI); takes an hour on two processors, and goes on where it was interrupted. ARGS='--share 2'.
	@training/research/numbered/run $(ARGS)

.PHONY: compare
compare: build ## Compare other tools, which are installed into .cache, with Sotto, and put the figures into docs/comparison.md; takes half an hour.
	@python3 hack/compare/run.py

.PHONY: points
points: ## Look for the operating points of detection again, and fit the live estimate to them (needs ../shared/corpora); then 'make record-output'.
	@$(GO) run ./hack/points -o detectors/ner/points.txt $(wildcard $(DEV)/calls_*.jsonl)
	@$(GO) run ./hack/points -fast -o detectors/ner/fast.txt $(OWN_CALLS) $(wildcard $(DEV)/calls_*.jsonl)
	@$(MAKE) estimate

.PHONY: estimate
estimate: ## Fit the live estimate of the risk to each operating point again (needs ../shared/corpora); then 'make record-output'.
	@$(GO) run risk/estimate/gen.go $(wildcard $(addprefix $(DEV)/,calls_*.jsonl abcd.jsonl evi.jsonl fakevcons.jsonl multidogo.jsonl callgen.jsonl))

.PHONY: ablation
ablation: ## Train and measure without each rule module (needs ../shared/corpora); takes an hour. MODULES='detectors/pattern.runDates ...'.
	@hack/ablation/run $(MODULES)

.PHONY: learning-curve
learning-curve: ## Train on a quarter, a half and all of training/corpora/calls/train, and measure (needs ../shared/corpora); takes half an hour.
	@for share in 4 2 1; do hack/ablation/run --seeds 1 --share $$share nothing; done

.PHONY: docs
docs: ## Generate docs/config.md, docs/metrics.md, docs/infotypes.md, docs/vendors, README's picture of the demo, the counts of the corpus, and the chart's settings, schema and README.
	@$(GO) run ./cmd/sotto config --markdown > docs/config.md.new
	@mv docs/config.md.new docs/config.md
	@$(GO) run ./hack/generate

.PHONY: record-output
record-output: ## Record policy hashes and outputs of a fixed corpus, unless code changed the output and RuleVersion is the same.
	@$(GO) test -count=1 -run TestOutputHasItsPolicy ./files -record

.PHONY: readme
readme: ## Run every command that README.md shows.
	@$(GO) run ./hack/readme README.md

# Those of docs/training and docs/review.md have targets of their own.
DOCUMENTS := CONTRIBUTING.md training/corpora/README.md training/corpora/calls/README.md $(sort $(filter-out docs/review.md,$(wildcard docs/*.md docs/vendors/*.md)))

.PHONY: test-docs
test-docs: build ## Run every command that the documents show, or list why not, and compare the figures of docs/papers.md with docs/results.
	@$(GO) run ./hack/readme $(DOCUMENTS)
	@$(GO) test ./hack/results

.PHONY: list-documents
list-documents:
	@echo $(DOCUMENTS) $(TRAINING_DOCUMENTS) $(RESEARCH_DOCUMENTS)

TRAINING_DOCUMENTS := $(sort $(wildcard docs/training/*.md))
RESEARCH_DOCUMENTS := $(sort $(wildcard training/research/docs/*.md))

.PHONY: test-training
test-training: build ## Run every command of docs/training.
	@$(GO) run ./hack/readme $(TRAINING_DOCUMENTS)

.PHONY: test-research
test-research: build ## Test the programs of research, and run every command of their documents.
	@$(MAKE) -s -C training/research test
	@$(GO) run ./hack/readme $(RESEARCH_DOCUMENTS)

.PHONY: test-datasets
test-datasets: test-training ## Read an export with the Python packages datasets and tokenizers, which go into .cache/datasets.
	@[ -x .cache/datasets/bin/python ] || python3 -m venv .cache/datasets
	@.cache/datasets/bin/pip install -q --disable-pip-version-check -r docs/training/requirements.txt
	@HF_HUB_OFFLINE=1 HF_DATASETS_CACHE=bin/training/cache HF_DATASETS_DISABLE_PROGRESS_BARS=1 \
		.cache/datasets/bin/python docs/training/collator.py bin/training/data docs/training/tokenizer.json
	@cd docs/training && PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 ../../.cache/datasets/bin/python -m unittest -q test_collator
	@cd docs/training && PYTHONDONTWRITEBYTECODE=1 ../../.cache/tasks/bin/python -m unittest -q test_tasks

.PHONY: test-trainer
test-trainer: test-training ## Train a small model with docs/training/train.py; PyTorch, of several gigabytes, goes into .cache/trainer.
	@[ -x .cache/trainer/bin/python ] || python3 -m venv .cache/trainer
	@.cache/trainer/bin/pip install -q --disable-pip-version-check -r docs/training/train-requirements.txt
	@HF_HUB_OFFLINE=1 HF_DATASETS_CACHE=bin/training/cache HF_DATASETS_DISABLE_PROGRESS_BARS=1 \
		.cache/trainer/bin/python docs/training/train.py bin/training/data docs/training/wordpiece.json bin/training/model
	@cd training/research/numbered && HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1 ../../../.cache/trainer/bin/python -m unittest -q test_learn

.PHONY: clean
clean: ## Remove what the other targets have built; the fetched Kafka stays in .cache.
	@rm -rf bin coverage.out
