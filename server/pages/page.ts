import { createHash } from 'node:crypto'

/** The one style of all pages: readable, calm, no outside resource. */
export const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { max-width: 32rem; padding: 2rem }
h1 { font-size: 1.25rem; margin: 0 0 .5rem }
code { font-family: ui-monospace, monospace; padding: .1rem .3rem; border: 1px solid; border-radius: .25rem; opacity: .8; overflow-wrap: anywhere }
form { display: grid; gap: 1rem; margin: 1rem 0 }
label { display: grid; gap: .25rem }
input, button { font: inherit; padding: .5rem }
`

const hash = createHash('sha256').update(pageStyle).digest('base64')

/** Nothing runs, nothing loads but our own style, nobody frames, forms stay here. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
