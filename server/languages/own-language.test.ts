import { describe, expect, it } from 'vitest'
import { createSmtp } from '../mail/smtp.ts'
import { startDispatcher } from '../outbox/dispatcher.ts'
import { sendForm } from '../pages/testing/forms.ts'
import { adminOf, somebody } from '../testing/admins.ts'
import { linkTo, mailsTo } from '../testing/mailed.ts'
import { done, found } from '../testing/organizations.ts'
import { testPassword } from '../testing/service.ts'
import { startMailServer } from '../testing/smtp.ts'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService()

const speaking = (language: string) => ({ 'accept-language': language })
const addressOf = (name: string) => `${name}-${crypto.randomUUID()}@example.com`

const signUp = (asked: string, fields: object = {}) =>
  service
    .visitor()
    .post(
      '/sign-up/email',
      { name: 'Ann', email: addressOf('ann'), password: testPassword, ...fields },
      speaking(asked),
    )

/** Somebody who wants to be spoken to in a language. */
async function speakerOf(language: string) {
  const person = await somebody(service)
  await done(person.post('/update-user', { language }))
  return person
}

const subjectTo = async (email: string, kind: string) => (await mailsTo(service, email, kind)).at(-1)?.subject

describe('a sign-up keeps', () => {
  it.each([
    ['the language of its request', 'de-AT, en;q=0.5', {}, 'de'],
    ['none where that is the one of the service', 'en', {}, null],
    ['none that nobody speaks here', 'nl', {}, null],
    ['the one that is given', 'de', { language: 'fr' }, 'fr'],
    ['even that of the service, if it is given', 'de', { language: 'en' }, 'en'],
  ])('%s', async (_, asked, fields, language) => {
    const { status, body } = await signUp(asked, fields)
    expect([status, body.user.language]).toEqual([200, language])
  })

  it('none of which there are no texts', async () => {
    const { status, body } = await signUp('de', { language: 'nl' })
    expect([status, body.details]).toEqual([400, [expect.objectContaining({ path: 'language' })]])
  })
})

it('is answered, changed and removed by the person and by an administrator', async () => {
  const [person, admin] = [await speakerOf('fr'), await adminOf(service)]
  const seen = async () => (await person.get('/get-session')).body.user.language
  expect(await seen()).toBe('fr')
  await done(person.post('/update-user', { name: 'Anna' }))
  expect(await seen()).toBe('fr')
  expect((await person.post('/update-user', { language: 'tlh' })).status).toBe(400)
  const { language } = await done(
    admin.post('/admin/update-user', { userId: person.id, data: { language: 'es' } }, speaking('de')),
  )
  expect([language, await seen()]).toEqual(['es', 'es'])
  await done(person.post('/update-user', { language: null }, speaking('de')))
  expect(await seen()).toBeNull()
  const listed = await done(admin.get(`/admin/list-users?filterField=id&filterValue=${person.id}`))
  expect(listed.users).toMatchObject([{ id: person.id, language: null }])
})

it('speaks in every mail to the person, whoever asks for it, over SMTP too', async () => {
  const person = await speakerOf('fr')
  const [newPassword, currentPassword] = ['another horse battery 2', testPassword]
  await done(person.post('/change-password', { newPassword, currentPassword }, speaking('es')))
  await done(service.visitor().post('/request-password-reset', { email: person.email }, speaking('es')))
  expect(await subjectTo(person.email, 'reset-password')).toBe('Choisissez un nouveau mot de passe')
  expect(await subjectTo(person.email, 'password-changed')).toBe('Votre mot de passe a été changé')
  const server = await startMailServer()
  const transport = createSmtp({ url: server.url, from: 'no-reply@mail.example.com' })
  const dispatcher = startDispatcher({ ...service.deps, transport })
  const arrived = () => server.mails.filter(({ to }) => to.includes(person.email)).map(({ raw }) => raw)
  await expect.poll(arrived).toHaveLength(2)
  await dispatcher.stop()
  await server.stop()
  expect(arrived()).toEqual([expect.stringMatching(/lang=(?:3D)?"fr"/), expect.stringMatching(/lang=(?:3D)?"fr"/)])
})

it('leads from the mail through pages in the same language', async () => {
  const person = await speakerOf('fr')
  await done(service.visitor().post('/request-password-reset', { email: person.email }))
  const { url } = await linkTo(service, person.email, 'reset-password')
  const browser = service.visitor()
  const { headers } = await browser.get(url, speaking('de'))
  const form = await browser.get(headers.get('location') ?? '', speaking('de'))
  expect(form.text).toContain('<html lang="fr">')
  const hidden = Object.fromEntries(
    Array.from(form.text.matchAll(/type="hidden" name="(\w+)" value="(\w+)"/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
  const posted = await sendForm(browser, { ...hidden, newPassword: 'another horse battery 2' })
  expect(posted.status).toBe(303)
  const last = await browser.get(new URL(posted.headers.get('location') ?? '', url).href, speaking('de'))
  expect(last.text).toContain('<html lang="fr">')
})

it('is the one of whoever is invited, not of the inviter', async () => {
  const acme = await found(service)
  const [guest, stranger] = [await speakerOf('es'), addressOf('new')]
  const organizationId = acme.id
  for (const email of [guest.email, stranger])
    await done(
      acme.owner.post('/organization/invite-member', { email, role: 'member', organizationId }, speaking('de')),
    )
  const htmlTo = async (email: string) => (await mailsTo(service, email, 'invitation'))[0]?.html
  expect(await htmlTo(guest.email)).toContain('<html lang="es">')
  expect(await htmlTo(stranger)).toContain('<html lang="de">')
})

describe('a page', () => {
  const languageOf = ({ text }: { readonly text: string }) => /<html lang="(\w+)">/.exec(text)?.[1]

  it.each(['/error?error=token_expired', '/page/verified', '/page/invitation', '/page/device'])(
    '%s speaks the language of whoever is signed in',
    async (path) => {
      const person = await speakerOf('fr')
      const asked = async () => languageOf(await person.get(path, speaking('es')))
      const signedIn = await asked()
      await done(person.post('/update-user', { language: null }))
      expect([signedIn, await asked()]).toEqual(['fr', 'es'])
    },
  )

  it('says the same to an administrator who acts as somebody else as to anybody', async () => {
    const [admin, person] = [await adminOf(service), await speakerOf('fr')]
    await done(admin.post('/admin/impersonate-user', { userId: person.id }))
    expect(languageOf(await admin.get('/page/verified', speaking('es')))).toBe('es')
  })

  it('takes a language in its address only from what there is', async () => {
    const at = (lang: string) => service.visitor().get(`/page/verified?lang=${lang}`, speaking('es'))
    expect([languageOf(await at('fr')), languageOf(await at('%22%3E'))]).toEqual(['fr', 'es'])
  })
})

it('is passed over where another version stored one that is not spoken here', async () => {
  const person = await somebody(service)
  await service.deps.sql`update users set language = 'tlh' where email = ${person.email}`
  await done(service.visitor().post('/request-password-reset', { email: person.email }, speaking('es')))
  expect(await subjectTo(person.email, 'reset-password')).toBe('Pon una contraseña nueva')
})
