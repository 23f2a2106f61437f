import { hash } from 'node:crypto'

/** The style of all pages: readable, calm, no external resource. */
export const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --ink: #171a21; --dim: #555d6b; --ground: #f3f4f7; --sheet: #fff; --line: #8a92a1; --act: #1d4ed8; --on-act: #fff; --warn: #a61b1b }
@media (prefers-color-scheme: dark) { :root { --ink: #eceef3; --dim: #b0b7c4; --ground: #12141a; --sheet: #1b1e26; --line: #737c8c; --act: #9dbcff; --on-act: #10141f; --warn: #ffaba3 } }
* { box-sizing: border-box }
[hidden] { display: none }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; color: var(--ink); background: var(--ground) }
main { max-width: 32rem; width: 100%; padding: 2rem; background: var(--sheet); overflow-wrap: anywhere }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .75rem }
h2 { font-size: 1rem; margin: 1.5rem 0 0 }
a { color: var(--act) }
code { font-family: ui-monospace, monospace; padding: .1rem .3rem; border: 1px solid var(--line); border-radius: .25rem }
form { display: grid; gap: 1rem; margin: 1.25rem 0 }
label { display: grid; gap: .25rem; font-weight: 600 }
input, button { font: inherit; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem }
input { color: inherit; background: transparent; font-weight: 400 }
button { font-weight: 600; color: var(--on-act); background: var(--act); border-color: var(--act); cursor: pointer }
button.plain { color: var(--ink); background: transparent; border-color: var(--line) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
dl { margin: 1.25rem 0; border-top: 1px solid var(--line) }
dl div { padding: .5rem 0; border-bottom: 1px solid var(--line) }
dt { font-size: .875rem; color: var(--dim) }
dd { margin: 0 }
[role=alert] { color: var(--warn); font-weight: 600 }
.where { margin: 0 0 1rem; font-size: .875rem; color: var(--dim) }
.address { color: var(--dim) }
.code { font: 600 1.5rem/1.5 ui-monospace, monospace; letter-spacing: .1em; text-transform: uppercase }
.code::placeholder { color: var(--dim); opacity: 1; font-weight: 400 }
@media (min-width: 40rem) { main { border-radius: 1rem; border: 1px solid var(--line); margin: 2rem } .choice { display: grid; grid-template-columns: 1fr 1fr; column-gap: 1rem } }
@media (max-width: 39.99rem) { body { place-items: start center; background: var(--sheet) } main { padding: 1.5rem 1.25rem } }
`

const styleHash = hash('sha256', pageStyle, 'base64')

/** The source of our style in a Content-Security-Policy. */
export const pageStyleSource = `'sha256-${styleHash}'`

/** Nothing runs, nothing loads but our own style, nobody may frame the page, and forms stay here. */
export const pagePolicy = `default-src 'none'; style-src ${pageStyleSource}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
