import { wireFor } from '../../shared/client-api.ts'
import { isRedirectError } from '../../shared/errors.ts'
import { codeInBody, type Failure, wireOf } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { fill, type Words, waitText, wordsOf } from '../languages/words.ts'
import { HookRefusal } from '../settings/hook-refusal.ts'
import { Filled, renderPage } from './render.tsx'
import { redirectSentence } from './sentence.ts'

/** Known codes have our own text. An unknown one is shown only if it looks like a code. React escapes it. */
export const renderErrorPage = (words: Words, given = 'Unknown'): string => {
  const code = isRedirectError(given) || /^[a-z_]{1,64}$/i.test(given) ? given : 'Unknown'
  return pageOf(words, { code, said: redirectSentence(words, given), leadsOn: true })
}

/** For whoever opened an address in a browser that answers with a failure, and has no page that explains it. */
export function renderFailurePage(
  config: Pick<Config, 'BASE_URL' | 'CLIENT_API'>,
  words: Words,
  failure: Failure | HookRefusal,
  path: string,
): string {
  if (failure instanceof HookRefusal) return pageOf(words, { code: failure.code, said: failure.message })
  const code = codeInBody(wireFor(config.CLIENT_API, path, failure).body) ?? failure.failure
  const text = failure.failure === 'BANNED_USER' ? words.redirect.banned : textOf(words, failure)
  return pageOf(words, {
    code,
    said: fill(text, { base: config.BASE_URL.origin, wait: waitText(words, failure.retryAfter) }),
  })
}

function textOf(words: Words, { failure, field, retryAfter }: Failure): string {
  // An interrupted request has no time after which it helps to repeat it.
  const isOver = failure === 'SERVICE_UNAVAILABLE' && retryAfter === undefined
  if (isExplained(failure) && !isOver) return words.refused[failure]
  const { status, body } = wireOf(failure, field)
  return redirectSentence(words, status >= 500 ? 'internal_server_error' : (codeInBody(body) ?? failure).toLowerCase())
}

const isExplained = (failure: string): failure is keyof Words['refused'] =>
  Object.hasOwn(wordsOf('en').refused, failure)

interface ErrorView {
  readonly code: string
  readonly said: string
  /** Whether the application's first page helps. */
  readonly leadsOn?: boolean
}

/** Of 200 failures, so that React does not make each page of a flood that is refused. */
const made = new Map<string, string>()

function pageOf(words: Words, view: ErrorView): string {
  const key = JSON.stringify([words.language, view])
  const known = made.get(key)
  if (known !== undefined) return known
  if (made.size >= 200) made.clear()
  const page = renderError(words, view)
  made.set(key, page)
  return page
}

const renderError = ({ error, language }: Words, { code, said, leadsOn = false }: ErrorView): string =>
  renderPage(
    { title: error.title, language },
    <>
      <h1>{error.heading}</h1>
      <p>{said}</p>
      <p>
        <Filled text={error.code} code={<code id="errorCode">{code}</code>} />
      </p>
      {leadsOn && (
        <p>
          <a href="/">{error.start}</a>
        </p>
      )}
    </>,
  )
