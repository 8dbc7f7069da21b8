# One image for the API, the worker, the dispatcher and the commands; which of them runs is the command of the container.

FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are the embedded Postgres, which only the standalone service needs, and binaries of test tools.
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY apps apps
COPY libs libs
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:20-slim
# Names are looked up on half of these threads, and one that nobody answers for holds its thread for seconds.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=32
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist/libs dist/libs
COPY --from=build /app/dist/apps/api dist/apps/api
COPY --from=build /app/dist/apps/worker dist/apps/worker
COPY --from=build /app/dist/apps/dispatcher dist/apps/dispatcher
# A new volume that is mounted here gets this owner.
RUN install --directory --owner=node --group=node --mode=700 /var/lib/pdfonce
USER node
EXPOSE 3000
CMD ["node", "dist/apps/api/src/main.js"]
