import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it, vi } from 'vitest'
import { slack } from '../../../server/testing/slack.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { codeBlocks } from './markdown.ts'
import { readPage, root } from './pages.ts'

// The compiler reads all types of a client.
vi.setConfig({ testTimeout: 60_000 * slack })

const page = readPage('docs/applications.md')
const sampleWith = (word: string) => codeBlocks(page).find(({ text }) => text.includes(word))?.text ?? ''
const sample = sampleWith('inferAdditionalFields')
const [request = ''] = /auth\.\$fetch\('[^`]+/.exec(page) ?? []

/** What is wrong with a program in TypeScript whose `better-auth` is the client of this package. */
function problemsOf(client: string, text: string): string[] {
  const folder = temporaryFolder('sample')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules', client), join(folder, 'node_modules/better-auth'))
  for (const name of ['react', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const file = join(folder, 'sample.tsx')
  writeFileSync(file, text)
  const [module, jsx] = [ts.ModuleKind.NodeNext, ts.JsxEmit.ReactJSX]
  const program = ts.createProgram([file], { noEmit: true, strict: true, skipLibCheck: true, module, jsx, types: [] })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

it.each(['better-auth', 'better-auth-1.7'])(
  'what the page shows of fields compiles with %s, which knows them',
  (client) => {
    const given = 'declare const email: string, name: string, password: string'
    const wanted = 'export const texts: (string | undefined)[] = [data?.user.company, data?.user.plan]'
    const mistake = "export const count = client.updateUser({ newsletter: 'often' })"
    expect(
      problemsOf(client, [given, sample, wanted, `await ${request.replace('auth', 'client')}`].join('\n')),
    ).toEqual([])
    expect(problemsOf(client, [given, sample, mistake].join('\n'))).toEqual([expect.stringContaining('not assignable')])
  },
)

it.each(['better-auth', 'better-auth-1.7'])(
  'the hooks and permissions that the page shows compile with %s',
  (client) => {
    const again = 'export const again = () => [auth.useSession(), auth.useListOrganizations(), auth.useActiveMember()]'
    const refetched = `${again}.map(({ refetch }) => refetch)`
    expect(problemsOf(client, [sampleWith('useSession'), refetched].join('\n'))).toEqual([])
    const permissions = sampleWith('createAccessControl')
    const given = 'declare function showButton(): void'
    const mistake =
      "export const wrong = () => auth.organization.hasPermission({ permissions: { projekt: ['create'] } })"
    expect(problemsOf(client, [given, permissions].join('\n'))).toEqual([])
    expect(problemsOf(client, [given, permissions, mistake].join('\n'))).toEqual([expect.stringContaining('projekt')])
  },
)
