import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { until } from '../../testing/ha/cluster.ts'
import { asPostgres, give, postgresFolder } from '../../testing/ha/place.ts'
import { Supervised } from '../../testing/ha/supervised.ts'
import { freePort } from '../../testing/ports.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

vi.setConfig({ testTimeout: 120_000 * slack, hookTimeout: 120_000 * slack })

const deploy = fileURLToPath(new URL('../../../deploy/ha/', import.meta.url))
let etcd: Supervised
let url: string
let script: string
beforeAll(async () => {
  const folder = temporaryFolder('may-promote')
  give(folder, 0o700)
  const [port, peers] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}/v2/keys/service/postern`
  const addresses = `--listen-client-urls http://127.0.0.1:${port} --advertise-client-urls http://127.0.0.1:${port} --listen-peer-urls http://127.0.0.1:${peers} --initial-advertise-peer-urls http://127.0.0.1:${peers} --initial-cluster default=http://127.0.0.1:${peers}`
  const command = ['etcd', '--enable-v2', '--data-dir', join(folder, 'etcd'), ...addresses.split(' ')]
  etcd = new Supervised({ command, log: join(folder, 'etcd.log') })
  // A data directory on its first timeline.
  const [program = '', ...args] = asPostgres(join(postgresFolder, 'initdb'), '-A', 'trust', join(folder, 'postgres'))
  execFileSync(program, args, { stdio: 'pipe', cwd: '/' })
  const hosts = ['HOST', 'HOST_1', 'HOST_2', 'HOST_3'].map((name) => `${name}=127.0.0.1\n`).join('')
  const own = `NODE=pg1\nETCD_PORT=${port}\nBIN=${postgresFolder}\nDATA=${folder}\n`
  writeFileSync(join(folder, 'values.env'), hosts + own)
  script = join(folder, 'may-promote')
  writeFileSync(script, execFileSync(join(deploy, 'fill'), [join(folder, 'values.env'), join(deploy, 'may-promote')]))
  chmodSync(script, 0o700)
  await until('etcd', async () => (await fetch(url).catch(() => null))?.status === 404)
})
afterAll(() => etcd?.stop())
beforeEach(() => fetch(`${url}?recursive=true`, { method: 'DELETE' }))

const put = async (key: string, value: string) => {
  const { ok } = await fetch(`${url}/${key}`, { method: 'PUT', body: new URLSearchParams({ value }) })
  expect(ok).toBe(true)
}

/** `pg1`: alone; `pg1+pg2`: the primary and its standby; `pg1!`: restored. As Patroni and the program write them. */
function stateOf(text: string): string {
  const [leader = '', standby = null] = text.replace('!', '').split('+')
  const mark = text.endsWith('!') ? { restored_by: 'pg3' } : {}
  return JSON.stringify({ leader, sync_standby: standby, ...mark })
}

async function run(states: string) {
  for (const text of states.split(' ').filter(Boolean)) await put('sync', stateOf(text))
  const { status, stderr } = spawnSync(script, { encoding: 'utf8' })
  const { node } = (await (await fetch(`${url}/sync`)).json()) as { node?: { value: string } }
  return { status, stderr, kept: node && JSON.parse(node.value) }
}

it.each([
  ['the first primary', 'pg1'],
  ['the synchronous standby of a dead primary', 'pg2+pg1 pg1'],
  ['one of two synchronous standbys', 'pg2+pg3,pg1 pg1'],
  ['the last primary', 'pg1+pg2 pg1'],
  ['a primary that was left alone', 'pg2+pg1 pg1 pg1+pg3 pg1 pg1'],
  ['whoever could not be asked about at the first try', 'pg2+pg1 pg1 pg1 pg1'],
  ['whom another one restored', 'pg1+pg3 pg3 pg1! pg1'],
  ['the last primary, after another one was there by mistake', 'pg1+pg2 pg1 pg3 pg1! pg1'],
])('promotes %s (%s)', async (_, states) => {
  expect(await run(states)).toMatchObject({ status: 0, stderr: '', kept: { leader: 'pg1' } })
})

it.each([
  ['whoever returns to a free lock', 'pg1+pg2 pg2 pg1', { leader: 'pg2', sync_standby: null }],
  ['the third machine', 'pg2+pg3 pg1', { leader: 'pg2', sync_standby: 'pg3' }],
  ['one that tried before', 'pg2+pg3 pg1 pg1', { leader: 'pg2', sync_standby: 'pg3' }],
  ['one that another one took for the last primary', 'pg3+pg2 pg3 pg1 pg2 pg1', { leader: 'pg3', sync_standby: null }],
  ['one after which another was restored', 'pg2+pg3 pg1 pg2+pg3! pg1', { leader: 'pg2', sync_standby: 'pg3' }],
])('does not promote %s, and restores what was before (%s)', async (_, states, kept) => {
  const done = await run(states)
  expect(done).toMatchObject({ status: 1, kept: { ...kept, restored_by: 'pg1' } })
  expect(done.stderr).toMatch(/^pg1 is not promoted, since it may lack commits: they are on pg[23]/)
})

it('promotes everybody where there is no synchronous mode', async () => {
  expect(await run('')).toMatchObject({ status: 0, stderr: '', kept: undefined })
})

describe('of what is older than the history of etcd', () => {
  const forget = async () => {
    for (let round = 0; round < 25; round += 1)
      await Promise.all(Array.from({ length: 50 }, () => put('members/pg2', 'running')))
  }

  it('promotes a primary that was alone for long', async () => {
    await put('sync', stateOf('pg1'))
    await forget()
    expect(await run('pg1')).toMatchObject({ status: 0, stderr: '' })
  })

  it('does not promote one whose timeline has ended', async () => {
    await put('sync', stateOf('pg1'))
    await put('history', '[[1, 100, "no recovery target specified", "2026-11-28T07:03:27+00:00", "pg2"]]')
    await forget()
    expect(await run('pg1')).toMatchObject({ status: 1, stderr: expect.stringContaining('on a newer timeline') })
  })

  it('does not promote one beside the primary that was alone for long', async () => {
    await put('sync', stateOf('pg2'))
    await forget()
    expect(await run('pg1')).toMatchObject({ status: 1, kept: { leader: 'pg2', restored_by: 'pg1' } })
  })
})
