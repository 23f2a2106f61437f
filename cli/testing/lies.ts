import type { Exchange } from './recording.ts'

/** What a server answers in place of the truth; undefined where that would be no lie. */
export type Lie = (exchange: Exchange) => Response | undefined

const typed = (text: string, type = 'application/json'): Response =>
  new Response(text, { headers: { 'content-type': type } })
const json = (body: unknown): Response => typed(JSON.stringify(body))
const page = '<!doctype html><p>Hello'
const stranger = '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'
const id = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

export const lies: Readonly<Record<string, Lie>> = {
  'another object': () => json({ hello: 'world' }),
  'an empty list': () => json([]),
  'a list of nothing': () => json([null]),
  null: () => json(null),
  'a text': () => json('text'),
  'a page': () => typed(page, 'text/html'),
  'a page that says it is JSON': () => typed(page),
  nothing: () => typed(''),
  'half of it': ({ text }) => (text.length < 4 ? undefined : typed(text.slice(0, text.length / 2))),
  'a list of it': ({ text }) => json([JSON.parse(text)]),
  'an object with it': ({ text }) => json({ answer: JSON.parse(text) }),
  'somebody else': ({ asked, text }) => {
    const others = text
      .replaceAll(id, (one) => (asked.includes(one) ? stranger : one))
      .replaceAll(/[a-z]+@example\.com/g, (one) => (asked.includes(one) ? 'stranger@example.com' : one))
    return others === text ? undefined : typed(others)
  },
  'that it was not done': ({ isReading, text }) => {
    const refused = text.replaceAll(/"(status|success)":true/g, '"$1":false')
    return isReading || refused === text ? undefined : typed(refused)
  },
}
