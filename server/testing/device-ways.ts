import { deviceGrantType } from '../../shared/device.ts'
import type { FailureName } from '../../shared/errors.ts'
import { sendFormTo } from '../pages/testing/forms.ts'
import { ageDevices, approve, clientId, startWaiting } from './device.ts'
import { claimLink, denyAtProvider, linkInBrowser, refuseLink, startLink } from './device-links.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { ageSessions } from './rows.ts'
import { type TestService, testPassword } from './service.ts'
import { personAt } from './social.ts'
import type { Reply } from './visitor.ts'

type Ways = Partial<Record<FailureName, () => Promise<Reply>>>
interface Polled {
  readonly poll: (fields?: Readonly<Record<string, string>>) => Promise<Reply>
}

/** How each listed failure of the calls for sign-ins and links on a device is reached. */
export const deviceWays = (service: () => TestService, provider: () => OpenIdProvider): Record<string, Ways> => ({
  ...signInWays(service),
  ...linkWays(service, provider),
})

/** Of what waits for a browser, whatever it is for. */
const pollingWays = (service: () => TestService, waiting: () => Promise<Polled>): Ways => ({
  DEVICE_CODE_UNKNOWN: async () => (await waiting()).poll({ device_code: 'no-such-code' }),
  DEVICE_CLIENT_MISMATCH: async () => (await waiting()).poll({ client_id: 'another' }),
  DEVICE_POLLED_TOO_SOON: async () => {
    const { poll } = await waiting()
    await poll()
    await ageDevices(service(), -50)
    return poll()
  },
  DEVICE_PENDING: async () => (await waiting()).poll(),
  DEVICE_CODE_EXPIRED: async () => {
    const { poll } = await waiting()
    await ageDevices(service(), 600)
    return poll()
  },
})

function linkWays(service: () => TestService, provider: () => OpenIdProvider): Record<string, Ways> {
  const waiting = async () => startLink(await service().person())
  const start = { client_id: clientId, provider: 'google' }
  /** The person at the provider has another address. */
  const stale = async () => {
    const at = await service().sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
    const [ann, browser] = [await at.person(), at.visitor()]
    const asked = await startLink(ann)
    await claimLink(browser, asked)
    await sendFormTo('/page/device/password', browser, { email: ann.email, password: testPassword })
    await ageSessions(service(), ann.email, 2 * 86_400)
    await linkInBrowser(provider(), browser, personAt())
    return asked.poll()
  }
  return {
    startDeviceLink: {
      DEVICE_CLIENT_UNKNOWN: async () => (await (await service().sibling(choosy)).person()).post('/device/link', start),
      PROVIDER_NOT_FOUND: async () => (await service().person()).post('/device/link', { ...start, provider: 'apple' }),
    },
    pollDeviceLink: {
      ...pollingWays(service, waiting),
      DEVICE_DENIED: async () => {
        const [asked, browser] = [await waiting(), service().visitor()]
        await claimLink(browser, asked)
        await refuseLink(browser)
        return asked.poll()
      },
      DEVICE_DENIED_BY_PROVIDER: async () => {
        const [asked, browser] = [await waiting(), service().visitor()]
        await claimLink(browser, asked)
        await denyAtProvider(browser)
        return asked.poll()
      },
      SESSION_NOT_FRESH: stale,
    },
  }
}

const choosy = { DEVICE_CLIENTS: 'another' }

function signInWays(service: () => TestService): Record<string, Ways> {
  const visitor = () => service().visitor()
  const waiting = (fields = {}) => startWaiting(service(), fields)
  const stranger = async () => (await service().sibling(choosy)).visitor()
  const code = async (age = 0) => {
    const { userCode } = await waiting()
    await ageDevices(service(), age)
    return userCode
  }
  const claimed = async () => {
    const [person, asked] = [await service().person(), await waiting()]
    await person.get(`/device?user_code=${asked.userCode}`)
    return { person, asked, userCode: asked.userCode }
  }
  const deciding = (path: string): Ways => ({
    OAUTH_INPUT_INVALID: async () => (await service().person()).post(path, { userCode: 1 }),
    DEVICE_UNAUTHORIZED: async () => visitor().post(path, { userCode: await code() }),
    USER_CODE_UNKNOWN: async () => (await service().person()).post(path, { userCode: 'BBBB-BBBB' }),
    USER_CODE_EXPIRED: async () => (await service().person()).post(path, { userCode: await code(600) }),
    DEVICE_NOT_CLAIMED: async () => (await service().person()).post(path, { userCode: await code() }),
    DEVICE_DECIDED: async () => {
      const { person, userCode } = await claimed()
      await person.post(path, { userCode })
      return person.post(path, { userCode })
    },
  })
  const byAnother = (path: string) => async () => {
    const { userCode } = await claimed()
    return (await service().person()).post(path, { userCode })
  }
  return {
    startDevice: {
      OAUTH_INPUT_INVALID: () => visitor().post('/device/code', {}),
      DEVICE_CLIENT_UNKNOWN: async () => (await stranger()).post('/device/code', { client_id: clientId }),
      DEVICE_PROVIDER_UNKNOWN: () => visitor().post('/device/code', { client_id: clientId, provider: 'nobody' }),
    },
    pollDevice: {
      ...pollingWays(service, waiting),
      OAUTH_INPUT_INVALID: async () => (await waiting()).poll({ device_code: undefined }),
      DEVICE_GRANT_TYPE_UNKNOWN: async () => (await waiting()).poll({ grant_type: 'password' }),
      DEVICE_GRANT_CLIENT_UNKNOWN: async () => {
        const { deviceCode: device_code } = await waiting()
        const body = { grant_type: deviceGrantType, client_id: clientId, device_code }
        return (await stranger()).post('/device/token', body)
      },
      DEVICE_VERIFIER_WRONG: async () =>
        (await waiting({ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })).poll(),
      DEVICE_REDIRECT_CODE_WRONG: async () => {
        const asked = await waiting({ redirect_uri: 'http://[::1]:49152/' })
        await approve(await service().person(), asked)
        return asked.poll({ code: 'no-such-code' })
      },
      DEVICE_DENIED: async () => {
        const { person, asked, userCode } = await claimed()
        await person.post('/device/deny', { userCode })
        return asked.poll()
      },
    },
    viewDevice: {
      OAUTH_INPUT_INVALID: () => visitor().get('/device'),
      USER_CODE_UNKNOWN: () => visitor().get('/device?user_code=BBBB-BBBB'),
      USER_CODE_EXPIRED: async () => visitor().get(`/device?user_code=${await code(600)}`),
    },
    approveDevice: {
      ...deciding('/device/approve'),
      DEVICE_APPROVAL_FORBIDDEN: byAnother('/device/approve'),
      EMAIL_NOT_VERIFIED: async () => {
        const strict = await service().sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
        const [ann, browser] = [await service().person(), strict.visitor()]
        for (const [name, value] of ann.cookies) browser.cookies.set(name, value)
        return approve(browser, await startWaiting(service()))
      },
    },
    denyDevice: {
      ...deciding('/device/deny'),
      DEVICE_DENIAL_FORBIDDEN: byAnother('/device/deny'),
    },
  }
}
