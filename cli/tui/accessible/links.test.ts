import { afterEach, beforeAll, expect, test } from 'vitest'
import { personAt } from '../../../server/testing/social.ts'
import { bundle } from '../../testing/bundle.ts'
import { continueAt, FormBrowser, typeCode } from '../../testing/form-browser.ts'
import { dialogueWith, type LineDialogue } from '../../testing/line-dialogue.ts'
import { startProviderService } from '../../testing/provider-service.ts'
import { type Pty, startPty } from '../../testing/pty.ts'
import { ada, signedIn, verify } from '../testing/people.ts'
import { useScreensOf } from '../testing/screens.ts'

const screens = useScreensOf(() => startProviderService(['GOOGLE']))
let fixture: string
let pty: Pty
let answer: LineDialogue['answer']
let choose: LineDialogue['choose']
beforeAll(async () => {
  fixture = await bundle(new URL('../testing/tui.fixture.ts', import.meta.url))
})
afterEach(() => pty.close())

const linked = async (): Promise<readonly string[]> => {
  const rows = await screens.sql<{ providerId: string }[]>`select provider_id from accounts order by created_at, id`
  return rows.map(({ providerId }) => providerId)
}

async function start(): Promise<string> {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const google = await screens.own.linkGoogle(ada)
  const env = { ...machine.env, POSTERN_ACCESSIBLE: '1' }
  pty = startPty(process.execPath, [fixture], { rows: 90, columns: 160, env })
  ;({ answer, choose } = dialogueWith(pty))
  return google
}

const open = async () => {
  await choose('Profile')
  await choose('Linked accounts')
}

test('linked accounts are read out, refreshed and removed, and one is linked in a browser', async () => {
  const google = await start()
  await open()
  await pty.shows('2 linked accounts.')
  await choose('Google, since')
  await pty.shows(`Google ${google}. Scopes: email openid profile.`)
  await choose('Remove')
  await pty.shows(`Remove Google ${google}? Nobody signs in to you by it any more.`)
  await answer('y for yes, anything else for no:', 'y')
  await pty.shows(`Removed Google ${google}. The same as: postern account link remove google`)
  expect(await linked()).toEqual(['credential'])
  await open()
  await choose('Password, since')
  await pty.shows('the password. Scopes: none.')
  await pty.shows('(refused: It is the only way in which you sign in)')
  await answer('Number:', '0')
  await open()
  await choose('Link an account')
  await answer('Provider:', 'google')
  const [userCode = ''] = /(?<=and type )[A-Z]{4}-[A-Z]{4}/.exec(await pty.shows('An empty line cancels')) ?? []
  const [browser, person] = [new FormBrowser(), personAt({ email: ada })]
  const page = await typeCode(browser, screens.own.url, userCode)
  await continueAt(screens.own.provider, browser, page, { person, action: 'link' })
  expect(await pty.shows(`Linked Google ${person.sub}.`)).toContain('The same as: postern account link add google')
  expect(await linked()).toEqual(['credential', 'google'])
}, 30_000)
