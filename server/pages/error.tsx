import type { Words } from '../languages/words.ts'
import { Filled, renderPage } from './render.tsx'
import { isKnownCode, redirectSentence } from './sentence.ts'

/** Known codes have our own text. An unknown one is shown only if it looks like a code. React escapes it. */
export const renderErrorPage = (words: Words, given = 'Unknown'): string => {
  const code = isKnownCode(given) || /^[a-z_]{1,64}$/i.test(given) ? given : 'Unknown'
  const { error, language } = words
  return renderPage(
    { title: error.title, language },
    <>
      <h1>{error.heading}</h1>
      <p>{redirectSentence(words, given)}</p>
      <p>
        <Filled text={error.code} code={<code id="errorCode">{code}</code>} />
      </p>
      <p>
        <a href="/">{error.start}</a>
      </p>
    </>,
  )
}
