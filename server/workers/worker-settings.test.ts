import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { signUpAt } from '../testing/load.ts'
import { freePort } from '../testing/ports.ts'
import { inTurn } from '../testing/rounds.ts'
import { slack } from '../testing/slack.ts'
import { answeredBy, flood, linesOf, useWorkers, workersOf } from '../testing/workers.ts'

// Each test starts three processes, and all wait for new ones.
vi.setConfig({ testTimeout: 100_000 * slack })

const { start, settings } = useWorkers()

describe('workers', () => {
  it('are replaced on SIGHUP though those of the one before wait for a database that is nowhere', async () => {
    const { DATABASE_URL, ...others } = settings()
    const { url, process, cwd } = await start({ ...others, DATABASE_URL: '' }, { DATABASE_URL })
    const before = workersOf(process)
    writeFileSync(join(cwd, '.env'), `DATABASE_URL=postgres://localhost:${await freePort()}/nowhere\n`)
    void process.kill('SIGHUP')
    await expect
      .poll(() => linesOf(process, 'the database cannot be reached yet'), { timeout: 60_000 * slack })
      .toHaveLength(1)
    writeFileSync(join(cwd, '.env'), 'SIGN_UP=off\n')
    void process.kill('SIGHUP')
    await expect.poll(() => linesOf(process, 'all workers were replaced'), { timeout: 60_000 * slack }).toHaveLength(1)
    expect(workersOf(process).filter((pid) => before.includes(pid))).toEqual([])
    expect((await signUpAt(url, [])).status).toBe(400)
    expect(linesOf(process, 'cannot serve')).toEqual([])
  })

  it('are replaced once more when SIGHUP comes meanwhile, and all have the newest settings', async () => {
    const { url, process, cwd } = await start()
    const before = workersOf(process)
    writeFileSync(join(cwd, '.env'), 'SIGN_UP=off\n')
    void process.kill('SIGHUP')
    // One was replaced, and the other is about to be.
    const gone = () => before.filter((pid) => !workersOf(process).includes(pid)).length
    await expect.poll(gone, { timeout: 60_000 * slack }).toBe(1)
    writeFileSync(join(cwd, '.env'), '')
    for (let signals = 0; signals < 3; signals += 1) {
      void process.kill('SIGHUP')
      await sleep(10)
    }
    await expect.poll(() => linesOf(process, 'all workers were replaced'), { timeout: 60_000 * slack }).toHaveLength(2)
    const replies = await Promise.all(Array.from({ length: 8 }, () => signUpAt(url, [])))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    void process.kill('SIGHUP')
    await expect.poll(() => workersOf(process).length, { timeout: 60_000 * slack }).toBe(3)
    void process.kill('SIGHUP')
    expect(await process.kill('SIGTERM')).toBe(0)
    // Signals that came together are one wish, and none is left after the end.
    expect(linesOf(process, 'all workers were replaced')).toHaveLength(2)
  })

  const files = [
    ['postern.config.mjs', 'export default { afterVerifyEmail() {} }', 'export default { SIGN_UP: false }'],
    ['postern.config.json', {}, '{ "SIGN_UP": '],
  ] as const
  it.each(inTurn(files))('are started again with the settings of the others: %s', async (name, file, edited) => {
    const { url, process, cwd } = await start({}, file)
    const killAll = async () => {
      for (const pid of workersOf(process)) globalThis.process.kill(pid, 'SIGKILL')
      const answering = async () => new Set((await flood(8, `${url}/ok`)).map(answeredBy)).size
      await expect.poll(() => answering().catch(() => 0), { timeout: 60_000 * slack }).toBe(2)
    }
    const signUps = async () => {
      const replies = await Promise.all(Array.from({ length: 8 }, () => signUpAt(url, [])))
      return new Set(replies.map(({ status }) => status))
    }
    writeFileSync(join(cwd, '.env'), 'SIGN_UP=off\nSESSION_LIMIT=none\n')
    writeFileSync(join(cwd, name), edited)
    await killAll()
    expect(await signUps()).toEqual(new Set([200]))
    writeFileSync(join(cwd, '.env'), 'SIGN_UP=off\n')
    writeFileSync(join(cwd, name), typeof file === 'string' ? file : '{}')
    void process.kill('SIGHUP')
    await expect.poll(() => linesOf(process, 'all workers were replaced'), { timeout: 60_000 * slack }).toHaveLength(1)
    rmSync(join(cwd, '.env'))
    await killAll()
    expect(await signUps()).toEqual(new Set([400]))
    expect(linesOf(process, 'cannot serve')).toEqual([])
  })

  it('are started again once that is possible, and the others go on meanwhile', async () => {
    const { url, process, cwd } = await start()
    const [dead] = workersOf(process)
    // Where the program starts is gone: no process can be started there.
    renameSync(cwd, `${cwd}-elsewhere`)
    globalThis.process.kill(dead!, 'SIGKILL')
    await expect.poll(() => linesOf(process, 'a worker cannot serve and is started again')).not.toEqual([])
    expect(linesOf(process, `the folder of the service, ${cwd}, is gone`)).not.toEqual([])
    void process.kill('SIGHUP')
    await expect.poll(() => linesOf(process, 'the others are not replaced')).toHaveLength(1)
    expect((await flood(4, `${url}/ok`)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    renameSync(`${cwd}-elsewhere`, cwd)
    await expect.poll(() => workersOf(process), { timeout: 100_000 * slack }).toHaveLength(2)
    expect(await process.kill('SIGTERM')).toBe(0)
  })
})
