import { setFlagsFromString } from 'node:v8'

// All before the first connection. undici's HTTP parser is WebAssembly: to compile it for speed, or the parts that are
// never called, takes longer than a program of a few requests runs. And Node tells a host's name from an address by a long
// pattern, whose bytecode takes longer to make than the machine code that would follow.
for (const flag of ['--liftoff-only', '--wasm-lazy-compilation', '--no-regexp-tier-up']) setFlagsFromString(flag)

// The parts that a request needs. The package's index brings fetch, WebSocket, caches and mocks along, which takes
// three times as long to load; index and parts are of one locked version.
export { default as request } from 'undici/lib/api/api-request.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
