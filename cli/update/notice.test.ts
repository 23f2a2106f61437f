import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { version } from '../process/version.ts'
import { runBuilt } from '../testing/built.ts'
import { startPty } from '../testing/pty.ts'
import { bin } from '../testing/real-service.ts'
import { isNewer } from './notice.ts'

const found = '99.0.1'
const usualPath = process.env.PATH ?? ''
const asked: string[] = []
let registry: Server
let address: string
beforeAll(async () => {
  registry = createServer((request, response) => {
    asked.push(request.url ?? '')
    const dist = { tarball: `${address}/postern.tgz`, shasum: '0'.repeat(40) }
    const entry = { name: 'postern', version: found, dist }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: 'postern', 'dist-tags': { latest: found }, versions: { [found]: entry } }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => registry.close(resolve)))

/** A machine whose npm asks the registry of this test. */
function machine(more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder('update')
  const [state, programs, ended] = [join(folder, 'state', 'update'), join(folder, 'bin'), join(folder, 'ended')]
  // The real npm, which also tells when it is over: until then it may write into this folder.
  mkdirSync(programs)
  const script = `#!/bin/sh\nPATH='${usualPath}' npm "$@"\necho over >> '${ended}'\n`
  writeFileSync(join(programs, 'npm'), script, { mode: 0o755 })
  const env = {
    HOME: folder,
    PATH: `${programs}:${usualPath}`,
    POSTERN_CONFIG_DIR: join(folder, 'config'),
    POSTERN_STATE_DIR: join(folder, 'state'),
    POSTERN_UPDATE_NOTICE: 'on',
    npm_config_registry: address,
    npm_config_cache: join(folder, 'npm'),
    ...more,
  }
  const atTerminal = async (line = 'config list', also: Readonly<Record<string, string>> = {}) => {
    const terminal = startPty(process.execPath, [bin, ...line.split(' ')], { env: { ...env, ...also }, columns: 200 })
    await terminal.exit
    const text = await terminal.scrollback()
    terminal.close()
    return text
  }
  /** As if npm had found that one, as many hours ago. */
  const knows = (newest: string, hours = 1) => {
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'newest'), `${newest}\n`)
    ago('newest', hours)
  }
  const ago = (file: string, hours: number) => {
    const time = Date.now() / 1000 - 3600 * hours
    utimesSync(join(state, file), time, time)
  }
  const newest = () => readFileSync(join(state, 'newest'), 'utf8')
  const searches = () => (existsSync(ended) ? readFileSync(ended, 'utf8').split('\n').length - 1 : 0)
  return { env, atTerminal, knows, ago, newest, searches }
}

const notice = `postern ${found} is out, this is ${version}`

describe('a new version', () => {
  it('is looked for in the background, and told by a later command, each once a day', async () => {
    const { atTerminal, newest, ago, searches } = machine()
    expect(await atTerminal()).not.toContain('is out')
    await expect.poll(searches).toBe(1)
    expect([newest(), asked]).toEqual([`${found}\n`, ['/postern']])
    expect(await atTerminal()).toContain(notice)
    expect(await atTerminal()).not.toContain('is out')
    ago('told', 25)
    expect(await atTerminal()).toContain(notice)
    expect(asked).toHaveLength(1)
    ago('newest', 25)
    await atTerminal()
    await expect.poll(searches).toBe(2)
    expect([newest(), asked.length]).toEqual([`${found}\n`, 2])
  })

  it.each<[string, string, Record<string, string>]>([
    ['in CI', 'config list', { CI: 'true' }],
    ['under --json', 'config list --json', {}],
    ['under --ndjson', 'config list --ndjson', {}],
    ['with -o', 'config list -o yaml', {}],
    ['with -q', 'config list -q', {}],
    ['with --no-input', 'config list --no-input', {}],
    ['where it is off', 'config list', { POSTERN_UPDATE_NOTICE: 'off' }],
  ])('is neither told nor looked for %s', async (_, line, env) => {
    const { atTerminal, knows, newest } = machine()
    const before = asked.length
    knows(found, 48)
    expect(await atTerminal(line, env)).not.toContain('is out')
    expect([newest(), asked.length]).toEqual([`${found}\n`, before])
  })

  it('is neither told nor looked for unless somebody turned that on', async () => {
    const { atTerminal, knows, newest } = machine({ POSTERN_UPDATE_NOTICE: '' })
    const before = asked.length
    knows(found, 48)
    expect(await atTerminal()).not.toContain('is out')
    expect([newest(), asked.length]).toEqual([`${found}\n`, before])
  })

  it('is neither without a terminal, nor where a setting says so', async () => {
    const { env, atTerminal, knows, newest } = machine({ POSTERN_UPDATE_NOTICE: '' })
    knows(found)
    await runBuilt(['config', 'set', 'update-notice', 'on'], { env })
    const piped = await runBuilt(['config', 'list'], { env })
    expect([piped.code, piped.stderr.includes('is out')]).toEqual([0, false])
    expect(await atTerminal('version', { POSTERN_UPDATE_NOTICE: 'off' })).not.toContain('is out')
    expect(await atTerminal()).toContain(notice)
    expect(newest()).toBe(`${found}\n`)
  })

  it.each(['', version, '0.0.1', 'not a version', '99.0.1-beta.1', '99.0.1\u001b[31m'])('is none: %j', async (text) => {
    const { atTerminal, knows } = machine()
    knows(text)
    expect(await atTerminal()).not.toContain('is out')
  })

  it('that cannot be looked for, or be remembered, keeps no command from its work', async () => {
    const lost = machine({ npm_config_registry: 'http://127.0.0.1:1' })
    for (const { atTerminal } of [machine({ PATH: '/nowhere' }), machine({ POSTERN_STATE_DIR: '/dev/null/x' }), lost])
      expect(await atTerminal()).toMatch(/^Nothing is set: [^\n]*\n\s*$/)
    await expect.poll(lost.searches).toBe(1)
    expect(lost.newest()).toBe('')
  })
})

it.each([
  ['1.0.0', '0.9.9', true],
  ['0.10.0', '0.9.0', true],
  ['0.9.10', '0.9.9', true],
  ['0.9.9', '0.9.9', false],
  ['0.9.8', '0.10.0', false],
  ['1.0', '0.9.9', false],
  ['v1.0.0', '0.9.9', false],
])('%s is newer than %s: %s', (one, other, is) => {
  expect(isNewer(one, other)).toBe(is)
})
