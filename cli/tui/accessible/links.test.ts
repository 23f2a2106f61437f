import { expect, test, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { personAt } from '../../../server/testing/social.ts'
import { continueAt, FormBrowser, typeCode } from '../../testing/form-browser.ts'
import { startProviderService } from '../../testing/provider-service.ts'
import { useConversation } from '../testing/conversation.ts'
import { ada, signedIn, verify } from '../testing/people.ts'
import { useScreensOf } from '../testing/screens.ts'

// A terminal is started, and the form waits seconds between two requests.
vi.setConfig({ testTimeout: 120_000 * slack })

const screens = useScreensOf(() => startProviderService(['GOOGLE']))
const { start, answer, choose, shows } = useConversation()

const linked = async (): Promise<readonly string[]> => {
  const rows = await screens.sql<{ providerId: string }[]>`select provider_id from accounts order by created_at, id`
  return rows.map(({ providerId }) => providerId)
}

async function begin(): Promise<string> {
  const machine = await signedIn(screens.own)
  await verify(screens.own, ada)
  const google = await screens.own.linkGoogle(ada)
  start(machine)
  return google
}

test('linked accounts are read out, refreshed and removed, and one is linked in a browser', async () => {
  const google = await begin()
  await choose('Profile')
  await choose('Linked accounts')
  await shows('2 linked accounts.')
  await choose('Google, account')
  expect(await shows('Scopes: email, openid, profile')).toContain(`Account: ${google}`)
  await choose('Remove')
  await shows(`Remove Google ${google}? It can no longer be used to sign in to your account.`)
  await answer('y for yes, anything else for no:', 'y')
  await shows(`Removed Google ${google}. The same as: postern account link remove google`)
  expect(await linked()).toEqual(['credential'])
  await choose('Password, since')
  await shows('Provider: Password')
  await shows('(refused: It is your only way to sign in)')
  await answer('Number:', '0')
  await choose('Link an account')
  await choose('Another, by its name')
  await answer('Provider:', 'google')
  const [userCode = ''] = /(?<=and type )[A-Z]{4}-[A-Z]{4}/.exec(await shows('An empty line cancels')) ?? []
  const [browser, person] = [new FormBrowser(), personAt({ email: ada })]
  const page = await typeCode(browser, screens.own.url, userCode)
  await continueAt(screens.own.provider, browser, page, { person, action: 'link' })
  await shows(`Linked Google ${person.sub}. The same as: postern account link add google`)
  expect(await linked()).toEqual(['credential', 'google'])
})
