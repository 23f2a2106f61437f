import { renderPage } from './render.tsx'
import { isKnownCode, redirectSentence } from './sentence.ts'

/** Known codes have our own text. An unknown one is shown only if it looks like a code. React escapes it. */
export const renderErrorPage = (given = 'Unknown'): string => {
  const code = isKnownCode(given) || /^[a-z_]{1,64}$/i.test(given) ? given : 'Unknown'
  return renderPage(
    'Error',
    <>
      <h1>This did not work</h1>
      <p>{redirectSentence(given)}</p>
      <p>
        Code: <code id="errorCode">{code}</code>
      </p>
      <p>
        <a href="/">Back to the start</a>
      </p>
    </>,
  )
}
