import { decideInBrowser, sendFormTo } from '../pages/testing/forms.ts'
import { clientId } from './device.ts'
import type { OpenIdProvider, Person } from './openid-provider.ts'
import { proveAddress } from './prove-address.ts'
import type { TestService } from './service.ts'
import { callbackOf, personAt } from './social.ts'
import type { Reply, Visitor } from './visitor.ts'

/** A link that waits for a browser, and polls of who asked for it. */
export interface WaitingLink {
  readonly userCode: string
  readonly deviceCode: string
  readonly poll: (fields?: Readonly<Record<string, string>>) => Promise<Reply>
}

export async function startLink(asker: Visitor, provider = 'google'): Promise<WaitingLink> {
  const { status, body, text } = await asker.post('/device/link', { client_id: clientId, provider })
  if (status !== 200) throw new Error(`/device/link answered ${status}: ${text}`)
  const { user_code: userCode, device_code: deviceCode } = body
  return {
    userCode,
    deviceCode,
    poll: (fields = {}) =>
      asker.post('/device/link/status', { client_id: clientId, device_code: deviceCode, ...fields }),
  }
}

const page = '/page/device'

export const claimLink = (browser: Visitor, { userCode }: Pick<WaitingLink, 'userCode'>): Promise<Reply> =>
  sendFormTo(page, browser, { user_code: userCode })

/** Where a page leads by itself. */
export const onwardOf = ({ text }: Reply): string =>
  (/http-equiv="refresh" content="0;url=([^"]*)"/i.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')

export const refuseLink = (browser: Visitor): Promise<Reply> => decideInBrowser(browser, { decision: 'refuse' })

/** In a browser that has typed the code: is led back by a provider that says no, or what else keeps it from a yes. */
export async function denyAtProvider(browser: Visitor, error = 'access_denied'): Promise<Reply> {
  const onward = onwardOf(await sendFormTo(`${page}/link`, browser, { provider: 'google' }))
  return browser.get(`/callback/google?error=${error}&state=${new URL(onward).searchParams.get('state')}`)
}

/** In a browser that has typed the code: goes on to the provider as that person, and comes back. */
export async function linkInBrowser(provider: OpenIdProvider, browser: Visitor, person: Person): Promise<Reply> {
  const onward = await sendFormTo(`${page}/link`, browser, { provider: 'google' })
  const address = onwardOf(onward)
  if (address === '') throw new Error(`The page leads nowhere: ${onward.status} ${onward.text.slice(-600)}`)
  return browser.get(callbackOf(await provider.visit(address, person)))
}

/** Somebody with a verified address, who is known by it at the provider too. */
export async function verifiedPerson(service: TestService): Promise<Visitor & { email: string; at: Person }> {
  const ann = await service.person()
  await proveAddress(service.deps.sql, ann.email)
  return { ...ann, at: personAt({ email: ann.email }) }
}

/** One answer of each call about links on a device. The service has the provider as its google. */
export const linkAnswers = (
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> => ({
  startDeviceLink: async () =>
    (await service().person()).post('/device/link', { client_id: clientId, provider: 'google' }),
  pollDeviceLink: async () => {
    const [ann, browser] = [await verifiedPerson(service()), service().visitor()]
    const waiting = await startLink(ann)
    await claimLink(browser, waiting)
    await linkInBrowser(provider(), browser, ann.at)
    return waiting.poll()
  },
})
