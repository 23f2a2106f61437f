import { beforeAll, expect, it } from 'vitest'
import { type KnownCall, knownCalls } from '../../testing/calls.ts'
import { organizationKey, ownKey } from '../../testing/machines.ts'
import { found } from '../../testing/organizations.ts'
import { inTurn } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let restore: () => Promise<void>
let admin: string
let scoped: string
let own: string
let ended: string
const acme = useMade(() => found(service))
beforeAll(async () => {
  admin = (await organizationKey(acme)).token
  scoped = (await organizationKey(acme, { scopes: ['team:create'] })).token
  own = (await ownKey(acme.owner)).token
  const { id: keyId, token } = await organizationKey(acme)
  await acme.owner.post('/key/revoke', { keyId })
  ended = token
  restore = await keepRows(service)
})

/** With an input that is right in every field, since that is looked at first. */
async function ask(key: string | null, { call, path, target, input }: KnownCall): Promise<Reply> {
  await restore()
  const person = service.visitor()
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  if (call.method === 'GET') return person.get(target, authorization)
  if (call.body !== 'form') return person.post(path, input, authorization)
  const body = new URLSearchParams(input as Record<string, string>).toString()
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  const headers = { ...form, ...authorization, origin: service.deps.config.BASE_URL.origin }
  return person.send(path, { method: 'POST', body, headers })
}

const forPeople = 'MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL'
const beyond = 'KEY_SCOPE_MISSING'

/** What a key was told about itself; else it was asked like anybody. */
const told = ({ body }: Reply): string => ([forPeople, beyond].includes(body?.code) ? body.code : 'asked')

const looksForWho = knownCalls.filter(({ call }) => call.access === 'session' || call.access === 'visitor')
const looksForNobody = knownCalls.filter(({ call }) => call.access === 'anyone' || call.access === 'server')

it.each(inTurn(looksForWho))('$name: keys are answered by what it asks of them', async (known) => {
  const { scope } = known.call
  const usual = scope === undefined ? forPeople : 'asked'
  const limited = scope === undefined || scope === 'team:create' ? usual : beyond
  const replies = [await ask(admin, known), await ask(own, known), await ask(scoped, known)]
  expect(replies.map(told)).toEqual([usual, usual, limited])
  expect(replies.filter((reply) => told(reply) !== 'asked' && reply.status !== 403)).toEqual([])
  const [none, over] = [await ask(null, known), await ask(ended, known)]
  expect([over.status, over.text]).toEqual([none.status, none.text])
})

it.each(looksForNobody.filter(({ name }) => name !== 'getSession' && name !== 'signOut'))(
  '$name: a key changes nothing where nobody is looked for',
  async (known) => {
    const [none, withKey] = [await ask(null, known), await ask(admin, known)]
    expect([withKey.status, told(withKey)]).toEqual([none.status, 'asked'])
  },
)

it('a key is not ended by signing out, and whoever tries it is told', async () => {
  const signOut = knownCalls.find(({ name }) => name === 'signOut')!
  expect(told(await ask(admin, signOut))).toBe(forPeople)
})

it('a call that changes what is no organization’s is open to no key', () => {
  const open = knownCalls.filter(({ call }) => call.scope !== undefined && call.scope !== 'read')
  expect(open.map(({ path, call }) => `${path} ${call.scope}`).toSorted()).toMatchInlineSnapshot(`
    [
      "/organization/add-team-member team:update",
      "/organization/cancel-invitation invitation:cancel",
      "/organization/create-role ac:create",
      "/organization/create-team team:create",
      "/organization/delete-role ac:delete",
      "/organization/invite-member invitation:create",
      "/organization/remove-member member:delete",
      "/organization/remove-team team:delete",
      "/organization/remove-team-member team:update",
      "/organization/update organization:update",
      "/organization/update-member-role member:update",
      "/organization/update-role ac:update",
      "/organization/update-team team:update",
      "/webhook/delete webhook:delete",
      "/webhook/resume webhook:update",
      "/webhook/test webhook:update",
      "/webhook/update webhook:update",
    ]
  `)
})
