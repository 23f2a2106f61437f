import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { bin, type RealService, startRealService } from './real-service.ts'

const script = fileURLToPath(new URL('organizations.sh', import.meta.url))
const folder = temporaryFolder('script')
let service: RealService
let ended: { readonly code: number | null; readonly stderr: string }

beforeAll(async () => {
  service = await startRealService({ RATE_LIMIT: 'off', SEND_VERIFICATION_ON_SIGN_UP: 'on' })
  symlinkSync(bin, join(folder, 'postern'))
  ended = await runScript()
})
afterAll(async () => {
  await service.stop()
})

/** The script in a shell of its own, in an empty folder, with the built program on its path. */
async function runScript() {
  const child = spawn('sh', [script], {
    cwd: folder,
    env: {
      ...service.settings,
      PATH: [folder, process.env.PATH].join(delimiter),
      HOME: folder,
      POSTERN_URL: service.url,
      POSTERN_CONFIG_DIR: join(folder, 'config'),
      POSTERN_STATE_DIR: join(folder, 'state'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr }
}

const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

interface Member {
  readonly email: string
  readonly roles: readonly string[]
  readonly teamId: string | null
}

describe('a script of shell commands, without a terminal', () => {
  it('ends well', () => {
    expect(ended).toEqual({ code: 0, stderr: expect.any(String) })
  })

  it('made the organization once', () => {
    const [created, again] = [read('created.json'), read('again.json')]
    expect([created.status, again.status]).toEqual(['created', 'unchanged'])
    expect(again.resource).toEqual(created.resource)
    expect(created.resource).toMatchObject({ slug: 'acme', metadata: { plan: 'pro' } })
  })

  it('invited six people, each reported', () => {
    const { results, summary } = read('invited.json')
    expect(summary).toEqual({ total: 6, succeeded: 6, failed: 0, skipped: 0 })
    expect(new Set(results.map(({ id }: { id: string }) => id)).size).toBe(6)
  })

  it('left it as it said: members, roles, teams, invitations', () => {
    const { members, teams, invitations } = read('view.json') as {
      members: Member[]
      teams: { id: string; name: string }[]
      invitations: { email: string; status: string; roles: string[] }[]
    }
    expect(members).toHaveLength(5)
    const roleOf = (name: string) => members.find(({ email }) => email === `${name}@example.com`)?.roles
    expect([roleOf('owner'), roleOf('p1'), roleOf('p2')]).toEqual([['owner'], ['admin'], ['member']])
    expect([roleOf('p5'), roleOf('p6')]).toEqual([undefined, undefined])
    const sizes = teams.map(({ id, name }) => [name, members.filter(({ teamId }) => teamId === id).length])
    expect(Object.fromEntries(sizes)).toEqual({ Acme: 1, Design: 2, Support: 1 })
    const guest = { email: 'guest@example.com', status: 'pending' }
    expect(invitations).toMatchObject([{ ...guest, roles: ['admin', 'member'] }])
    const { items } = read('invitations.json') as { items: { email: string; status: string }[] }
    expect(items.filter(({ status }) => status === 'accepted')).toHaveLength(6)
    expect(items.filter(({ status }) => status !== 'accepted')).toEqual([
      guest,
      { email: 'other@example.com', status: 'canceled' },
    ])
  })

  it('made a second organization from the document of the first, once', () => {
    const statusesOf = (name: string): string[] => {
      const { results } = read(name) as { results: { status: string }[] }
      return [...new Set(results.map(({ status }) => status))]
    }
    expect(statusesOf('planned.json')).toEqual(expect.arrayContaining(['planned']))
    expect(statusesOf('applied.json')).toEqual(expect.arrayContaining(['created']))
    expect(readFileSync(join(folder, 'equal.yaml'), 'utf8')).toContain('p1@example.com')
    expect([statusesOf('twice.json'), statusesOf('pruned.json')]).toEqual([['unchanged'], ['unchanged']])
  })
})
