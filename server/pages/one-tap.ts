import { pageStyleSource } from './page.ts'

const google = 'https://accounts.google.com/gsi'

/** Google's own script, once, with this page's own by a nonce; what it needs besides, and nothing else. */
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
 * Asks Google who it is, five times at the most, after 1, 2, 4 and 8 seconds: its script may not come, or not show itself.
 * Whoever closes it is not asked again. What comes back is sent by the page's own form.
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
const isUnseen = (moment) => moment.isSkippedMoment?.() || moment.isNotDisplayed?.()
const ask = (tries, delay) => {
  const again = () => { if (tries > 1) setTimeout(ask, delay, tries - 1, delay * 2) }
  load().then(() => google.accounts.id.prompt((moment) => { if (isUnseen(moment)) again() }), again)
}
ask(5, 1000)
`
