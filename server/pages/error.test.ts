import { describe, expect, it } from 'vitest'
import { redirectErrors } from '../../shared/errors.ts'
import { useTestService } from '../testing/use-service.ts'
import { payloads } from './testing/payloads.ts'

const service = useTestService()

const page = (error?: string) =>
  service.visitor().get(error === undefined ? '/error' : `/error?${new URLSearchParams({ error }).toString()}`)
const shownCode = (text: string) => /<code id="errorCode">([^<]*)<\/code>/.exec(text)?.[1]
const shownText = (text: string) => /<p>([^<]*)<\/p>/.exec(text)?.[1]
const unescape = (text = '') => text.replaceAll('&#x27;', "'").replaceAll('&amp;', '&')

describe('the error page', () => {
  it.each(Object.entries(redirectErrors))('explains %s in a fixed sentence', async (code, sentence) => {
    const { status, text, headers } = await page(code)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect([shownCode(text), unescape(shownText(text))]).toEqual([code, sentence])
  })

  it('says of a ban what the settings say', async () => {
    const other = await service.sibling({ BANNED_USER_MESSAGE: 'Write to help@example.com' })
    expect(shownText((await other.visitor().get('/error?error=banned')).text)).toBe('Write to help@example.com')
  })

  it.each(['access_denied', 'user_cancelled_login', 'user_cancelled_authorize'])(
    'says of %s that the person declined',
    async (code) => {
      const { text } = await page(code)
      expect([shownCode(text), shownText(text)]).toEqual([code, expect.stringMatching(/^You declined at the provider/)])
    },
  )

  it.each([
    ['invalid_code', 'or it did not answer'],
    ['unable_to_link_account', 'or you are no longer signed in where you began'],
  ])('blames by %s nothing that may not be so', async (code, said) => {
    expect((await page(code)).text).toContain(said)
  })

  it.each(['some_other_code', 'ACCESS_DENIED', 'a', 'x'.repeat(64)])(
    'shows %s, which looks like a code',
    async (code) => {
      const { text } = await page(code)
      expect([shownCode(text), shownText(text)]).toEqual([code, 'Something went wrong. Start again.'])
    },
  )

  it.each([
    undefined,
    '',
    'two words',
    'code1',
    'x'.repeat(65),
    'é',
    'constructor()',
    'a-b',
    'a.b',
    '../x',
    ...payloads,
  ])('shows nothing of %s', async (given) => {
    const { status, text } = await page(given)
    expect([status, shownCode(text)]).toEqual([200, 'Unknown'])
    expect(text).toBe((await page('?')).text)
  })

  it.each(['toString', '__proto__', 'constructor', 'hasOwnProperty'])(
    'has no text for %s, which objects inherit',
    async (name) => {
      expect(shownText((await page(name)).text)).toBe('Something went wrong. Start again.')
    },
  )

  it('shows no description that a stranger wrote', async () => {
    const { text } = await service
      .visitor()
      .get('/error?error=no_code&error_description=Call%20555-0100&error_uri=//evil.test')
    expect(text).toBe((await page('no_code')).text)
  })

  it('leads back to the start', async () => expect((await page()).text).toContain('<a href="/">'))
})
