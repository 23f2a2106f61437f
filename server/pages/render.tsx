import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { pageStyle } from './page.ts'

/** A complete document around escaped content, without scripts. `leadTo`: where the browser goes at once. */
export const renderPage = (title: string, content: ReactNode, leadTo: string | null = null): string =>
  `<!doctype html>${renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        {leadTo !== null && <meta httpEquiv="refresh" content={`0;url=${leadTo}`} />}
        <title>{title}</title>
        {/* Our own fixed text, unescaped so that the policy can name its hash; React would escape it. */}
        <style dangerouslySetInnerHTML={{ __html: pageStyle }} />
      </head>
      <body>
        <main>{content}</main>
      </body>
    </html>,
  )}`
