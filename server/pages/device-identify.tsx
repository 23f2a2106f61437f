import type { Failure } from '../../shared/failure.ts'
import { providerDisplayName } from '../../shared/providers.ts'
import { fill } from '../languages/words.ts'
import { type DeviceRequestView, type Settings, ShownRequest } from './device-parts.tsx'
import { oneTapScript } from './one-tap.ts'

export interface RequestView {
  readonly request: DeviceRequestView
  /** The address of the user signed in in this browser. Null when nobody is. */
  readonly session: string | null
  readonly isAnother?: boolean
  readonly failure?: Failure
  /** The error code of a redirect: why a provider did not identify the user. */
  readonly error?: string | undefined
  /** The address typed before. */
  readonly email?: string
  /** Null when Google is not a provider. */
  readonly oneTap?: OneTap | null
}

export interface OneTap {
  readonly clientId: string
  /** The nonce of the id token, which binds it to this browser. */
  readonly tokenNonce: string
  /** The nonce of the scripts that the page's policy allows. */
  readonly scriptNonce: string
}

export const Identify = ({ settings, view }: { readonly settings: Settings; readonly view: RequestView }) => (
  <>
    <p>{settings.words.device.identify}</p>
    {view.session !== null && <ThisSession {...settings} email={view.session} />}
    <Providers {...settings} hint={view.request.provider} />
    {settings.EMAIL_PASSWORD && <PasswordForm {...settings} email={view.email ?? ''} />}
    <form method="post" action={`${settings.BASE_PATH}/page/device/decision`}>
      <ShownRequest id={view.request.id} />
      <button type="submit" name="decision" value="refuse" className="plain">
        {settings.words.device.notMine}
      </button>
    </form>
    {view.oneTap && <OneTapForm BASE_PATH={settings.BASE_PATH} {...view.oneTap} />}
  </>
)

type FormView = Pick<Settings, 'BASE_PATH' | 'words'> & { readonly email: string }

export const ThisSession = ({ BASE_PATH, words, email }: FormView) => (
  <form method="post" action={`${BASE_PATH}/page/device/session`}>
    <button type="submit">{fill(words.device.continueAs, { email })}</button>
  </form>
)

/** The provider that was asked for comes first. */
const Providers = ({ BASE_PATH, words, providers, hint }: Settings & { readonly hint: string | null }) => {
  const ordered = providers
    .map(({ provider }) => ({ id: provider.id, name: providerDisplayName(provider.id) }))
    .toSorted((one, other) => Number(other.id === hint) - Number(one.id === hint))
  return ordered.length === 0 ? null : (
    <form method="post" action={`${BASE_PATH}/page/device/provider`}>
      {ordered.map(({ id, name }) => (
        <button key={id} type="submit" name="provider" value={id} className={id === hint ? undefined : 'plain'}>
          {fill(words.device.continueWith, { name })}
        </button>
      ))}
    </form>
  )
}

/** Invisible, and without effect when JavaScript is off. */
const OneTapForm = ({ BASE_PATH, clientId, tokenNonce, scriptNonce }: OneTap & { readonly BASE_PATH: string }) => (
  <>
    <form
      id="one-tap"
      method="post"
      action={`${BASE_PATH}/page/device/one-tap`}
      data-client={clientId}
      data-nonce={tokenNonce}
      hidden
    >
      <input type="hidden" name="idToken" />
    </form>
    <script nonce={scriptNonce} dangerouslySetInnerHTML={{ __html: oneTapScript }} />
  </>
)

export const PasswordForm = ({ BASE_PATH, words: { device }, email }: FormView) => (
  <form method="post" action={`${BASE_PATH}/page/device/password`}>
    <label>
      {device.email}
      <input type="email" name="email" defaultValue={email} required autoComplete="username" />
    </label>
    <label>
      {device.password}
      <input type="password" name="password" required autoComplete="current-password" />
    </label>
    <button type="submit">{device.continue}</button>
  </form>
)
