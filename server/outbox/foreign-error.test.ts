import { expect, it } from 'vitest'
import { leaveLink } from '../testing/outbox.ts'
import { useTestService } from '../testing/use-service.ts'
import { startDispatcher } from './dispatcher.ts'

const service = useTestService()

it('an error that is not ours is kept by its name alone, since its message may hold an address or a token', async () => {
  const id = await leaveLink(service)
  const send = () => Promise.reject(new RangeError('cannot write to ann@example.com'))
  const transport = { keeps: false, close: () => undefined, send }
  const dispatcher = startDispatcher({ ...service.deps, transport, times: { poll: 3600, grace: 1 } })
  const reasonOf = () => service.deps.sql`select last_error from outbox where id = ${id}`
  await expect.poll(async () => [...(await reasonOf())]).toEqual([{ lastError: 'RangeError' }])
  await dispatcher.stop()
  expect(service.logged.filter(({ reason }) => reason !== undefined)).toMatchObject([{ id, reason: 'RangeError' }])
})
