import { describe, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const admin = useMade(() => adminOf(service))

const statusOf = async (path: string): Promise<number> => (await admin.get(path)).status
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999-01:00'])('%s is no moment that is stored', (moment) => {
  it('of a user', async () => {
    expect(await statusOf(`/admin/list-users?filterField=createdAt&filterValue=${moment}`)).toBe(400)
    const data = { banned: true, banExpires: new Date(moment) }
    const user = { email: `${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword, data }
    expect((await admin.post('/admin/create-user', user)).status).toBe(400)
  })

  it.each(['since', 'until'])('%s in the trail', async (bound) => {
    for (const path of ['/admin/list-audit-events', '/list-activity'])
      expect(await statusOf(`${path}?${bound}=${new Date(moment).toISOString()}`)).toBe(400)
  })

  it('nor where a page of the trail begins', async () => {
    expect(await statusOf(`/list-activity?cursor=${encoded([Math.abs(Date.parse(moment)) * 9, 'a'])}`)).toBe(400)
  })
})

it.each(['0001-01-01', '9999-12-31'])('%s is one', async (day) => {
  expect(await statusOf(`/admin/list-users?filterField=createdAt&filterValue=${day}`)).toBe(200)
  expect(await statusOf(`/list-activity?until=${day}T00:00:00Z`)).toBe(200)
})

it('what is followed is a snapshot as the database reads it', async () => {
  const beyond = String(2n ** 63n)
  expect(await statusOf(`/list-activity?after=${encoded([`${beyond}:${beyond}:`, null])}`)).toBe(400)
})
