# Two commands do all the set-up on a fresh machine: `make run` and `make test`.

# The release that `make run` imports into an empty database.
TORCH ?= 2.15.0
LISTEN ?= 127.0.0.1:8080
DATABASE ?= sqlite://opatlas.db
# Where the YAML files of real releases are kept once fetched; tests and benches read them there.
export OPATLAS_RELEASES_DIR ?= $(CURDIR)/.cache/releases

RELEASES = 2.0.0 2.0.1 2.1.0 2.1.1 2.1.2 2.2.0 2.2.1 2.2.2 2.3.0 2.3.1 2.4.0 2.4.1 2.5.0 2.5.1 \
	2.6.0 2.7.0 2.7.1 2.8.0 2.9.0 2.9.1 2.10.0 2.11.0 2.12.0 2.12.1 2.13.0 2.14.0 2.14.1 2.15.0

.PHONY: run test check unit web test-web releases openapi bench bench-http bench-history bench-web test-api test-fuzz clean-cache tools node

# Builds, imports a real PyTorch release (or the sample, without pip or network), and serves.
run: tools
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; \
		else echo "npm is missing (apt-get install nodejs npm): building without the user interface."; fi
	cargo build --release --locked
	target/release/opatlas serve --bootstrap $(TORCH) --listen $(LISTEN) \
		--database $(DATABASE) --cache $(OPATLAS_RELEASES_DIR)

# Everything: formatting, lints, and all tests, those over real releases included.
test: tools check web releases unit test-web

check:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

unit:
	cargo test --locked --workspace

# Builds the user interface into web/dist, from where cargo takes it into the binary.
web: node
	cd web && npm ci --no-audit --no-fund && npm run build

# The interface's own checks, and its views in a real browser over a server with real releases.
test-web: web releases
	cd web && npm run lint && npm test
	cp web/src/api/schema.d.ts target/schema.d.ts && cd web && npm run --silent gen \
		&& cmp src/api/schema.d.ts ../target/schema.d.ts
	cargo build --locked
	node --test --test-concurrency=1 tests/web/*.spec.mjs

# Fetches the YAML files of every release that is not there yet. Without a network the tests over
# real releases are skipped and say so.
releases: tools
	@missing=""; for v in $(RELEASES); do \
		[ -f "$(OPATLAS_RELEASES_DIR)/$$v/native_functions.yaml" ] || missing="$$missing torch==$$v"; \
	done; \
	if [ -n "$$missing" ]; then \
		cargo run --locked --quiet -- import $$missing --cache "$(OPATLAS_RELEASES_DIR)" --download-only \
		|| echo "Not all releases could be fetched: the tests over them will be skipped."; \
	fi

# Rewrites openapi/openapi.json from the code.
openapi:
	cargo run --locked --quiet -- openapi --out openapi/openapi.json

bench: releases
	cargo bench --locked

# Tries the whole API by its description, with a fixed seed. Needs pip, which fetches schemathesis.
test-api: tools
	tests/client/run
	tests/schemathesis/run

# Requests a second and latencies over HTTP, beside a bare server with the same bytes; and a minute of
# 2,000 connections that wait beside 64 that do not. Needs wrk.
bench-http: releases
	cargo build --release --locked --bins --examples
	benches/http/run
	benches/http/idle

# Ten thousand commits: how long they take to come in, and what they cost afterwards. Needs wrk.
bench-history: releases
	cargo build --release --locked --bins --examples
	benches/history/run

# What the pages cost in a cold Chromium: paints, blocked time, frames of the matrix.
bench-web: releases web
	cargo build --release --locked --bins --examples
	OPATLAS_PROGRAM=target/release/opatlas node --test --test-reporter=spec benches/web/views.mjs

# A minute of coverage-guided fuzzing of the readers and the rules; needs a C++ compiler. The
# flags are those that make the compiler count which branches an input reaches.
FUZZ_SECONDS ?= 60
FUZZ_TARGET := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
test-fuzz: tools
	mkdir -p fuzz/corpus/read
	cp sample/native_functions.yaml fuzz/corpus/read/sample
	RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
		-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
		-Ccodegen-units=1 -Cdebug-assertions" \
	cargo run --release --manifest-path fuzz/Cargo.toml --target $(FUZZ_TARGET) --bin read -- \
		-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 fuzz/corpus/read

clean-cache:
	rm -rf .cache

# The user interface is built by Vite, which needs a newer Node.js than some distributions have.
node:
	@command -v npm >/dev/null && command -v node >/dev/null || { \
		echo "Node.js is missing (20.19 or newer builds the user interface): apt-get install nodejs npm," \
			"or https://nodejs.org; \`cargo build\` alone makes a program without the interface"; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || { \
		echo "Node.js $$(node --version) is too old to build the user interface: 20.19 or newer is needed" \
			"(https://nodejs.org)"; exit 1; }

# Names what is missing and how to get it.
tools:
	@command -v cargo >/dev/null || { \
		echo "cargo is missing: install Rust 1.94 or newer from https://rustup.rs"; exit 1; }
	@command -v cc >/dev/null || { \
		echo "a C compiler is missing (SQLite is built from source): apt-get install gcc"; exit 1; }
	@python3 -m pip --version >/dev/null 2>&1 || pip3 --version >/dev/null 2>&1 \
		|| echo "pip is missing (apt-get install python3-pip): real releases cannot be fetched."
