import { expect, it } from 'vitest'
import { useAcme } from '../../testing/use-service.ts'

const { ann, ben } = useAcme('member')

const aKey = /^pst_\w+\n$/
interface Made {
  readonly status: string
  readonly resource: { readonly id: string; readonly token: string | null }
}
const made = async (argv: string) => (await ann(`key create ${argv} --json`)).json as Made
const count = async (name: string) => {
  const { items } = (await ann('key list --org acme --json=name')).json as { items: { name: string }[] }
  return items.filter((key) => key.name === name).length
}

it('skip keeps the key that is there and prints no secret, nor anything in its place', async () => {
  const argv = 'job --role admin --scope read --from 203.0.113.0/24'
  const first = await made(`${argv} --if-exists skip`)
  expect(first.status).toBe('created')
  const { id } = first.resource
  expect(await made(`${argv} --if-exists skip`)).toMatchObject({ status: 'unchanged', resource: { id, token: null } })
  expect(await ann(`key create ${argv} --if-exists skip --quiet`)).toMatchObject({ code: 0, stdout: '' })
  const piped = await ann(`key create ${argv} --if-exists skip`)
  expect(piped).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'The key job exists already; its secret is not shown again\n',
  })
  expect((await ann(`key create ${argv} --if-exists skip`, { tty: ['stdout'] })).stdout).toContain('exists already')
  expect(await count('job')).toBe(1)
})

it('is exit 7 for a key with other roles or limits, and for any with fail', async () => {
  await made('strict --role member --scope read')
  for (const flags of ['--role admin --scope read', '--role member --scope member:list']) {
    const { error } = await ann(`key create strict ${flags} --if-exists skip --json`)
    expect([flags, error['code'], error['exitCode']]).toEqual([flags, 'EXISTS_ALREADY', 7])
  }
  expect((await ann('key create strict --role member --if-exists fail')).code).toBe(7)
  expect(await count('strict')).toBe(1)
  expect((await ann('key create strict --role member --quiet')).stdout).toMatch(aKey)
  expect(await count('strict')).toBe(2)
})

it('goes for keys of one\u2019s own by themselves, and counts none that was revoked', async () => {
  await made('job --mine --if-exists fail')
  expect(await made('job --mine --if-exists skip')).toMatchObject({ status: 'unchanged' })
  await ann('key revoke job --yes --org acme')
  expect(await made('job --role admin --if-exists fail')).toMatchObject({ status: 'created' })
})

it('never takes a key for absent because one cannot see them', async () => {
  for (const choice of ['fail', 'skip'])
    expect((await ben(`key create job --org acme --role member --if-exists ${choice}`)).code).toBe(5)
})
