import { providerDisplayName } from '../../shared/providers.ts'
import type { Config } from '../config.ts'
import { fill } from '../languages/words.ts'
import { isLinkProofNeeded } from '../request/link-proof.ts'
import { PasswordForm, type RequestView, ThisSession } from './device-identify.tsx'
import {
  Alert,
  type DeviceRequestView,
  RequestDetails,
  ServiceHost,
  type Settings,
  ShownRequest,
  sentenceOf,
} from './device-parts.tsx'
import { Filled, renderPage } from './render.tsx'
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
  const { words } = settings
  const { link, language } = words
  return renderPage(
    { title: fill(link.title, { provider }), language },
    <>
      <ServiceHost {...settings} />
      <h1>{fill(link.heading, { provider })}</h1>
      <Alert>{sentenceOf(words, failure) ?? (error === undefined ? undefined : redirectSentence(words, error))}</Alert>
      <p>
        <Filled text={link.said} provider={provider} address={<strong>{shownAddress(request)}</strong>} />
      </p>
      <RequestDetails words={words} request={request} />
      <LinkChoice {...settings} request={request} name={provider} />
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
  words: { device },
  request,
  name,
}: Settings & { readonly request: LinkRequestView; readonly name: string }) => (
  <div className="choice">
    <form method="post" action={`${BASE_PATH}/page/device/decision`}>
      <ShownRequest id={request.id} />
      <button type="submit" name="decision" value="refuse" className="plain" autoFocus>
        {device.refuse}
      </button>
    </form>
    <form method="post" action={`${BASE_PATH}/page/device/link`}>
      <button type="submit" name="provider" value={request.provider ?? ''}>
        {fill(device.continueWith, { name })}
      </button>
    </form>
  </div>
)

const isOfTrusted = ({ TRUSTED_PROVIDERS }: LinkSettings, { provider }: LinkRequestView): boolean =>
  TRUSTED_PROVIDERS.includes(provider ?? '')

const isNeeded = (settings: LinkSettings, { provider, linkerAddressProven }: LinkRequestView): boolean =>
  isLinkProofNeeded(settings, { provider: provider ?? '', addressProven: linkerAddressProven ?? false })

/** Shown only when the addresses do not show that it is the same person. */
function Proof({ settings, view }: { readonly settings: LinkSettings; readonly view: LinkView }) {
  const { request, session, email } = view
  const isTrusted = isOfTrusted(settings, request)
  const { link } = settings.words
  if (isProven(request) || !isNeeded(settings, request)) return null
  return (
    <>
      {isTrusted && <h2>{link.otherAddress}</h2>}
      <p>{isTrusted ? link.thenSignIn : link.signIn}</p>
      {session !== null && <ThisSession {...settings} email={session} />}
      {settings.EMAIL_PASSWORD && <PasswordForm {...settings} email={email ?? ''} />}
    </>
  )
}

export const renderLinked = (settings: Settings): string =>
  renderPage(
    { title: settings.words.link.linked, language: settings.words.language },
    <>
      <ServiceHost {...settings} />
      <h1>{settings.words.link.linked}</h1>
      <p>{settings.words.link.linkedNext}</p>
      <p>{settings.words.device.close}</p>
    </>,
  )
