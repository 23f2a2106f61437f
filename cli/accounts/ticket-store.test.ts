import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { withLock } from '../client/lock.ts'
import { createTicketStore } from './ticket-store.ts'

const ticket = {
  server: 'http://localhost:4100/api/auth',
  url: 'http://localhost:4100/api/auth/page/device',
  userCode: 'BCDF-GHJK',
  deviceCode: 'secret',
  verifier: 'verifier',
  expiresAt: 2000,
  interval: 5000,
  pollAfter: 1000,
}

function store() {
  const folder = temporaryFolder('tickets')
  return { folder, tickets: createTicketStore(folder, () => 1000), later: createTicketStore(folder, () => 3000) }
}

describe('tickets', () => {
  it('are kept, changed and dropped', async () => {
    const { tickets } = store()
    const name = await tickets.keep(ticket)
    expect(await tickets.change(name, { token: 'session' })).toEqual({ ...ticket, token: 'session' })
    expect(await tickets.find(name)).toEqual({ ...ticket, token: 'session' })
    await tickets.drop(name)
    expect([await tickets.find(name), await tickets.change(name, { pollAfter: 1 })]).toEqual([undefined, undefined])
    await tickets.drop(name)
  })

  it('lose no change, however many are made at once', async () => {
    const { tickets } = store()
    const name = await tickets.keep(ticket)
    await Promise.all([
      tickets.change(name, { token: 'session' }),
      ...Array.from({ length: 10 }, (_, index) => tickets.change(name, { pollAfter: index })),
    ])
    expect(await tickets.find(name)).toMatchObject({ token: 'session' })
  })

  it('go when nobody came back for them in time', async () => {
    const { folder, tickets, later } = store()
    const [old, young] = [await tickets.keep(ticket), await tickets.keep({ ...ticket, expiresAt: 9000 })]
    const next = await later.keep({ ...ticket, expiresAt: 9000 })
    expect(await later.find(old)).toBeUndefined()
    expect(readdirSync(join(folder, 'tickets')).toSorted()).toEqual([`${next}.json`, `${young}.json`].toSorted())
  })

  it('of others who are just keeping one stay, and old drafts go', async () => {
    const { folder, tickets } = store()
    await tickets.keep(ticket)
    const [lock, draft] = ['a', 'b'].map((letter) => join(folder, 'tickets', `${letter.repeat(20)}.json`))
    const left = `${draft}.0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c.tmp`
    writeFileSync(left, 'half of a t')
    utimesSync(left, 1, 1)
    const names = () => readdirSync(join(folder, 'tickets'))
    await withLock(String(lock), {}, async () => {
      const kept = tickets.keep(ticket)
      await expect.poll(() => names().filter((name) => name.endsWith('.json'))).toHaveLength(2)
      await kept
    })
    expect(names().every((name) => name.endsWith('.json'))).toBe(true)
  })

  it.each(['{', '[]', '{"format":1}', JSON.stringify({ ...ticket, format: 2 })])(
    'are none when they hold %s',
    async (text) => {
      const { folder, tickets } = store()
      const name = await tickets.keep(ticket)
      expect(await tickets.find(name)).toEqual(ticket)
      writeFileSync(join(folder, 'tickets', `${name}.json`), text)
      expect(await tickets.find(name)).toBeUndefined()
    },
  )

  it('are not read through a link, nor from anywhere else', async () => {
    const { folder, tickets } = store()
    const name = await tickets.keep(ticket)
    const linked = 'a'.repeat(20)
    symlinkSync(join(folder, 'tickets', `${name}.json`), join(folder, 'tickets', `${linked}.json`))
    await expect(tickets.find(linked)).rejects.toThrow('is a symbolic link')
    for (const foreign of [`../tickets/${name}`, '', '.', 'x'.repeat(20)]) {
      expect(await tickets.find(foreign)).toBeUndefined()
      await tickets.drop(foreign)
    }
    expect(await tickets.find(name)).toEqual(ticket)
  })
})
