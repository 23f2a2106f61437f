import { providerDisplayName } from '../../shared/providers.ts'
import type { Config } from '../config.ts'
import { PasswordForm, type RequestView, ThisSession } from './device-identify.tsx'
import {
  Alert,
  type DeviceRequestView,
  RequestDetails,
  ServiceHost,
  type Settings,
  sentenceOf,
} from './device-parts.tsx'
import { renderPage } from './render.tsx'
import { redirectSentence } from './sentence.ts'

type LinkSettings = Settings & Pick<Config, 'ALLOW_DIFFERENT_EMAILS' | 'TRUSTED_PROVIDERS'>

interface LinkRequestView extends DeviceRequestView {
  readonly linkerId: string | null
  readonly linkerEmail: string | null
  readonly linkerAddressProven: boolean | null
}

export interface LinkView extends RequestView {
  readonly request: LinkRequestView
}

/** Shows which user an account shall be linked to. Somebody who only has the code sees no whole address. */
export function renderLinkRequest(settings: LinkSettings, view: LinkView): string {
  const { request, failure, error } = view
  const provider = providerDisplayName(request.provider ?? '')
  return renderPage(
    `Link an account at ${provider}`,
    <>
      <ServiceHost {...settings} />
      <h1>Link an account at {provider}?</h1>
      <Alert>{sentenceOf(failure) ?? (error === undefined ? undefined : redirectSentence(error))}</Alert>
      <p>
        Anybody who signs in with that account at {provider} could then sign in here as{' '}
        <strong>{shownAddress(request)}</strong>. Continue only if that is you, and you started this yourself, a moment
        ago.
      </p>
      <RequestDetails {...request} />
      <LinkChoice BASE_PATH={settings.BASE_PATH} id={request.provider ?? ''} name={provider} />
      <Proof settings={settings} view={view} />
    </>,
  )
}

const isProven = ({ userId, linkerId }: LinkRequestView): boolean => userId !== null && userId === linkerId

function shownAddress(request: LinkRequestView): string {
  const email = request.linkerEmail ?? ''
  return isProven(request) ? email : `${email.charAt(0)}•••${email.slice(email.lastIndexOf('@'))}`
}

/** The refusing button comes first, because the Enter key presses it. */
const LinkChoice = ({
  BASE_PATH,
  id,
  name,
}: Pick<Config, 'BASE_PATH'> & { readonly id: string; readonly name: string }) => (
  <div className="choice">
    <form method="post" action={`${BASE_PATH}/page/device/decision`}>
      <button type="submit" name="decision" value="refuse" className="plain" autoFocus>
        Refuse
      </button>
    </form>
    <form method="post" action={`${BASE_PATH}/page/device/link`}>
      <button type="submit" name="provider" value={id}>
        Continue with {name}
      </button>
    </form>
  </div>
)

const isOfTrusted = ({ TRUSTED_PROVIDERS }: LinkSettings, { provider }: LinkRequestView): boolean =>
  TRUSTED_PROVIDERS.includes(provider ?? '')

const isNeeded = (settings: LinkSettings, request: LinkRequestView): boolean =>
  settings.ALLOW_DIFFERENT_EMAILS || !request.linkerAddressProven || !isOfTrusted(settings, request)

/** Shown only when the addresses do not show that it is the same person. */
function Proof({ settings, view }: { readonly settings: LinkSettings; readonly view: LinkView }) {
  const { request, session, email } = view
  const isTrusted = isOfTrusted(settings, request)
  if (isProven(request) || !isNeeded(settings, request)) return null
  return (
    <>
      {isTrusted && <h2>Does that account have another address?</h2>}
      <p>
        {isTrusted ? 'Then sign in' : 'Sign in'} first to show that you made this request. Your session in this browser
        does not change.
      </p>
      {session !== null && <ThisSession BASE_PATH={settings.BASE_PATH} email={session} />}
      {settings.EMAIL_PASSWORD && <PasswordForm BASE_PATH={settings.BASE_PATH} email={email ?? ''} />}
    </>
  )
}

export const renderLinked = (settings: Settings): string =>
  renderPage(
    'Linked',
    <>
      <ServiceHost {...settings} />
      <h1>Linked</h1>
      <p>Go back to the other machine, which confirms it. You can unlink the account there.</p>
      <p>You can close this page.</p>
    </>,
  )
