import { setFlagsFromString } from 'node:v8'

// undici's HTTP parser is WebAssembly, and Node tells names from addresses of IPv6 by a long pattern. To make either fast
// takes longer than a program of a few requests runs. It happens at the first connection, after this.
for (const flag of ['--liftoff-only', '--wasm-lazy-compilation', '--no-regexp-optimization']) setFlagsFromString(flag)

// The parts that a request needs. The package's index brings fetch, WebSocket, caches and mocks along, which takes
// three times as long to load; index and parts are of one locked version.
export { default as request } from 'undici/lib/api/api-request.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
