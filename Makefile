# Roomcast: all commands for developers and CI. `make help` lists the targets.
#
#   DURATION=20        make demo: stop after this many seconds and print one JSON line
#   PUSH=rtmp://…      make demo: push the stream there too; several with spaces between them
#   RECORD=1           make demo: make the MP4 of each layer and the VOD, and list them in that line
#   TRACKS=1           make demo: make a file of each track, their index and a zip, and list them too
#   VIEW=https://...   make demo: stream this web page, shown by a browser
#   ARGUMENTS="..."    make run, demo, avsync: passed to the binary unchanged
#   FILTER=HLSTests    make test-units: the tests whose names match this regular expression
#   PYTEST="-k hls"    make test-end-to-end: passed to pytest unchanged
#   CLIENTS=FOLDER     make test-clients: other people's clients, each as one script
#   MEDIA=...          make avsync: the address of an HLS playlist, or a file
#   MINUTES=30         make avsync-soak: the length of the stream
#   BENCH_SECONDS=60   make bench: the length of the stream
#   BENCH_CHART=FILE   make bench: the file for the chart
#   MINUTES=60         make soak, attack, entrances, validate-stream: the duration
#   ROUNDS=100         make crash-series: the number of streams with kills
#   SEED=1             make crash-series, attack, fuzz-api: the seed for moments and bytes
#   SECONDS=60         make fuzz: the time for each parser
#   REQUESTS=50        make fuzz-api: the number of random requests for each call
#   SANITIZER=thread   make test-sanitized: the sanitizer, by default address
#   PARTS="RTPTests …" make test-sanitized: these test targets; without it all, which takes hours
#   PREFIX=/usr/local  make install: the destination
#   DESTDIR=...        make install: a directory to use as the root, for packaging
#   CONTINUE=1         make mutants: only those that were not caught yet, or have changed since
#   BASE=IMAGE         make image: its base image, by default docker.io/library/debian:bookworm-slim

SHELL := /bin/sh
.DEFAULT_GOAL := help

BINARY := .build/release/roomcast
# What users install: without what only tests call, and with Swift's libraries inside. It is compiled on
# its own, which `make demo` and `make test` never wait for.
RELEASE := .build-package/release/roomcast
PYTHON := .venv/bin/python
REQUIREMENTS := Tests/EndToEnd/requirements.txt
HLS_JS := .venv/share/hls.js
SHAKA_PACKAGER := .venv/share/shaka-packager
# Uses the release build, as the end-to-end tests do: an additional debug build would take a quarter of
# an hour on a fresh machine. (Plain `swift test` makes one, which checks accesses to stored properties
# at run time.) Roomcast's targets are testable (Package.swift), packages need not be.
SWIFT_TEST := .ci/swift-test -c release --disable-testable-imports
# These run alone, one after another: usrsctp has one clock for the whole process, pipelines keep real
# time, a test of processes counts the descriptors of its own, and memory is the whole process's.
LONE_TESTS := DataChannelTests|PeerConnectionTests|PipelineTests|KeeperProcessTests|MappedMemoryTests

CLIENT_TESTS := $(addprefix Tests/EndToEnd/,test_sdk.py test_openvidu_browser.py test_openvidu_node.py \
	test_jitsi_library.py)

.PHONY: help
help: ## List the targets
	@echo "Roomcast streams and records video rooms."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-26s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: announce-demo build ## Three participants and a stream of their room (DURATION=20 to stop automatically)
	@$(BINARY) demo $(DEMO)

DEMO = $(DURATION) $(if $(filter-out 0,$(RECORD)),--record) $(if $(filter-out 0,$(TRACKS)),--tracks) \
	$(if $(VIEW),--view '$(VIEW)') $(ARGUMENTS)

.PHONY: demo-jitsi
demo-jitsi: announce-demo build ## The demo with a Prosody beside it: Jitsi's clients meet the three
	@.ci/install-packages jitsi
	@deploy/demo-jitsi $(BINARY) $(DEMO)

.PHONY: announce-demo
announce-demo:
	@test -x $(BINARY) || echo "The demo puts a room with three people on air, on this machine only. First it" \
		"installs the Debian packages that are missing, and builds Roomcast." >&2

.PHONY: run
run: build ## The server, on http://localhost:8080/
	@$(BINARY) serve $(ARGUMENTS)

.PHONY: build
build: install-dependencies ## The release binary, in .build/release/roomcast
	@test -x $(BINARY) || echo "The first build compiles Roomcast and the packages it needs: ten to fifteen" \
		"minutes on two cores, fewer on more. Later ones take seconds." >&2
	@.ci/swift-build -c release --product roomcast

.PHONY: release
release: install-dependencies ## The binary that users install, compiled on its own, in .build-package
	@test -x $(RELEASE) || echo "This compiles Roomcast and the packages it needs, beside what make build" \
		"made: about ten minutes on two cores." >&2
	@ROOMCAST_PACKAGE=1 .ci/swift-build -c release --scratch-path .build-package --product roomcast \
		--static-swift-stdlib --disable-local-rpath -Xlinker --build-id -Xlinker -znow

PREFIX := /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)/lib/roomcast
EXAMPLES = $(DESTDIR)$(PREFIX)/share/roomcast
DOCUMENTS = $(DESTDIR)$(PREFIX)/share/doc/roomcast
MANUAL = $(DESTDIR)$(PREFIX)/share/man/man1
STRIP = deploy/strip

.PHONY: install
install: ## Install what make release made below PREFIX=/usr/local (DESTDIR=... for packaging)
	@test -x $(RELEASE) || { echo "$(RELEASE) is missing: make release" >&2; exit 1; }
	rm -rf $(INSTALLED) $(DOCUMENTS)
	install -d $(INSTALLED) $(DESTDIR)$(PREFIX)/bin $(EXAMPLES) $(DOCUMENTS)/docs/pictures $(DOCUMENTS)/docs/design \
		$(DOCUMENTS)/docs/examples $(DOCUMENTS)/docs/api \
		$(DOCUMENTS)/deploy $(DOCUMENTS)/Tests/AVSync $(DOCUMENTS)/Tests/EndToEnd
	install -m 755 $(RELEASE) $(INSTALLED)/roomcast
	$(STRIP) $(INSTALLED)/roomcast
	cp -R $(RELEASE)_ControlAPI.resources $(INSTALLED)/
	chmod -R u=rwX,go=rX $(INSTALLED)/roomcast_ControlAPI.resources
	@# The build of the tests looks for Swift's libraries beside it.
	ldd $(RELEASE) | awk '$$3 ~ "/swift/linux/" { print $$3 }' \
		| xargs --no-run-if-empty install -m 644 -t $(INSTALLED)
	ln -sf ../lib/roomcast/roomcast $(DESTDIR)$(PREFIX)/bin/roomcast
	install -d $(MANUAL)
	deploy/manual $(RELEASE) >$(MANUAL)/roomcast.1
	chmod 644 $(MANUAL)/roomcast.1
	install -d $(EXAMPLES)/people $(EXAMPLES)/prosody $(EXAMPLES)/jitsi
	install -m 644 fixtures/people/* $(EXAMPLES)/people/
	install -m 644 deploy/prosody/* $(EXAMPLES)/prosody/
	install -m 644 deploy/jitsi/* $(EXAMPLES)/jitsi/
	install -m 644 deploy/roomcast.json deploy/nginx.conf deploy/varnish.vcl \
		deploy/90-roomcast.conf \
		deploy/grafana.json deploy/prometheus-alerts.yml $(EXAMPLES)/
	for name in roomcast.service prosody-jitsi.cfg.lua; do \
		sed 's|/usr/local|$(PREFIX)|g' deploy/$$name >$(EXAMPLES)/$$name || exit; \
		chmod 644 $(EXAMPLES)/$$name; \
	done
	@# In the same folders as here, so that their links to each other work.
	install -m 644 README.md LICENSE $(DOCUMENTS)/
	install -m 644 docs/*.md docs/*.svg $(DOCUMENTS)/docs/
	install -m 644 docs/pictures/* $(DOCUMENTS)/docs/pictures/
	install -m 644 docs/design/* $(DOCUMENTS)/docs/design/
	install -m 644 docs/api/* $(DOCUMENTS)/docs/api/
	install -m 644 docs/examples/* $(DOCUMENTS)/docs/examples/
	install -m 644 Tests/AVSync/README.md $(DOCUMENTS)/Tests/AVSync/
	install -m 644 Tests/EndToEnd/*.md $(DOCUMENTS)/Tests/EndToEnd/
	install -m 644 deploy/Dockerfile $(DOCUMENTS)/deploy/
	for name in roomcast.service roomcast.json nginx.conf varnish.vcl prosody-jitsi.cfg.lua prosody jitsi 90-roomcast.conf \
			grafana.json prometheus-alerts.yml; do \
		ln -s ../../../roomcast/$$name $(DOCUMENTS)/deploy/$$name || exit; \
	done

.PHONY: package
package: release ## A package for Debian 12, a tarball, and the symbols of both, in dist/
	@.ci/install-packages package
	@deploy/package $(RELEASE) dist
	@ls -s --block-size=1 dist/*

.PHONY: image
image: package ## A container image of that package, localhost/roomcast, without Docker or root
	@.ci/install-packages image
	@# Docker's format has the health check; without a runtime of containers it works in one, too.
	@buildah build --format docker --isolation chroot --file deploy/Dockerfile --tag roomcast \
		$(if $(BASE),--build-arg BASE=$(BASE)) .

.PHONY: test
test: lint ## All tests, including those with browsers
	@# The browser tests' dependencies are downloaded while the compiler works.
	$(MAKE) --jobs=2 test-units install-test-dependencies
	$(MAKE) test-end-to-end

.PHONY: test-units
test-units: install-dependencies ## The Swift tests (FILTER=HLSTests for some)
ifdef FILTER
	$(SWIFT_TEST) --no-parallel --filter "$(FILTER)"
else
	@# More tests at once than this would let each of them wait too long for a core.
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 $(SWIFT_TEST) --skip "$(LONE_TESTS)"
	$(SWIFT_TEST) --skip-build --no-parallel --filter "$(LONE_TESTS)"
endif

.PHONY: test-end-to-end
test-end-to-end: install-test-dependencies build ## The tests with browsers, using the release binary
	@# In two lanes (harness/lanes.py), since most tests wait most of their time. Others' clients
	@# cannot be installed here (test-clients), an outage needs a quiet machine (avsync-soak), and the
	@# package that users get is compiled on its own (test-package).
	@.ci/swift-build -c release --product xmpp-probe
	ROOMCAST_BINARY=$(CURDIR)/$(BINARY) \
		$(PYTHON) -m pytest Tests/EndToEnd $(addprefix --ignore ,$(CLIENT_TESTS)) \
		--ignore Tests/EndToEnd/test_openvidu_sync.py \
		--ignore Tests/EndToEnd/test_package_lifetime.py --numprocesses 2 --dist loadscope $(PYTEST)

.PHONY: test-push-outage
test-push-outage: install-test-dependencies build ## A push whose server is away for ten minutes
	@ROOMCAST_BINARY=$(CURDIR)/$(BINARY) PUSH_OUTAGE_SECONDS=600 \
		$(PYTHON) -m pytest Tests/EndToEnd/test_push.py -k away

.PHONY: test-package
test-package: install-test-dependencies package ## Install, upgrade, remove and purge that package in a Debian 12 of its own
	@.ci/install-packages test-package
	@ROOMCAST_BINARY=$(CURDIR)/$(RELEASE) ROOMCAST_PACKAGES=$(CURDIR)/dist \
		$(PYTHON) -m pytest Tests/EndToEnd/test_package.py \
			Tests/EndToEnd/test_package_lifetime.py $(PYTEST)

.PHONY: test-clients
test-clients: clients install-test-dependencies build ## The clients of 100ms, OpenVidu and Jitsi (CLIENTS=FOLDER)
	ROOMCAST_BINARY=$(CURDIR)/$(BINARY) ROOMCAST_CLIENTS="$(abspath $(CLIENTS))" \
		$(PYTHON) -m pytest $(CLIENT_TESTS) $(PYTEST)

# Checked before the build.
.PHONY: clients
clients:
	@test -n "$(wildcard $(addprefix $(CLIENTS)/,hms-video-store.js openvidu-*.js lib-jitsi-*.js))" || { \
		echo "usage: make test-clients CLIENTS=<a folder with their bundles>" \
			"(Tests/EndToEnd/README.md)" >&2; exit 2; }

.PHONY: avsync
avsync: install-test-dependencies ## Measure the audio/video sync of our clips (MEDIA=<address or file>)
	@test -n "$(MEDIA)" || { echo "usage: make avsync MEDIA=<address or file>" >&2; exit 2; }
	@# make replaces the tool's exit status, so the verdict contains it too.
	@PYTHONPATH=Tests/AVSync $(PYTHON) -m avsync "$(MEDIA)" $(ARGUMENTS)

.PHONY: avsync-soak
avsync-soak: install-test-dependencies build ## Three participants for MINUTES=30, in a room with skewed clocks, an OpenVidu session and a Jitsi conference: check for drift
	ROOMCAST_BINARY=$(CURDIR)/$(BINARY) ROOMCAST_SOAK_MINUTES=$(or $(MINUTES),30) \
		$(PYTHON) -m pytest $(addprefix Tests/EndToEnd/,test_sync_soak.py test_openvidu_sync.py test_jitsi_sync.py) -s -k drifts

.PHONY: goldens
goldens: install-dependencies ## Render the golden pictures of the layouts again; review the changes
	GOLDENS=write $(SWIFT_TEST) --no-parallel --filter GoldenPictureTests

.PHONY: bench
bench: install-bench-dependencies build ## The cost of a stream, next to ffmpeg, GStreamer and a browser (docs/BENCHMARKS.md)
	@Tests/Benchmarks/run $(BINARY)

.PHONY: bench-outputs
bench-outputs: install-bench-dependencies build ## The cost of MP4s, pushes, tracks and fragments beside their stream
	@Tests/Benchmarks/outputs $(BINARY)

.PHONY: bench-sources
bench-sources: install-bench-dependencies build ## The cost of the bot in OpenVidu's sessions and Jitsi's conferences, beside a room
	@.ci/install-packages jitsi
	@Tests/Benchmarks/sources $(BINARY)

.PHONY: bench-tracks
bench-tracks: install-bench-dependencies build ## The cost of recording ten cameras as tracks, next to ffmpeg -c copy
	@Tests/Benchmarks/tracks $(BINARY)

.PHONY: bench-latency
bench-latency: install-test-dependencies build ## How far viewers in browsers are behind the room
	@$(PYTHON) Tests/Benchmarks/latency $(BINARY)

.PHONY: bench-origin
bench-origin: install-bench-dependencies build ## The cost of segments, playlists and waiting viewers, next to nginx
	@Tests/Benchmarks/origin $(BINARY)

.PHONY: bench-density
bench-density: install-bench-dependencies build ## The number of rooms that this machine can stream before a picture is late
	@Tests/Benchmarks/density $(BINARY)

.PHONY: bench-rooms
bench-rooms: install-bench-dependencies build ## The cost of forwarding, next to Janus: 100 voices, 25 cameras
	@.ci/swift-build -c release --product load-rooms
	@Tests/Benchmarks/rooms $(BINARY)

.PHONY: soak
soak: install-bench-dependencies build ## Check that a stream's memory stays flat over an hour (MINUTES=60)
	@Tests/Benchmarks/soak $(BINARY)

.PHONY: crash-series
crash-series: install-test-dependencies build ## kill -9 of bot, server and finisher at random moments (ROUNDS=100 SEED=…)
	@ROOMCAST_BINARY=$(CURDIR)/$(BINARY) $(PYTHON) Tests/EndToEnd/crash_series.py \
		--rounds $(or $(ROUNDS),100) $(if $(SEED),--seed $(SEED))

.PHONY: entrances
entrances: install-test-dependencies build ## Two people enter rooms, over and over, on a machine that this makes busy (MINUTES=10)
	@ROOMCAST_BINARY=$(CURDIR)/$(BINARY) $(PYTHON) Tests/EndToEnd/entrances.py \
		--minutes $(or $(MINUTES),10)

.PHONY: validate-stream
validate-stream: install-test-dependencies build ## A low-latency stream by the rules of rfc8216bis, past its bot's death (MINUTES=10)
	@ROOMCAST_BINARY=$(CURDIR)/$(BINARY) $(PYTHON) Tests/EndToEnd/validate_stream.py \
		--minutes $(or $(MINUTES),10)

.PHONY: attack
attack: install-test-dependencies build ## Hostile input for an hour beside a healthy stream (MINUTES=60 SEED=…)
	@cd Tests/EndToEnd && ROOMCAST_BINARY=$(CURDIR)/$(BINARY) $(CURDIR)/$(PYTHON) -m attack.siege \
		--seconds $$(($(or $(MINUTES),60) * 60)) $(if $(SEED),--seed $(SEED))

.PHONY: fuzz
fuzz: install-dependencies ## Coverage-guided fuzzing of the parsers (SECONDS=60 each)
	@FUZZ_SECONDS=$(or $(SECONDS),60) Tests/Fuzzing/run

.PHONY: fuzz-api
fuzz-api: install-test-dependencies build ## Requests made of the API's description, and what comes back (REQUESTS=50 SEED=…)
	@ROOMCAST_BINARY=$(CURDIR)/$(BINARY) $(PYTHON) Tests/EndToEnd/fuzz_api.py \
		--examples $(or $(REQUESTS),50) $(if $(SEED),--seed $(SEED))

.PHONY: mutants
mutants: install-dependencies ## Remove behaviours one by one; a test must fail for each (CONTINUE=1: those not caught yet)
	@Tests/Mutants/run $(if $(CONTINUE),--continue)

.PHONY: test-sanitized
test-sanitized: install-dependencies ## The Swift tests in debug under the address sanitizer, in parts (SANITIZER=thread PARTS=…)
	@Tests/Sanitizers/run $(or $(SANITIZER),address) $(PARTS)

.PHONY: install-dependencies
install-dependencies: ## Install missing Debian packages to build and run
	@.ci/install-packages build

.PHONY: install-custom-view
install-custom-view: ## Chromium, for streams that show web pages (customView.enabled)
	@.ci/install-packages custom-view

.PHONY: install-bench-dependencies
install-bench-dependencies: ## Those, and the benchmarks' dependencies
	@.ci/install-packages bench

.PHONY: install-test-dependencies
install-test-dependencies: .venv/installed $(HLS_JS) $(SHAKA_PACKAGER) ## Those, and the browser tests' dependencies
	@.ci/install-packages test

# Only one apt-get may run at a time.
.venv/installed: $(REQUIREMENTS) | install-dependencies
	@.ci/install-packages test
	@/usr/bin/python3 -m venv --clear .venv
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement $(REQUIREMENTS)
	@touch $@

$(HLS_JS): Tests/EndToEnd/hls-js.txt .ci/install-hls-js .venv/installed
	@.ci/install-hls-js $@

$(SHAKA_PACKAGER): Tests/EndToEnd/shaka-packager.txt .ci/install-shaka-packager .venv/installed
	@.ci/install-shaka-packager $@

.PHONY: format
format: ## Format the Swift sources in place
	swift format --in-place --recursive --parallel Package.swift Sources Tests

.PHONY: lint
lint: ## Check the Swift format, floors of targets, sizes of types, links of documents, and that the mutants apply
	@swift format lint --strict --recursive --parallel Package.swift Sources Tests
	@Tests/Tools/floors
	@Tests/Tools/sizes
	@Tests/Tools/links
	@Tests/Mutants/run --check

.PHONY: clean
clean: ## Remove build products and the Python packages; streams and recordings stay
	rm -rf .build .build-package .venv dist
