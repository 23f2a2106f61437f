#!/usr/bin/env node
// No compile cache: Node would run code that others left in a shared temporary folder, to save five milliseconds.
await import('../dist/cli/main.js').catch(async (cause) => (await import('./not-built.js')).explain(cause))
