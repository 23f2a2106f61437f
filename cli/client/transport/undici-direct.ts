import { setFlagsFromString } from 'node:v8'

// undici's HTTP parser is WebAssembly. Optimizing it takes longer than a short program runs, so only V8's baseline
// compiler is used. It compiles at the first connection, after this line. No other flags: V8 crashed now and then when
// its regular expressions and lazy compilation were reconfigured at run time.
setFlagsFromString('--liftoff-only')

// Only the modules that a request needs. The package's index also loads fetch, WebSocket, caches and mocks, which takes
// three times as long. The package's version is locked, so the internal paths are stable.
export { default as request } from 'undici/lib/api/api-request.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
