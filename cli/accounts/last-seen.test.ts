import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { createLastSeenStore } from './last-seen.ts'

const [origin, ada] = ['https://id.example.com', 'ada@example.com']
const [early, late] = [new Date('2026-05-01T00:00:00.000Z'), new Date('2026-05-02T00:00:00.000Z')]

test('a run knows the visit before it, whatever it notes itself; it never goes back', async () => {
  const folder = temporaryFolder('visits')
  const first = createLastSeenStore(folder)
  expect(await first.last(origin, ada)).toBeUndefined()
  await first.note(origin, ada, late)
  await first.note(origin, ada, early)
  expect(await first.last(origin, ada)).toBeUndefined()
  expect(await createLastSeenStore(folder).last(origin, ada)).toEqual(late)
  expect(await createLastSeenStore(folder).last(origin, 'eve@example.com')).toBeUndefined()
  expect(statSync(join(folder, 'visits.json')).mode & 0o077).toBe(0)
})

test('two terminals lose nothing of each other', async () => {
  const folder = temporaryFolder('visits')
  const people = Array.from({ length: 12 }, (_, index) => `p${index}@example.com`)
  await Promise.all(people.map((email) => createLastSeenStore(folder).note(origin, email, late)))
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'visits.json'), 'utf8')))).toHaveLength(people.length)
})

test.each(['', '[', '{"https://id.example.com ada@example.com":"soon"}', 'null'])(
  'a file with %j is as if nobody had been here, and is mended',
  async (text) => {
    const folder = temporaryFolder('visits')
    writeFileSync(join(folder, 'visits.json'), text, { mode: 0o600 })
    expect(await createLastSeenStore(folder).last(origin, ada)).toBeUndefined()
    await createLastSeenStore(folder).note(origin, ada, late)
    expect(await createLastSeenStore(folder).last(origin, ada)).toEqual(late)
  },
)
