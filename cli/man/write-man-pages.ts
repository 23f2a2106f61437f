import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandNode } from '../argv/tree.ts'
import { version } from '../process/version.ts'
import { manPages } from './man-pages.ts'

// A build step: reads the command tree that the build wrote before, and writes `dist/man`.

const dist = join(import.meta.dirname, '../../dist')
const tree = JSON.parse(readFileSync(join(dist, 'cli', 'tree.json'), 'utf8')) as CommandNode
mkdirSync(join(dist, 'man'), { recursive: true })
for (const [name, text] of await manPages(tree, version)) writeFileSync(join(dist, 'man', name), text)
