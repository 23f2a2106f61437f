import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useBrowser } from '../../testing/browser.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { freePort } from '../../testing/ports.ts'
import { personAt } from '../../testing/social.ts'
import { useStarted, useTestService, useWire } from '../../testing/use-service.ts'

const root = join(import.meta.dirname, '../../..')
const clients = ['better-auth', 'better-auth-1.7'] as const

const [port, servicePort] = [await freePort(), await freePort()]
const origin = `http://localhost:${port}`
const base = `http://localhost:${servicePort}`
const provider = useStarted(() => startOpenIdProvider({ redirectUris: [`${origin}/unused`] }))
const service = useTestService(() => ({ BASE_URL: base, TRUSTED_ORIGINS: origin, ...provider.settings('GOOGLE') }))
useWire(service, servicePort)
const browser = useBrowser()
let pages: Server
beforeAll(async () => {
  const scripts = new Map<string, string>(
    await Promise.all(clients.map(async (client) => [`/${client}.js`, await bundle(client)] as const)),
  )
  pages = createServer(({ url = '' }, response) => {
    const script = scripts.get(url)
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
    response.end(script ?? `<!doctype html><title>page</title><script type="module" src="${url}.js"></script>`)
  }).listen(port, 'localhost')
})
afterAll(() => pages?.close())

/** A page's script with the client as its users have it. */
async function bundle(client: string): Promise<string> {
  const source = `
    import { createAuthClient } from '${client}/client'
    import { oneTapClient } from '${client}/client/plugins'
    window.auth = createAuthClient({ baseURL: '${base}', plugins: [oneTapClient({ clientId: 'postern' })] })
  `
  const built = await rolldown({
    input: 'page',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : null),
        load: (id) => (id === 'page' ? source : null),
      },
    ],
    resolve: { modules: ['node_modules', join(root, 'node_modules')] },
    cwd: root,
    platform: 'browser',
    logLevel: 'silent',
  })
  const { output } = await built.generate({ format: 'esm', codeSplitting: false })
  return output[0].code
}

/** In place of Google's script, which says at once who it is. */
const google = (token: string) => `
  let options
  window.google = { accounts: { id: {
    initialize: (given) => { options = given },
    prompt: () => options.callback({ credential: ${JSON.stringify(token)} }),
  } } }
`

async function open(client: string, token: string): Promise<Page> {
  const page = await browser.newPage()
  await page.route('https://accounts.google.com/gsi/client', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: google(token) }),
  )
  await page.goto(`${origin}/${client}`)
  await page.waitForFunction('window.auth !== undefined')
  return page
}

const userOn = (page: Page) => page.evaluate('window.auth.getSession().then(({ data }) => data?.user.email ?? null)')
const tap = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const told = { onSuccess: () => resolve('done'), onError: ({ error }) => resolve(error.status) }
    window.auth.oneTap({ fetchOptions: told })
  })`)

it.each(clients)('%s signs in by One Tap in a browser, without a cookie that scripts can read', async (client) => {
  const ann = personAt()
  const page = await open(client, await provider.sign({ ...ann }))
  expect([await userOn(page), await tap(page), await userOn(page)]).toEqual([null, 'done', ann.email])
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.evaluate('window.auth.signOut()')
  expect(await userOn(page)).toBeNull()
})

it.each(clients)('%s is told that a token of somebody else than the provider is not valid', async (client) => {
  const page = await open(client, `${(await provider.sign({ ...personAt() })).slice(0, -8)}AAAAAAAA`)
  expect([await tap(page), await userOn(page)]).toEqual([400, null])
})
