import type { ReactNode } from 'react'
import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { deviceSentences, inWords } from './device-texts.ts'
import { oneTapScript } from './one-tap.ts'
import { renderPage } from './render.tsx'
import { redirectSentence } from './sentence.ts'

export type Settings = Pick<Config, 'BASE_PATH' | 'BASE_URL' | 'EMAIL_PASSWORD' | 'providers'>

/** What asks, as a claimed request tells it. */
export interface Asking {
  readonly clientId: string
  readonly scope: string
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  readonly createdAt: Date
  /** Seconds. */
  readonly age: number
  readonly provider: string | null
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
}

export interface RequestView {
  readonly request: Asking
  /** The address of who is signed in in this browser; null when nobody is. */
  readonly session: string | null
  readonly isAnother?: boolean
  readonly failure?: Failure
  /** The code of a redirect: why a provider did not tell who it is. */
  readonly error?: string | undefined
  /** What was typed before. */
  readonly email?: string
  /** Where Google is a provider. */
  readonly oneTap?: OneTap | null
}

export interface OneTap {
  readonly clientId: string
  /** Of the id token: binds it to this browser's claim. */
  readonly tokenNonce: string
  /** Of the scripts that the page's policy lets run. */
  readonly scriptNonce: string
}

export const Alert = ({ children }: { readonly children: string | undefined }) =>
  children ? <p role="alert">{children}</p> : null

export const sentenceOf = (failure: Failure | undefined): string | undefined =>
  failure && deviceSentences[failure.failure]?.(failure.retryAfter)

export const Where = ({ BASE_URL }: Settings) => <p className="where">{BASE_URL.host}</p>

/** Asks for the code to be typed: a link that somebody sent approves nothing, and fills nothing in. */
export const renderCodeForm = (
  settings: Settings,
  { typed, failure }: { readonly typed: string; readonly failure: Failure | undefined },
): string =>
  renderPage(
    'Sign in on another machine',
    <>
      <Where {...settings} />
      <h1>Sign in on another machine</h1>
      <p>Type the code that your terminal or device shows. Nobody else should have sent it to you.</p>
      <Alert>{sentenceOf(failure)}</Alert>
      <form method="post" action={`${settings.BASE_PATH}/page/device`}>
        <label>
          Code
          <input
            className="code"
            name="user_code"
            defaultValue={typed}
            required
            autoFocus
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            placeholder="XXXX-XXXX"
          />
        </label>
        <button type="submit">Continue</button>
      </form>
    </>,
  )

/** What asks, and who approves: asked for until it is known, then whether. */
export function renderRequest(settings: Settings, view: RequestView): string {
  const { request, isAnother = false, failure, error } = view
  const isKnown = request.userId !== null && !isAnother
  return renderPage(
    'Somebody wants to sign in',
    <>
      <Where {...settings} />
      <h1>{isKnown ? 'Is this you?' : 'Who are you?'}</h1>
      <Alert>{sentenceOf(failure) ?? (error === undefined ? undefined : redirectSentence(error))}</Alert>
      <Details {...request} />
      {isKnown ? <Decision {...settings} {...request} /> : <Identify settings={settings} view={view} />}
    </>,
  )
}

/** Everything here was said by whoever asks; only the address and the time are what we saw. */
export const Details = ({ clientId, scope, ipAddress, userAgent, label, createdAt, age }: Asking) => (
  <dl>
    {label !== null && (
      <Line name="Machine">
        calls itself “<bdi>{label}</bdi>”
      </Line>
    )}
    <Line name="Application">{clientId}</Line>
    <Line name="Device">{userAgent === '' ? 'does not say' : userAgent.slice(0, 160)}</Line>
    <Line name="Network address">{ipAddress === '' ? 'unknown' : ipAddress}</Line>
    <Line name="Asked">
      {inWords(Math.max(1, age))} ago, at <time dateTime={createdAt.toISOString()}>{timeOf(createdAt)}</time>
    </Line>
    {scope !== '' && <Line name="For">{scope}</Line>}
  </dl>
)

const Line = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const timeOf = (date: Date): string => `${date.toISOString().slice(11, 19)} UTC`

/** To refuse stands first: it is what the Enter key does. */
const Decision = ({ BASE_PATH, email, name, userId }: Settings & Asking) => (
  <>
    <p>
      It would be signed in as <strong>{name}</strong> <span className="address">{email}</span>.{' '}
      <a href={`${BASE_PATH}/page/device/request?another=on`}>Use another account</a>
    </p>
    <p>Approve only if you started this yourself, a moment ago, on a machine that you trust.</p>
    <form method="post" action={`${BASE_PATH}/page/device/decision`} className="choice">
      <input type="hidden" name="as" value={userId ?? ''} />
      <button type="submit" name="decision" value="refuse" className="plain" autoFocus>
        Refuse
      </button>
      <button type="submit" name="decision" value="approve">
        Approve
      </button>
    </form>
  </>
)

const Identify = ({ settings, view }: { readonly settings: Settings; readonly view: RequestView }) => (
  <>
    <p>Say who you are, to see whether this may be signed in as you. This browser stays as it is.</p>
    {view.session !== null && <ThisSession BASE_PATH={settings.BASE_PATH} email={view.session} />}
    <Providers {...settings} hint={view.request.provider} />
    {settings.EMAIL_PASSWORD && <PasswordForm BASE_PATH={settings.BASE_PATH} email={view.email ?? ''} />}
    <form method="post" action={`${settings.BASE_PATH}/page/device/decision`}>
      <button type="submit" name="decision" value="refuse" className="plain">
        I did not start this: refuse
      </button>
    </form>
    {view.oneTap && <OneTapForm BASE_PATH={settings.BASE_PATH} {...view.oneTap} />}
  </>
)

export const ThisSession = ({ BASE_PATH, email }: { readonly BASE_PATH: string; readonly email: string }) => (
  <form method="post" action={`${BASE_PATH}/page/device/session`}>
    <button type="submit">Continue as {email}</button>
  </form>
)

/** The one that was asked for stands first. */
const Providers = ({ BASE_PATH, providers, hint }: Settings & { readonly hint: string | null }) => {
  const ordered = providers
    .map(({ provider }) => provider)
    .toSorted((one, other) => Number(other.id === hint) - Number(one.id === hint))
  return ordered.length === 0 ? null : (
    <form method="post" action={`${BASE_PATH}/page/device/provider`}>
      {ordered.map(({ id, name }) => (
        <button key={id} type="submit" name="provider" value={id} className={id === hint ? undefined : 'plain'}>
          Continue with {name}
        </button>
      ))}
    </form>
  )
}

/** Nothing of it is seen, and without JavaScript nothing happens. */
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

export const PasswordForm = ({ BASE_PATH, email }: { readonly BASE_PATH: string; readonly email: string }) => (
  <form method="post" action={`${BASE_PATH}/page/device/password`}>
    <label>
      Email
      <input type="email" name="email" defaultValue={email} required autoComplete="username" />
    </label>
    <label>
      Password
      <input type="password" name="password" required autoComplete="current-password" />
    </label>
    <button type="submit">Continue</button>
  </form>
)

interface Decided {
  readonly status: 'approved' | 'denied'
  /** A page of the machine that asked. */
  readonly leadTo: string | null
}

/** It leads on by itself and by a link: the policy lets no form post be redirected elsewhere. */
export function renderDecided(settings: Settings, { status, leadTo }: Decided): string {
  const heading = status === 'approved' ? 'Approved' : 'Refused'
  const said =
    status === 'approved'
      ? 'Go back to the other machine: it is signed in within seconds. You can end that at any time in your list of sessions.'
      : 'The other machine gets nothing. Nothing was changed.'
  return renderPage(
    heading,
    <>
      <Where {...settings} />
      <h1>{heading}</h1>
      <p>{said}</p>
      {leadTo !== null && (
        <p>
          <a href={leadTo}>Go back to your terminal</a>
        </p>
      )}
      {leadTo === null && <p>You can close this page.</p>}
    </>,
    leadTo,
  )
}

/** The policy lets no form post be redirected to another site: the browser goes on from a page of ours. */
export const renderOnward = (settings: Settings, name: string, leadTo: string): string =>
  renderPage(
    `On to ${name}`,
    <>
      <Where {...settings} />
      <h1>On to {name}</h1>
      <p>
        <a href={leadTo}>Continue with {name}</a>
      </p>
    </>,
    leadTo,
  )

/** There is no request that waits for this browser. */
export const renderOver = (settings: Settings): string =>
  renderPage(
    'Nothing waits for you here',
    <>
      <Where {...settings} />
      <h1>Nothing waits for you here</h1>
      <p>
        The sign-in was answered, its time is over, or it was opened in another browser. Start again on the other
        machine.
      </p>
      <p>
        <a href={`${settings.BASE_PATH}/page/device`}>Type another code</a>
      </p>
    </>,
  )
