import { expect, it } from 'vitest'
import { useAcme, usePerson } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('admin')
const cyd = usePerson(service, 'Cyd')

/** The role after a command of Ann. */
const changed = async (line: string) => ((await ann(`${line} --json`)).json as { resource: object }).resource

it('creates, lists, shows, edits and deletes a role of the organization', async () => {
  expect(await changed('role create Editor --permission team:create team:update')).toMatchObject({
    role: 'editor',
    own: true,
    permissions: { team: ['create', 'update'] },
  })
  expect((await ann('role list --json')).json).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ role: 'editor', own: true }),
      expect.objectContaining({ role: 'owner', own: false }),
    ]),
  })
  expect(await changed('role edit editor --permission team:create')).toMatchObject({
    permissions: { team: ['create'] },
  })
  expect(await changed('role edit editor --name writer')).toMatchObject({
    role: 'writer',
    permissions: { team: ['create'] },
  })
  expect(await changed('role edit writer --empty')).toMatchObject({ permissions: {} })
  await ann('role create other')
  expect((await ann('role delete writer other --yes --json')).code).toBe(0)
  expect((await ann('role list --quiet')).stdout).toBe('owner\nadmin\nmember\n')
})

it('gives a role to members, invitations and keys, and keeps it while they have it', async () => {
  await ann('role create editor --permission team:create')
  expect((await ann('invitation create cyd@example.com --role editor')).code).toBe(0)
  const used = await ann('role delete editor --yes --json')
  expect(used.error).toMatchObject({
    exitCode: 7,
    code: 'ROLE_IS_ASSIGNED_TO_MEMBERS',
    message: expect.stringContaining('invitation of cyd@example.com'),
  })
  await cyd('invitation accept acme')
  expect((await cyd('role check team:create --org acme')).code).toBe(0)
  expect((await cyd('role check team:update --org acme')).code).toBe(5)
  expect((await ann('key create nightly --role editor')).code).toBe(0)
  expect((await ann('role view editor --json=members')).json).toMatchObject({
    members: expect.arrayContaining([expect.objectContaining({ email: 'cyd@example.com' })]),
  })
})

it('tells which permission is lacking, and what cannot be changed', async () => {
  expect((await ben('role create closer --permission organization:delete --json')).error).toMatchObject({
    exitCode: 5,
    message: expect.stringContaining('organization:delete'),
  })
  expect((await ben('role create closer --permission everything --json')).error).toMatchObject({ exitCode: 2 })
  expect((await ann('role create Admin --json')).error).toMatchObject({
    exitCode: 7,
    code: 'ROLE_NAME_IS_ALREADY_TAKEN',
  })
  expect((await ann('role delete admin --yes --json')).code).not.toBe(0)
  expect((await ann('role edit admin --name boss --json')).error.message).toContain('cannot be changed')
  expect((await cyd('role create mine --json --org acme')).error).toMatchObject({ exitCode: 5 })
})

it('is of the only organization where none is active', async () => {
  const dan = await service.person('Dan')
  await dan('org create Globex --slug globex')
  await dan('org use -')
  expect((await dan('role create tester')).stdout).toBe('Created role tester\n')
  const { error } = await dan('role create other --permission member:create galaxy:fly --json')
  expect(error).toMatchObject({ message: expect.stringContaining('at least one of member:create, galaxy:fly') })
})

it('leaves a role that exists as it is, if it is asked to skip', async () => {
  expect((await ann('role create Keeper --permission team:create')).code).toBe(0)
  const again = 'role create Keeper --permission team:update'
  expect((await ann(again)).code).toBe(7)
  expect((await ann(`${again} --if-exists skip --json`)).json).toMatchObject({
    status: 'unchanged',
    resource: { role: 'keeper', permissions: { team: ['create'] } },
  })
  expect((await ann('role create another --if-exists skip')).stdout).toBe('Created role another\n')
  expect((await ann('role create admin --if-exists skip --json')).error.code).toBe('ROLE_NAME_IS_ALREADY_TAKEN')
  await ann('role delete keeper another --yes')
})

it('changes nothing in a dry run', async () => {
  const before = (await ann('role list --json')).json
  expect((await ann('role create draft --permission team:create --dry-run')).code).toBe(0)
  expect((await ann('role edit editor --permission team:update --dry-run')).code).toBe(0)
  expect((await ann('role delete editor --dry-run --yes')).code).toBe(0)
  expect((await ann('role list --json')).json).toEqual(before)
})
