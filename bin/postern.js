#!/usr/bin/env node
// No compile cache: Node would run whatever code others left in a shared temporary folder, for five milliseconds gained.
await import('../dist/cli/main.js').catch((cause) => Promise.reject(Error('Not built: npm run build', { cause })))
