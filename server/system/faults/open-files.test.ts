import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { settingsOf } from '../../testing/database.ts'
import { ownPort, spawnServer } from '../../testing/process.ts'
import { slack } from '../../testing/slack.ts'
import { useDatabase } from '../../testing/use-service.ts'
import { rawRequest } from '../../testing/wire.ts'

// It starts a process.
vi.setConfig({ testTimeout: 200_000 * slack })

const cloned = useDatabase()

const withFewFiles = `
  const { execFileSync } = await import('node:child_process')
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=64:64'])
  serve().then((code) => { process.exitCode = code })
`

/** A proxy's connections carry those of many clients, so only the limit of all together ends them. */
const proxy = '127.0.0.2'

interface Client {
  readonly socket: Socket
  readonly isRefused: () => boolean
}

/** A client that has sent nothing, once it is known whether it may stay. */
function open(port: number, localAddress = '127.0.0.1'): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  return new Promise((resolve) => {
    const told = { socket, isRefused: () => socket.destroyed }
    socket.once('connect', () => resolve(told))
    socket.once('error', () => resolve(told))
  })
}

async function flood(port: number, from?: string): Promise<Client[]> {
  const clients = await Promise.all(Array.from({ length: 200 }, () => open(port, from)))
  await expect.poll(() => clients.filter(({ isRefused }) => isRefused()).length).toBeGreaterThan(0)
  return clients
}

/** The status of an answer, or nothing from a connection that was refused. */
function ask(socket: Socket, target: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    socket.once('close', () => resolve(undefined))
    if (socket.destroyed) resolve(undefined)
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
    const settings = { ...(await ownPort()), ...settingsOf(cloned.database), TRUSTED_PROXIES: proxy }
    const service = spawnServer(settings, withFewFiles)
    onTestFinished(async () => void (await service.kill()))
    const port = Number(new URL(await service.untilListening()).port)
    const first = await open(port)
    const clients = await flood(port)
    const proxied = await open(port, proxy)
    clients.push(...(await flood(port, proxy)))
    // The page of an error is loaded with the first of them.
    const page = '/api/auth/error?error=state_not_found'
    expect([await ask(first.socket, page), await ask(proxied.socket, page)]).toEqual(['200', '200'])
    for (const { socket } of [first, proxied, ...clients]) socket.destroy()
    await expect
      .poll(async () => {
        const { socket } = await open(port)
        const status = await ask(socket, '/api/auth/page/device')
        socket.destroy()
        return status
      })
      .toBe('200')
  },
)
