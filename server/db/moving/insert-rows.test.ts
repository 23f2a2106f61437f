import { expect, it } from 'vitest'
import { importTarget } from '../../testing/exports.ts'
import type { Driver } from '../connect.ts'
import { insertRows } from './insert-rows.ts'

const target = importTarget()

const addPeople = () => target.sql`
  insert into users (id, email, name) select 'u' || n, 'u' || n || '@example.com', 'U' from generate_series(1, 5000) n
`

it('can find the rows that it changes by their ids', async () => {
  await addPeople()
  await target.sql`analyze users`
  const rows = [1, 2, 3].map((n) => ({
    line: n,
    id: `u${n}`,
    given: ['name'],
    values: { id: `u${n}`, name: 'Changed' },
  }))
  await target.sql.begin(async (tx) => {
    // Among a few thousand, reading them all is cheaper; among many it has to be possible otherwise.
    await tx`set local enable_seqscan = off`
    expect(await insertRows(tx as unknown as Driver, 'user', rows, { isUpdating: true })).toEqual({
      stored: 3,
      inserted: [],
      reduced: [],
      left: [],
    })
    const [read] = await tx<{ all: string }[]>`
      select seq_tup_read as all from pg_stat_xact_user_tables where relname = 'users'
    `
    expect(Number(read?.all)).toBe(0)
  })
})

it('looks up in a long trail what was done to each user and each organization', async () => {
  // Attempts, which decide nothing, so that none ends the look-up early.
  await target.sql`
    insert into audit_events (id, event, user_id, actor_id, organization_id, target, request_id)
    select 'e' || n, 'sign-in-failed', 'u' || n % 5000, 'u' || n % 4999, 'o' || n % 499, 't' || n % 997, 'r'
    from generate_series(1, 100000) n
  `
  await target.sql`analyze audit_events`
  await addPeople()
  await target.sql`insert into organizations (id, name, slug) select 'o' || n, 'O', 'o' || n from generate_series(1, 400) n`
  const names = Array.from({ length: 400 }, (_, index) => index + 1)
  const rows = (prefix: string, values: (n: number) => object) =>
    names.map((n) => ({ line: n, id: `${prefix}${n}`, given: ['name'], values: { id: `${prefix}${n}`, ...values(n) } }))
  const team = (n: number) => ({ organization_id: `o${n}`, name: 'T', created_at: '2026-01-02' })
  await target.sql.begin(async (connection) => {
    const tx = connection as unknown as Driver
    const walked = async () => {
      const [row] = await connection<{ walked: number }[]>`
        select seq_tup_read::integer as walked from pg_stat_xact_user_tables where relname = 'audit_events'
      `
      return row?.walked
    }
    const stored = [
      await insertRows(
        tx,
        'user',
        rows('u', () => ({ name: 'Later' })),
        { isUpdating: true },
      ),
      await insertRows(
        tx,
        'organization',
        rows('o', () => ({ name: 'Later' })),
        { isUpdating: true },
      ),
      await insertRows(tx, 'team', rows('team', team), { isUpdating: true }),
    ]
    expect(stored.map(({ stored: count }) => count)).toEqual([400, 400, 400])
    expect(await walked()).toBe(0)
  })
})
