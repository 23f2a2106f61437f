import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type AnsweringService, startAnswers, usual } from '../testing/answers.ts'
import { createRunner, type Runner } from '../testing/run-cli.ts'

let service: AnsweringService
let postern: Runner

/** Several of each thing that a machine stores. */
beforeAll(async () => {
  service = await startAnswers(usual())
  const programs = temporaryFolder('programs')
  for (const name of ['postern-audit', 'postern-zip']) {
    writeFileSync(join(programs, name), '#!/bin/sh\n')
    chmodSync(join(programs, name), 0o755)
  }
  postern = createRunner({ env: { POSTERN_URL: service.url, PATH: programs } })
  for (const email of ['bob@example.com', 'alice@example.com'])
    await postern(['sign-in', '--email', email, '--password-file', '-'], { stdin: 'pw' })
  for (const name of ['work', 'home'])
    await postern(['profile', 'create', name, '--url', `https://${name}.example.com`, '--org', `of-${name}`])
  await postern('config set timeout 10s')
  await postern('config set retries 1')
  await postern(['alias', 'set', 'mine', 'session list'])
  await postern(['alias', 'set', 'all', 'admin user list'])
})
afterAll(() => service.close())

it.each([
  ['auth list', 'account', ['alice@example.com', 'bob@example.com']],
  ['profile list', 'name', ['home', 'work']],
  ['config list', 'setting', ['retries', 'timeout']],
  ['alias list', 'name', ['all', 'mine']],
  ['extension list', 'name', ['audit', 'zip']],
])('%s takes the flags of every list', async (list, field, [first = '', last = '']) => {
  const printed = async (flags: string) => (await postern(`${list} ${flags}`)).stdout
  expect(await printed(`-o csv --columns ${field} --sort ${field}`)).toBe(`${field}\n${first}\n${last}\n`)
  expect(await printed(`-o tsv --columns ${field} --sort -${field} --limit 1`)).toBe(`${field}\n${last}\n`)
  expect(await printed(`-o name --sort ${field}`)).toBe(`${first}\n${last}\n`)
  expect((await postern(`${list} --sort ${field} --limit 1 --json=${field}`)).json).toEqual({
    items: [{ [field]: first }],
    page: { total: 2, next: null },
  })
  const cut = await postern(`${list} --limit 1`, { tty: ['stdout', 'stderr'] })
  expect(cut.stderr).toContain('1 of 2 shown')
  for (const flags of ['--sort nme', '--columns nme', '--limit 0'])
    expect((await postern(`${list} ${flags}`)).code).toBe(2)
})

it.each(['--sort -org', '--sort=-org'])(
  'a field that begins with the letter of a global flag is sorted by: %s',
  async (sort) => {
    const { code, stdout } = await postern(`profile list ${sort} -o name`)
    expect([code, stdout]).toEqual([0, 'work\nhome\n'])
  },
)

it('the calls of a service too', async () => {
  const { stdout } = await postern('api list --columns call --sort call --limit 2 -o csv')
  expect(stdout).toBe('call\naccount.deleteUser\naccount.deleteUserCallback\n')
})
