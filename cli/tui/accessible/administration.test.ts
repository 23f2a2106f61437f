import { afterEach, beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { bundle } from '../../testing/bundle.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()
let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

function start({ env }: Runner): void {
  pty = startPty(process.execPath, [fixture], { rows: 60, columns: 140, env: { ...env, POSTERN_ACCESSIBLE: '1' } })
  answer = dialogueWith(pty).answer
}

test('an administrator finds somebody, acts as them, and is themselves again, in lines', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  start(ada)
  await pty.shows('6. Administration')
  await answer('Number:', '6')
  await pty.shows('2. Audit trail')
  await answer('Number:', '1')
  await answer('nothing for the newest:', 'bob')
  await pty.shows('1. Bob, bob@example.com, user')
  await answer('Number:', '1')
  await pty.shows('3. Ban')
  await answer('Number:', '6')
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows('IMPERSONATING bob@example.com: everything is done as them. You are ada@example.com.')
  await pty.shows('9. Stop impersonating (bob@example.com)')
  await answer('Number:', '9')
  await pty.shows('you are ada@example.com again')
  await answer('Number:', '0')
  expect(await pty.exit).toEqual({ exitCode: 0, signal: 0 })
  expect((await ada('whoami --json=email')).json).toEqual({ email: ada.email })
  expect((await bob('whoami')).code).toBe(0)
})
