import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, print } from './measure.js'

const bin = new URL('../../bin/postern.js', import.meta.url).pathname
const rounds = 10

/** Start-up times of the command line as ratios to `node -e 0`, medians of ten, taken in turn. */
export function measureStartUp(url) {
  const home = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    POSTERN_URL: url,
    POSTERN_CONFIG_DIR: home,
    POSTERN_STATE_DIR: home,
  }
  const rows = [
    { name: 'node -e 0', args: ['-e', '0'], budget: 1 },
    { name: '--version', args: [bin, '--version'], budget: 1.5 },
    { name: '--help', args: [bin, '--help'], budget: 1.5 },
    { name: 'sign-in --help', args: [bin, 'sign-in', '--help'], budget: 1.5 },
    { name: 'a usage error', args: [bin, 'sing-in'], budget: 1.6 },
    { name: 'not signed in', args: [bin, 'whoami'], budget: 1.6 },
    { name: 'one request', args: [bin, 'api', '/ok'], budget: 4 },
  ]
  const times = rows.map(() => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { args }] of rows.entries()) {
      const start = performance.now()
      spawnSync(process.execPath, args, { env, stdio: 'ignore' })
      times[index].push(performance.now() - start)
    }
  const base = median(times[0])
  for (const [index, { name, budget }] of rows.entries()) {
    const time = median(times[index])
    print(`start-up: ${name}`, `${time.toFixed(0)} ms, ${(time / base).toFixed(2)}x (budget ${budget}x)`)
  }
  rmSync(home, { recursive: true })
}
