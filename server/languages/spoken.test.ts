import { expect, it } from 'vitest'
import { lastMail } from '../testing/mails.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService({ DEFAULT_LANGUAGE: 'fr' })

const speaking = (language: string) => ({ 'accept-language': language })

async function mailTo(language: string) {
  const visitor = service.visitor()
  const email = `ann-${crypto.randomUUID()}@example.com`
  await visitor.post('/sign-up/email', { name: 'Ann', email, password: testPassword }, speaking('nl'))
  await visitor.post('/request-password-reset', { email }, speaking(language))
  return lastMail(service)
}

it.each([
  ['de-DE, de;q=0.9, en;q=0.8', 'Neues Passwort setzen', 'Guten Tag Ann,', '<html lang="de">'],
  ['es', 'Pon una contraseña nueva', 'Hola, Ann:', '<html lang="es">'],
  ['en', 'Set a new password', 'Hello Ann,', '<html lang="en">'],
  ['nl', 'Choisissez un nouveau mot de passe', 'Bonjour Ann,', '<html lang="fr">'],
])('a mail that is asked for in %s is written so, else in that of the service', async (asked, subject, hello, tag) => {
  const mail = await mailTo(asked)
  expect(mail.subject).toBe(subject)
  expect(mail.text).toContain(`${hello}\n`)
  expect(mail.html).toContain(tag)
})

it('an alert to somebody without a language speaks that of the service, whatever the request asks for', async () => {
  const person = await service.person()
  const [currentPassword, newPassword] = [testPassword, 'another horse battery 2']
  const { status } = await person.post('/change-password', { currentPassword, newPassword }, speaking('es'))
  expect([status, (await lastMail(service)).subject]).toEqual([200, 'Votre mot de passe a été changé'])
})

it.each([
  ['de', '<html lang="de">', 'Das hat nicht geklappt', 'Dieser Link ist abgelaufen. Fordern Sie einen neuen an.'],
  ['nl', '<html lang="fr">', 'Cela n’a pas fonctionné', 'Ce lien a expiré. Demandez-en un nouveau.'],
])('the error page answers %s', async (asked, ...parts) => {
  const { text } = await service.visitor().get('/error?error=token_expired', speaking(asked))
  for (const part of parts) expect(text).toContain(part)
})

it.each([
  '/page/verified',
  '/page/password-changed',
  '/page/reset-password?token=abc',
  '/page/device',
  '/page/invitation',
])('%s speaks every language, and escapes as always', async (path) => {
  const texts = await Promise.all(
    ['en', 'de', 'es', 'fr'].map(async (language) => {
      const { status, text } = await service.visitor().get(path, speaking(language))
      expect([status, text]).toEqual([200, expect.stringContaining(`<html lang="${language}">`)])
      return text
    }),
  )
  expect(new Set(texts).size).toBe(4)
  expect(texts.filter((text) => /\{\w+\}/.test(text.replace(/<style>.*<\/style>/s, '')))).toEqual([])
})
