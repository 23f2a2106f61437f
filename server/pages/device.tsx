import type { Failure } from '../../shared/failure.ts'
import { fill } from '../languages/words.ts'
import { Identify, type RequestView } from './device-identify.tsx'
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

interface CodeFormView {
  readonly typed: string
  /** A new random text for each page. */
  readonly form: string
  readonly failure: Failure | undefined
}

/** Asks the user to type the code, so that a link from a stranger approves nothing and fills nothing in. */
export const renderCodeForm = (settings: Settings, { typed, form, failure }: CodeFormView): string =>
  renderPage(
    { title: settings.words.device.title, language: settings.words.language },
    <>
      <ServiceHost {...settings} />
      <h1>{settings.words.device.title}</h1>
      <p>{settings.words.device.type}</p>
      <Alert>{sentenceOf(settings.words, failure)}</Alert>
      <form method="post" action={`${settings.BASE_PATH}/page/device`}>
        <input type="hidden" name="form" value={form} />
        <label>
          {settings.words.device.code}
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
        <button type="submit">{settings.words.device.continue}</button>
      </form>
    </>,
  )

/** Shows what asks. First identifies the approver, then asks for the decision. */
export function renderRequest(settings: Settings, view: RequestView): string {
  const { request, isAnother = false, failure, error } = view
  const isKnown = request.userId !== null && !isAnother
  const { words } = settings
  const { device, language } = words
  return renderPage(
    { title: device.asks, language },
    <>
      <ServiceHost {...settings} />
      <h1>{isKnown ? device.isThisYou : device.whoAreYou}</h1>
      <Alert>{sentenceOf(words, failure) ?? (error === undefined ? undefined : redirectSentence(words, error))}</Alert>
      <RequestDetails words={words} request={request} />
      {isKnown ? <Decision {...settings} {...request} /> : <Identify settings={settings} view={view} />}
    </>,
  )
}

/**
 * The refusing button comes first, because the Enter key presses it. A name from right to left, or one that turns what
 * follows it, must not change how the address reads.
 */
const Decision = ({ BASE_PATH, id, email, name, userId, words: { device } }: Settings & DeviceRequestView) => (
  <>
    <p>
      <Filled
        text={device.wouldBe}
        name={<strong dir="auto">{name}</strong>}
        email={
          <span dir="auto" className="address">
            {email}
          </span>
        }
      />{' '}
      <a href={`${BASE_PATH}/page/device/request?another=on`}>{device.another}</a>
    </p>
    <p>{device.approveOnly}</p>
    <form method="post" action={`${BASE_PATH}/page/device/decision`} className="choice">
      <ShownRequest id={id} />
      <input type="hidden" name="as" value={userId ?? ''} />
      <button type="submit" name="decision" value="refuse" className="plain" autoFocus>
        {device.refuse}
      </button>
      <button type="submit" name="decision" value="approve">
        {device.approve}
      </button>
    </form>
  </>
)

interface DecisionView {
  readonly status: 'approved' | 'denied'
  /** A page of the machine that asked. */
  readonly leadTo: string | null
  /** The reason, when nobody decided. */
  readonly reason?: string | undefined
}

/**
 * Shows the decision, and sends the browser on with a refresh and a link. The page's policy forbids redirecting a form
 * post to another site.
 */
export function renderDecided(settings: Settings, { status, leadTo, reason }: DecisionView): string {
  const { device, language } = settings.words
  const [heading, said] =
    status === 'approved' ? [device.approved, device.approvedNext] : [device.refused, device.refusedNext]
  return renderPage(
    { title: heading, language, leadTo },
    <>
      <ServiceHost {...settings} />
      <h1>{heading}</h1>
      <Alert>{reason}</Alert>
      <p>{said}</p>
      {leadTo !== null && (
        <p>
          <a href={leadTo}>{device.back}</a>
        </p>
      )}
      {leadTo === null && <p>{device.close}</p>}
    </>,
  )
}

/** The page's policy forbids redirecting a form post to another site, so this page sends the browser on. */
export function renderRedirect(settings: Settings, name: string, leadTo: string): string {
  const { device, language } = settings.words
  const title = fill(device.continueTo, { name })
  return renderPage(
    { title, language, leadTo },
    <>
      <ServiceHost {...settings} />
      <h1>{title}</h1>
      <p>
        <a href={leadTo}>{fill(device.continueWith, { name })}</a>
      </p>
    </>,
  )
}

/** No request waits for this browser. */
export const renderRequestOver = (settings: Settings): string =>
  renderPage(
    { title: settings.words.device.over, language: settings.words.language },
    <>
      <ServiceHost {...settings} />
      <h1>{settings.words.device.over}</h1>
      <p>{settings.words.device.overWhy}</p>
      <p>
        <a href={`${settings.BASE_PATH}/page/device`}>{settings.words.device.typeAnother}</a>
      </p>
    </>,
  )
