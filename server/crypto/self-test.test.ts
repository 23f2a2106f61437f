import { describe, expect, it } from 'vitest'
import { createLog } from '../process/log.ts'
import { createPasswords } from './password.ts'
import { logHashTime, requireRightHashes } from './self-test.ts'

const cost = { memory: 19_456, passes: 2, lanes: 1 }

async function linesOf(work: (log: Awaited<ReturnType<typeof createLog>>) => Promise<void>) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  await work(await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { write }))
  return lines
}

describe('the measure of a password hash', () => {
  it('makes one, and logs its milliseconds', async () => {
    const passwords = createPasswords(cost)
    const lines = await linesOf((log) => logHashTime(passwords, log, Number.POSITIVE_INFINITY))
    expect(lines).toMatchObject([{ level: 30, ms: expect.any(Number), msg: 'time of one password hash' }])
    expect(passwords.computed).toBe(1)
  })

  it('warns of a slow one, and says what to do', async () => {
    const lines = await linesOf((log) => logHashTime(createPasswords(cost), log, -1))
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('ARGON2_') }])
  })

  it('is no more than a line when it cannot be made', async () => {
    const full = createPasswords(cost, { limits: { running: 0, waiting: 0, timeout: 0 } })
    expect(await linesOf((log) => logHashTime(full, log))).toMatchObject([
      { level: 40, msg: 'the time of a password hash could not be measured' },
    ])
  })
})

describe('the hash of the reference implementation', () => {
  it('comes out the same here', async () => {
    await expect(requireRightHashes()).resolves.toBeUndefined()
  })

  it('is an error where it does not', async () => {
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf66EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    await expect(requireRightHashes({ stored, password: 'password' })).rejects.toThrow('another one')
  })
})
