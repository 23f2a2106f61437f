import { setFlagsFromString } from 'node:v8'

// undici's HTTP parser is WebAssembly. Compiling it for speed takes longer than a program of a few requests runs; the
// quick compiler is enough. It happens at the first connection, after this. No other flag: V8 crashed now and then
// once its regular expressions and lazy compilation were set differently while it ran.
setFlagsFromString('--liftoff-only')

// The parts that a request needs. The package's index brings fetch, WebSocket, caches and mocks along, which takes
// three times as long to load; index and parts are of one locked version.
export { default as request } from 'undici/lib/api/api-request.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
