import { expect, it } from 'vitest'
import { lastMail } from '../../server/testing/mails.ts'
import { signUp } from '../testing/own-service.ts'
import { createRunner } from '../testing/run-cli.ts'
import { useOwnService } from '../testing/use-service.ts'

const service = useOwnService()

it.each([
  [{ LANG: 'de_AT.UTF-8' }, 'Neues Passwort setzen'],
  [{ LANG: 'de_AT.UTF-8', LC_ALL: 'es_ES' }, 'Pon una contraseña nueva'],
  [{ LC_MESSAGES: 'fr_FR@euro' }, 'Choisissez un nouveau mot de passe'],
  [{ LANG: 'C.UTF-8' }, 'Set a new password'],
  [{ LANG: 'xx; q=1\r\nx: y' }, 'Set a new password'],
  [{}, 'Set a new password'],
])('with the locale %j a mail is called %s', async (locale, subject) => {
  const machine = createRunner({ env: { POSTERN_URL: service.url, ...locale } })
  const { email } = await signUp(machine, `ann-${crypto.randomUUID()}@example.com`, 'Ann')
  expect((await machine(`account password forgot --email ${email}`)).code).toBe(0)
  expect((await lastMail(service.service)).subject).toBe(subject)
})
