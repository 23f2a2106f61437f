import { expect, it } from 'vitest'
import { createWaitingApp } from '../app.ts'
import { HookRefusal } from '../settings/hook-refusal.ts'
import { linkTo } from '../testing/mailed.ts'
import { createTestService, serviceOn, testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../testing/visitor.ts'
import { pagePolicy } from './page.ts'
import { sendFormTo } from './testing/forms.ts'

const service = useTestService()

/** How Chromium, Firefox and Safari open an address. */
const opening = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open = (path: string, visitor: Visitor = service.visitor(), headers = {}) =>
  visitor.get(path, { ...opening, ...headers })

/** What a page says, and its code. */
function shown({ status, headers, text }: Reply): unknown[] {
  expect(headers.get('content-security-policy')).toBe(pagePolicy)
  return [status, /<p>([^<]*)<\/p>/.exec(text)?.[1], /id="errorCode">([^<]*)</.exec(text)?.[1]]
}

it.each([
  ['/page/verified?lang=%00', 400, 'This address is not complete, or it was changed on the way.', 'VALIDATION_ERROR'],
  ['/page/verify-email?token=x&callbackURL=https://evil.test', 403, 'Something went wrong.', 'INVALID_CALLBACKURL'],
  ['/verify-email?token=x', 401, 'This link is not valid. Ask for a new one.', 'INVALID_TOKEN'],
  ['/delete-user/callback?token=x', 404, 'Sign in with the account that this link was', 'FAILED_TO_GET_USER_INFO'],
  ['/list-sessions', 401, 'You are not signed in here.', 'UNAUTHORIZED'],
  ['/page/nothing', 404, 'There is nothing at this address.', 'NOT_FOUND'],
])(
  'whoever opens %s in a browser reads why it is refused, and a program gets JSON',
  async (path, status, said, code) => {
    expect(shown(await open(path))).toEqual([status, expect.stringContaining(said), code])
    for (const program of [{ accept: 'text/html, image/gif, */*; q=.2' }, { ...opening, 'sec-fetch-mode': 'cors' }]) {
      const told = await service.visitor().get(path, program)
      expect([told.status, told.body?.code ?? code]).toEqual([status, code])
      expect(told.text).not.toContain('<')
    }
  },
)

it('the page has the code of the answer, also in the terms of newer clients', async () => {
  const newer = (await service.sibling({ CLIENT_API: '1.7' })).visitor()
  const reply = await open('/page/verify-email?token=x&callbackURL=https://evil.test', newer)
  expect(shown(reply)).toEqual([403, expect.stringContaining('Something went wrong.'), 'INVALID_CALLBACK_URL'])
})

it('a form from elsewhere is told where to send it', async () => {
  const from = { ...opening, origin: 'http://127.0.0.1:4100' }
  const reply = await sendFormTo('/page/device', service.visitor(), { user_code: 'x' }, from)
  expect(shown(reply)).toEqual([
    403,
    expect.stringContaining('Open the page at http://localhost:4100'),
    'INVALID_ORIGIN',
  ])
})

it('beyond a rate limit the page says when to return, in the language of the mail or of the browser', async () => {
  const visitor = (await service.sibling({ RATE_LIMIT: 'on' })).visitor()
  const path = '/page/verified?lang=de'
  for (let round = 0; round < 100; round += 1) await visitor.get(path)
  const german = await open(path, visitor, { 'accept-language': 'fr' })
  const wait = german.headers.get('retry-after')
  expect(shown(german)).toEqual([429, expect.stringContaining(`in ${wait} Sekunden noch einmal`), 'TOO_MANY_REQUESTS'])
  const french = await open('/page/verified', visitor, { 'accept-language': 'fr' })
  expect(french.text).toContain('<html lang="fr">')
})

it('without a database the page says to return', async () => {
  const cut = await serviceOn(service.database, {})
  await cut.stop()
  const reply = await open('/reset-password/abc?callbackURL=/x', cut.visitor())
  expect(shown(reply)).toEqual([503, 'Something went wrong on our side. Try again later.', 'SERVICE_UNAVAILABLE'])
})

it('while the service starts the page says when to return', async () => {
  const waiting = createWaitingApp(service.deps, { phase: 'starting' })
  const early = await open('/page/verified', createVisitor(waiting, service.deps.config))
  expect(shown(early)).toEqual([503, expect.stringContaining('Try again in 1 second.'), 'SERVICE_UNAVAILABLE'])
})

it('the application’s own refusal is shown in its words, as text', async () => {
  const beforeDeleteUser = () => {
    throw new HookRefusal('Pay <b>first</b>', { status: 409 })
  }
  const refusing = await createTestService({ DELETE_USER_MODE: 'email' }, { extensions: { beforeDeleteUser } })
  const ann = await refusing.person()
  await ann.post('/delete-user', { password: testPassword })
  const { token } = await linkTo(refusing, ann.email, 'delete-account')
  expect(shown(await open(`/delete-user/callback?token=${token}`, ann))).toEqual([
    409,
    'Pay &lt;b&gt;first&lt;/b&gt;',
    'PAY_BFIRSTB',
  ])
  await refusing.stop()
})

it('a page that cannot be made leaves the JSON, with the request in the log', async () => {
  const cut = await serviceOn(service.database, {})
  const visitor = cut.visitor()
  Object.defineProperty(cut.deps.config, 'DEFAULT_LANGUAGE', {
    get() {
      throw new Error('no page today')
    },
  })
  const reply = await open('/page/verified?lang=%00', visitor)
  expect([reply.status, JSON.parse(reply.text)]).toMatchObject([400, { code: 'VALIDATION_ERROR' }])
  expect(cut.logged).toContainEqual(expect.objectContaining({ status: 400 }))
  await cut.stop()
})
