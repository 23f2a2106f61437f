import { expect, test } from 'vitest'
import { loadHomePart } from './parts.ts'

const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, name }))

test('no kind of security event hides another, however many there are', async () => {
  // Newest first.
  const trail = [...many('sign-in-failed', 150), ...many('password-changed', 101), ...many('account-linked', 1)]
  const asked: string[] = []
  const listActivity = async ({ event = '' }) => {
    asked.push(event)
    const found = trail.filter(({ name }) => event.split(',').includes(name))
    return { events: found.slice(0, 100), next: found.length > 100 ? 'more' : null }
  }
  const connection = { api: { audit: { listActivity } } } as unknown as Parameters<typeof loadHomePart.events>[0]
  const read = await loadHomePart.events(connection, { organizationId: null, isWatched: true }, new Date(0))
  expect(read.events.at(-1)).toMatchObject({ name: 'account-linked' })
  expect([read.events.length, read.cut, asked.length]).toEqual([201, ['sign-in-failed', 'password-changed'], 5])
})
