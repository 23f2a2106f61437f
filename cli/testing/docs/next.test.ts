import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { useTestService, useWire } from '../../../server/testing/use-service.ts'
import { cookieHeader } from '../../../server/testing/visitor.ts'
import { codeBlocks } from './markdown.ts'
import { readPage, root } from './pages.ts'

const service = useTestService()
const wire = useWire(service)

interface Application {
  readonly findSession: () => Promise<unknown>
  readonly proxy: (request: Request) => string
}

/** What the samples take of Next.js. It calls the answer of a proxy by a name. */
const next = {
  'headers.js': 'export const headers = async () => globalThis.visitor',
  'server.js': "export const NextResponse = { next: () => 'page', redirect: ({ pathname }) => pathname }",
  'package.json': '{ "type": "module", "exports": { "./*": "./*.js" } }',
}

/** The samples of docs/applications.md for Next.js, with a client of better-auth. */
async function openApplication(client: string): Promise<Application> {
  const folder = temporaryFolder('next')
  mkdirSync(join(folder, 'node_modules/next'), { recursive: true })
  symlinkSync(join(root, 'node_modules', client), join(folder, 'node_modules/better-auth'))
  for (const [name, text] of Object.entries(next)) writeFileSync(join(folder, 'node_modules/next', name), text)
  const samples = codeBlocks(readPage('docs/applications.md')).filter(({ text }) => text.includes("from 'next/"))
  const text = samples.map((sample) => sample.text.replace('http://localhost:4100', wire.origin)).join('\n')
  const target = ts.ScriptTarget.ESNext
  writeFileSync(join(folder, 'application.mjs'), ts.transpile(text, { target, module: ts.ModuleKind.ESNext }))
  return (await import(pathToFileURL(join(folder, 'application.mjs')).href)) as Application
}

it.each(['better-auth', 'better-auth-1.7'])(
  'the samples for Next.js tell who is signed in, with %s',
  async (client) => {
    const { findSession, proxy } = await openApplication(client)
    const ann = await service.person()
    const visit = async (cookie: string) => {
      const visitor = new Headers({ cookie })
      Object.assign(globalThis, { visitor })
      return [proxy(new Request('http://localhost:3000/dashboard', { headers: visitor })), await findSession()]
    }
    expect(await visit('')).toEqual(['/sign-in', null])
    expect(await visit(cookieHeader(ann.cookies))).toEqual([
      'page',
      expect.objectContaining({ user: expect.objectContaining({ email: ann.email }) }),
    ])
  },
)
