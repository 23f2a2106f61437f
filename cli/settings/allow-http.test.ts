import { describe, expect, it } from 'vitest'
import { checkBase } from '../client/transport/address.ts'
import { createTransport } from '../client/transport/transport.ts'
import { createRunner } from '../testing/run-cli.ts'

const consent = { allowHttp: true }

describe('plain http', () => {
  it.each([
    'http://accounts:4100',
    'http://id.internal',
    'http://printer.local:80',
    'http://nas.lan',
    'http://box.home.arpa',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://172.20.0.1',
    'http://172.31.0.1',
    'http://192.168.1.9:4100',
    'http://[fd12:3456::1]',
  ])('goes to %s, a private host, by consent alone', (text) => {
    expect(() => checkBase(text)).toThrow('uses plain http')
    expect(() => checkBase(text)).toThrow(expect.objectContaining({ hint: expect.stringContaining('--allow-http') }))
    expect(checkBase(text, consent).origin).toBe(new URL(text).origin)
  })

  it.each([
    'http://accounts.example.com',
    'http://10.example.com',
    'http://192.168.1.9.nip.io',
    'http://172.15.0.1',
    'http://172.32.0.1',
    'http://11.0.0.1',
    'http://0.0.0.0',
    'http://169.254.169.254',
    'http://[2001:db8::1]',
    'http://internal.example.com',
    'http://evil-localhost.com',
    'http://id.notlocal',
    'http://2130706433.example',
    'http://134744072',
  ])('never goes to %s', (text) => {
    expect(() => checkBase(text)).toThrow('uses plain http')
    expect(() => checkBase(text, consent)).toThrow('uses plain http')
  })

  it('is refused to the transport too that nobody told of a consent', () => {
    const options = { baseUrl: 'http://10.1.2.3', timeout: 1000, retries: 0, userAgent: 'test' }
    expect(() => createTransport(options)).toThrow('uses plain http')
    expect(createTransport({ ...options, ...consent })).toBeDefined()
  })
})

const url = 'http://accounts:4100'
const explained = 'auth status --explain --json'

it('is said with the run, or by the profile of that address, and holds for no other', async () => {
  const postern = createRunner()
  const refused = await postern(`whoami --json --url ${url}`)
  expect(refused.error).toMatchObject({ exitCode: 2, hint: expect.stringContaining('--allow-http') })
  const explain = async (flags: string, env = {}) => {
    const { code, stdout } = await postern(`${explained} ${flags}`, { env })
    if (code !== 0) return code
    const rows = JSON.parse(stdout).items as { setting: string; value: string; source: string }[]
    const of = (name: string) => rows.find(({ setting }) => setting === name)
    return [of('url')?.value, of('allow-http')?.value, of('allow-http')?.source]
  }
  const allowedBy = (source: string) => [`${url}/api/auth`, 'on', source]
  expect(await explain('')).toEqual(['http://localhost:4100/api/auth', 'off', 'built-in'])
  expect(await explain(`--url ${url} --allow-http`)).toEqual(allowedBy('--allow-http'))
  expect(await explain('--allow-http', { POSTERN_URL: url })).toEqual(allowedBy('--allow-http'))
  expect((await postern(`profile create home --url ${url}`)).code).toBe(2)
  expect((await postern(`profile create home --url ${url} --allow-http`)).code).toBe(0)
  expect(await explain('--profile home')).toEqual(allowedBy('profile home'))
  expect(await explain('--profile home --url http://other:4100')).toBe(2)
  expect(await explain('--profile home', { POSTERN_URL: 'http://other:4100' })).toBe(2)
  expect((await postern('config set allow-http on --json')).error).toMatchObject({ exitCode: 2 })
  expect(await explain(`--url ${url}`)).toBe(2)
})

it('is repeated by the lines that are printed', async () => {
  const { stderr } = await createRunner()(`whoami --url ${url} --allow-http`)
  expect(stderr).toContain(`next: postern sign-in --url ${url} --allow-http\n`)
})
