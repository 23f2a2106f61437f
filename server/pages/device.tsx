import type { Failure } from '../../shared/failure.ts'
import { Identify, type RequestView } from './device-identify.tsx'
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

/** Asks the user to type the code, so that a link from a stranger approves nothing and fills nothing in. */
export const renderCodeForm = (
  settings: Settings,
  { typed, failure }: { readonly typed: string; readonly failure: Failure | undefined },
): string =>
  renderPage(
    'Sign in on another machine',
    <>
      <ServiceHost {...settings} />
      <h1>Sign in on another machine</h1>
      <p>Type the code that your terminal or device shows. Never type a code that somebody sent you.</p>
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

/** Shows what asks. First identifies the approver, then asks for the decision. */
export function renderRequest(settings: Settings, view: RequestView): string {
  const { request, isAnother = false, failure, error } = view
  const isKnown = request.userId !== null && !isAnother
  return renderPage(
    'Somebody wants to sign in',
    <>
      <ServiceHost {...settings} />
      <h1>{isKnown ? 'Is this you?' : 'Who are you?'}</h1>
      <Alert>{sentenceOf(failure) ?? (error === undefined ? undefined : redirectSentence(error))}</Alert>
      <RequestDetails {...request} />
      {isKnown ? <Decision {...settings} {...request} /> : <Identify settings={settings} view={view} />}
    </>,
  )
}

/** The refusing button comes first, because the Enter key presses it. */
const Decision = ({ BASE_PATH, email, name, userId }: Settings & DeviceRequestView) => (
  <>
    <p>
      The other machine would be signed in as <strong>{name}</strong> <span className="address">{email}</span>.{' '}
      <a href={`${BASE_PATH}/page/device/request?another=on`}>Use another account</a>
    </p>
    <p>Approve only if you just started this yourself on a machine that you trust.</p>
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
  const heading = status === 'approved' ? 'Approved' : 'Refused'
  const said =
    status === 'approved'
      ? 'Go back to the other machine. It will be signed in within seconds. You can end its session at any time in your list of sessions.'
      : 'The request was refused. Nothing was changed.'
  return renderPage(
    heading,
    <>
      <ServiceHost {...settings} />
      <h1>{heading}</h1>
      <Alert>{reason}</Alert>
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

/** The page's policy forbids redirecting a form post to another site, so this page sends the browser on. */
export const renderRedirect = (settings: Settings, name: string, leadTo: string): string =>
  renderPage(
    `Continue to ${name}`,
    <>
      <ServiceHost {...settings} />
      <h1>Continue to {name}</h1>
      <p>
        <a href={leadTo}>Continue with {name}</a>
      </p>
    </>,
    leadTo,
  )

/** No request waits for this browser. */
export const renderRequestOver = (settings: Settings): string =>
  renderPage(
    'No request is waiting here',
    <>
      <ServiceHost {...settings} />
      <h1>No request is waiting here</h1>
      <p>
        The sign-in was already answered, it expired, or it was opened in another browser. Start again on the other
        machine.
      </p>
      <p>
        <a href={`${settings.BASE_PATH}/page/device`}>Type another code</a>
      </p>
    </>,
  )
