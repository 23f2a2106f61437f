import { expect, test } from 'vitest'
import { adminOf } from '../../testing/admin.ts'
import { useConversation } from '../testing/conversation.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()
const { start, answer, shows, exit } = useConversation()

test('an administrator finds somebody, acts as them, and is themselves again, in lines', async () => {
  const ada = await adminOf(screens.own)
  const bob = await screens.own.person('Bob')
  start(ada)
  await shows('6. Administration')
  await answer('Number:', '6')
  await shows('3. Audit trail of the service')
  await answer('Number:', '1')
  await answer('nothing for the newest:', 'bob')
  await shows('1. bob@example.com, name Bob, roles user')
  await answer('Number:', '1')
  await shows('3. Ban')
  await answer('Number:', '2')
  await shows('newest first.')
  await answer('Number:', '6')
  await answer('y for yes, anything else for no:', 'y')
  await shows(
    'IMPERSONATING bob@example.com: you see what they see and cannot change anything. Your own account is ada@example.com.',
  )
  await shows('10. Stop impersonating (bob@example.com)')
  await answer('Number:', '4')
  await shows('1. Edit profile (refused: not while impersonating: stop that first)')
  await shows('Activity (refused: not while impersonating: stop that first)')
  await answer('Number:', '1')
  await shows('Edit profile: not while impersonating: stop that first.')
  await answer('Number:', '0')
  await answer('Number:', '10')
  await shows('you are ada@example.com again')
  await answer('Number:', '0')
  expect(await exit()).toEqual({ exitCode: 0, signal: 0 })
  expect((await ada('whoami --json=email')).json).toEqual({ email: ada.email })
  expect((await bob('whoami')).code).toBe(0)
})
