import { execFileSync } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { type EngineState, tuneEngine } from './engine.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

function flagsOfEngine(state: EngineState) {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  tuneEngine(state)
  return set.mock.calls.flat()
}

const unoptimized = { isOptimizerOff: true }

it('lets V8 keep what it compiled, collect often, and optimize a little at a time', () => {
  expect(flagsOfEngine(unoptimized)).toEqual([
    '--no-flush-bytecode',
    '--heap-growing-percent=50',
    '--max-inlined-bytecode-size-cumulative=300',
    '--max-inlined-bytecode-size=230',
    '--opt',
  ])
})

it('changes nothing that a thread reads which may be optimizing', () => {
  expect(flagsOfEngine({ isOptimizerOff: false })).toEqual(['--no-flush-bytecode', '--heap-growing-percent=50'])
})

it('uses flags that this Node.js knows', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of flagsOfEngine(unoptimized)) expect(known).toContain(`  --${flag.replace(/^--(no-)?|=.*$/g, '')} (`)
})
