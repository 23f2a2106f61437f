import type { Reply, Visitor } from '../../testing/visitor.ts'

/** Where the form of the reset page goes. */
export const formPath = '/page/reset-password'

/** What a browser adds to the form of a page of its own origin. */
export const ownForm = { origin: 'http://localhost:4100', 'sec-fetch-site': 'same-origin' }

/** Sends a form as a browser does. */
export const sendForm = (
  visitor: Visitor,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = ownForm,
): Promise<Reply> => sendFormTo(formPath, visitor, fields, headers)

/** The same to another page. */
export const sendFormTo = (
  path: string,
  visitor: Visitor,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = ownForm,
): Promise<Reply> => {
  const body = new URLSearchParams(fields).toString()
  const type = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
  }
  return visitor.send(path, { method: 'POST', body, headers: { ...type, ...headers } })
}

/** Presses a button of the page that shows the browser's request, which names it. */
export async function decideInBrowser(browser: Visitor, fields: Readonly<Record<string, string>>): Promise<Reply> {
  const { text } = await browser.get('/page/device/request')
  const [, request = ''] = /name="request" value="([^"]*)"/.exec(text) ?? []
  return sendFormTo('/page/device/decision', browser, { request, ...fields })
}
