# The service in a small image: one program, no shell, no root, writes only to /data.
#
#   docker build -t opatlas .
#   docker run --read-only -v opatlas:/data -p 8080:8080 opatlas

# The web interface, if its sources are present.
FROM node:20-bookworm-slim AS web
WORKDIR /src
COPY . .
RUN mkdir -p web/dist \
    && if [ -f web/package.json ]; then cd web && npm ci && npm run build; fi

FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
COPY --from=web /src/web/dist web/dist
RUN cargo build --release --locked && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/release/opatlas /usr/local/bin/opatlas
# Owned by the image's user, so that a new volume mounted here is too.
COPY --from=build --chown=nonroot:nonroot /data /data
ENV OPATLAS_LISTEN=0.0.0.0:8080 \
    OPATLAS_DATABASE=sqlite:///data/opatlas.db \
    OPATLAS_LOG_FORMAT=json
VOLUME /data
EXPOSE 8080
USER nonroot
ENTRYPOINT ["/usr/local/bin/opatlas"]
CMD ["serve"]
