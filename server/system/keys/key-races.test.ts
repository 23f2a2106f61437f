import { expect, it } from 'vitest'
import { exchange, jobToken, trustIn } from '../../testing/key-answers.ts'
import { keyAt, machine, organizationKey } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done, found } from '../../testing/organizations.ts'
import { race, won } from '../../testing/races.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { type TestService } from '../../testing/service.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), KEY_LIMIT: '3' }))
const other = useMade(() => service.sibling())
const acme = useMade(() => found(service))

const each = Math.ceil(rounds / 10)
const isAlive = async (token: string) => (await machine(service, token).get('/get-session')).body !== null
const revoke = (keyId: string) => acme.owner.post('/key/revoke', { keyId })
const rotate = (keyId: string) => acme.owner.post('/key/rotate', { keyId })

it('of many requests none is answered that began after the key was revoked', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const { id, token } = await organizationKey(acme)
    let isRevoked = false
    const ask = async (at: TestService) => {
      const isLate = isRevoked
      return { isLate, reply: await machine(at, token).get('/organization/get-active-member') }
    }
    const early = Array.from({ length: 50 }, (_, index) => ask(index % 2 === 0 ? service : other))
    await done(revoke(id))
    isRevoked = true
    const late = Array.from({ length: 50 }, (_, index) => ask(index % 2 === 0 ? service : other))
    const answers = await Promise.all([...early, ...late])
    // Between the key's look-up and the member's, a request under way may find the machine's membership gone.
    const isGone = ({ status, body }: Reply) => status === 401 || body?.code === 'MEMBER_NOT_FOUND'
    expect(answers.filter(({ isLate, reply }) => !isLate && reply.status !== 200 && !isGone(reply))).toEqual([])
    expect(answers.filter(({ isLate, reply }) => isLate && reply.status !== 401)).toEqual([])
  }
})

it('of two rotations at once both are answered, and both secrets work for the overlap', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const { id, token } = await organizationKey(acme)
    const replies = await race(
      () => rotate(id),
      () => rotate(id),
    )
    expect(won(replies)).toBe(2)
    for (const secret of [token, ...replies.map(({ body }) => body.token)]) expect(await isAlive(secret)).toBe(true)
    const { hint } = await keyAt(acme.owner, id)
    const rows = await service.deps
      .sql`select ends_at from machine_key_secrets where key_id = ${id} and ends_at is null`
    expect([rows.length, replies.some(({ body }) => body.token.endsWith(hint))]).toEqual([1, true])
    await done(revoke(id))
  }
})

it('of many rotations by the key itself one is done, and leaves one successor', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const { id, token } = await organizationKey(acme, { rotatesItself: true })
    const ask = (at: TestService) => () => machine(at, token).post('/key/rotate', { keyId: id })
    const replies = await race(...Array.from({ length: 8 }, (_, index) => ask(index % 2 === 0 ? service : other)))
    expect(won(replies)).toBe(1)
    const rows = await service.deps.sql`select ends_at from machine_key_secrets where key_id = ${id} order by ends_at`
    expect(rows.map((row) => Object.values(row)[0] === null)).toEqual([false, true])
    await done(revoke(id))
  }
})

it('of a rotation and a revocation nothing is left, in whatever order', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const { id, token } = await organizationKey(acme)
    const [rotated, revoked] = await race(
      () => rotate(id),
      () => revoke(id),
    )
    expect(revoked?.status).toBe(200)
    for (const secret of [token, rotated?.body.token ?? token]) expect(await isAlive(secret)).toBe(false)
    expect(await service.deps.sql`select from machine_key_secrets where key_id = ${id}`).toHaveLength(0)
  }
})

it('never makes more keys or rules than the limit, however many are asked for at once', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const firm = await found(service)
    const key = () => firm.owner.post('/key/create', { name: 'x', organizationId: firm.id, role: 'member' })
    const own = () => firm.owner.post('/key/create', { name: 'x' })
    const claims = { repository: `acme/${crypto.randomUUID()}` }
    const fields = { name: 'x', organizationId: firm.id, issuer: provider.url, claims, role: 'member' }
    const rule = () => firm.owner.post('/key/trust/create', fields)
    for (const make of [key, own, rule]) expect(won(await race(...Array.from({ length: 8 }, () => make)))).toBe(3)
  }
})

it('lets no session outlive its rule, in whatever order it begins', enough, async () => {
  for (let round = 0; round < each; round += 1) {
    const claims = { repository: `acme/${crypto.randomUUID()}` }
    const { id: trustId, userId } = await trustIn(acme, provider, { claims })
    const token = await jobToken(service, provider, claims)
    const [exchanged, deleted] = await race(
      () => exchange(other.visitor(), token),
      () => acme.owner.post('/key/trust/delete', { trustId }),
    )
    expect([deleted?.status, [200, 400].includes(exchanged?.status ?? 0)]).toEqual([200, true])
    expect(await service.deps.sql`select from sessions where user_id = ${userId}`).toHaveLength(0)
  }
})
