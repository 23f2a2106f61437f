#!/usr/bin/env node
import module from 'node:module'

module.enableCompileCache?.()
await import('../dist/cli/main.js').catch((cause) => Promise.reject(Error('Not built: npm run build', { cause })))
