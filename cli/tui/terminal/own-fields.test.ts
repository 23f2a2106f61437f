import { afterEach, expect, test, vi } from 'vitest'
import { testPassword } from '../../../server/testing/service.ts'
import { slack } from '../../../server/testing/slack.ts'
import type { Pty } from '../../testing/pty.ts'
import { useOwnService } from '../../testing/use-service.ts'
import { useTui } from '../testing/use-tui.ts'
import { sizesToStart } from '../testing/window-sizes.ts'

// Bundles the program first.
vi.setConfig({ testTimeout: 60_000 * slack })

const userFields = { company: { kind: 'text', required: true }, plan: { kind: ['free', 'pro'] } } as const
const own = useOwnService({}, { extensions: { userFields } })
const startTui = useTui()
let pty: Pty
afterEach(() => pty.close())

test.each(sizesToStart)('a sign-up with own fields, in a terminal of %i×%i', async (columns, rows) => {
  pty = startTui({ env: own.machine().env, columns, rows })
  await pty.shows('Nobody is signed in')
  pty.type('j\r')
  await pty.shows('Email')
  const email = `ann-${columns}@example.com`
  for (const text of [email, 'Ann', testPassword, testPassword]) pty.type(`${text}\r`)
  const shown = await pty.shows('❯ company (required)')
  expect(shown.split('\n')).toHaveLength(rows)
  pty.type('Acme\r')
  await pty.shows('❯ plan')
  pty.type('\u001b[C\u001b[C\r')
  await pty.shows(`Signed up and in as ${email}`)
  const [user] = await own.service.deps.sql`select fields from users where email = ${email}`
  expect(user).toEqual({ fields: { company: 'Acme', plan: 'pro' } })
})
