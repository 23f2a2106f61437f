import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { leadTimeOf } from '../../domain/token/add-due-key.ts'
import { addressOf, drain, listen } from '../../process/listen.ts'
import { linkTo } from '../../testing/mailed.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { ageKeys, keysAt, personWithRole, tokenOf } from '../../testing/tokens.ts'
import type { Visitor } from '../../testing/visitor.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
let service: TestService
let server: Server
let origin: string
let folder: string
beforeAll(async () => {
  server = await listen(parseConfig({ PORT: '0' }), (request, env) => service.app.fetch(request, env))
  origin = addressOf(server)
  service = await createTestService({ BASE_URL: origin })
  folder = temporaryFolder('verifier')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(async () => {
  await drain(server, 0)
  await service.stop()
})

type WhoAsks = (token: string) => Promise<JWTPayload>

/** Another service with the code that the documents show, as it stands there. */
async function createVerifier(): Promise<WhoAsks> {
  const page = readFileSync(join(root, 'docs', 'applications.md'), 'utf8')
  const [, code = ''] = /```js\n(\/\/ In the other service.*?)```/s.exec(page) ?? []
  const file = join(folder, `${randomUUID()}.mjs`)
  writeFileSync(file, code)
  process.env.POSTERN_ORIGIN = origin
  const { whoAsks } = (await import(pathToFileURL(file).href)) as { whoAsks: WhoAsks }
  delete process.env.POSTERN_ORIGIN
  return whoAsks
}

const idOf = async (visitor: Visitor): Promise<string> => (await visitor.get('/get-session')).body.user.id

it("the documents' verifier takes tokens before, during and after a rotation", async () => {
  const admin = await personWithRole(service, 'admin')
  const sub = await idOf(admin)
  const early = await createVerifier()
  const before = await tokenOf(admin)
  expect(await early(before)).toMatchObject({ sub, email: admin.email, role: 'admin' })
  await admin.post('/admin/rotate-keys')
  const late = await createVerifier()
  const during = await tokenOf(admin)
  for (const whoAsks of [early, late])
    for (const token of [before, during]) expect(await whoAsks(token)).toMatchObject({ sub })
  await ageKeys(service, leadTimeOf(service.deps.config) + 1)
  const after = await tokenOf(admin)
  const next = await createVerifier()
  for (const whoAsks of [late, next])
    for (const token of [before, during, after]) expect(await whoAsks(token)).toMatchObject({ sub })
})

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const read = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>

interface Material {
  readonly token: string
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
  /** Signed by the service's own key. */
  readonly own: (claims: object, header?: object) => Promise<string>
  /** Signed by somebody else's. */
  readonly foreign: (header: object) => Promise<string>
  readonly publicKey: Record<string, string>
}

async function material(): Promise<Material> {
  const token = await tokenOf(await service.person())
  const [header, claims] = token.split('.').map((text, index) => (index < 2 ? read(text) : {}))
  const { keys } = await keysAt(service)
  const privateKey = service.deps.tokenMemory.opened.get(String(header!.kid))!
  const other = generateKeyPairSync('ed25519')
  const signed = (key: typeof privateKey, body: object, more: object) =>
    new SignJWT(body as JWTPayload).setProtectedHeader({ ...header, ...more } as { alg: string }).sign(key)
  return {
    token,
    header: header!,
    claims: claims!,
    own: (body, more = {}) => signed(privateKey, body, more),
    foreign: async (more) =>
      signed(other.privateKey, claims!, 'jwk' in more ? { jwk: await exportJWK(other.publicKey) } : more),
    publicKey: keys.find(({ kid }) => kid === header!.kid) as unknown as Record<string, string>,
  }
}

const past = Math.floor(Date.now() / 1000) - 100
const withHeader = ({ token, header }: Material, more: object) =>
  [part({ ...header, ...more }), ...token.split('.').slice(1)].join('.')
const withClaims = ({ token, claims }: Material, more: object) => {
  const [head, , signature] = token.split('.')
  return [head, part({ ...claims, ...more }), signature].join('.')
}
const without = (from: object, name: string) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name)) as object
const hmac = ({ header, claims }: Material, key: string | Buffer) => {
  const text = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}
const signatureOf = (token: string) => token.split('.')[2] ?? ''
const unsigned = (token: string) => token.slice(0, token.lastIndexOf('.') + 1)

const mutations: Record<string, (given: Material) => string | Promise<string>> = {
  'algorithm none, without a signature': (given) => unsigned(withHeader(given, { alg: 'none' })),
  'algorithm none, with the signature': (given) => withHeader(given, { alg: 'none' }),
  'algorithm NonE': (given) => unsigned(withHeader(given, { alg: 'NonE' })),
  'algorithm HS256, with the same signature': (given) => withHeader(given, { alg: 'HS256' }),
  'HS256 with the public key as its secret': (given) => hmac(given, Buffer.from(given.publicKey.x ?? '', 'base64url')),
  'HS256 with the text of the public key': (given) => hmac(given, JSON.stringify(given.publicKey)),
  'algorithm RS256': (given) => withHeader(given, { alg: 'RS256' }),
  'algorithm ES256': (given) => withHeader(given, { alg: 'ES256' }),
  'no algorithm': (given) => withHeader(given, { alg: undefined }),
  'another user': (given) => withClaims(given, { sub: 'somebody-else' }),
  'another role': (given) => withClaims(given, { role: 'admin' }),
  'a later end': (given) => withClaims(given, { exp: Number(given.claims.exp) + 1 }),
  'no signature': ({ token }) => unsigned(token),
  'half a signature': ({ token }) => token.slice(0, -43),
  "another token's signature": async ({ token, own, claims }) =>
    unsigned(token) + signatureOf(await own({ ...claims, sub: 'x' })),
  'the key of somebody else': ({ foreign }) => foreign({}),
  'the key of somebody else, which it carries': ({ foreign }) => foreign({ jwk: true }),
  'the key of somebody else, where it says to look': ({ foreign }) => foreign({ jku: 'https://evil.example/jwks' }),
  'a certificate of somebody else': ({ foreign }) => foreign({ x5u: 'https://evil.example/cert' }),
  'a key that there is not': (given) => withHeader(given, { kid: 'no-such-key' }),
  'an empty key id': (given) => withHeader(given, { kid: '' }),
  'a path as a key id': (given) => withHeader(given, { kid: '../../etc/passwd' }),
  'another issuer': ({ own, claims }) => own({ ...claims, iss: 'https://evil.example' }),
  'no issuer': ({ own, claims }) => own(without(claims, 'iss')),
  'another audience': ({ own, claims }) => own({ ...claims, aud: 'https://shop.example' }),
  'no audience': ({ own, claims }) => own(without(claims, 'aud')),
  'its end behind it': ({ own, claims }) => own({ ...claims, iat: past - 900, exp: past }),
  'no end': ({ own, claims }) => own(without(claims, 'exp')),
  'an end that is no number': ({ own, claims }) => own({ ...claims, exp: 'never' }),
  'its beginning before it': ({ own, claims }) => own({ ...claims, nbf: past + 10_000 }),
  'no user': ({ own, claims }) => own(without(claims, 'sub')),
  'another type': ({ own, claims }) => own(claims, { typ: 'verify-email+jwt' }),
  'no type': ({ own, claims }) => own(claims, { typ: undefined }),
  'what has to be understood and is not': (given) => withHeader(given, { crit: ['x'], x: 1 }),
  'five parts': ({ token }) => `${token}.${token.split('.').slice(1).join('.')}`,
  'one part': ({ token }) => token.split('.')[1] ?? '',
  'no text': () => '',
}

describe("the documents' verifier refuses a token with", () => {
  it.each(Object.entries(mutations))('%s', async (_name, mutate) => {
    const given = await material()
    const whoAsks = await createVerifier()
    expect(await whoAsks(given.token)).toEqual(given.claims)
    const mutated = await mutate(given)
    expect(mutated).not.toBe(given.token)
    await expect(whoAsks(mutated)).rejects.toThrow(/./)
  })

  it('the purpose of a mail', async () => {
    const ann = await service.person()
    await ann.post('/send-verification-email', { email: ann.email })
    const { token } = await linkTo(service, ann.email, 'verify-email')
    await expect((await createVerifier())(token)).rejects.toThrow('not allowed')
  })
})
