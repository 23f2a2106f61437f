import { randomUUID } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAuthClient } from 'better-auth/client'
import { multiSessionClient } from 'better-auth/client/plugins'
import { afterEach, expect, it, vi } from 'vitest'
import { createFetch } from '../../../server/testing/reference-client.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { useTestService, useWire } from '../../../server/testing/use-service.ts'
import { listenTo } from '../../../server/testing/wire.ts'
import { codeBlocks } from './markdown.ts'
import { readPage, root } from './pages.ts'

const service = useTestService()
const wire = useWire(service)
afterEach(() => vi.unstubAllGlobals())

interface Application {
  readonly signUp: (name: string, email: string, password: string) => Promise<unknown>
  readonly signIn: (email: string, password: string) => Promise<unknown>
  readonly signOut: () => Promise<unknown>
  readonly load: () => Promise<{ readonly user: object; readonly organizations: readonly object[] } | null>
  readonly found: (name: string, slug: string, email: string) => Promise<unknown>
}

/** The application of README, as it stands there, with the cookies of a browser. */
async function openApplication(): Promise<Application> {
  const folder = temporaryFolder('application')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const [block] = codeBlocks(readPage('README.md')).filter(({ language }) => language === 'js')
  writeFileSync(join(folder, 'application.mjs'), block?.text ?? '')
  vi.stubGlobal('POSTERN_URL', wire.origin)
  vi.stubGlobal('fetch', createFetch().customFetchImpl)
  return (await import(pathToFileURL(join(folder, 'application.mjs')).href)) as Application
}

it("README's application signs people up, in and out, and founds an organization", async () => {
  const application = await openApplication()
  const [email, guest, slug] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`, randomUUID()]
  expect(await application.load()).toBe(null)
  await application.signUp('Ann', email, testPassword)
  expect(await application.load()).toMatchObject({ user: { name: 'Ann', email }, organizations: [] })
  expect(await application.found('Acme', slug, guest)).toMatchObject({
    email: guest,
    role: 'member',
    status: 'pending',
  })
  expect(await application.load()).toMatchObject({ organizations: [{ name: 'Acme', slug }] })
  await application.signOut()
  expect(await application.load()).toBe(null)
  await application.signIn(email, testPassword)
  expect(await application.load()).toMatchObject({ user: { email } })
})

it('and throws what the service refused, as README says', async () => {
  const application = await openApplication()
  const refused = application.signIn(`${randomUUID()}@example.com`, testPassword)
  await expect(refused).rejects.toMatchObject({ status: 401, error: { message: 'Invalid email or password' } })
})

it('the page changes between accounts as docs/applications.md shows, with the client of that page', async () => {
  const several = await service.sibling({ MULTI_SESSION: '5' })
  const listening = await listenTo(several)
  const [block] = codeBlocks(readPage('docs/applications.md')).filter(({ text }) => text.includes('listDeviceSessions'))
  const file = join(temporaryFolder('accounts'), 'change.mjs')
  writeFileSync(file, `export const change = async (auth) => { ${block?.text} }`)
  const { change } = (await import(pathToFileURL(file).href)) as { change: (auth: object) => Promise<void> }
  const auth = createAuthClient({
    baseURL: listening.origin,
    plugins: [multiSessionClient()],
    fetchOptions: { throw: true, customFetchImpl: createFetch().customFetchImpl },
  })
  const [first, second] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`]
  for (const email of [first, second]) await auth.signUp.email({ email, name: 'Ann', password: testPassword })
  await change(auth)
  expect(await auth.getSession()).toMatchObject({ user: { email: first } })
  await listening.stop()
})
