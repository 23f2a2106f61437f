#!/usr/bin/env node
// No compile cache: Node would run code that others left in a shared temporary folder, to save five milliseconds.
await import('../dist/cli/main.js').catch((cause) => Promise.reject(Error('Not built: npm run build', { cause })))
