# On a fresh machine, `make run` builds and serves, `make install` installs the program, and `make test` runs
# all tests.

# Every patch release in data/, oldest first.
RELEASES := $(shell sed -n 's/.*"patches": \[\([^]]*\)\].*/\1/p' data/releases.json | tr -d '",')
# The release that `make run` imports if the database is empty.
TORCH ?= $(lastword $(RELEASES))
# Dependencies to compile while npm downloads and builds, since they do not need the web interface.
LIBRARIES := libsqlite3-sys zstd-sys tree-sitter-cpp tree-sitter-python ring lsp-types axum h2 sqlx tower-http utoipa
LISTEN ?= 127.0.0.1:8080
DATABASE ?= sqlite://opatlas.db
# `make install` puts the program into $(PREFIX)/bin.
PREFIX ?= /usr/local
# The profile of `make install` and `make wheel`; `quick` builds faster, `dev` is that of the tests.
PROFILE ?= release
# `make wheel` puts the wheel here.
DIST ?= dist
# The web interface, if its tools are there. WITHOUT_WEB=1 takes what is in web/dist.
WEB_IF_NPM = if [ -n "$(WITHOUT_WEB)" ]; then true; elif command -v npm >/dev/null; then $(MAKE) --no-print-directory web; \
	else echo "npm is missing (apt-get install nodejs npm): building without the web interface."; fi
# What the web interface is built from.
WEB_SOURCES := $(shell find web -type f -not -path 'web/dist/*' -not -path 'web/node_modules/*')
# The folder for YAML files of real releases; tests and benches read them from here.
export OPATLAS_RELEASES_DIR ?= $(CURDIR)/.cache/releases

.PHONY: run install wheel test test-newcomer test-long check unit web test-web test-web-slow test-recorders test-probe release releases openapi clients bench bench-http bench-history bench-web test-api test-fuzz clean-cache tools node screenshots

# Builds and serves: a PyTorch release if it was fetched before, else the sample until it is fetched.
run: tools
	@echo "Building the web interface and, meanwhile, libraries of the program."
	@cargo build --profile quick --locked $(addprefix -p ,$(LIBRARIES)) & libraries=$$!; \
		$(WEB_IF_NPM) && wait $$libraries
	@echo "Building the program (profile quick; a few minutes the first time)."
	cargo build --profile quick --locked
	target/quick/opatlas serve --bootstrap $(TORCH) --listen $(LISTEN) \
		--database $(DATABASE) --cache $(OPATLAS_RELEASES_DIR)

# Builds the program and installs it as $(PREFIX)/bin/opatlas.
install: tools
	@$(WEB_IF_NPM)
	cargo install --locked --path . --profile $(PROFILE) --root "$(PREFIX)" --force --no-track

# Builds a wheel into $(DIST), which machines like this one install without Rust. Needs pip, which fetches
# maturin.
wheel: tools
	@$(WEB_IF_NPM)
	MATURIN_PEP517_ARGS="--profile $(PROFILE)" python3 -m pip wheel --no-deps --wheel-dir "$(DIST)" .

# Takes a new user's path in a fresh Debian: from a clone to a finding in an editor, a message of lintrunner
# and a comment on a pull request. Needs root and debootstrap. Then builds and runs a wheel.
test-newcomer: releases
	cargo build --locked
	tests/newcomer/run
	tests/newcomer/wheel

# Runs formatting, lints and all tests, including those over real releases.
test: tools check web releases unit test-recorders test-web

check:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	@if command -v c++ >/dev/null; then \
		cargo check --manifest-path fuzz/Cargo.toml --all-features --target-dir target; \
		else echo "skipped: the fuzz targets need a C++ compiler (apt-get install g++)"; fi

unit:
	cargo test --locked --workspace

# Builds the web interface into web/dist; cargo embeds it in the binary.
web: node web/dist/index.html

web/dist/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run build

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund

# Runs the checks of the web package, and browser tests against a server with real releases.
test-web: web releases
	cd web && npm run lint && npm test
	cp web/src/api/schema.d.ts target/schema.d.ts && cd web && npm run --silent gen \
		&& cmp src/api/schema.d.ts ../target/schema.d.ts
	cargo build --locked
	node tests/web/run.mjs

# Runs the browser tests with pages slowed down four times, to find tests that do not wait.
test-web-slow: web releases
	cargo build --locked
	OPATLAS_WEB_SLOWNESS=4 node tests/web/run.mjs

# Runs what takes too long for `make test`: a hundred kills on each database, the largest hostile
# inputs, growth counted by callgrind, ten times as many generated requests, and slow browser tests.
test-long: tools releases test-web-slow
	cargo test --locked --workspace -- --ignored
	EXAMPLES=200 tests/schemathesis/run

# Fetches the YAML files of missing releases. Without a network, tests over real releases are
# skipped, and say so.
releases: tools
	@missing=""; for v in $(RELEASES); do \
		[ -f "$(OPATLAS_RELEASES_DIR)/$$v/native_functions.yaml" ] || missing="$$missing torch==$$v"; \
	done; \
	if [ -n "$$missing" ]; then \
		cargo run --locked --quiet -- import $$missing --cache "$(OPATLAS_RELEASES_DIR)" --download-only \
		|| echo "Some releases could not be fetched; the tests over them will be skipped."; \
	fi

# Tests the recorders, in a few seconds and without a network.
test-recorders:
	python3 -m unittest discover --start-directory recorders/tests --top-level-directory .

# Tests the probe with a double of the server, then with the program. Tests under torchrun need a
# torch; PROBE_TORCH=2.9.0 installs one first (0.9 GB).
test-probe:
	$(if $(PROBE_TORCH),python3 -m recorders install $(PROBE_TORCH))
	cd probe && python3 -m unittest discover --start-directory tests --top-level-directory .
	cargo build --locked
	cd probe && OPATLAS_PROBE_SERVER=$(CURDIR)/target/debug/opatlas \
		python3 -m unittest discover --start-directory tests --top-level-directory .

# Adds a release, such as VERSION=2.16.0: fetches and records it, extends data/ and tests/golden/, and
# lists the decisions that are left (recorders/README.md). WITHOUT_PROCESS=1 skips installing torch.
release: tools
	@test -n "$(VERSION)" || { echo "name the release: make release VERSION=2.16.0"; exit 1; }
	@[ -f "$(OPATLAS_RELEASES_DIR)/$(VERSION)/native_functions.yaml" ] \
		|| cargo run --locked --quiet -- import torch==$(VERSION) \
			--cache "$(OPATLAS_RELEASES_DIR)" --download-only
	python3 -m recorders release $(VERSION) $(if $(WITHOUT_PROCESS),--without-process)
	cargo build --locked --quiet
	python3 -m recorders works

# Rewrites openapi/openapi.json from the code.
openapi:
	cargo run --locked --quiet -- openapi --out openapi/openapi.json

# Writes the clients in Python and TypeScript (clients/) from openapi/openapi.json.
clients: node
	clients/generate

bench: releases
	cargo bench --locked

# Tests the clients, and the whole API against its description with a fixed seed. Needs pip and npm to
# fetch generators and schemathesis.
test-api: tools node
	tests/client/run
	tests/schemathesis/run

# Measures requests per second and latencies over HTTP, next to a bare server with the same bytes; two
# replicas on PostgreSQL next to a server on SQLite; and one minute of 2,000 idle connections next to 64
# busy ones. Needs wrk and PostgreSQL.
bench-http: releases
	cargo build --release --locked --bins --examples
	benches/http/run
	benches/http/replicas
	benches/http/idle

# Measures the import of ten thousand commits and the queries afterwards. Needs wrk.
bench-history: releases
	cargo build --release --locked --bins --examples
	benches/history/run

# Measures the pages in Chromium with a cold cache: paints, blocking time, frames of the matrix; and
# those of a project of ten thousand commits: content, elements, memory.
bench-web: releases web
	cargo build --release --locked --bins --examples
	OPATLAS_PROGRAM=target/release/opatlas node --test --test-concurrency=1 --test-reporter=spec benches/web/*.mjs

# Takes the pictures of the documents (docs/screenshots) anew.
screenshots: web releases
	cargo build --locked
	node --test --test-reporter=spec tests/web/screenshots.mjs

# Fuzzes every reader for one minute each, guided by coverage. Needs a C++ compiler.
export FUZZ_SECONDS ?= 60
test-fuzz: releases
	fuzz/run

clean-cache:
	rm -rf .cache

# Vite builds the web interface; it needs a newer Node.js than some distributions have.
node:
	@command -v npm >/dev/null && command -v node >/dev/null || { \
		echo "Node.js is missing; the web interface needs 20.19 or newer: apt-get install nodejs npm," \
			"or https://nodejs.org. \`cargo build\` builds the program without the interface"; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || { \
		echo "Node.js $$(node --version) is too old for the web interface; install 20.19 or newer" \
			"(https://nodejs.org)"; exit 1; }

# Reports missing tools and how to install them.
tools:
	@command -v cargo >/dev/null || { \
		echo "cargo is missing: install Rust 1.94 or newer from https://rustup.rs"; exit 1; }
	@command -v cc >/dev/null || { \
		echo "a C compiler is missing (SQLite is built from source): apt-get install gcc"; exit 1; }
