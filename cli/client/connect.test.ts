import { expect, it } from 'vitest'
import { proxyOf } from './connect.ts'

it.each([
  [{ HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }, { https: { name: 'HTTPS_PROXY', url: 'http://a' } }],
  [{ HTTPS_PROXY: '', https_proxy: 'http://b' }, { https: { name: 'https_proxy', url: 'http://b' } }],
  [{ HTTP_PROXY: 'http://a', http_proxy: 'http://b' }, { http: { name: 'HTTP_PROXY', url: 'http://a' } }],
  [{ http_proxy: 'http://b' }, { http: { name: 'http_proxy', url: 'http://b' } }],
  [{ NO_PROXY: 'a', no_proxy: 'b' }, { no: 'a' }],
  [{ NO_PROXY: '', no_proxy: 'b' }, { no: 'b' }],
])('of the variables %j the proxy is %j', (env, proxy) => {
  expect(proxyOf({ env })).toEqual({ https: undefined, http: undefined, no: undefined, ...proxy })
})
