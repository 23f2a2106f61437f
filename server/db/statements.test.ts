import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const server = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(^|\/)testing\/|^bench\/|node_modules/.test(name),
)
const holding = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(`${server}${name}`, 'utf8')))

it('promises no entity by hand: its columns come from its schema', () => {
  const entities =
    'FullUser|User|Session|StoredSession|ListedOrganization|Organization|Member|MemberView|Invitation|InvitationView|Team'
  expect(holding(/\b(sql|tx)</).length).toBeGreaterThan(10)
  expect(holding(new RegExp(`\\b(sql|tx|findRow|getRow)<\\(?(${entities})\\b`))).toEqual([])
})

it('writes no new row of an entity by hand: its columns come from its schema, too', () => {
  const tables = 'users|sessions|organizations|members|invitations|teams|machine_keys|trust_rules'
  expect(holding(new RegExp(`insert into (${tables})`)).length).toBeGreaterThan(5)
  expect(holding(new RegExp(`insert into (${tables})( as \\w+)?\\s*\\(`))).toEqual([])
})

it('takes no statement that was put together as text, but the files of migrations and those of moving', () => {
  expect(files.length).toBeGreaterThan(100)
  const found = holding(/\.unsafe\b|\['unsafe'\]/)
  // Made of the names of our own columns, and of quoted ones of a database that an operator names.
  expect(found.filter((file) => !file.startsWith('db/moving/'))).toEqual(['db/migrate.ts'])
})
