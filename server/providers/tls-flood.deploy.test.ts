import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { testCertificate, testKey } from '../testing/certificate.ts'
import { freePort } from '../testing/ports.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { createProtectedLookup } from './destination.ts'
import { statusOf } from './outbound.ts'

describe('a host that floods us below HTTP', () => {
  const folder = temporaryFolder('tls')
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  beforeAll(() => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    writeFileSync(cert, testCertificate)
    writeFileSync(key, testKey)
  })
  afterAll(() => vi.unstubAllEnvs())

  const codeOf = (port: number): Promise<string> => {
    const url = new URL(`https://localhost:${port}/`)
    const way = { lookup: createProtectedLookup({ written: [url.origin] })(url), answerTime: 5000 }
    return statusOf(url, { method: 'POST', body: '{}' }, way).then(
      ({ status }) => String(status),
      ({ code }) => String(code),
    )
  }

  it('with TLS sessions is hung up on', async () => {
    const port = await freePort()
    const options = ['-cert', cert, '-key', key, '-num_tickets', '200000', '-www']
    const server = spawn('openssl', ['s_server', '-accept', String(port), ...options])
    try {
      await once(server.stdout, 'data')
      expect(await codeOf(port)).toBe('EPROTO')
    } finally {
      server.kill()
    }
  })

  it('with renegotiations as well', async () => {
    const server = createServer({ cert: testCertificate, key: testKey, maxVersion: 'TLSv1.2' }, (socket) => {
      const again = () => socket.destroyed || socket.renegotiate({}, () => setImmediate(again))
      socket.on('error', () => undefined).once('data', again)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    expect(await codeOf((server.address() as AddressInfo).port)).toMatch(/^ERR_SSL/)
    server.close()
  })
})
