import { redirectErrors } from '../../shared/errors.ts'
import { renderPage } from './render.tsx'

/** Codes of the catalogue have a text of ours; another one is shown only if it looks like a code. React escapes it. */
export const renderErrorPage = (given = 'Unknown'): string => {
  const isKnown = Object.hasOwn(redirectErrors, given)
  const text = isKnown ? redirectErrors[given as keyof typeof redirectErrors] : 'Something went wrong. Start again.'
  const code = isKnown || /^[a-z_]{1,64}$/i.test(given) ? given : 'Unknown'
  return renderPage(
    'Error',
    <>
      <h1>This did not work</h1>
      <p>{text}</p>
      <p>
        Code: <code id="errorCode">{code}</code>
      </p>
      <p>
        <a href="/">Back to the start</a>
      </p>
    </>,
  )
}
