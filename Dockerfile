# The service in a small image: one program, no shell, no root, writes only to /data.
#
#   docker build -t opatlas .
#   docker run --read-only -v opatlas:/data -p 8080:8080 opatlas
#
# Images are pinned by digest; the tag before it says which one that is.

# The web interface, if its sources are present.
FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0 AS web
WORKDIR /src
COPY . .
RUN mkdir -p web/dist \
    && if [ -f web/package.json ]; then cd web && npm ci && npm run build; fi

FROM rust:1.98.1-bookworm@sha256:93ce27a88655056a51dbdd8f5f2d7ddc071c7b0070fb288a37b5a285fc83971e AS build
WORKDIR /src
COPY . .
COPY --from=web /src/web/dist web/dist
RUN cargo build --release --locked && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=build /src/target/release/opatlas /usr/local/bin/opatlas
# Owned by the image's user, so that a new volume mounted here is too.
COPY --from=build --chown=nonroot:nonroot /data /data
ENV OPATLAS_LISTEN=0.0.0.0:8080 \
    OPATLAS_DATABASE=sqlite:///data/opatlas.db \
    OPATLAS_LOG_FORMAT=json \
    TMPDIR=/data
VOLUME /data
EXPOSE 8080
# There is no shell, so the program asks itself.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
    CMD ["/usr/local/bin/opatlas", "serve", "--health"]
USER nonroot
ENTRYPOINT ["/usr/local/bin/opatlas"]
CMD ["serve"]
