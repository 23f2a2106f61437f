import { describe, expect, it } from 'vitest'
import { dump } from '../testing/calls.ts'
import { type Schema, violationsOf } from '../testing/json-schema.ts'
import { linkTo, open, withHooks } from '../testing/mailed.ts'
import { found, newSlug } from '../testing/organizations.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import { cookieHeader } from '../testing/visitor.ts'
import type { Extensions } from './extensions.ts'
import { HookRefusal } from './hook-refusal.ts'

const service = useTestService()
const acme = useMade(() => found(service))

const refuse = async (): Promise<never> => {
  throw new HookRefusal('Pay the open invoices first', { status: 402 })
}
const refused = [402, '{"code":"PAY_THE_OPEN_INVOICES_FIRST","message":"Pay the open invoices first"}']

/** Acme's owner at a service with such hooks; `post` answers also what no contract lists. */
async function ownerWith(hooks: Extensions, settings = {}) {
  const { app, logged, deps, ...hooked } = await withHooks(service, hooks, settings)
  const visitor = hooked.copyOf(acme.owner)
  const post = async (path: string, fields: object = {}) => {
    const headers = { 'content-type': 'application/json', cookie: cookieHeader(acme.owner.cookies) }
    const url = `${deps.config.BASE_URL.origin}${deps.config.BASE_PATH}${path}`
    const answer = await app.request(url, { method: 'POST', headers, body: JSON.stringify(fields) })
    return [answer.status, await answer.text()]
  }
  return { visitor, post, faults: () => logged.filter(({ level }) => Number(level) >= 50) }
}

describe('a HookRefusal', () => {
  it.each([
    ['beforeDeleteUser', '/delete-user'],
    ['mayCreateOrganization', '/organization/create'],
    ['organizationLimit', '/organization/create'],
    ['beforeCreateOrganization', '/organization/create'],
    ['beforeDeleteOrganization', '/organization/delete'],
    // Nobody else is in it, so it would end with the account.
    ['beforeDeleteOrganization', '/delete-user'],
  ])('of %s is the answer of %s, and nothing is written', async (hook, path) => {
    const { post, faults } = await ownerWith({ [hook]: refuse })
    const before = await dump(service)
    expect(await post(path, { name: 'Ltd', slug: newSlug(), organizationId: acme.id })).toEqual(refused)
    expect([await dump(service), faults()]).toEqual([before, []])
  })

  it('leads a browser back with its code, and leaves the mailed link as it was', async () => {
    const { visitor, faults } = await ownerWith({ beforeDeleteUser: refuse }, { DELETE_USER_MODE: 'email' })
    await visitor.post('/delete-user', { callbackURL: '/bye' })
    const { url } = await linkTo(service, acme.owner.email, 'delete-account')
    const before = await dump(service)
    for (const _ of [1, 2])
      expect((await open(service, visitor, url)).headers.get('location')).toBe('/bye?error=pay_the_open_invoices_first')
    expect([await dump(service), faults()]).toEqual([before, []])
  })

  it.each(['/delete-user', '/organization/create', '/organization/delete'])(
    'is no answer that the OpenAPI document rules out for %s, whatever its status and code',
    async (path) => {
      const document = (await service.visitor().get('/openapi.json')).body
      const { responses } = document.paths[path].post
      const body = { code: 'OF_ITS_OWN', message: 'Not today' }
      // The document does say what an answer is, or it could rule out none.
      expect(violationsOf(responses['4XX'].content['application/json'].schema as Schema, {})).not.toEqual([])
      for (const status of [400, 401, 402, 403, 409]) {
        const { content } = responses[status] ?? responses['4XX']
        expect(content ? violationsOf(content['application/json'].schema as Schema, body) : []).toEqual([])
      }
    },
  )

  it('after the deed changes no answer: the log is told', async () => {
    const { post, faults } = await ownerWith({ afterCreateOrganization: refuse })
    expect((await post('/organization/create', { name: 'Ltd', slug: newSlug() }))[0]).toBe(200)
    expect(faults().map(({ msg }) => msg)).toEqual(['a hook failed'])
  })

  it('is 403 unless told, under a code made from its message or told', () => {
    const [plain, told] = [new HookRefusal('Not today'), new HookRefusal('Not today', { status: 409, code: 'LATER' })]
    expect([plain.status, plain.code, told.status, told.code]).toEqual([403, 'NOT_TODAY', 409, 'LATER'])
    expect(new HookRefusal('Не сегодня').code).toBe('REFUSED')
  })

  it.each([{ status: 200 }, { status: 500 }, { status: 403.5 }, { code: '' }, { code: 'a b' }, { code: 'A&b=' }])(
    'cannot be made with %j',
    (options) => {
      expect(() => new HookRefusal('Not today', options)).toThrow(RangeError)
    },
  )
})

it('what is thrown and only looks like a HookRefusal is a logged 500 that tells nothing', async () => {
  const look = () => {
    throw Object.assign(new Error('the invoices of ann@example.com'), {
      name: 'HookRefusal',
      status: 403,
      code: 'OPEN',
    })
  }
  const { post, faults } = await ownerWith({ beforeDeleteUser: look })
  const bland = [500, '{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}']
  expect(await post('/delete-user')).toEqual(bland)
  expect(JSON.stringify(faults())).toContain('the invoices')
})
