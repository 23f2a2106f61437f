import { beforeAll, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { found } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import { bootstrapAdmin } from './bootstrap.ts'

const service = useTestService()
const id = 'machine-1'
const email = 'machine-1@machine.invalid'
const admin = useMade(() => adminOf(service))
beforeAll(async () => {
  const acme = await found(service)
  await service.deps.sql`
    insert into users (id, email, name, organization_id) values (${id}, ${email}, 'Build', ${acme.id})
  `
})

const list = async (query: string): Promise<string[]> =>
  (await admin.get(`/admin/list-users?${query}`)).body.users.map((user: { id: string }) => user.id)

it('machines are listed only where they are asked for, or named', async () => {
  expect(await list('')).not.toContain(id)
  expect(await list(`searchValue=${email}`)).toEqual([])
  expect(await list('filterField=isMachine&filterValue=true')).toEqual([id])
  expect(await list('filterField=isMachine&filterValue=false')).not.toContain(id)
  expect(await list(`filterField=id&filterValue=${id}`)).toEqual([id])
})

it.each([
  ['impersonate-user', {}],
  ['set-role', { role: 'admin' }],
  ['set-user-password', { newPassword: 'another horse battery staple' }],
])('%s is for people', async (name, more) => {
  const { status, body } = await admin.post(`/admin/${name}`, { userId: id, ...more })
  expect([status, body.code]).toEqual([404, 'USER_NOT_FOUND'])
})

it('a machine is banned as anybody is', async () => {
  expect((await admin.post('/admin/ban-user', { userId: id })).body.user.banned).toBe(true)
  expect((await admin.post('/admin/unban-user', { userId: id })).body.user.banned).toBe(false)
})

it('no machine becomes the first administrator', async () => {
  expect(await bootstrapAdmin(service.deps, { email, isForced: true })).toEqual({ outcome: 'invalid-email' })
})
