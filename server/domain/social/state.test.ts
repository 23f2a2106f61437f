import { beforeEach, describe, expect, it } from 'vitest'
import { startScriptedProvider } from '../../testing/scripted-provider.ts'
import { back, begin, errorPage, vouchFor } from '../../testing/scripted-sign-in.ts'
import { locationOf } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import { stateIdentifier } from './begin-social-flow.ts'

const provider = useStarted(startScriptedProvider)
const service = useTestService(() => ({ ...provider.settings('GITHUB'), ...provider.settings('GOOGLE') }))

beforeEach(() => void vouchFor(provider))

const states = async () =>
  (await service.deps.sql`select id from verifications where identifier like 'social:%'`).length
const exchanges = () => provider.requests.filter(({ line }) => line === 'POST /token').length

describe('a state', () => {
  it('is refused from another browser, and stays for its own', async () => {
    const [ann, eve] = [service.visitor(), service.visitor()]
    const state = await begin(ann)
    await begin(eve)
    const before = await states()
    expect(locationOf(await back(eve, state))).toBe(errorPage('error=please_restart_the_process'))
    expect([await states(), exchanges()]).toEqual([before, 0])
    const line = { level: 40, msg: 'social sign-in refused', code: 'please_restart_the_process' }
    expect(service.logged).toContainEqual(expect.objectContaining(line))
    expect(locationOf(await back(ann, state))).toBe('/welcome')
  })

  it('is refused with a cookie of somebody else renamed to it', async () => {
    const [ann, eve] = [service.visitor(), service.visitor()]
    const [state, own] = [await begin(ann), await begin(eve)]
    const value = [...eve.cookies.values()][0] ?? ''
    const forged = { cookie: `postern.state.${state.slice(0, 8)}=${value.replace(own, state)}` }
    const reply = await eve.get(`/callback/github?state=${state}&code=c`, forged)
    expect(locationOf(reply)).toBe(errorPage('error=please_restart_the_process'))
  })

  it('beyond eight in one browser takes the place of the oldest', async () => {
    const ann = service.visitor()
    const begun: string[] = []
    for (let count = 0; count < 10; count += 1) begun.push(await begin(ann))
    const kept = [...ann.cookies.keys()].map((name) => name.replace('postern.state.', ''))
    expect(kept).toEqual(begun.slice(2).map((state) => state.slice(0, 8)))
    expect(locationOf(await back(ann, begun[8]!))).toBe('/welcome')
  })

  it('needs no cookie where the settings say so', async () => {
    const free = await service.sibling({ STATE_COOKIE: 'off' })
    const state = await begin(free.visitor())
    expect(locationOf(await back(free.visitor(), state))).toBe('/welcome')
  })

  it('works once', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    const cookie = { cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    await back(ann, state)
    const again = await ann.get(`/callback/github?state=${state}&code=c`, cookie)
    expect(locationOf(again)).toBe(errorPage('error=please_restart_the_process'))
    expect(exchanges()).toBe(1)
  })

  it('is still good after an error of ours', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    const { sql } = service.deps
    await sql`alter table verifications rename to elsewhere`
    expect(locationOf(await back(ann, state))).toBe(errorPage('error=internal_server_error'))
    expect(service.logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'unexpected error' }))
    await sql`alter table elsewhere rename to verifications`
    expect(locationOf(await back(ann, state))).toBe('/welcome')
  })

  it('is redeemed once, however many bring it back at the same time', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    const headers = { cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const other = await service.sibling()
    const visits = Array.from({ length: 20 }, (_, index) => (index % 2 ? service : other).visitor())
    const replies = await Promise.all(
      visits.map((visitor) => visitor.get(`/callback/github?state=${state}&code=c`, headers)),
    )
    const locations = replies.map(locationOf)
    expect(locations.filter((location) => location === '/welcome')).toHaveLength(1)
    expect(locations.filter((location) => location.includes('please_restart_the_process'))).toHaveLength(19)
    expect(exchanges()).toBe(1)
  })

  it('ends after ten minutes', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    const { sql } = service.deps
    const [row] = await sql<{ life: number }[]>`
      select extract(epoch from expires_at - created_at)::integer as life from verifications where identifier = ${stateIdentifier(state)}
    `
    expect(row?.life).toBe(600)
    await sql`update verifications set expires_at = now() where identifier = ${stateIdentifier(state)}`
    expect(locationOf(await back(ann, state))).toBe(errorPage('error=please_restart_the_process'))
  })

  it('of one provider is worth nothing at another', async () => {
    const ann = service.visitor()
    const state = await begin(ann)
    expect(locationOf(await back(ann, state, 'code=c', 'google'))).toBe(errorPage('error=please_restart_the_process'))
    expect(exchanges()).toBe(0)
  })

  it('comes with the issuer that it should, where one is named', async () => {
    const ann = service.visitor()
    const wrong = await back(ann, await begin(ann), 'code=c&iss=https://evil.example')
    expect([locationOf(wrong), exchanges()]).toEqual(['/oops?x=1&error=invalid_code', 0])
    const right = await back(ann, await begin(ann), `code=c&iss=${encodeURIComponent(provider.url)}`)
    expect(locationOf(right)).toBe('/welcome')
  })

  it('is stored as a digest, with what was begun encrypted for it', async () => {
    const ann = service.visitor()
    const [state, other] = [await begin(ann), await begin(ann)]
    const { sql } = service.deps
    const rows = await sql<{ all: string }[]>`select row_to_json(v)::text as all from verifications v`
    expect(rows.map(({ all }) => all).join()).not.toMatch(new RegExp(`${state}|/home|github`))
    const swapped = sql`
      update verifications set value = (select value from verifications where identifier = ${stateIdentifier(other)})
      where identifier = ${stateIdentifier(state)}
    `
    await swapped
    expect(locationOf(await back(ann, state))).toBe(errorPage('error=please_restart_the_process'))
  })
})
