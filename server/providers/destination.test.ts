import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTrap } from 'node:net'
import { createSecureContext } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseIpRange } from '../limits/ip-address.ts'
import { testCertificate as cert, testKey as key } from '../testing/certificate.ts'
import { createProtectedLookup, type DestinationOptions } from './destination.ts'
import { createOutbound } from './outbound.ts'

interface Stoppable {
  listen(port: number, host: string): unknown
  close(): unknown
  once(event: string, listener: () => void): unknown
  address(): AddressInfo | string | null
}

async function listening(server: Stoppable, host: string, wanted = 0): Promise<number> {
  server.listen(wanted, host)
  await once(server as never, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A provider in a network that the settings name, and at the same port of this machine what nobody may ask. */
async function startBoth() {
  const asked: IncomingHttpHeaders[] = []
  const provider = createServer(({ headers }, response) => {
    asked.push(headers)
    response.end('{}')
  })
  let trapped = 0
  const trap = createTrap((socket) => {
    trapped += 1
    socket.destroy()
  })
  const port = await listening(provider, '127.0.0.2')
  await listening(trap, '127.0.0.1', port)
  return { port, asked, trapped: () => trapped }
}

const v4 = (...addresses: string[]): LookupAddress[] => addresses.map((address) => ({ address, family: 4 }))
const networks = [parseIpRange('127.0.0.2')]

/** A way out whose names stand for these addresses, one list for each look-up in turn. */
function outboundTo(lists: readonly (readonly LookupAddress[])[], options: DestinationOptions = {}) {
  const lookedUp: string[] = []
  const resolve = (name: string) => Promise.resolve(lists[(lookedUp.push(name) - 1) % lists.length] ?? [])
  return { callOut: createOutbound({ now: Date.now, networks, resolve, ...options })('somebody'), lookedUp }
}

const outcomeOf = (call: Promise<Response>) =>
  call.then(
    ({ status }) => status,
    (error: Error) => error.message,
  )

describe('a name', () => {
  it('that stands for something else at each look-up is asked only at what was checked', async () => {
    const { port, asked, trapped } = await startBoth()
    const { callOut, lookedUp } = outboundTo([v4('127.0.0.2'), v4('127.0.0.1')])
    const seen: unknown[] = []
    for (let round = 0; round < 6; round += 1) seen.push(await outcomeOf(callOut(`http://id.example.com:${port}/keys`)))
    const refused = expect.stringContaining('id.example.com is not asked: 127.0.0.1 is no public address')
    expect(seen).toEqual([200, refused, 200, refused, 200, refused])
    expect([asked.length, trapped(), lookedUp.length]).toEqual([3, 0, 6])
    expect(asked[0]?.host).toBe(`id.example.com:${port}`)
  })

  it('that stands for several is asked at those alone that may be asked', async () => {
    const { port, asked, trapped } = await startBoth()
    const { callOut } = outboundTo([v4('127.0.0.1', '10.0.0.1', '127.0.0.2'), v4('127.0.0.2', '127.0.0.1')])
    expect(await outcomeOf(callOut(`http://id.example.com:${port}/`))).toBe(200)
    expect(await outcomeOf(callOut(`http://id.example.com:${port}/`))).toBe(200)
    expect([asked.length, trapped()]).toEqual([2, 0])
  })

  it('that stands for nothing is told as such', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
    const { callOut } = outboundTo([], { resolve })
    expect(await outcomeOf(callOut('https://id.example.com/'))).toContain('ENOTFOUND')
  })

  it('of this machine is refused by its real address', async () => {
    const { port } = await startBoth()
    const callOut = createOutbound({ now: Date.now })('somebody')
    expect(await outcomeOf(callOut(`https://localhost:${port}/`))).toContain('localhost is not asked')
  })

  it('is the one that TLS asks for, and the certificate has to be of it', async () => {
    const names: string[] = []
    const server = createSecureServer({
      cert,
      key,
      SNICallback: (name, done) => {
        names.push(name)
        done(null, createSecureContext({ cert, key }))
      },
    })
    const port = await listening(server, '127.0.0.2')
    const { callOut } = outboundTo([v4('127.0.0.2')])
    expect(await outcomeOf(callOut(`https://accounts.example.com:${port}/`))).toMatch(/self-signed/i)
    expect(names).toEqual(['accounts.example.com'])
  })
})

describe('an address', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
  ])('%s is not asked', async (address) => {
    const { callOut, lookedUp } = outboundTo([])
    expect(await outcomeOf(callOut(address))).toContain('is no public address, and not in OUTBOUND_PRIVATE_NETWORKS')
    expect(lookedUp).toEqual([])
  })

  it('is asked where the settings write it out, at that port alone', async () => {
    const { port } = await startBoth()
    const other = await startBoth()
    const written = [`http://127.0.0.2:${port}/issuer`, 'https://intranet.example.com']
    const { callOut } = outboundTo([v4('10.0.0.1')], { networks: [], written })
    expect(await outcomeOf(callOut(`http://127.0.0.2:${port}/token`))).toBe(200)
    expect(await outcomeOf(callOut(`http://127.0.0.2:${other.port}/token`))).toContain('127.0.0.2 is not asked')
    // A name may stand for anything tomorrow.
    expect(await outcomeOf(callOut('https://intranet.example.com/token'))).toContain('10.0.0.1 is no public address')
    expect(other.asked).toEqual([])
  })

  it('with a password in it is not asked', async () => {
    const { port, asked } = await startBoth()
    const { callOut } = outboundTo([])
    expect(await outcomeOf(callOut(`http://ann:secret@127.0.0.2:${port}/`))).toContain('credentials')
    expect(asked).toEqual([])
  })
})

describe('a public host', () => {
  const lookUp = (url: string, needsTls: boolean) =>
    new Promise((resolve) => {
      const lookupOf = createProtectedLookup({ needsTls, resolve: async () => v4('8.8.8.8') })
      lookupOf(new URL(url))('id.example.com', {}, (error, found) => resolve(error ? 'refused' : found))
    })

  it.each([
    ['http://id.example.com/', false, v4('8.8.8.8')],
    ['https://id.example.com/', true, v4('8.8.8.8')],
    ['http://id.example.com/', true, 'refused'],
  ])('%s is asked unless TLS is needed and not there: %s', async (url, needsTls, found) => {
    expect(await lookUp(url, needsTls)).toEqual(found)
  })
})
