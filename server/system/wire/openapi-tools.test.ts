import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'
import { type OpenApiDocument, readOpenApi } from '../../testing/openapi-document.ts'
import { useTestService } from '../../testing/use-service.ts'

// The OpenAPI document in the hands of the tools that people use on it.

const service = useTestService({ BASE_URL: 'https://id.postern.test' })
let document: OpenApiDocument
beforeAll(async () => {
  document = await readOpenApi(service)
})

it('a linter with its recommended rules complains only of calls that can do nothing but redirect', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  const told = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
  expect(told).toEqual([
    'operation-2xx-response #/paths/~1reset-password~1{token}/get/responses',
    'operation-2xx-response #/paths/~1callback~1{id}/get/responses',
    'operation-2xx-response #/paths/~1callback~1{id}/post/responses',
  ])
})

/** What an application's developer writes against the generated types. Each comment expects the compiler to refuse. */
const application = `
import createClient from 'openapi-fetch'
import type { components, paths } from './postern.d.ts'

type User = components['schemas']['User']
export const api = createClient<paths>({ baseUrl: 'https://id.postern.test/api/auth' })

export async function signIn(email: string, password: string): Promise<User> {
  const { data, error } = await api.POST('/sign-in/email', { body: { email, password } })
  if (data) return data.user
  if ('code' in error && error.code === 'INVALID_EMAIL_OR_PASSWORD') throw new Error('Wrong password')
  // @ts-expect-error A code that this call never answers.
  if ('code' in error && error.code === 'USER_IS_PURPLE') throw new Error('Impossible')
  throw new Error(error.message)
}

export async function list(): Promise<string[]> {
  const { data = [] } = await api.GET('/organization/list', { params: { query: { limit: 10, offset: 0 } } })
  // @ts-expect-error A field that no organization has.
  data.map(({ colour }) => colour)
  return data.map(({ name, slug }) => name + slug)
}

// @ts-expect-error The password is missing.
export const incomplete = () => api.POST('/sign-in/email', { body: { email: 'ann@example.com' } })
`

it('the types that a generator makes of it compile, and know the codes of each call', async () => {
  const cache = new URL('../../../node_modules/.cache/', import.meta.url).pathname
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'openapi-'))
  try {
    await writeFile(join(folder, 'postern.d.ts'), astToString(await openapiTS(JSON.stringify(document))))
    await writeFile(join(folder, 'application.ts'), application)
    expect(complaintsAbout(join(folder, 'application.ts'))).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})

function complaintsAbout(file: string): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipDefaultLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    types: [],
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  }
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText, start }) => `${start}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
}
