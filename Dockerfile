#   docker build -t chainwarden .
#   docker run --read-only --cap-drop=ALL --security-opt=no-new-privileges --ulimit core=0 --env-file environment \
#     -v ./config:/etc/chainwarden:ro -v chainwarden:/data -p 127.0.0.1:9797:9797 chainwarden
#
# The config says  state: { file: /data/state.db }  ; all else in the image is read-only. docs/deploy.md has a whole recipe.

# By digest: a tag may be moved to another image. Change both at once, with the version of `node` in package-lock.json.
ARG NODE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts stay off: the one that we need, the build, is run by name below.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build

FROM ${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM ${NODE} AS run
LABEL org.opencontainers.image.title="chainwarden" \
      org.opencontainers.image.description="Watches blockchains through an explorer's API and alerts" \
      org.opencontainers.image.licenses="Apache-2.0"
# In a container the loopback is the container's own. From outside, the page and the API need http.operators.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    CHAINWARDEN_LISTEN=0.0.0.0:9797
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build --chmod=0755 /app/dist /app/dist
COPY package.json LICENSE /app/
# A new named volume takes over the owner of the directory that it covers. `docker exec NAME chainwarden status` finds the
# command, and the config in its folder.
RUN mkdir -p /data /etc/chainwarden && chown node:node /data && chmod 0700 /data && ln -s /app/dist/main.js /usr/local/bin/chainwarden
WORKDIR /etc/chainwarden
USER node
VOLUME /data
EXPOSE 9797
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const port = (process.env.CHAINWARDEN_LISTEN ?? '').split(':').pop() || 9797; fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The flags of src/cli/runtime-flags.ts; without them the program would replace itself by one that has them.
# Node as the first process handles SIGTERM and SIGHUP itself; it starts no others that would need an init.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=4", "/app/dist/main.js", "run", "--config", "/etc/chainwarden/config.yaml"]
