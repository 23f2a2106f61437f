import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService()

const kept = [
  'https://example.com/a.png',
  'HTTP://EXAMPLE.COM/A.PNG',
  'data:image/png;base64,AAAA',
  '/avatars/1.png',
  'a.png',
  '//cdn.example.com/a.png',
  '',
  null,
]
const cleared = [
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript\r:alert(1)',
  '\u0001javascript:alert(1)',
  'vbscript:x',
  'data:text/html,<script>',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'file:///etc/passwd',
  'blob:https://example.com/1',
]

it('what was stored before is cleared where a page would run it, and nothing else', async () => {
  const { sql } = service.deps
  const before = [...kept, ...cleared]
  for (const [index, picture] of before.entries()) {
    await sql`insert into users (id, email, name, image) values (${index}, ${`${index}@example.com`}, 'Ann', ${picture})`
    await sql`insert into organizations (id, name, slug, logo) values (${index}, 'Acme', ${`acme-${index}`}, ${picture})`
  }
  const text = readFileSync(new URL('../../migrations/0004_clear_unsafe_pictures.sql', import.meta.url), 'utf8')
  await sql.unsafe(text)
  const after = [...kept, ...cleared.map(() => null)]
  const images = await sql<{ image: string | null }[]>`select image from users order by id::integer`
  const logos = await sql<{ logo: string | null }[]>`select logo from organizations order by id::integer`
  expect([images.map(({ image }) => image), logos.map(({ logo }) => logo)]).toEqual([after, after])
})
