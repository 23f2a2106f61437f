import { execFileSync } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { tuneEngine } from './guard.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

function flagsOfEngine() {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  tuneEngine()
  return set.mock.calls.flat()
}

it('lets V8 optimize a little at a time, keep what it compiled, and collect often', () => {
  expect(flagsOfEngine()).toEqual([
    '--opt',
    '--no-flush-bytecode',
    '--max-inlined-bytecode-size-cumulative=300',
    '--max-inlined-bytecode-size=230',
    '--heap-growing-percent=50',
  ])
})

it('uses flags that this Node.js knows', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of flagsOfEngine()) expect(known).toContain(`  --${flag.replace(/^--(no-)?|=.*$/g, '')} (`)
})
