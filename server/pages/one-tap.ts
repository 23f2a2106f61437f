import { pageStyleSource } from './page.ts'

const google = 'https://accounts.google.com/gsi'

/** Allows Google's script, this page's own script by its nonce, and what those need. */
export const oneTapPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${pageStyleSource} ${google}/style`,
    `frame-src ${google}/`,
    `connect-src ${google}/`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Asks Google for the identity up to five times, after 1, 2, 4 and 8 seconds, because its script may not load or not
 * show its prompt. Nobody who closed the prompt is asked again: Google calls that skipped, too. The page's own form sends
 * the result.
 */
export const oneTapScript = `
const { nonce } = document.currentScript
const form = document.getElementById('one-tap')
const begin = () => google.accounts.id.initialize({
  client_id: form.dataset.client,
  nonce: form.dataset.nonce,
  context: 'signin',
  callback: ({ credential }) => {
    form.elements.idToken.value = credential
    form.submit()
  },
})
let loading
const load = () => loading ??= new Promise((resolve, reject) => {
  const script = document.createElement('script')
  script.nonce = nonce
  script.src = '${google}/client'
  script.onload = () => resolve(begin())
  script.onerror = () => { loading = undefined; script.remove(); reject() }
  document.head.append(script)
})
const isClosed = (moment) => ['user_cancel', 'tap_outside'].includes(moment.getSkippedReason?.())
const isUnseen = (moment) => moment.isNotDisplayed?.() || (moment.isSkippedMoment?.() && !isClosed(moment))
const ask = (tries, delay) => {
  const again = () => { if (tries > 1) setTimeout(ask, delay, tries - 1, delay * 2) }
  load().then(() => google.accounts.id.prompt((moment) => { if (isUnseen(moment)) again() }), again)
}
ask(5, 1000)
`
