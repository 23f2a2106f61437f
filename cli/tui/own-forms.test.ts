import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { Desk } from './desk.ts'
import { openly } from './form-plan.ts'
import { forms } from './forms.ts'
import type { TuiSeam } from './seam.ts'
import { FakeService, fakeSeam } from './testing/fake-service.ts'

const streams = new EventEmitter() as unknown as TuiSeam
const passwords = { currentPassword: 'correct horse', newPassword: 'battery staple', again: 'battery staple' }

async function deskOf(service: FakeService, speaksByToken: boolean): Promise<Desk> {
  service.signIn('ada@example.com')
  service.addSession('ada@example.com', 'Firefox')
  const clientFor = async (_: string, email: string) => ({
    ...service.connection({ email }),
    speaksByToken: () => speaksByToken,
  })
  const desk = new Desk({ ...fakeSeam(service, streams), clientFor })
  await desk.load()
  return desk
}

test.each([
  [false, ['POST /change-password']],
  [true, ['POST /change-password', 'POST /revoke-other-sessions']],
])('other sessions end with the password; by a token (%s) the own one is not exchanged', async (byToken, asked) => {
  const service = new FakeService()
  const desk = await deskOf(service, byToken)
  const { sentence } = await forms['change-password'].submit(desk, { ...passwords, elsewhere: 'yes' })
  expect(sentence).toBe('Changed the password and ended every other session')
  expect(service.asked.filter((line) => line.startsWith('POST'))).toEqual(asked)
  expect(service.sessions).toHaveLength(1)
})

test('other sessions go on unless that is asked for', async () => {
  const service = new FakeService()
  const desk = await deskOf(service, false)
  await forms['change-password'].submit(desk, { ...passwords, elsewhere: 'no' })
  expect(service.sessions).toHaveLength(2)
})

test('a link for the change of an address needs its own session', async () => {
  const service = new FakeService()
  const desk = await deskOf(service, false)
  service.signIn('bob@example.com')
  await desk.load()
  Object.assign(service.people.get('ada@example.com') ?? {}, { isVerified: true })
  const ada = await desk.connect(service.origin, 'ada@example.com')
  await ada.api.email.changeEmail({ newEmail: 'ada@example.org' })
  const values = { link: service.mails.at(-1)?.url ?? '', server: service.origin }
  await forms['verify-email'].submit(desk, values)
  expect([...service.jars.keys()].toSorted()).toEqual(['ada@example.org', 'bob@example.com'])
  expect(service.current).toBe('bob@example.com')
})

test('a picture is an address, or what was there before', async () => {
  const service = new FakeService()
  const desk = await deskOf(service, false)
  const [, image] = forms['edit-profile'].fields
  const problem = (text: string) => image?.problem?.(text, {}, desk)
  expect(['', 'https://example.com/a.png'].map(problem)).toEqual([undefined, undefined])
  expect(problem('javascript:alert(1)')).toBe('A picture has an address like https://example.com/a.png')
  Object.assign(desk.state.me?.user ?? {}, { image: '/old.png' })
  expect(['/old.png', '/new.png'].map((text) => problem(text) === undefined)).toEqual([true, false])
})

test('a form hands on what may be seen, no secret', () => {
  const values = { email: 'ada@example.com', password: 'correct horse', server: 'http://localhost:4100' }
  expect(openly(forms['sign-in'], values)).toEqual({ email: 'ada@example.com', server: 'http://localhost:4100' })
})
