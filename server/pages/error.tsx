import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { redirectErrors } from '../../shared/errors.ts'
import { style } from './page.ts'

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

const renderPage = (title: string, content: ReactNode): string =>
  `<!doctype html>${renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{title}</title>
        {/* Fixed text of ours, so that the policy can name its hash; React would escape it otherwise. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>{content}</main>
      </body>
    </html>,
  )}`
