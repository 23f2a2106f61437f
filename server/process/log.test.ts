import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failure.ts'
import { spawnServer } from '../testing/process.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { createLog, plainLog } from './log.ts'

const hostile = 'a\r\nlevel=60 msg="forged"\u001b[2J\u009b31m\u0007'

/** What a log writes for an action, line by line. */
async function written(act: (log: Awaited<ReturnType<typeof createLog>>) => void): Promise<string[]> {
  const lines: string[] = []
  act(await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) }))
  return lines
}

describe('the log', () => {
  it('keeps what somebody sent inside its line and inside its quotes', async () => {
    const [line = '', ...more] = await written((log) => log.info({ route: hostile, err: new Error(hostile) }, hostile))
    expect([more, line.trim().split('\n').length]).toEqual([[], 1])
    expect(line.trimEnd()).not.toMatch(/[^\x20-\uffff]/)
    expect(JSON.parse(line)).toMatchObject({ level: 30, route: hostile, msg: hostile })
  })

  it('hides what stands under the names of secrets', async () => {
    const secret = 'hunter2'
    const headers = { cookie: secret, authorization: secret }
    const [line = ''] = await written((log) =>
      log.info({ password: secret, token: secret, user: { password: secret, token: secret }, headers }, 'x'),
    )
    expect(JSON.parse(line)).toMatchObject({ msg: 'x', headers: expect.anything() })
    expect(line).not.toContain(secret)
  })

  it('tells of an error what helps to find it, and nothing of what a statement carried', async () => {
    const error = Object.assign(new Error('x'.repeat(10_000)), {
      code: '23505',
      constraint_name: 'users_email_key',
      detail: 'Key (email)=(ann@example.com) already exists.',
      query: 'insert into users',
      parameters: ['ann@example.com'],
    })
    const [line = ''] = await written((log) => log.error({ err: error }, 'x'))
    const { err } = JSON.parse(line)
    expect(err).toMatchObject({ type: 'Error', code: '23505', constraint: 'users_email_key', message: 'x'.repeat(500) })
    expect(Object.keys(err).toSorted()).toEqual(['code', 'constraint', 'message', 'stack', 'type'])
    expect(line.length).toBeLessThan(6000)
  })

  it('tells of a failure its cause, since it says itself only what callers are told', async () => {
    const error = Object.assign(new Error('the disk is full'), { code: '53100' })
    const [line = ''] = await written((log) =>
      log.warn({ err: new Failure('SERVICE_UNAVAILABLE', { cause: error }) }, 'x'),
    )
    expect(JSON.parse(line).err).toMatchObject({ type: 'Error', code: '53100', message: 'the disk is full' })
  })

  it('gives time and level as people write them, if that is asked for', async () => {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const usual = { LOG_LEVEL: 'info', LOG_FORMAT: 'json' } as const
    const before = Date.now()
    for (const more of [{}, { LOG_TIME: 'iso' }, { LOG_LEVEL_NAMES: true }] as const)
      (await createLog({ ...usual, ...more }, { write })).warn('x')
    const [plain, iso, named] = lines.map((line) => JSON.parse(line))
    expect([plain.level, iso.level, named.level]).toEqual([40, 40, 'warn'])
    expect([plain.time >= before, typeof named.time]).toEqual([true, 'number'])
    expect(iso.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(iso.time)).toBeGreaterThanOrEqual(before)
  })

  it.each([[undefined], [null], ['text'], [42], [{ code: 'x' }]])('takes %j for an error as it is', async (thrown) => {
    const [line = ''] = await written((log) => log.error({ err: thrown }, 'x'))
    expect(JSON.parse(line).msg).toBe('x')
  })

  const formats = existsSync('/dev/full') ? ['json', 'pretty'] : []
  it.for(formats)('in the format %s waits for room on a full disk, and fails nothing', async (format) => {
    const folder = temporaryFolder('full-disk')
    const script = `
      const { closeSync, openSync } = await import('node:fs')
      const log = await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: '${format}' })
      const turnStderr = (path) => {
        closeSync(2)
        openSync(path, 'a')
      }
      turnStderr('/dev/full')
      for (let n = 0; n < 20_000; n += 1) log.info('line ' + n + ' '.repeat(100))
      turnStderr('${join(folder, 'log')}')
      for (const text of ['room again', 'and again']) log.info(text)
      console.log('went on')
    `
    const spawned = spawnServer({}, script)
    expect([await spawned.exited, spawned.output()]).toEqual([0, 'went on\n'])
    const kept = await readFile(join(folder, 'log'), 'utf8')
    expect([kept.length > 900_000, kept.length < 1_100_000]).toEqual([true, true])
    for (const text of ['line 0 ', 'line 1000 ', 'and again']) expect(kept).toContain(text)
    const lost = 20_000 + 2 - kept.match(/line \d|room again|and again/g)!.length
    expect(kept).toMatch(format === 'json' ? `"lost":${lost},` : `lost: ${lost}`)
    expect(kept.match(/lines of this log are lost/g)).toHaveLength(1)
  })

  it('holds up nothing while the reader of its pipe stands still, which gets what waited afterwards', async () => {
    const script = `
      const log = await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' })
      for (let n = 0; n < 20_000; n += 1) {
        log.info('line ' + n + ' '.repeat(100))
        if (n % 100 === 0) await new Promise(setImmediate)
      }
      console.log('went on')
      process.once('SIGUSR2', () => clearInterval(staying))
      const staying = setInterval(() => undefined, 1000)
    `
    const spawned = spawnServer({}, script)
    spawned.stderr.pause()
    await expect.poll(spawned.output).toBe('went on\n')
    spawned.stderr.resume()
    await expect.poll(spawned.output).toContain('are lost')
    const kept = spawned.output().match(/line \d+ /g)!.length
    expect([kept > 5000, spawned.output()]).toEqual([true, expect.stringContaining(`"lost":${20_000 - kept},`)])
    expect(await spawned.kill('SIGUSR2')).toBe(0)
  })

  it('goes to stderr, and in the pretty format too nothing in it moves the cursor', async () => {
    const script = `
      const log = await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'pretty', LOG_TIME: 'iso', LOG_LEVEL_NAMES: true })
      log.error({ err: new Error(${JSON.stringify(hostile)}), route: '/sign-in/email' }, 'request failed')
    `
    const spawned = spawnServer({}, script)
    expect(await spawned.exited).toBe(0)
    const said = spawned.output()
    expect(said).toContain('ERROR: request failed')
    expect(said).not.toMatch(/[^\n\x20-\x7e\xa0-\uffff]/)
    expect(said).not.toMatch(/^level=60/m)
  })

  it('of an application keeps its own redaction in the lines of requests', () => {
    const lines: string[] = []
    const log = pino({ redact: ['network'] }, { write: (line: string) => void lines.push(line) })
    plainLog(log).info({ network: '203.0.113.7' }, 'request')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ network: '[Redacted]', msg: 'request' })
  })
})
