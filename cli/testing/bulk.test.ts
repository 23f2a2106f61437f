import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { expandStdinLines } from '../commands/bulk-lines.ts'
import { readSecret } from '../settings/secret.ts'
import { fullUser, session } from './answers.ts'
import { runBuilt } from './built.ts'
import { type FakeServer, startFakeServer } from './fake-server.ts'

const ids = ['session-aaaaaa', 'session-bbbbbb', 'session-cccccc', 'session-dddddd']

let service: FakeServer
let held: Promise<unknown>
beforeEach(async () => {
  let reached: (value?: unknown) => void
  held = new Promise((resolve) => {
    reached = resolve
  })
  let revoked = 0
  const bodies: Record<string, unknown> = {
    '/get-session': { session, user: fullUser },
    '/list-sessions': ids.map((id) => ({ ...session, id, token: id })),
  }
  // The third one is never answered.
  service = await startFakeServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname.replace('/api/auth', '')
    if (path === '/revoke-session') revoked += 1
    if (revoked === 3) return reached()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(bodies[path] ?? { status: true }))
  })
})
afterEach(() => service.close())

/** Revokes four sessions from stdin, and is interrupted at the third one. */
async function interrupted(flags: readonly string[], signal: NodeJS.Signals = 'SIGINT') {
  let early = ''
  const ended = await runBuilt(['session', 'revoke', '-', '--yes', ...flags], {
    env: environment(),
    input: ids.join('\n'),
    during: async (child: ChildProcess) => {
      child.stdout?.on('data', (text: string) => {
        early += text
      })
      await Promise.race([held, once(child, 'close')])
      // Those that are done are there before the end. A JSON document cannot be.
      const least = flags.includes('--json') ? 0 : 2
      while (early.split('\n').length - 1 < least) await sleep(10)
      child.kill(signal)
    },
  })
  return { ...ended, lines: ended.stdout.trim().split('\n') }
}

function environment() {
  const folder = temporaryFolder('bulk')
  return {
    POSTERN_CONFIG_DIR: folder,
    POSTERN_STATE_DIR: join(folder, 'state'),
    POSTERN_URL: service.url,
    POSTERN_TOKEN: 't',
  }
}

const statuses = ['deleted', 'deleted', 'failed', 'skipped']

const endings = [
  ['SIGINT', 130, 'INTERRUPTED'],
  ['SIGTERM', 143, 'TERMINATED'],
] as const

describe.each(endings)('several at once, ended by %s', (signal, exitCode, reason) => {
  it('end with what was done and what was not, line by line', async () => {
    const { code, lines } = await interrupted([], signal)
    expect([code, lines.map((line) => line.split('\t').slice(0, 2))]).toEqual([
      exitCode,
      ids.map((id, index) => [id, statuses[index]]),
    ])
    expect(lines[2]).toContain('it may be done')
  })

  it('as NDJSON', async () => {
    const { code, lines } = await interrupted(['--ndjson'], signal)
    const results = lines.map((line) => JSON.parse(line) as { input: string; status: string; error: unknown })
    expect([code, results.map(({ status }) => status)]).toEqual([exitCode, statuses])
    expect(results[2]).toMatchObject({ input: ids[2], error: { code: 'INTERRUPTED' } })
  })

  it('as ids, of those that are done', async () => {
    const { code, lines } = await interrupted(['--quiet'], signal)
    expect([code, lines]).toEqual([exitCode, ids.slice(0, 2)])
  })

  it('as one JSON document', async () => {
    const { code, stdout, stderr } = await interrupted(['--json'], signal)
    const { results, summary } = JSON.parse(stdout) as { results: { status: string }[]; summary: object }
    expect([code, results.map(({ status }) => status)]).toEqual([exitCode, statuses])
    expect(summary).toEqual({ total: 4, succeeded: 2, failed: 1, skipped: 1 })
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: reason, exitCode } })
  })
})

describe('a list on stdin has a bound, and nothing is sent beyond it', () => {
  it.each([
    ['lines', 'session-x\n'.repeat(10_001)],
    ['bytes', 'x'.repeat(2 * 1024 * 1024 + 1)],
  ])('of %s', async (_what, input) => {
    let asked = 0
    const counting = await startFakeServer((_request, response) => {
      asked += 1
      response.end()
    })
    const env = { ...environment(), POSTERN_URL: counting.url }
    const { code, stdout, stderr } = await runBuilt(['session', 'revoke', '-', '--yes'], { env, input })
    expect([code, stdout, asked]).toEqual([2, '', 0])
    expect(stderr).toContain('at most 10000 lines and 2 MiB at once')
    expect(stderr).toContain('split -l 10000')
    await counting.close()
  })

  it('of time, where the pipe never ends', async () => {
    async function* endless() {
      for (;;) yield await Promise.resolve('session-x\n'.repeat(1000))
    }
    const input = () => ({ stdin: Readable.from(endless()), signal: new AbortController().signal })
    await expect(expandStdinLines(input(), ['-'])).rejects.toThrow('at most 10000 lines')
    const password = { name: '--password-file', what: 'password', inFile: '--password-file FILE' }
    await expect(readSecret('-', password, input())).rejects.toThrow('stdin is too large: at most 64 KiB')
  })
})

it('an answer of something else is no success, even where all of it may be absent', async () => {
  const other = await startFakeServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"hello":"world"}')
  })
  const { code, stdout } = await runBuilt(['admin', 'impersonation', 'stop'], {
    env: { ...environment(), POSTERN_URL: other.url },
  })
  expect([code, stdout]).toEqual([11, ''])
  await other.close()
})
