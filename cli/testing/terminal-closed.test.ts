import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { settingsOf } from '../../server/testing/database.ts'
import { freePort } from '../../server/testing/ports.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { useDatabase } from '../../server/testing/use-service.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'

const cloned = useDatabase()

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const folder = () => temporaryFolder('terminal-closed')

/** Starts `postern serve` in a shell whose input and output are a terminal, or only its output and in no session of it. */
async function serveIn(WORKERS: string, { isLetGo = false } = {}) {
  const [log, pid] = ['log', 'pid'].map((name) => join(folder(), name)) as [string, string]
  const port = String(await freePort())
  const line = `echo $$ > '${pid}'; exec '${process.execPath}' '${bin}' serve 2> '${log}'`
  const env = { ...settingsOf(cloned.database), PORT: port, WORKERS, LINE: line }
  const pty = startPty('/bin/sh', ['-c', isLetGo ? 'setsid sh -c "$LINE" & wait' : line], { env })
  await expect.poll(() => read(log)).toContain('"listening"')
  return { pty, log: () => read(log), pid: Number(read(pid)), url: `http://127.0.0.1:${port}/api/auth/ok` }
}

it.each(['1', '2'])('a service of %s process(es) stops in order when its terminal is closed', async (workers) => {
  const { pty, log } = await serveIn(workers)
  pty.hangUp()
  expect(await pty.exit).toMatchObject({ signal: 1 })
  expect(log().trim().split('\n').at(-1)).toContain('"stopped"')
  expect(log()).not.toContain('Assertion failed')
})

it('a service that outlives its terminal heeds SIGHUP as somebody’s wish, and ends without a crash', async () => {
  const { pty, log, pid, url } = await serveIn('1', { isLetGo: true })
  pty.hangUp()
  const asked = () => {
    process.kill(pid, 'SIGHUP')
    return log()
  }
  // The first moments are those in which a terminal that closes sends its own. A busy machine takes longer to see that
  // they are over.
  await new Promise((resolve) => setTimeout(resolve, 5000 + 2000 * slack))
  await expect.poll(asked).toContain('SIGHUP changes nothing without workers')
  expect((await fetch(url)).status).toBe(200)
  process.kill(pid, 'SIGTERM')
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(log()).not.toContain('Assertion failed')
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
