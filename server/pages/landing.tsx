import type { Words } from '../languages/words.ts'
import { commandAt } from '../mail/links.ts'
import { type LandingName, landingCommands } from './landing-texts.ts'
import { renderPage } from './render.tsx'
import { redirectSentence } from './sentence.ts'

/** Error codes of links that need a session, which a browser often lacks. */
const signedOutCodes: readonly string[] = ['unauthorized', 'failed_to_get_user_info']

interface Outcome {
  readonly heading: string
  readonly said: string
  /** What to do next, in a terminal. */
  readonly next: string
  readonly command: string | undefined
}

/**
 * The page that a mailed link leads to. `base`: the service's address. `error`: the code of the failure, in upper or
 * lower case; undefined for success.
 */
export function renderLanding(base: string, words: Words, name: LandingName, error?: string): string {
  const { done, failed } = words.landings[name]
  const commands = landingCommands[name]
  if (error === undefined) return renderOutcome(base, words, { ...done, command: commands.done })
  const code = error.toLowerCase()
  const said = saidOf(words, failed, code)
  const { signedOut } = commands
  if (signedOut !== undefined && signedOutCodes.includes(code))
    return renderOutcome(base, words, { ...failed, said, next: words.byToken, command: signedOut })
  return renderOutcome(base, words, { ...failed, said, command: commands.failed })
}

/** `before`: for a link that a second opening cannot be told of, since the first left nothing. */
function saidOf(words: Words, failed: { readonly heading: string; readonly before?: string }, code: string): string {
  const isOver = code === 'invalid_token' || signedOutCodes.includes(code)
  return [redirectSentence(words, code), ...(failed.before && isOver ? [failed.before] : [])].join(' ')
}

/** What a form is answered whose link is over. It may have been sent twice, and then it was done. */
export const renderOver = (base: string, words: Words, name: LandingName): string =>
  renderOutcome(base, words, { ...words.over, command: landingCommands[name].failed })

const renderOutcome = (base: string, { language }: Words, { heading, said, next, command }: Outcome): string =>
  renderPage(
    { title: heading, language },
    <>
      <h1>{heading}</h1>
      {said && <p>{said}</p>}
      {command !== undefined && (
        <p>
          {next} <code>{commandAt(base, command)}</code>
        </p>
      )}
    </>,
  )
