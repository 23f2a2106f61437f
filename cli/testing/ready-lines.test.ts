import { execFileSync } from 'node:child_process'
import { beforeAll, expect, it } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { createRunner } from './run-cli.ts'
import { useOwnService, usePerson } from './use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')
/** What a shell would read as something else. */
const odd = `Acme's "$HOME"; echo`

beforeAll(async () => {
  await ann(['org', 'create', odd, '--slug', 'odd'])
  await ann(['team', 'create', `2 ${odd}`])
  await ann('org create Other --slug other')
})

/** The words of a line as a POSIX shell reads them. */
const wordsOf = (line: string): readonly string[] =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
const lineIn = (stderr: string): string =>
  /^(?:.*: )?(postern .+)$/.exec(stderr.trimEnd().split('\n').at(-1)?.trim() ?? '')?.[1] ?? ''

const cases: readonly { readonly code: number; readonly argv: readonly string[]; readonly stdin?: string }[] = [
  { code: 14, argv: ['team', 'delete', `2 ${odd}`, '--no-input'] },
  { code: 6, argv: ['team', 'edit', 'nothing', '--name', 'X'] },
  { code: 6, argv: ['member', 'view', 'nobody@example.com'] },
  { code: 6, argv: ['invitation', 'view', 'nothing'] },
  { code: 6, argv: ['key', 'view', 'nothing'] },
  { code: 6, argv: ['key', 'trust', 'delete', 'nothing', '--yes'] },
  { code: 2, argv: ['role', 'check', 'membr:create'] },
  { code: 6, argv: ['role', 'check', 'member:create', '--as', 'king'] },
  { code: 6, argv: ['org', 'view', 'nothing'] },
  { code: 6, argv: ['session', 'view', 'nothing'] },
  { code: 6, argv: ['session', 'revoke', '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'] },
  { code: 6, argv: ['account', 'link', 'remove', 'google', '--yes'] },
  { code: 6, argv: ['invitation', 'create', '-', '--role', 'member', '--team', 'nothing'], stdin: 'a@example.com\n' },
]

it.each(cases)(
  'the line that $argv ends with runs as it is, in the same organization of the same service',
  async ({ argv, code, stdin = '' }) => {
    // Nothing in the environment says where and whose: the line has to.
    const machine = createRunner({ env: { POSTERN_STATE_DIR: ann.env.POSTERN_STATE_DIR } })
    const refused = await machine([...argv, '--url', service.url, '--org', odd], { stdin })
    const line = lineIn(refused.stderr)
    expect([refused.code, line]).toEqual([code, expect.stringContaining(`--url ${service.url}`)])
    const [, ...words] = wordsOf(line)
    const { code: then, stderr } = await machine(words)
    expect([line, then, stderr]).toEqual([line, 0, expect.any(String)])
  },
)

it('what may follow names the service too', async () => {
  const machine = createRunner()
  const argv = ['sign-up', '--email', 'bo@example.com', '--name', 'Bo', '--password-file', '-', '--no-sign-in']
  const { stderr } = await machine([...argv, '--url', service.url], { stdin: testPassword })
  expect(stderr).toBe(`Sign in: postern sign-in --email bo@example.com --url ${service.url}\n`)
  const status = await machine(`auth status --url ${service.url}`)
  expect(status.stderr).toBe(`Sign in: postern sign-in --url ${service.url}\n`)
})

it('a service that is called by another address than its own says which one counts', async () => {
  const url = service.url.replace('localhost', '127.0.0.1')
  const machine = createRunner({ env: { POSTERN_URL: url } })
  const argv = ['sign-up', '--email', 'eve@example.com', '--name', 'Eve', '--password-file', '-']
  const { code, error } = await machine([...argv, '--json'], { stdin: testPassword })
  expect([code, error?.code, error?.hint]).toEqual([5, 'INVALID_ORIGIN', expect.stringContaining('its BASE_URL')])
})
