import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { pageStyle } from './page.ts'

/** A whole document around escaped content; nothing in it runs. `leadTo`: where the browser goes at once by itself. */
export const renderPage = (title: string, content: ReactNode, leadTo: string | null = null): string =>
  `<!doctype html>${renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        {leadTo !== null && <meta httpEquiv="refresh" content={`0;url=${leadTo}`} />}
        <title>{title}</title>
        {/* Fixed text of ours, so that the policy can name its hash; React would escape it otherwise. */}
        <style dangerouslySetInnerHTML={{ __html: pageStyle }} />
      </head>
      <body>
        <main>{content}</main>
      </body>
    </html>,
  )}`
