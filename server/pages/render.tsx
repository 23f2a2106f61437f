import { Fragment, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Language } from '../../shared/languages.ts'
import { pageStyle } from './page.ts'

interface PageOptions {
  readonly title: string
  readonly language: Language
  /** Where the browser goes at once. */
  readonly leadTo?: string | null
}

/** A complete document around escaped content, without scripts. */
export const renderPage = ({ title, language, leadTo = null }: PageOptions, content: ReactNode): string =>
  `<!doctype html>${renderToStaticMarkup(
    <html lang={language}>
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

/** A text whose places are filled with elements. */
export const Filled = ({ text, ...values }: { readonly text: string } & Readonly<Record<string, ReactNode>>) =>
  text
    .split(/\{(\w+)\}/)
    .map((part, index) => <Fragment key={`${index}`}>{index % 2 === 0 ? part : values[part]}</Fragment>)

/** One entry of a list of facts. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
