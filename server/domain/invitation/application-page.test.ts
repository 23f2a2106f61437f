import { expect, it } from 'vitest'
import { createSmtp } from '../../mail/smtp.ts'
import { startDispatcher } from '../../outbox/dispatcher.ts'
import { invitationUrlOf } from '../../settings/invitation-url.ts'
import { mailsTo } from '../../testing/mailed.ts'
import { found } from '../../testing/organizations.ts'
import { startMailServer } from '../../testing/smtp.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

/** The id of an invitation, and the mail that a service with this setting makes of it. */
async function invitedBy(settings: Readonly<Record<string, string>>) {
  const own = await service.sibling(settings)
  const acme = await found(own)
  const email = `guest-${crypto.randomUUID()}@example.com`
  const id = await acme.invite(email)
  const [mail] = await mailsTo(own, email, 'invitation')
  return { own, email, id, mail }
}

it.each([
  ['https://app.example.com/invitation', (id: string) => `https://app.example.com/invitation?id=${id}`],
  ['https://app.example.com/?a=b#top', (id: string) => `https://app.example.com/?a=b&id=${id}#top`],
  ['https://app.example.com/#/join/{id}?x={id}', (id: string) => `https://app.example.com/#/join/${id}?x=${id}`],
])('with INVITATION_URL=%s a mail leads to the page of the application', async (INVITATION_URL, expected) => {
  const { id, mail } = await invitedBy({ INVITATION_URL })
  expect(mail?.url).toBe(expected(id))
  expect(mail?.text).toContain(`\n${expected(id)}\n`)
  expect(mail?.html).toContain(`href="${expected(id).replaceAll('&', '&#38;')}"`)
  expect(mail?.text).toContain(`postern invitation accept ${id}`)
})

it('without it a mail leads to our page', async () => {
  const { id, mail } = await invitedBy({})
  expect(mail?.url).toBe(`http://localhost:4100/api/auth/page/invitation?id=${id}`)
})

it('an id from elsewhere cannot change the address', () => {
  expect(invitationUrlOf('https://app.example.com/join/{id}', '../x?y=#z')).toBe(
    'https://app.example.com/join/..%2Fx%3Fy%3D%23z',
  )
  expect(invitationUrlOf('https://app.example.com/join', 'a&b=c')).toBe('https://app.example.com/join?id=a%26b%3Dc')
})

it('arrives by SMTP as it is', async () => {
  const { own, email, id } = await invitedBy({ INVITATION_URL: 'https://app.example.com/join/{id}' })
  const server = await startMailServer()
  const transport = createSmtp({ url: server.url, from: 'no-reply@mail.example.com' })
  const dispatcher = startDispatcher({ ...own.deps, transport })
  const arrived = () => server.mails.find(({ to }) => to.includes(email))?.raw.replaceAll('=\r\n', '')
  await expect.poll(arrived).toContain(`https://app.example.com/join/${id}`)
  await dispatcher.stop()
  await server.stop()
})
