import { expect, test } from 'vitest'
import { AuditRoom, type UnitOfWork } from '../request/audit-event.ts'
import { testClient } from '../testing/client.ts'
import type { Sql } from './connect.ts'
import { alwaysDone, isRowFound, logEventsOnceCommitted, transaction, transactionWithEvents } from './transaction.ts'

const teamEnd = { userId: 'ann', organizationId: 'acme', target: 'team' }

test('what is kept is answered though its line cannot be written, and the other lines are', async () => {
  const told: string[] = []
  const kept = await logEventsOnceCommitted(async ({ whenKept }) => {
    whenKept.push(
      () => {
        throw new Error('the log is full')
      },
      () => told.push('second'),
    )
    return 'kept'
  }, alwaysDone)
  expect([kept, told]).toEqual(['kept', ['second']])
})

const toldOf = async <T>(result: T, wasDone: (result: T) => boolean) => {
  const told: string[] = []
  const work = async ({ whenKept }: UnitOfWork) => {
    whenKept.push(() => told.push('line'))
    return result
  }
  await logEventsOnceCommitted<T>(work, wasDone as (result: Awaited<T>) => boolean)
  return told
}

test('nothing is told where its caller says that nothing was done, whatever the result looks like', async () => {
  expect(await toldOf(null, isRowFound)).toEqual([])
  expect(await toldOf({ outcome: 'gone' }, ({ outcome }) => outcome === 'done')).toEqual([])
  expect(await toldOf({ outcome: 'approved' }, alwaysDone)).toEqual(['line'])
  expect(await toldOf(null, alwaysDone)).toEqual(['line'])
})

const room = new AuditRoom(['team-created'])
test.each([
  // @ts-expect-error: a transaction that did nothing throws, and answers nothing that could be overlooked
  (sql: Sql) => transactionWithEvents(sql, room, async () => null),
  // @ts-expect-error: it tells of nothing that it had no room for
  (sql: Sql) => transactionWithEvents(sql, room, async (tx) => void testClient().event(tx, 'team-deleted', teamEnd)),
  // @ts-expect-error: and where it had none at all it tells of nothing
  (sql: Sql) => transaction(sql, async (tx) => void testClient().event(tx, 'team-deleted', teamEnd)),
])('a transaction tells only of what it had room for, and did', (attempt) => {
  expect(attempt).toBeTypeOf('function')
})
