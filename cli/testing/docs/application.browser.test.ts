import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../server/testing/browser.ts'
import { lastMail } from '../../../server/testing/mails.ts'
import { freePort } from '../../../server/testing/ports.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { type OwnService, startOwnService } from '../own-service.ts'
import { codeBlocks } from './markdown.ts'
import { readPage, root } from './pages.ts'

let service: OwnService
let server: Server
let browser: OpenBrowser
let origin: string
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  service = await startOwnService({ TRUSTED_ORIGINS: origin })
  const verifying = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  const pages = new Map([
    ['', await bundlePage(service.url)],
    ['newer', await bundlePage(service.url, 'better-auth-1.7')],
    ['verifying', await bundlePage(verifying.url)],
    ['verifying-newer', await bundlePage(verifying.url, 'better-auth-1.7')],
    ['react', await bundleReact(service.url)],
    ['react-newer', await bundleReact(service.url, 'better-auth-1.7')],
  ])
  server = createServer(({ url = '' }, response) => {
    const [, folder = ''] = /^\/([\w-]+)\//.exec(url) ?? []
    const name = url.endsWith('/page.js') ? 'page.js' : 'index.html'
    response.setHeader('content-type', name === 'page.js' ? 'text/javascript' : 'text/html')
    response.end(readFileSync(join(pages.get(folder) ?? '', name)))
  }).listen(port, 'localhost')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.stop()
  server.close()
  await service.stop()
})

const blocks = codeBlocks(readPage('docs/applications.md'))
const textOf = (wanted: string) => blocks.find(({ language }) => language === wanted)?.text ?? ''

/** The page of docs/applications.md as it stands there, but for the address of the service and the client. */
const bundlePage = (url: string, client?: string): Promise<string> =>
  bundle({ 'index.html': textOf('html'), 'main.js': textOf('js') }, url, client)

/** The component of docs/applications.md, alone on a page. */
const bundleReact = (url: string, client?: string): Promise<string> => {
  const html = '<div id="root"></div><script type="module" src="page.js"></script>'
  const render =
    "import { createRoot } from 'react-dom/client'\ncreateRoot(document.querySelector('#root')).render(<Account />)"
  return bundle({ 'index.html': html, 'main.jsx': [textOf('tsx'), render].join('\n') }, url, client)
}

async function bundle(files: Record<string, string>, url: string, client = 'better-auth'): Promise<string> {
  const folder = temporaryFolder('page')
  for (const [name, text] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      text.replace('http://localhost:4100', url).replaceAll(/'better-auth(?=\/)/g, `'${client}`),
    )
  const [input = ''] = Object.keys(files).filter((name) => name.startsWith('main.'))
  const made = await rolldown({
    input: join(folder, input),
    resolve: { modules: ['node_modules', join(root, 'node_modules')] },
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  await made.write({ file: join(folder, 'page.js'), format: 'esm' })
  return folder
}

it('the page of an application signs somebody in, remembers them, and signs them out', async () => {
  const ann = await service.person('Ann')
  const page = await browser.newPage()
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await page.goto(origin)
  await says('Nobody is signed in')
  await page.fill('[name=email]', ann.email)
  await page.fill('[name=password]', 'not the password')
  await page.click('text=Sign in')
  await says('Invalid email or password')
  await page.fill('[name=password]', testPassword)
  await page.click('text=Sign in')
  await says('Hello Ann')
  await page.reload()
  await says('Hello Ann')
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.click('#out')
  await says('Nobody is signed in')
})

it.each([
  ['/', 'Cy'],
  ['/newer/', 'Di'],
])('the page at %s signs out somebody whose session another tab has ended', async (path, name) => {
  const { email } = await service.person(name)
  const page = await browser.newPage()
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await page.goto(`${origin}${path}`)
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', testPassword)
  await page.click('text=Sign in')
  await says(`Hello ${name}`)
  await page.context().clearCookies()
  await page.click('#out')
  await says('Nobody is signed in')
  expect(await page.locator('#out').isHidden()).toBe(true)
})

it.each([
  ['/react/', 'Gil'],
  ['/react-newer/', 'Hal'],
])('the component at %s shows nobody once their session has ended, wherever that was', async (path, name) => {
  const person = await service.person(name)
  await person(`org create ${name}works --slug ${name.toLowerCase()}works`)
  const page = await browser.newPage()
  await page.context().clearCookies()
  await page.goto(`${origin}${path}`)
  await page.getByText('Sign in', { exact: true }).waitFor()
  await page.evaluate(
    ([url, email, password]) =>
      fetch(`${url}/api/auth/sign-in/email`, {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      }),
    [service.url, person.email, testPassword],
  )
  await page.reload()
  await page.getByText(`${name} of ${name}works`).waitFor()
  await page.context().clearCookies()
  await page.click('text=Sign out')
  await page.getByText('Sign in', { exact: true }).waitFor()
  expect(await page.getByText(name).count()).toBe(0)
})

it('the page signs somebody up', async () => {
  const page = await browser.newPage()
  await page.goto(origin)
  await page.fill('[name=name]', 'Bo')
  await page.fill('[name=email]', 'bo@example.com')
  await page.fill('[name=password]', testPassword)
  await page.click('text=Sign up')
  await page.getByText('Hello Bo', { exact: true }).waitFor()
  expect(await page.evaluate('document.cookie')).toBe('')
})

it.each([
  ['/verifying/', 'Ed'],
  ['/verifying-newer/', 'Flo'],
])('the page at %s sends somebody whose address has to be verified to the mail', async (path, name) => {
  const page = await browser.newPage()
  await page.context().clearCookies()
  await page.goto(`${origin}${path}`)
  await page.fill('[name=name]', name)
  await page.fill('[name=email]', `${name.toLowerCase()}@example.com`)
  await page.fill('[name=password]', testPassword)
  await page.click('text=Sign up')
  await page.getByText('Open the link in your mail, then sign in', { exact: true }).waitFor()
  const { to, text } = await lastMail(service.service)
  expect(to).toBe(`${name.toLowerCase()}@example.com`)
  expect(text).toContain(`callbackURL=${encodeURIComponent(`${origin}${path}`)}`)
})

it.each(['/', '/newer/'])('the page says what may be wrong when nothing answers: %s', async (path) => {
  const page = await browser.newPage()
  await page.route('**/api/auth/**', (route) => route.abort())
  await page.goto(`${origin}${path}`)
  await page.getByText('No answer. Is the service running').waitFor()
  expect(await page.locator('#out').isHidden()).toBe(true)
})
