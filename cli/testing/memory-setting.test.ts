import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { watchOver } from '../../server/testing/running.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { serveCommand } from '../commands/serve.ts'
import { createContext } from '../context.ts'
import { hostOf } from '../process/own-host.ts'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))

/** The environment of `postern serve` once it runs, as the process's parent sees it. */
async function environmentOf(settings: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder('memory')
  // It waits for a database, and says so when all of it is loaded.
  const env = { HOME: folder, PORT: String(await freePort()), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const child = spawn(process.execPath, [bin, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, LOG_FORMAT: 'json', ...env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  watchOver(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  try {
    await expect.poll(() => said, { timeout: 60_000 }).toContain('the database cannot be reached yet')
    return execFileSync('ps', ['eww', '-o', 'command=', String(child.pid)], { encoding: 'utf8' })
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

it('the service runs with one arena, under the id that was started, where Node can replace a process', async () => {
  const canReplace = 'execve' in process
  expect((await environmentOf({})).includes('MALLOC_ARENA_MAX=1')).toBe(canReplace)
})

it('a setting of the operator stays', async () => {
  expect(await environmentOf({ MALLOC_ARENA_MAX: '2' })).toContain('MALLOC_ARENA_MAX=2')
})

it.each([
  [{}, [{ MALLOC_ARENA_MAX: '1', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }]],
  [{ GLIBC_TUNABLES: '' }, [{ MALLOC_ARENA_MAX: '1', GLIBC_TUNABLES: '' }]],
  [{ MALLOC_ARENA_MAX: '4' }, []],
])('with %j the process is replaced with %j, before anything of the service is loaded', async (env, expected) => {
  const replaced: unknown[] = []
  const own = hostOf(() => new AbortController().signal)
  const restartWith = (variables: unknown) => {
    replaced.push(variables)
    throw new Error('another process goes on here')
  }
  const settings = { ...env, PORT: 'none' }
  const host = Object.create(own, {
    env: { value: settings },
    cwd: { value: temporaryFolder('memory') },
    restartWith: { value: restartWith },
  }) as typeof own
  const run = serveCommand(createContext(host)).parseAsync([], { from: 'user' })
  await expect(run).rejects.toThrow(expected.length > 0 ? 'another process' : 'The settings are invalid')
  expect(replaced).toEqual(expected)
})
