import { expect, test } from 'vitest'
import { clientErrorOf } from './client-error.ts'

const origin = 'https://id.example.com'
const network = 'Check the network, the URL and HTTPS_PROXY'

test.each([
  ['ENOTFOUND', `The host of ${origin} is not known`, 'Check the URL and your DNS'],
  ['EAI_AGAIN', `The host of ${origin} cannot be looked up now`, 'Check the network'],
  ['EPROTO', `${origin} does not speak https (EPROTO)`, 'Check the URL and its port'],
  ['ENETUNREACH', `Cannot ask ${origin} (ENETUNREACH)`, network],
])('%s is told in words, with what to do', (code, message, hint) => {
  const fault = Object.assign(new Error('no'), { code })
  expect(clientErrorOf(origin, fault, 'GET')).toMatchObject({ name: 'NetworkError', message, hint })
  expect(clientErrorOf(origin, new TypeError('failed', { cause: fault }), 'GET')).toMatchObject({ hint })
})
