import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { cloneDatabase, settingsOf } from '../../testing/database.ts'
import { ownPort, spawnServer } from '../../testing/process.ts'
import { slack } from '../../testing/slack.ts'
import { rawRequest } from '../../testing/wire.ts'

// It starts a process.
vi.setConfig({ testTimeout: 200_000 * slack })

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  cloned = await cloneDatabase()
})
afterAll(() => cloned.drop())

const withFewFiles = `
  const { execFileSync } = await import('node:child_process')
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=64:64'])
  serve().then((code) => { process.exitCode = code })
`

/** A client that has sent nothing, once it is known whether it may stay. */
function open(port: number): Promise<{ readonly socket: Socket; readonly isRefused: () => boolean }> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    const told = { socket, isRefused: () => socket.destroyed }
    socket.once('connect', () => resolve(told))
    socket.once('error', () => resolve(told))
  })
}

/** The status of an answer over a connection that is there. */
function ask(socket: Socket, target: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    socket.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('\r\n\r\n')) resolve(/^HTTP\/1.1 (\d+)/.exec(said)?.[1])
    })
    socket.write(rawRequest(`GET ${target}`))
  })
}

it.runIf(process.platform === 'linux')(
  'a flood of connections leaves files to load what is first needed, and the service goes on after it',
  async () => {
    const service = spawnServer({ ...(await ownPort()), ...settingsOf(cloned.database) }, withFewFiles)
    onTestFinished(async () => void (await service.kill()))
    const { port } = new URL(await service.untilListening())
    const first = await open(Number(port))
    const flood = await Promise.all(Array.from({ length: 200 }, () => open(Number(port))))
    await expect.poll(() => flood.filter(({ isRefused }) => isRefused()).length).toBeGreaterThan(0)
    // The page of an error is loaded with the first of them.
    expect(await ask(first.socket, '/api/auth/error?error=state_not_found')).toBe('200')
    for (const { socket } of [first, ...flood]) socket.destroy()
    await expect
      .poll(async () => {
        const again = await open(Number(port))
        const status = await Promise.race([
          ask(again.socket, '/api/auth/page/device'),
          new Promise((refused) => again.socket.once('close', refused)),
        ])
        again.socket.destroy()
        return status
      })
      .toBe('200')
  },
)
