import { commandAt } from '../mail/links.ts'
import { type Landing, type LandingName, type LandingText, landings } from './landing-texts.ts'
import { renderPage } from './render.tsx'
import { redirectSentence } from './sentence.ts'

/** Error codes of links that need a session, which a browser often lacks. */
const signedOut: readonly string[] = ['unauthorized', 'failed_to_get_user_info']

/**
 * The page that a mailed link leads to. `base`: the service's address. `error`: the code of the failure, in upper or
 * lower case; undefined for success.
 */
export function renderLanding(base: string, name: LandingName, error?: string): string {
  if (error === undefined) return renderOutcome(base, landings[name].done)
  const code = error.toLowerCase()
  const landing: Landing = landings[name]
  const next = signedOut.includes(code) ? (landing.signedOut ?? landing.failed.next) : landing.failed.next
  return renderOutcome(base, { ...landing.failed, said: redirectSentence(code), next })
}

const renderOutcome = (base: string, { heading, said, next }: LandingText): string =>
  renderPage(
    heading,
    <>
      <h1>{heading}</h1>
      {said && <p>{said}</p>}
      {next && (
        <p>
          {next.say} <code>{commandAt(base, next.command)}</code>
        </p>
      )}
    </>,
  )
