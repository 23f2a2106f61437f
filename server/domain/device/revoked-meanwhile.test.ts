import { expect, it } from 'vitest'
import { bindSessionUser } from '../../db/device-browser-bindings.ts'
import { transaction } from '../../db/transaction.ts'
import { startWaiting } from '../../testing/device.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()

it.each<[string, (person: Visitor, sessionId: string) => Promise<Reply>]>([
  ['all sessions', (person) => person.post('/revoke-sessions')],
  ['that session', (person, token) => person.post('/revoke-session', { token })],
])('a session that is bound to a device sign-in while %s end approves nothing any more', async (_what, revoke) => {
  const [ann, claim] = [await service.person(), Buffer.from(crypto.randomUUID())]
  const { id } = (await ann.get('/get-session')).body.session
  await startWaiting(service)
  await service.deps.sql`update device_requests set claim = ${claim} where claim is null`
  let asked: Promise<Reply> | undefined
  await transaction(service.deps.sql, async (tx) => {
    expect(await bindSessionUser(tx, claim, id)).toBe(true)
    asked = revoke(ann, id)
    await untilWaiting(service)
  })
  expect((await asked)?.status).toBe(200)
  expect(await service.deps.sql`select from device_requests where user_id is not null`).toHaveLength(0)
})
