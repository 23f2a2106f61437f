import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectForMigration, type Driver } from '../../db/connect.ts'
import type { Extensions } from '../../settings/extensions.ts'
import { actingAs } from '../../testing/admins.ts'
import { done, found } from '../../testing/organizations.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import type { LeftOut } from './check-item.ts'
import { exportRecords } from './export-records.ts'
import { fileSource } from './file-source.ts'
import { importRecords } from './import-records.ts'
import { partsOf } from './prepare-parts.ts'

const extensions: Extensions = {
  userFields: { plan: { kind: ['free', 'pro'], default: 'free' }, born: { kind: 'date' }, seats: { kind: 'number' } },
  organizationFields: { country: { kind: 'text', default: 'CH' } },
}

let service: TestService
let other: TestService
beforeAll(async () => {
  service = await createTestService({}, { extensions })
  other = await createTestService()
})
afterAll(async () => {
  await service?.stop()
  await other?.stop()
})

const withSql = async <T>({ database }: TestService, work: (sql: Driver) => Promise<T>): Promise<T> => {
  const sql = connectForMigration(database)
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

const dump = (from: TestService, withSecrets: boolean) =>
  withSql(from, async (sql) => {
    let text = ''
    const write = async (part: string) => {
      text += part
    }
    await exportRecords(sql, { keys: from.deps.keys, withSecrets, write })
    return text
  })

const folder = temporaryFolder('round-trip')
async function load(to: TestService, text: string): Promise<readonly LeftOut[]> {
  const path = join(folder, 'export.ndjson')
  await writeFile(path, text)
  const left: LeftOut[] = []
  const options = {
    isDryRun: false,
    batch: null,
    isUpdating: false,
    parts: partsOf(to.deps),
    onLeftOut: (row: LeftOut) => left.push(row),
  }
  const { different } = await withSql(to, async (sql) => importRecords(sql, await fileSource(path), options))
  expect(different).toEqual([])
  return left
}

/** What the service itself stores, by its own calls. */
async function fill() {
  await service.visitor().post('/sign-up/email', {
    email: 'ann@example.com',
    name: 'Ann 🙂',
    password: 'correct horse battery staple',
    plan: 'pro',
    born: '2001-02-03',
    seats: 2.5,
  })
  const { owner, join: admit, invite, id } = await found(service, { metadata: { z: 1, a: { ü: [null, 1e21] } } })
  const post = (path: string, body: object) => done(owner.post(path, body))
  await post('/organization/create-role', { role: 'editor', permission: { team: ['create'], member: ['update'] } })
  const { id: teamId } = await post('/organization/create-team', { name: 'Red' })
  const { id: goneTeam } = await post('/organization/create-team', { name: 'Gone' })
  const editor = await admit('editor', teamId)
  const leaver = await admit('member')
  await invite('cid@example.com', 'editor', { teamId: goneTeam })
  await post('/organization/add-team-member', { teamId, userId: owner.userId })
  await post('/organization/set-active-team', { teamId })
  await post('/organization/remove-team', { teamId: goneTeam })
  await post('/organization/remove-member', { memberIdOrEmail: leaver.memberId })
  await done(editor.post('/update-user', { name: 'Editor' }))
  await post('/webhook/create', { url: 'https://example.com/hook', organizationId: id, events: ['member'] })
  await post('/key/create', { name: 'ci' })
  await actingAs(service)
}

it('what the service itself stored is the same after export, import and export, byte by byte', async () => {
  await fill()
  const text = await dump(service, true)
  for (const part of ['"ownRoles":{"editor"', '"born":"2001-02-03', '"activeTeamId":"', '"status":"pending"'])
    expect(text).toContain(part)
  expect(await load(other, text)).toEqual([])
  expect((await dump(other, true)).split('\n')).toEqual(text.split('\n'))
  // Without secrets too: into another service that has nothing.
  const third = await createTestService()
  const plain = await dump(service, false)
  expect(await load(third, plain)).toEqual([])
  expect((await dump(third, false)).split('\n')).toEqual(plain.split('\n'))
  await third.stop()
})
