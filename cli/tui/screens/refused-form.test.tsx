import { expect, test } from 'vitest'
import { testPassword } from '../../../server/testing/service.ts'
import { useScreens } from '../testing/screens.ts'

const screens = useScreens()

test('the fields that the service names are told what it expects; what is no field of the form, in a dialog', async () => {
  const ui = screens.open(screens.own.machine())
  await ui.shows('Nobody is signed in')
  const message = 'Invalid body parameters'
  const refuse = (...details: readonly object[]) => {
    const answer = Response.json({ code: 'VALIDATION_ERROR', message, details }, { status: 400 })
    screens.own.replace('POST /sign-up/email', answer)
  }
  ui.press('j', 'enter')
  await ui.shows('Create an account')
  const name = { path: 'name', message: 'Expected another name' }
  refuse({ path: 'password', message: 'Expected another password' }, name)
  ui.press('ada@example.com\r', 'Ada\r', `${testPassword}\r`, `${testPassword}\r`)
  expect(await ui.shows('Expected another name')).toMatch(
    /❯ Name[^]*Expected another name[^]*Expected another password/,
  )
  refuse(name, { path: 'x.y', message: 'Expected a text' })
  ui.press('\r', '\r', '\r')
  await ui.shows(`${message}: name: Expected another name; x.y: Expected a text`)
  refuse({ path: 'x.y', message: 'Expected a text' })
  ui.press('\r', '\r', '\r')
  await ui.shows('That did not work')
  expect(ui.frame()).toContain(`${message}: x.y: Expected a text`)
  expect(ui.frame()).not.toContain('--help')
})
