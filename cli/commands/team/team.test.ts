import { describe, expect, it } from 'vitest'
import { startOwnService } from '../../testing/own-service.ts'
import { useAcme } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('member')

const names = async () => ((await ann('team list --json=name')).json as { items: { name: string }[] }).items
const membersOf = async (team: string) => (await ann(['team', 'member', 'list', '--team', team, '--json=name'])).json

it('team use of a team that one is not in changes neither the team nor the organization', async () => {
  await ann('org create Beta --slug beta')
  await ann('team create Away --org beta')
  await ann('org use acme')
  const active = async () => (await ann(['org', 'list', '--json', '--jq', '.items[] | select(.active) | .slug'])).stdout
  const before = await active()
  const { code, stderr } = await ann('team use Away --org beta')
  expect([code, stderr]).toEqual([5, expect.stringContaining('postern team list --mine')])
  expect([before, await active()]).toEqual(['acme\n', 'acme\n'])
  await ann('team member add ann@example.com --team Away --org beta')
  expect((await ann('team use Away --org beta')).code).toBe(0)
  expect(await active()).toBe('beta\n')
  await ann('org use acme')
})

describe('team', () => {
  it('is created, renamed and deleted', async () => {
    expect((await ann('team create Design --json')).json).toMatchObject({
      status: 'created',
      resource: { name: 'Design', updatedAt: expect.any(String) },
    })
    expect((await ann('team edit Design --name Drawing')).stdout).toBe('Team Design is now Drawing\n')
    expect((await ann('team edit Drawing --name Drawing --json')).json).toMatchObject({ status: 'unchanged' })
    expect((await ann('team edit Drawing --name Drawing')).stdout).toBe('Team Drawing has that name already\n')
    expect((await ann('team edit Drawing --json')).error).toMatchObject({ exitCode: 14, fields: ['--name'] })
    const asked = await ann('team edit Drawing -O acme --json')
    expect(asked.error['hint']).toBe('postern team edit Drawing --name NAME --org acme --json')
    expect(await names()).toEqual([{ name: 'Acme' }, { name: 'Drawing' }])
    expect((await ann('team delete Drawing')).code).toBe(14)
    expect((await ann('team delete Drawing --yes')).stdout).toBe('Deleted team Drawing\n')
    expect((await ann('teams ls -q')).stdout.trim().split('\n')).toHaveLength(1)
    const gone = await ann(`team delete Drawing --yes --org acme --url ${service.url}`)
    expect([gone.code, gone.stderr]).toEqual([
      6,
      `error: No team Drawing\n  next: See them: postern team list --url ${service.url} --org acme\n`,
    ])
  })

  it('is exit 7 where a name means several, and named by id then', async () => {
    const id = (await ann('team create Twin -q')).stdout.trim()
    await ann('api /organization/create-team -f name=Twin')
    const { code, stderr } = await ann('team edit Twin --name One')
    expect(code).toBe(7)
    expect(stderr).toMatch(new RegExp(`${id}  Twin  created \\d{4}-`))
    expect((await ann(`team edit ${id} --name One`)).code).toBe(0)
  })

  it('is made once of a name: a conflict, or left as it is with --if-exists skip', async () => {
    const id = (await ann('team create Once -q')).stdout.trim()
    expect((await ann('team create Once --json')).error).toMatchObject({
      exitCode: 7,
      message: 'There is a team Once already',
      hint: expect.stringContaining('--if-exists skip'),
    })
    expect((await ann('team create Once --if-exists skip --json')).json).toMatchObject({
      status: 'unchanged',
      resource: { id },
    })
    expect((await ann('team create Other --if-exists skip')).stdout).toBe('Created team Other\n')
  })

  it('is shown to members and changed by who may', async () => {
    expect((await ben('team list')).code).toBe(0)
    for (const argv of ['create X', 'edit Acme --name X', 'delete Acme --yes', 'member add Ben --team Acme']) {
      expect([argv, (await ben(`team ${argv}`)).code]).toEqual([argv, 5])
    }
  })

  it('is a conflict past the limit', async () => {
    const small = await startOwnService({ MAXIMUM_TEAMS: '1' })
    const cat = await small.person('Cat')
    await cat('org create One --slug one')
    const { code } = await cat('team create Two')
    await small.stop()
    expect(code).toBe(7)
  })
})

describe('team member', () => {
  it('joins several teams and leaves them', async () => {
    await ann('team create Red')
    await ann('team create Blue')
    const done = await ann('team member add - --team Red --json', { stdin: 'ben@example.com\nnobody\nAnn\n' })
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [{ status: 'updated' }, { status: 'failed', error: { code: 'NOT_FOUND' } }, { status: 'updated' }],
    })
    expect(await membersOf('Red')).toMatchObject({ items: [{ name: 'Ann' }, { name: 'Ben' }] })
    expect((await ann('team member add Ben --team Red')).stdout).toBe('Ben\tunchanged\n')
    await ann('team member add Ben --team Blue')
    expect(await membersOf('Red')).toMatchObject({ items: [{ name: 'Ann' }, { name: 'Ben' }] })
    expect((await ben('team list --mine --json=name')).json).toMatchObject({
      items: [{ name: 'Red' }, { name: 'Blue' }],
    })
    const { items } = (await ann('team list --json=name,memberCount')).json as { items: object[] }
    expect(items).toContainEqual({ name: 'Red', memberCount: 2 })
    expect((await ann('team member remove Ben --team Red')).code).toBe(0)
    const again = await ann('team member remove Ben --team Red --json')
    expect(again.error).toMatchObject({
      exitCode: 6,
      message: 'ben@example.com is not in Red',
      hint: 'See who is: postern team member list --team Red',
    })
    expect((await ann('team member rm Ben --team Blue')).code).toBe(0)
    expect(await ann('team member list --team Blue')).toMatchObject({ code: 0, stderr: 'Nobody is in Blue\n' })
    expect(await ben('team list --mine')).toMatchObject({ code: 0, stderr: 'You are in no team\n' })
    expect((await ann('member list --json=name')).json).toMatchObject({ items: [{ name: 'Ann' }, { name: 'Ben' }] })
  })

  it('comes by an invitation to several teams', async () => {
    await ann('team create Green')
    await ann('invitation create cat@example.com --role member --team Green,Acme')
    const teams = async () =>
      ((await ann('invitation view cat@example.com --json=teamIds')).json as { teamIds: string[] }).teamIds
    const before = await teams()
    expect(before).toHaveLength(2)
    expect((await ann('invitation create dan@example.com --role member --team Nothing')).code).toBe(6)
    expect((await ann('invitation resend cat@example.com')).code).toBe(0)
    expect(await teams()).toEqual(before)
  })

  it('needs a team', async () => {
    expect((await ann('team member add Ben --json')).error).toMatchObject({ exitCode: 14, fields: ['--team'] })
    expect((await ann('team member list --team Nothing')).code).toBe(6)
  })
})

it('a line that says what to do next works in the same organization', async () => {
  await ann('org create Other --slug other')
  await ann('team create Shared --org acme')
  const { code, stderr } = await ann('team delete Shared --org acme')
  expect(code).toBe(14)
  expect(stderr).toContain('postern team delete Shared --org acme --yes')
  await ann('org use acme')
})

it('a team of mine is the active one of the session, until I leave it', async () => {
  const active = async () => {
    const { items } = (await ann('session list --json=current,activeTeamId')).json as {
      items: { current: boolean; activeTeamId: string | null }[]
    }
    return items.find(({ current }) => current)?.activeTeamId
  }
  await ann('org use acme')
  const id = (await ann('team create Own -q')).stdout.trim()
  const refused = await ann('team use Own --json')
  expect([refused.code, refused.error['hint']]).toEqual([5, 'See yours: postern team list --mine'])
  await ann('team member add Ann --team Own')
  expect((await ann('team use Own')).stdout).toBe('Using team Own\n')
  expect(await active()).toBe(id)
  expect((await ann('team use -')).stdout).toBe('Using no team\n')
  expect(await active()).toBeNull()
  await ann('org use other')
  expect((await ann('team use Own --org acme')).stdout).toBe('Using team Own\n')
  expect([await active(), (await ann('team list --json=name')).stdout.includes('Own')]).toEqual([id, true])
  await ann('team use -')
  await ann('team use Own')
  await ann('team member remove Ann --team Own')
  expect(await active()).toBeNull()
})
